"""Ways out of a process without a network: one socket in the file system for each address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sregym_agents.background import ServingThread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from pathlib import Path

CHUNK = 65_536

Taker = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Route:
    """One address that can be reached from inside.

    Attributes:
        listen: Host and port inside.
        target: Host and port that it leads to.
        name: Host name that leads to `listen` inside; empty for addresses.
    """

    listen: tuple[str, int]
    target: tuple[str, int]
    name: str = ""


def routes_of(endpoints: Iterable[str], reach: Sequence[str] = ()) -> tuple[Route, ...]:
    """Routes to the addresses of a session and to further hosts, each address once.

    Args:
        endpoints: URLs on loopback; the same address is used inside.
        reach: `HOST:PORT` of what else may be reached. Hosts get an address of their own inside;
            services of this machine keep theirs.
    """
    routes: dict[tuple[str, int], Route] = {}
    for url in endpoints:
        parts = urlsplit(url)
        address = (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        routes[address] = Route(address, address)
    for number, place in enumerate(reach, 1):
        host, _, port = place.rpartition(":")
        if host in ("localhost", "127.0.0.1"):
            here = ("127.0.0.1", int(port))
            routes[here] = Route(here, here)
            continue
        listen = (f"127.0.1.{number}", int(port))
        routes[listen] = Route(listen, (host, int(port)), host)
    return tuple(routes.values())


class Relays:
    """The outer end: takes connections at sockets in a folder and passes them on.

    Args:
        routes: The n-th is served at the socket named n.
        folder: Where the sockets are made.
    """

    def __init__(self, routes: Sequence[Route], folder: Path) -> None:
        self._routes = routes
        self._folder = folder
        self._thread = ServingThread("relays", self._passing)

    def __enter__(self) -> Relays:
        """Start passing on; raises `WorldError` when that cannot be."""
        self._thread.start(f"no way out of the isolation can be made in {self._folder}")
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop."""
        self._thread.stop()

    @asynccontextmanager
    async def _passing(self) -> AsyncIterator[None]:
        passing: set[asyncio.Task[None]] = set()
        servers = [
            await asyncio.start_unix_server(
                _taker(route.target, passing), self._folder / str(number)
            )
            for number, route in enumerate(self._routes)
        ]
        for number in range(len(self._routes)):
            # Whoever it is inside may connect; the folder above is the harness's alone.
            (self._folder / str(number)).chmod(0o666)
        try:
            yield
        finally:
            for server in servers:
                server.close()
            for task in tuple(passing):
                task.cancel()
            await asyncio.gather(*passing, return_exceptions=True)


def _taker(target: tuple[str, int], passing: set[asyncio.Task[None]]) -> Taker:
    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        passing.add(task)
        try:
            await _pass_on(reader, writer, target)
        finally:
            passing.discard(task)

    return take


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: tuple[str, int]
) -> None:
    try:
        far_reader, far_writer = await asyncio.open_connection(*target)
    except OSError:
        writer.close()
        return
    ways = (
        asyncio.create_task(_pour(reader, far_writer)),
        asyncio.create_task(_pour(far_reader, writer)),
    )
    try:
        await asyncio.gather(*ways, return_exceptions=True)
    except asyncio.CancelledError:
        # What the far side does not take any more would keep the connection open for ever.
        for end in (writer, far_writer):
            end.transport.abort()
        raise
    finally:
        for way in ways:
            way.cancel()
        for end in (writer, far_writer):
            end.close()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while content := await reader.read(CHUNK):
        writer.write(content)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()

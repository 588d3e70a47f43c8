"""Ways out of a process without a network: one socket in the file system for each address."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sregym_agents.background import ServingThread
from sregym_agents.connections import Connections, close

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from pathlib import Path

CHUNK = 65_536


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
        async with AsyncExitStack() as open_servers:
            for number, route in enumerate(self._routes):
                connections = Connections(partial(_pass_on, route.target))
                socket = self._folder / str(number)
                server = await asyncio.start_unix_server(connections.add, socket)
                await open_servers.enter_async_context(connections.of(server))
                # Any user inside may connect; only the harness can enter the folder above.
                socket.chmod(0o666)
            yield


async def _pass_on(
    target: tuple[str, int], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        far_reader, far_writer = await asyncio.open_connection(*target)
    except OSError:
        return
    ways = (
        asyncio.create_task(_pour(reader, far_writer)),
        asyncio.create_task(_pour(far_reader, writer)),
    )
    try:
        await asyncio.gather(*ways, return_exceptions=True)
        for end in (writer, far_writer):
            await close(end)
    except asyncio.CancelledError:
        # What the far side does not take any more would keep the connection open for ever.
        far_writer.transport.abort()
        raise
    finally:
        for way in ways:
            way.cancel()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while content := await reader.read(CHUNK):
        writer.write(content)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()

"""Connections of a server that end with it, whatever they are at."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    Take = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

# Of the loop, from taking a connection from the system to knowing it here, and from cutting it to
# closing its socket.
_ROUNDS = 3


class Connections:
    """What a server took.

    Args:
        take: Works on one connection; cancelled when the server ends. It closes what it opened itself.
    """

    def __init__(self, take: Take) -> None:
        self._take = take
        self._taken: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def add(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """For `asyncio.start_server`, which forgets the connections of coroutines it is given."""
        task = asyncio.get_running_loop().create_task(self._work(reader, writer))
        self._taken[task] = writer
        task.add_done_callback(self._taken.pop)

    async def _work(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._take(reader, writer)
        finally:
            writer.close()

    @asynccontextmanager
    async def of(self, *servers: asyncio.Server) -> AsyncIterator[None]:
        """Until the block is left the servers serve; then no connection of theirs is open."""
        try:
            yield
        finally:
            await stop(servers)
            taken = dict(self._taken)
            for task, writer in taken.items():
                # Not closed: what the far side does not take would keep it open for ever.
                writer.transport.abort()
                task.cancel()
            await asyncio.gather(*taken, return_exceptions=True)
            await rounds()


async def stop(servers: Iterable[asyncio.Server]) -> None:
    """Take no more connections; those that are accepted by now are known to the server."""
    loop = asyncio.get_running_loop()
    for server in servers:
        # A server that is closed at once loses those it is about to open.
        for listening in server.sockets:
            loop.remove_reader(listening)
    await rounds()
    for server in servers:
        server.close()


async def rounds() -> None:
    """Let the loop do what is due."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)


async def close(writer: asyncio.StreamWriter) -> None:
    """Close a connection once the far side has taken everything; at once when cancelled."""
    writer.close()
    try:
        await writer.wait_closed()
    except OSError:
        writer.transport.abort()
    except asyncio.CancelledError:
        writer.transport.abort()
        raise

"""One side of an HTTP/1.1 connection: h11's events over asyncio's streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import h11

from sregym_agents.connections import close

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 65_536
# Long label selectors and certificates in headers are still far below.
HEAD_CAP = 1_048_576


class Wire:
    """A connection to a client or to a server.

    Args:
        role: What we are in it: `h11.SERVER` or `h11.CLIENT`.
        reader: Its incoming bytes.
        writer: Its outgoing bytes.
    """

    def __init__(
        self,
        role: type[h11.SERVER] | type[h11.CLIENT],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.http = h11.Connection(role, max_incomplete_event_size=HEAD_CAP)
        self._reader = reader
        self._writer = writer

    async def receive(self) -> h11.Event | type[h11.PAUSED]:
        """The next event."""
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event  # type: ignore[return-value]  # the sentinel is excluded above
            if self.http.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            self.http.receive_data(await self._reader.read(CHUNK))

    async def send(self, event: h11.Event) -> None:
        """Send an event."""
        content = self.http.send(event)
        if content:
            self._writer.write(content)
            await self._writer.drain()

    async def send_raw(self, content: bytes) -> None:
        """Send bytes of another protocol, after a switch."""
        self._writer.write(content)
        await self._writer.drain()

    async def pour_into(self, other: Wire) -> None:
        """Pass bytes on until this side ends, after a switch of protocols."""
        first, _ = self.http.trailing_data
        if first:
            await other.send_raw(first)
        while content := await self._reader.read(CHUNK):
            await other.send_raw(content)

    def next_cycle(self) -> bool:
        """Get ready for another request; False when the connection cannot take one."""
        if self.http.our_state is h11.DONE and self.http.their_state is h11.DONE:
            self.http.start_next_cycle()
            return True
        return False

    async def close(self) -> None:
        """Close the connection once the far side has taken everything."""
        await close(self._writer)

    def abort(self) -> None:
        """Cut the connection."""
        self._writer.transport.abort()


async def splice(one: Wire, two: Wire) -> None:
    """Pass bytes both ways until either side ends."""
    ways: Sequence[asyncio.Task[None]] = (
        asyncio.create_task(one.pour_into(two)),
        asyncio.create_task(two.pour_into(one)),
    )
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

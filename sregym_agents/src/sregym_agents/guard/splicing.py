"""Two connections joined after `101 Switching Protocols`: bytes both ways, whatever they mean."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp.http import StreamWriter

if TYPE_CHECKING:
    from aiohttp.base_protocol import BaseProtocol

_CHUNK = 65_536


class Side:
    """A connection of aiohttp that left HTTP behind.

    Stands in the place of aiohttp's parser of websockets: the connection's `set_parser` takes it.

    Args:
        protocol: The connection's.

    Raises:
        ConnectionResetError: It is lost already.
    """

    def __init__(self, protocol: BaseProtocol) -> None:
        if protocol.transport is None:
            message = "the connection was lost before it was upgraded"
            raise ConnectionResetError(message)
        self._transport = protocol.transport
        self._writer = StreamWriter(protocol, asyncio.get_running_loop())
        self._arrived = asyncio.StreamReader(_CHUNK)
        # Pauses the connection while received data is not read.
        self._arrived.set_transport(protocol.transport)
        self._ended = False

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Take bytes that came: all of them, and never the last ones."""
        if not self._ended:
            self._arrived.feed_data(data)
        return False, b""

    def feed_eof(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._arrived.feed_eof()

    def set_exception(self, *_: object) -> None:
        """Nothing more comes."""
        self.feed_eof()

    async def pour_into(self, other: Side) -> None:
        """Pass bytes on until this side ends."""
        while content := await self._arrived.read(_CHUNK):
            await other._writer.write(content)

    async def pass_rest(self, other: Side) -> None:
        """Pass on what came and was not taken, without waiting."""
        self.feed_eof()
        rest = await self._arrived.read()
        if rest and not other._transport.is_closing():
            other._transport.write(rest)


async def splice(client: Side, server: Side) -> None:
    """Pass bytes both ways until either side ends; what it sent last arrives."""
    ways = (
        asyncio.create_task(client.pour_into(server)),
        asyncio.create_task(server.pour_into(client)),
    )
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        # Who serves the client is cancelled at its end, before its last bytes were passed on.
        await client.pass_rest(server)

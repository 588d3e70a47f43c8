"""What streams travel on: the messages of a websocket, or a connection that left HTTP behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from aiohttp import WSMsgType, web

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter

STREAM_PROTOCOL = "X-Stream-Protocol-Version"


class SocketCarrier:
    """The binary messages of a websocket, joined to a stream of bytes."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._unsent: list[bytes] = []

    async def read(self) -> bytes:
        """The next bytes; none when the client has left."""
        while True:
            message = await self._socket.receive()
            if message.type is WSMsgType.BINARY:
                if message.data:
                    return cast("bytes", message.data)
            elif message.type is not WSMsgType.TEXT:
                return b""

    def write(self, data: bytes) -> None:
        """Keep bytes until the next `drain`."""
        self._unsent.append(data)

    async def drain(self) -> None:
        """Send what was kept, as one message."""
        data, self._unsent = b"".join(self._unsent), []
        if data and not self._socket.closed:
            await self._socket.send_bytes(data)


class _Feed:
    """Takes the bytes of a connection in the place of aiohttp's parser of websockets."""

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[bytes] = asyncio.Queue()

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.arrived.put_nowait(data)
        return False, b""

    def feed_eof(self) -> None:
        self.arrived.put_nowait(b"")

    def set_exception(self, *_: object) -> None:
        self.arrived.put_nowait(b"")


class UpgradedCarrier:
    """A connection after `101 Switching Protocols`; made by `upgraded`."""

    def __init__(self, incoming: web.Request, feed: _Feed, writer: AbstractStreamWriter) -> None:
        self._incoming = incoming
        self._feed = feed
        self._writer = writer

    async def read(self) -> bytes:
        """The next bytes; none when the client has left."""
        return await self._feed.arrived.get()

    def write(self, data: bytes) -> None:
        """Send bytes; nothing happens when the client has left."""
        transport = self._incoming.transport
        if transport is not None and not transport.is_closing():
            transport.write(data)

    async def drain(self) -> None:
        """Return when there is room."""
        await self._writer.drain()


async def upgraded(
    incoming: web.Request, protocol: str, stream_protocol: str
) -> tuple[web.StreamResponse, UpgradedCarrier]:
    """Answer 101; returns the response that the handler must give back at the end.

    Args:
        incoming: The request with the `Upgrade` header.
        protocol: What is spoken from now on, `SPDY/3.1`.
        stream_protocol: The version of what is spoken within.
    """
    headers = {"Connection": "Upgrade", "Upgrade": protocol, STREAM_PROTOCOL: stream_protocol}
    answer = web.StreamResponse(status=101, headers=headers)
    feed = _Feed()
    incoming.protocol.set_parser(cast("Any", feed))
    writer = await answer.prepare(incoming)
    answer.force_close()
    if writer is None:
        message = "the connection was lost before it was upgraded"
        raise ConnectionResetError(message)
    await writer.write(b"")
    return answer, UpgradedCarrier(incoming, feed, writer)


def offered_versions(incoming: web.Request) -> list[str]:
    """The versions that a client of SPDY offers, the best first."""
    values = incoming.headers.getall(STREAM_PROTOCOL, [])
    return [part.strip() for value in values for part in value.split(",") if part.strip()]

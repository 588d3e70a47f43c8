"""The streams of one exec or attach, whatever they travel on.

Websockets carry `v5.channel.k8s.io` and `v4.channel.k8s.io`: a binary message begins with the
number of its channel; in v5 a message on channel 255 closes the channel that its second byte names.
Older clients open one SPDY stream for each of them, named by its header `streamtype`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

import orjson
from aiohttp import WSMsgType, web

from sregym_cluster_embedded.http.spdy import SpdyConnection, SpdyStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sregym_cluster_embedded.http.spdy import Carrier

SOCKET_PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
SPDY_PROTOCOLS = ("v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io")
STDIN, STDOUT, STDERR, STATUS, CLOSE = 0, 1, 2, 3, 255

# A client reads messages up to 16 MiB; ours stay far below.
_CHUNK = 32 * 1024
# How long a client of SPDY may take to open the streams that it asked for.
_STREAMS_S = 30.0


class RemoteStreams(Protocol):
    """Standard streams of a command in a container, and the Status that ends them."""

    def stdin(self) -> AsyncIterator[bytes]:
        """Pieces of input until the client says that it is complete, or leaves."""

    async def send(self, channel: int, data: bytes) -> None:
        """Send output on STDOUT or STDERR."""

    async def finish(self, status: Mapping[str, Any]) -> None:
        """Send the Status; nothing follows."""


class SocketStreams:
    """Streams on the channels of a websocket."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def stdin(self) -> AsyncIterator[bytes]:
        """Pieces of input."""
        async for message in self._socket:
            if message.type is WSMsgType.TEXT:
                data = message.data.encode()
            elif message.type is WSMsgType.BINARY:
                data = message.data
            else:
                return
            if not data:
                continue
            if data[0] == CLOSE and data[1:2] == bytes([STDIN]):
                return
            if data[0] == STDIN:
                yield data[1:]

    async def send(self, channel: int, data: bytes) -> None:
        """Send output."""
        for start in range(0, len(data), _CHUNK):
            await self._socket.send_bytes(bytes([channel]) + data[start : start + _CHUNK])

    async def finish(self, status: Mapping[str, Any]) -> None:
        """Send the Status and close."""
        await self.send(STATUS, orjson.dumps(status))
        await self._socket.close()


class SpdyStreams:
    """Streams on a SPDY connection; made by `opened_streams`."""

    def __init__(self, streams: Mapping[str, SpdyStream], protocol: str) -> None:
        self._streams = streams
        self._protocol = protocol

    async def stdin(self) -> AsyncIterator[bytes]:
        """Pieces of input."""
        stream = self._streams.get("stdin")
        while stream is not None and (data := await stream.read()):
            yield data

    async def send(self, channel: int, data: bytes) -> None:
        """Send output; without a stream of its own, standard error is not told."""
        stream = self._streams.get("stdout" if channel == STDOUT else "stderr")
        if stream is not None:
            await stream.write(data)

    async def finish(self, status: Mapping[str, Any]) -> None:
        """Send the Status, or before version 4 the error text, and close all streams."""
        error = self._streams["error"]
        for name in ("stdout", "stderr"):
            if name in self._streams:
                await self._streams[name].close()
        if self._protocol == SPDY_PROTOCOLS[0]:
            await error.write(orjson.dumps(status))
        elif status.get("status") != "Success":
            await error.write(str(status.get("message", "")).encode())
        await error.close()


async def opened_streams(
    carrier: Carrier, options: Mapping[str, Any], protocol: str
) -> tuple[SpdyStreams, asyncio.Task[None]] | None:
    """The streams of a SPDY client when it has opened all; None when it did not.

    The task deals out what arrives; it ends when the client leaves.
    """
    streams: dict[str, SpdyStream] = {}
    complete = asyncio.Event()
    wanted = {"error"} | {name for name in ("stdin", "stdout", "stderr") if options.get(name)}
    if options.get("tty"):
        wanted -= {"stderr"}
        if protocol != SPDY_PROTOCOLS[2]:
            wanted |= {"resize"}

    def opened(stream: SpdyStream) -> None:
        streams.setdefault(stream.headers.get("streamtype", ""), stream)
        if wanted <= streams.keys():
            complete.set()

    dealing = asyncio.ensure_future(SpdyConnection(carrier, opened).run())
    try:
        async with asyncio.timeout(_STREAMS_S):
            await complete.wait()
    except TimeoutError:
        dealing.cancel()
        return None
    return SpdyStreams(streams, protocol), dealing

"""SPDY/3.1 as clients of Kubernetes speak it: many streams on one connection, server's side.

`Frames` turns bytes into events and back and does no input or output; `SpdyConnection` runs it on
a carrier, which is an upgraded TCP connection or the binary messages of a websocket. Flow control
is left out, as the clients' library leaves it out: no side waits for window updates.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded.http.spdy_words import dictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CONTROL = 0x80000000
_VERSION = 3
_SYN_STREAM, _SYN_REPLY, _RST_STREAM, _PING, _GOAWAY = 1, 2, 3, 6, 7
_FIN = 1
_HEAD_BYTES = 8
_CHUNK = 32 * 1024
# Nothing that a client has to say in one frame is longer; what is comes from no client.
_FRAME_LIMIT = 1 << 20


class SpdyError(Exception):
    """What arrived is no SPDY/3.1; the message says in which way."""


class Opened(NamedTuple):
    """The client opened a stream; names of headers are lower case."""

    stream: int
    headers: dict[str, str]
    fin: bool


class Received(NamedTuple):
    """Data of a stream; `fin`: the client will send no more on it."""

    stream: int
    data: bytes
    fin: bool


class Frames:
    """The state of one connection: what is buffered, and the two compressors.

    Args:
        write: Takes bytes for the client.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._buffer = b""
        self._deflate = zlib.compressobj(zdict=dictionary())
        self._inflate = zlib.decompressobj(zdict=dictionary())

    def feed(self, data: bytes) -> Iterator[Opened | Received]:
        """The events in what has arrived; pings are answered on the way.

        Raises:
            SpdyError: A frame is malformed.
        """
        self._buffer += data
        while len(self._buffer) >= _HEAD_BYTES:
            first, second = struct.unpack_from(">II", self._buffer)
            size = second & 0xFFFFFF
            if size > _FRAME_LIMIT:
                message = f"a frame of {size} bytes"
                raise SpdyError(message)
            if len(self._buffer) < _HEAD_BYTES + size:
                return
            body = self._buffer[_HEAD_BYTES : _HEAD_BYTES + size]
            self._buffer = self._buffer[_HEAD_BYTES + size :]
            flags = second >> 24
            if not first & _CONTROL:
                yield Received(first, body, bool(flags & _FIN))
            else:
                yield from self._control(first, flags, body)

    def _control(self, first: int, flags: int, body: bytes) -> Iterator[Opened | Received]:
        version, kind = (first >> 16) & 0x7FFF, first & 0xFFFF
        if version != _VERSION:
            message = f"version {version}"
            raise SpdyError(message)
        try:
            if kind == _SYN_STREAM:
                (stream,) = struct.unpack_from(">I", body)
                yield Opened(stream & 0x7FFFFFFF, self._headers(body[10:]), bool(flags & _FIN))
            elif kind == _RST_STREAM:
                (stream,) = struct.unpack_from(">I", body)
                yield Received(stream & 0x7FFFFFFF, b"", True)
            elif kind == _PING:
                self._write(_control_frame(_PING, body))
        except (struct.error, zlib.error, UnicodeDecodeError) as error:
            raise SpdyError(str(error)) from error

    def _headers(self, block: bytes) -> dict[str, str]:
        text = self._inflate.decompress(block, _FRAME_LIMIT)
        (count,) = struct.unpack_from(">I", text)
        found: dict[str, str] = {}
        at = 4
        words: list[str] = []
        for _ in range(2 * count):
            (size,) = struct.unpack_from(">I", text, at)
            words.append(text[at + 4 : at + 4 + size].decode())
            at += 4 + size
        for name, value in zip(words[::2], words[1::2], strict=True):
            found[name.lower()] = value
        return found

    def accept(self, stream: int) -> None:
        """Answer a stream that the client opened."""
        empty = struct.pack(">I", 0)
        block = self._deflate.compress(empty) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        self._write(_control_frame(_SYN_REPLY, struct.pack(">I", stream) + block))

    def send(self, stream: int, data: bytes, fin: bool = False) -> None:
        """Send data; with `fin` the last."""
        pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)] or [b""]
        for number, piece in enumerate(pieces, 1):
            flags = _FIN if fin and number == len(pieces) else 0
            self._write(struct.pack(">II", stream, flags << 24 | len(piece)) + piece)


def _control_frame(kind: int, body: bytes) -> bytes:
    return struct.pack(">II", _CONTROL | _VERSION << 16 | kind, len(body)) + body


class Carrier(Protocol):
    """What the frames travel on."""

    async def read(self) -> bytes:
        """The next bytes; none when the client has left."""

    def write(self, data: bytes) -> None:
        """Send bytes, or keep them until there is room."""

    async def drain(self) -> None:
        """Return when there is room."""


class SpdyStream:
    """One stream, as its user sees it."""

    def __init__(self, connection: SpdyConnection, number: int, headers: dict[str, str]) -> None:
        self._connection = connection
        self._arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.number = number
        self.headers = headers

    async def read(self) -> bytes:
        """The next data; none when the client will send no more."""
        data = await self._arrived.get()
        if data is None:
            self._arrived.put_nowait(None)
        return data or b""

    async def write(self, data: bytes) -> None:
        """Send data."""
        if data:
            self._connection.frames.send(self.number, data)
            await self._connection.carrier.drain()

    async def close(self) -> None:
        """Say that nothing more comes."""
        self._connection.frames.send(self.number, b"", fin=True)
        await self._connection.carrier.drain()

    def take(self, data: bytes, fin: bool) -> None:
        """What has arrived for this stream."""
        if data:
            self._arrived.put_nowait(data)
        if fin:
            self._arrived.put_nowait(None)


class SpdyConnection:
    """The streams of a carrier.

    Args:
        carrier: What the frames travel on.
        opened: Called with each stream that the client opens.
    """

    def __init__(self, carrier: Carrier, opened: Callable[[SpdyStream], None]) -> None:
        self.carrier = carrier
        self.frames = Frames(carrier.write)
        self._opened = opened
        self._streams: dict[int, SpdyStream] = {}

    async def run(self) -> None:
        """Deal out what arrives until the client leaves or violates the protocol."""
        try:
            while data := await self.carrier.read():
                for event in self.frames.feed(data):
                    self._deal(event)
                await self.carrier.drain()
        except SpdyError:
            pass
        finally:
            for stream in self._streams.values():
                stream.take(b"", True)

    def _deal(self, event: Opened | Received) -> None:
        if isinstance(event, Received):
            stream = self._streams.get(event.stream)
            if stream is not None:
                stream.take(event.data, event.fin)
            return
        stream = SpdyStream(self, event.stream, event.headers)
        self._streams[event.stream] = stream
        self.frames.accept(event.stream)
        if event.fin:
            stream.take(b"", True)
        self._opened(stream)

"""Carries connections that are led here on to where they were meant to go: later, slower, with stalls."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

# Of connections that this program makes itself, which are not to be led here again.
MARK = 0x1F0B
_ORIGINAL = 80  # SO_ORIGINAL_DST
_PART, _PACKET = 16384, 1448
_AGAIN_S, _MOST_S = 0.2, 60.0
_QUEUED = 64
_CONNECT_S = 30.0


class Relay:
    """A server on a port of the loopback and of all other addresses.

    Args:
        ask: `delay_ms`, `jitter_ms`, `loss` (a share of packets, each of which is sent again later and
            later), `rate_mbit`; `way`: whether what leaves the machine is meant, or what comes in.
        both: Whether both directions are meant, as on the loopback device.
        port: Which; 0 for a free one.
    """

    def __init__(self, ask: Mapping[str, Any], both: bool, port: int = 0) -> None:
        self._delay_s = float(ask.get("delay_ms") or 0) / 1000
        self._jitter_s = float(ask.get("jitter_ms") or 0) / 1000
        self._loss = float(ask.get("loss") or 0)
        self._rate = float(ask.get("rate_mbit") or 0) * 1e6 / 8
        self._outwards, self._both = ask.get("way", "out") == "out", both
        # What is lost differs each time, as on a real line.
        self._chance = random.SystemRandom()
        self.count = 0
        self._socket = socket.create_server(("", port), backlog=256)
        self.port = int(self._socket.getsockname()[1])
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._met, sock=self._socket))
        self._loop.run_forever()

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.count += 1
        there = writer.get_extra_info("socket")
        try:
            port, address = struct.unpack(
                "!2xH4s8x", there.getsockopt(socket.SOL_IP, _ORIGINAL, 16)
            )
            to = (socket.inet_ntoa(address), port)
            if to == there.getsockname():
                return  # the request is for this port itself
            # A connection from this machine is outgoing; others are incoming.
            leaves = there.getpeername()[0] in (there.getsockname()[0], to[0]) or not _is_ours(
                to[0]
            )
            await self._carry(reader, writer, to, leaves)
        except OSError:
            there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
        finally:
            writer.close()

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        to: tuple[str, int],
        leaves: bool,
    ) -> None:
        if self._both or leaves == self._outwards:
            await asyncio.sleep(self._late(1))  # its first packet
        ours = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)
        ours.setblocking(False)
        try:
            await asyncio.wait_for(self._loop.sock_connect(ours, to), _CONNECT_S)
        except (TimeoutError, OSError):
            ours.close()
            raise OSError from None
        far_reader, far_writer = await asyncio.open_connection(sock=ours)
        there = self._both or leaves == self._outwards
        back = self._both or leaves != self._outwards
        try:
            await asyncio.gather(
                self._pump(reader, far_writer, there), self._pump(far_reader, writer, back)
            )
        finally:
            far_writer.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, meant: bool
    ) -> None:
        """What comes is sent at its time; several parts are under way at once."""
        parts: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_QUEUED)
        sending = self._kept(self._send(parts, writer))
        free = time.monotonic()
        try:
            while True:
                data = await reader.read(_PART)
                now = time.monotonic()
                if meant and data:
                    if self._rate:
                        free = max(free, now) + len(data) / self._rate
                        now = free
                    now += self._late(-(-len(data) // _PACKET))
                await parts.put((now, data))
                if not data:
                    break
            await sending
        finally:
            sending.cancel()

    async def _send(
        self, parts: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        while True:
            due, data = await parts.get()
            await asyncio.sleep(due - time.monotonic())
            if not data:
                with contextlib.suppress(OSError):
                    writer.write_eof()
                return
            writer.write(data)
            await writer.drain()

    def _late(self, packets: int) -> float:
        """Seconds that some packets take besides: each that is lost is sent again, later and later."""
        late = max(0.0, self._delay_s + self._chance.uniform(-1, 1) * self._jitter_s)
        stalls = [self._stall() for _ in range(packets if self._loss else 0)]
        return late + max(stalls, default=0.0)  # what is under way together is missed together

    def _stall(self) -> float:
        late, wait = 0.0, _AGAIN_S
        while self._chance.random() < self._loss and wait < _MOST_S:
            late, wait = late + wait, wait * 2
        return late

    def _kept(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _is_ours(address: str) -> bool:
    """Whether an address is one of this machine's: a process can listen there."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True

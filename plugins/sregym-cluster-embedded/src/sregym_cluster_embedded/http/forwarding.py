"""port-forward: bytes between a client and the ports of a pod.

A client of SPDY (by itself or within a websocket) opens two streams for each connection, paired by
`requestid`: one for errors, one for data. A plain websocket has two channels for each port that was
asked for, data and errors, and each begins with the port's number in two bytes.
"""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import TYPE_CHECKING

from aiohttp import WSMsgType, web

from sregym_cluster_embedded.http.pod_ports import ServerConnection, listening, pod_port
from sregym_cluster_embedded.http.spdy import SpdyConnection, SpdyStream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.spdy import Carrier

TUNNEL = "SPDY/3.1+portforward.k8s.io"
SPDY_PROTOCOL = "portforward.k8s.io"
SOCKET_PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_CLOSE = 255


async def forward_spdy(
    live: LiveWorld, connect: Connect, carrier: Carrier, shift_s: int = 0
) -> None:
    """Carry the connections of a client of SPDY until it leaves."""
    forwarder = _Forwarder(live, connect, shift_s)
    await forwarder.run(carrier)


class _Forwarder:
    """The connections that one client has opened."""

    def __init__(self, live: LiveWorld, connect: Connect, shift_s: int) -> None:
        self._live = live
        self._connect = connect
        self._shift_s = shift_s
        self._waiting: dict[str, SpdyStream] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, carrier: Carrier) -> None:
        try:
            await SpdyConnection(carrier, self._opened).run()
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _opened(self, stream: SpdyStream) -> None:
        # Clients from before request ids open the error stream two numbers before the data stream.
        name = stream.headers.get("requestid", "")
        kind = stream.headers.get("streamtype")
        if not name:
            name = str(stream.number if kind == "error" else stream.number - 2)
        other = self._waiting.pop(name, None)
        if other is None:
            self._waiting[name] = stream
            return
        error, data = (other, stream) if kind == "data" else (stream, other)
        task = asyncio.ensure_future(self._connection(error, data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connection(self, error: SpdyStream, data: SpdyStream) -> None:
        text = data.headers.get("port", "")
        port = int(text) if text.isdecimal() else 0
        conversation, why = connected(self._live, self._connect, port, self._shift_s)
        if conversation is None:
            await error.write(why.encode())
        else:
            while not conversation.closed and (piece := await data.read()):
                await data.write(conversation.feed(piece))
        await data.close()
        await error.close()


async def forward_channels(
    live: LiveWorld, connect: Connect, socket: web.WebSocketResponse, shift_s: int = 0
) -> None:
    """Carry one connection to each of the ports in `connect.options["ports"]`."""
    ports: Sequence[int] = connect.options.get("ports", ())
    open_: dict[int, ServerConnection] = {}
    for number, port in enumerate(ports):
        for channel in (2 * number, 2 * number + 1):
            await socket.send_bytes(bytes([channel]) + port.to_bytes(2, "little"))
        conversation, why = connected(live, connect, port, shift_s)
        if conversation is None:
            await socket.send_bytes(bytes([2 * number + 1]) + why.encode())
        else:
            open_[2 * number] = conversation
    async for message in socket:
        if message.type is not WSMsgType.BINARY or not message.data:
            break
        channel, piece = message.data[0], message.data[1:]
        if channel == _CLOSE and piece:
            open_.pop(piece[0], None)
        elif channel in open_:
            said = open_[channel].feed(piece)
            if said:
                await socket.send_bytes(bytes([channel]) + said)
            if open_[channel].closed:
                del open_[channel]
        if not open_:
            break
    await socket.close()


def connected(
    live: LiveWorld, connect: Connect, port: int, shift_s: int
) -> tuple[ServerConnection | None, str]:
    """A connection to a port of the pod, or the kubelet's words about why there is none."""
    with live.open() as world:
        where = pod_port(world, connect.namespace, connect.pod, port)
        if where is not None and listening(world, where):
            return ServerConnection(live, where, shift_s), ""
    uid = connect.pod if where is None else where.uid
    sandbox = sha256(f"sandbox {uid}".encode()).hexdigest()
    digits = sha256(f"network {uid}".encode()).hexdigest()
    namespace = "-".join(
        digits[at:to] for at, to in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    )
    return None, (
        f"error forwarding port {port} to pod {sandbox}, uid : failed to execute portforward in "
        f'network namespace "/var/run/netns/cni-{namespace}": failed to connect to '
        f'localhost:{port} inside namespace "{sandbox}", IPv4: dial tcp4 127.0.0.1:{port}: '
        "connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found "
    )

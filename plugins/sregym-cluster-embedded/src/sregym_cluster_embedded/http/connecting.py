"""Requests that become streams: which protocol is spoken, and who serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from sregym_cluster_embedded.http import forwarding
from sregym_cluster_embedded.http.attach import serve_attach
from sregym_cluster_embedded.http.executing import serve_exec
from sregym_cluster_embedded.http.log_follow import serve_log
from sregym_cluster_embedded.http.remote_streams import (
    SOCKET_PROTOCOLS,
    SPDY_PROTOCOLS,
    SocketStreams,
    opened_streams,
)
from sregym_cluster_embedded.http.status import failure_response
from sregym_cluster_embedded.http.stream_transport import SocketCarrier, offered_versions, upgraded
from sregym_cluster_embedded.kubectl.containers import (
    ContainerNotRunningError,
    attach_refusal,
    running_container,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.request import Connect, Response
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams

_SPDY = "SPDY/3.1"


async def serve_connect(
    live: LiveWorld, connect: Connect, incoming: web.Request, shift_s: int = 0
) -> web.StreamResponse | Response:
    """Serve a stream to its end; a `Response` when there is none to serve."""
    if connect.kind == "log":
        return await serve_log(live, connect, incoming, shift_s)
    upgrade = incoming.headers.get("Upgrade", "")
    if upgrade and connect.kind != "portforward" and (why := _no_process(live, connect)):
        # The kubelet's own answer, which clients print as it is.
        return web.Response(status=404, text=why)
    if upgrade.lower() == "websocket":
        return await _over_websocket(live, connect, incoming, shift_s)
    if upgrade.upper() == _SPDY:
        return await _over_spdy(live, connect, incoming, shift_s)
    return failure_response(400, "Upgrade request required")


async def _over_websocket(
    live: LiveWorld, connect: Connect, incoming: web.Request, shift_s: int
) -> web.StreamResponse:
    forwards = connect.kind == "portforward"
    known = (forwarding.TUNNEL, *forwarding.SOCKET_PROTOCOLS) if forwards else SOCKET_PROTOCOLS
    socket = web.WebSocketResponse(protocols=known)
    await socket.prepare(incoming)
    if not forwards:
        await _serve(live, connect, SocketStreams(socket), shift_s)
    elif socket.ws_protocol == forwarding.TUNNEL:
        await forwarding.forward_spdy(live, connect, SocketCarrier(socket), shift_s)
    else:
        await forwarding.forward_channels(live, connect, socket, shift_s)
    return socket


async def _over_spdy(
    live: LiveWorld, connect: Connect, incoming: web.Request, shift_s: int
) -> web.StreamResponse | Response:
    forwards = connect.kind == "portforward"
    known = (forwarding.SPDY_PROTOCOL,) if forwards else SPDY_PROTOCOLS
    protocol = _agreed(offered_versions(incoming), known)
    if protocol is None:
        wish, have = " ".join(offered_versions(incoming)), " ".join(known)
        text = f"unable to upgrade: unable to negotiate protocol: client supports [{wish}], server accepts [{have}]"
        return failure_response(403, text)
    answer, carrier = await upgraded(incoming, _SPDY, protocol)
    if forwards:
        await forwarding.forward_spdy(live, connect, carrier, shift_s)
        return answer
    found = await opened_streams(carrier, connect.options, protocol)
    if found is not None:
        streams, dealing = found
        try:
            await _serve(live, connect, streams, shift_s)
        finally:
            dealing.cancel()
    return answer


async def _serve(live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int) -> None:
    if connect.kind == "attach":
        await serve_attach(live, connect, streams, shift_s)
    else:
        await serve_exec(live, connect, streams, shift_s)


def _agreed(offered_: Sequence[str], known: Sequence[str]) -> str | None:
    return next((protocol for protocol in offered_ if protocol in known), None)


def _no_process(live: LiveWorld, connect: Connect) -> str:
    """Why there is no process to join, or nothing."""
    with live.open() as world:
        try:
            running_container(world, connect.namespace, connect.pod, connect.container)
        except ContainerNotRunningError as error:
            if connect.kind == "attach":
                return attach_refusal(connect.namespace, connect.pod, connect.container)
            return str(error)
    return ""

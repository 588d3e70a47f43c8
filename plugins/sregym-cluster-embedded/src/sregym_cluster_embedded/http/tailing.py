"""Loki's `tail`: a WebSocket that tells of lines as they are written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import WSCloseCode, WSMsgType, web

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.http.watching import changes, wait_for_change

if TYPE_CHECKING:
    from sregym_cluster_embedded.http.live import LiveWorld

PATH = "/loki/api/v1/tail"
# Lines of requests come without any change of an object: how often to look, in wall seconds.
_LOOK_S = 1.0


async def serve_tail(live: LiveWorld, incoming: web.Request) -> web.StreamResponse:
    """Send what `query` selects of the past and of all that is written, until the client leaves."""
    # Numbers' library comes along: only those who tail pay for it.
    from sregym_cluster_embedded.telemetry.loki.error_messages import REFUSALS
    from sregym_cluster_embedded.telemetry.loki.tailing import Tail

    query = tuple(incoming.query.items())
    try:
        with live.open() as world:
            tail = Tail(world, Request("GET", incoming.path, query))
    except REFUSALS as error:
        return web.Response(status=400, text=f"{error}\n")
    socket = web.WebSocketResponse(heartbeat=30.0)
    await socket.prepare(incoming)
    reading = asyncio.create_task(_until_closed(socket))
    try:
        with changes(live) as changed, live.waiting():
            while not reading.done():
                with live.open() as world:
                    streams = tail.more(world)
                if streams:
                    await socket.send_str(_message(streams))
                await wait_for_change(changed, _LOOK_S)
    except ConnectionError:
        pass  # the client has left
    finally:
        reading.cancel()
        await socket.close(code=WSCloseCode.GOING_AWAY)
    return socket


async def _until_closed(socket: web.WebSocketResponse) -> None:
    async for message in socket:
        if message.type in (WSMsgType.ERROR, WSMsgType.CLOSE):
            return


def _message(streams: list[dict[str, Any]]) -> str:
    return orjson.dumps({"streams": streams}).decode()

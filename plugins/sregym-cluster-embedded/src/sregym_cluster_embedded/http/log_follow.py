"""Followed logs: what a container writes, sent as it is written, until the container ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.http.watching import changes, wait_for_change
from sregym_cluster_embedded.kubectl.attachment import WINDOW_OPTIONS
from sregym_cluster_embedded.kubectl.containers import container_instance
from sregym_cluster_embedded.kubelet.logs import SINCE_MOMENT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World

# How long to wait at most before looking again whether the client has left.
_LOOK_S = 30.0


async def serve_log(
    live: LiveWorld, connect: Connect, incoming: web.Request, shift_s: int = 0
) -> web.StreamResponse:
    """Write the log of a container as text/plain chunks while it grows."""
    answer = web.StreamResponse(
        headers={"Content-Type": "text/plain", "Cache-Control": "no-cache, private"}
    )
    answer.enable_chunked_encoding()
    await answer.prepare(incoming)
    async for text in follow(live, connect, connect.options):
        await answer.write(shifted_text(text, shift_s).encode())
    await answer.write_eof()
    return answer


async def follow(
    live: LiveWorld, connect: Connect, options: Mapping[str, Any]
) -> AsyncIterator[str]:
    """Pieces of the log: what `options` select of the present, then all that is added.

    Ends when this life of the container has ended.
    """
    growing = {name: value for name, value in options.items() if name not in WINDOW_OPTIONS}
    with changes(live) as changed, live.waiting():
        with live.open() as world:
            life = container_instance(world, connect.namespace, connect.pod, connect.container)
            first = _read(world, connect, options)
            # A long log is read once; then only what was added since. Lines of the very moment of
            # a reading may have been in it.
            since, sent = world.now, len(_read_since(world, connect, growing, world.now))
        if first:
            yield first
        while life is not None and life[2]:
            with live.open() as world:
                now = container_instance(world, connect.namespace, connect.pod, connect.container)
                # A container that was started again has another log: what it wrote last is lost
                # to a real kubelet's client as well.
                text = ""
                if now in (life, (*life[:2], False)):
                    text = _read_since(world, connect, growing, since)[sent:]
                    since, sent = world.now, len(_read_since(world, connect, growing, world.now))
            if text:
                yield text
            if now != life:
                return
            await wait_for_change(changed, _LOOK_S)


def _read_since(world: World, connect: Connect, options: Mapping[str, Any], moment: float) -> str:
    return _read(world, connect, {**options, SINCE_MOMENT: moment})


def _read(world: World, connect: Connect, options: Mapping[str, Any]) -> str:
    text: str = world.service(LOGS)(
        world, connect.namespace, connect.pod, connect.container, options
    )
    return text

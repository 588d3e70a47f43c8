"""attach: what a container writes from now on, and its input when it reads one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sregym_cluster_embedded.http.conversing import talk
from sregym_cluster_embedded.http.executing import SUCCESS
from sregym_cluster_embedded.http.following import follow
from sregym_cluster_embedded.http.relaying import texts
from sregym_cluster_embedded.http.remote_streams import STDOUT
from sregym_cluster_embedded.http.status import failure
from sregym_cluster_embedded.http.terminal import shown
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.kubectl.attachment import FROM_NOW_ON, demand_process, main_process
from sregym_cluster_embedded.kubectl.containers import (
    ContainerExitedError,
    ContainerNotRunningError,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams


async def serve_attach(
    live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int = 0
) -> None:
    """Serve one attach until the container ends or the client leaves."""
    terminal = bool(connect.options.get("tty"))
    with live.open() as world:
        where = (connect.namespace, connect.pod, connect.container)
        refused: str = ""
        with suppress(ContainerNotRunningError):
            try:
                demand_process(world, *where)
            except ContainerExitedError as error:
                refused = str(error)
        main = main_process(world, *where) if connect.options.get("stdin") else None
    if refused:
        await streams.finish(failure(500, refused))
        return
    if main is None:
        async for chunk in follow(live, connect, FROM_NOW_ON):
            text = shifted_text(chunk, shift_s)
            await streams.send(STDOUT, (shown(text) if terminal else text).encode())
    elif main.talks:
        await talk(live, main, streams, shift_s, terminal=terminal, script=main.script)
    else:
        text = shifted_text("".join([piece async for piece in texts(streams)]), -shift_s)
        with live.open() as world:
            result = main.feed(world, text, closed=True)
        output = shifted_text(result.stdout + result.stderr, shift_s)
        await streams.send(STDOUT, output.encode(errors="surrogateescape"))
    await streams.finish(SUCCESS)

"""attach: what a container writes from now on, and its input when it reads one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sregym_cluster_embedded.http.executing import SUCCESS
from sregym_cluster_embedded.http.interactive import talk
from sregym_cluster_embedded.http.interactive_stdin import typed_at
from sregym_cluster_embedded.http.log_follow import follow
from sregym_cluster_embedded.http.remote_streams import STDOUT
from sregym_cluster_embedded.http.status import failure
from sregym_cluster_embedded.http.stream_io import answer
from sregym_cluster_embedded.http.terminal import terminal_output
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
    from sregym_cluster_embedded.kubectl.attachment import MainProcess


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
            await streams.send(STDOUT, (terminal_output(text) if terminal else text).encode())
    elif main.talks:
        await talk(live, main, streams, shift_s, terminal=terminal, script=main.script)
    else:
        await _fed(live, main, streams, shift_s, terminal=terminal)
    await streams.finish(SUCCESS)


async def _fed(
    live: LiveWorld, main: MainProcess, streams: RemoteStreams, shift_s: int, *, terminal: bool
) -> None:
    """Give a main process what is typed, as it is typed."""
    with suppress(ContainerNotRunningError):
        async for piece in typed_at(streams, terminal=terminal):
            if piece.echo:
                await streams.send(STDOUT, piece.echo.encode())
            closed = piece.closed or piece.interrupted
            with live.open() as world:
                result = main.feed(world, shifted_text(piece.text, -shift_s), closed=closed)
            await answer(streams, result, shift_s, terminal=terminal)

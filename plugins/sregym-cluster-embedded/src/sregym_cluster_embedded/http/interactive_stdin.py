"""Commands that read a terminal or stream: input goes to them as it arrives, and output back at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.http.remote_streams import STDOUT
from sregym_cluster_embedded.http.stream_io import answer, spend, texts
from sregym_cluster_embedded.http.terminal import LineEditor
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, running_container
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.userland.keys import INTERACTION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams

INTERRUPTED, KILLED = 130, 137


class Piece(NamedTuple):
    """Some of an input.

    Attributes:
        text: What a command reads.
        closed: Whether nothing follows.
        echo: What a terminal shows of the keys.
        interrupted: Whether the command is interrupted.
    """

    text: str
    closed: bool = False
    echo: str = ""
    interrupted: bool = False


async def typed_at(streams: RemoteStreams, *, terminal: bool) -> AsyncIterator[Piece]:
    """The input in pieces as they come, those of a terminal line by line; the last one is closed."""
    editor = LineEditor() if terminal else None
    async for text in texts(streams):
        if editor is None:
            yield Piece(text)
            continue
        typed = editor.keys(text)
        lines = "".join(f"{line}\n" for line in typed.lines if line is not None)
        interrupted = None in typed.lines
        yield Piece(lines, typed.ended, typed.echo, interrupted)
        if typed.ended or interrupted:
            return
    yield Piece("", closed=True)


class Reader:
    """A command that was started by exec while its input is still being typed.

    Args:
        live: The cluster.
        connect: Where, and its command line.
        streams: From and to the client.
        shift_s: How far the client's clock is ahead of the world's.

    Attributes:
        result: What it wrote last; with its exit code when it has ended.
    """

    def __init__(
        self, live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int
    ) -> None:
        self._live = live
        self._where = (connect.namespace, connect.pod, connect.container)
        self._command = tuple(connect.options["command"])
        self._terminal = bool(connect.options.get("tty"))
        self._streams = streams
        self._shift_s = shift_s
        self._state: Any = None
        self._given = 0
        self.result = ExecResult(0)

    async def take(self, text: str, *, closed: bool) -> bool:
        """Give it all of the input up to now, the world's times in it; whether it has ended."""
        more, self._given = text[self._given :], len(text)
        return await self._take(more, closed=closed)

    async def on_terminal(self) -> ExecResult:
        """Let a client type at it on a terminal until it ends; how it ended."""
        if await self._take("", closed=False):
            return self.result
        async for piece in typed_at(self._streams, terminal=True):
            if piece.echo:
                await self._streams.send(STDOUT, piece.echo.encode())
            if piece.interrupted:
                return ExecResult(INTERRUPTED)
            text = shifted_text(piece.text, -self._shift_s)
            if (text or piece.closed) and await self._take(text, closed=piece.closed):
                break
        return self.result

    async def _take(self, text: str, *, closed: bool) -> bool:
        try:
            with self._live.open() as world:
                began, service = world.now, world.service(INTERACTION)
                ref = running_container(world, *self._where)
                state = self._state or service.open(world, ref, terminal=self._terminal)
                entered = service.enter(world, ref, state, self._command, text, closed=closed)
        except ContainerNotRunningError:
            self.result = ExecResult(KILLED)
            return True
        self._state, self.result = entered.state, entered.result
        await spend(self._live, began, self.result.duration_s)
        await answer(self._streams, self.result, self._shift_s, terminal=self._terminal)
        return bool(entered.ended)

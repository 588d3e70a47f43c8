"""Shells and consoles that are typed at, by exec or by attach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from sregym_cluster_embedded.http.remote_streams import STDOUT
from sregym_cluster_embedded.http.stream_io import answer, spend, texts
from sregym_cluster_embedded.http.terminal import LineEditor
from sregym_cluster_embedded.http.time_shift import shifted_text
from sregym_cluster_embedded.kubectl.containers import ContainerNotRunningError, running_container
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.userland.dialogue import unfinished
from sregym_cluster_embedded.userland.keys import INTERACTION
from sregym_cluster_embedded.userland.shell.input import is_shell

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Connect
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.http.remote_streams import RemoteStreams
    from sregym_cluster_embedded.world import World


class Speaker(Protocol):
    """What is typed at."""

    def prompt(self, world: World) -> str:
        """What stands before a line on a terminal."""

    def say(self, world: World, text: str, *, closed: bool = False) -> tuple[ExecResult, bool]:
        """Carry out complete lines; whether it has ended by them.

        Args:
            world: The cluster.
            text: What was typed.
            closed: Whether the command that reads what is typed gets no more.

        Raises:
            ContainerNotRunningError: Its container has ended.
        """

    def reads(self, world: World) -> bool:
        """Whether a command that it runs reads what is typed."""

    def interrupt(self, world: World) -> None:
        """End the command that reads what is typed."""

    def close(self, world: World) -> None:
        """The input has ended."""


class ExecShell:
    """A shell or console that was started by exec.

    Args:
        connect: Where, and its command line.
    """

    def __init__(self, connect: Connect) -> None:
        self._where = (connect.namespace, connect.pod, connect.container)
        self._command = tuple(connect.options["command"])
        self._terminal = bool(connect.options.get("tty"))
        self._dialogue: Any = None

    def prompt(self, world: World) -> str:
        """What stands before a line."""
        ref, service = running_container(world, *self._where), world.service(INTERACTION)
        self._dialogue = self._dialogue or service.begin(
            world, ref, self._command, terminal=self._terminal
        )
        prompt: str = service.prompt(world, ref, self._dialogue)
        return prompt

    def reads(self, _world: World) -> bool:
        """Whether a command that it runs reads what is typed."""
        return self._dialogue is not None and bool(self._dialogue.reads)

    def interrupt(self, _world: World) -> None:
        """End the command that reads what is typed."""
        self._dialogue = self._dialogue.interrupted()

    def say(self, world: World, text: str, *, closed: bool = False) -> tuple[ExecResult, bool]:
        """Carry out complete lines."""
        ref, service = running_container(world, *self._where), world.service(INTERACTION)
        self._dialogue = self._dialogue or service.begin(
            world, ref, self._command, terminal=self._terminal
        )
        reply = service.say(world, ref, self._dialogue, text, closed)
        self._dialogue = reply.dialogue
        return reply.result, reply.ended

    def close(self, world: World) -> None:
        """Nothing is left to do."""


async def converse(
    live: LiveWorld, connect: Connect, streams: RemoteStreams, shift_s: int
) -> ExecResult:
    """Talk with the shell that an exec starts; how it ended."""
    command = connect.options["command"]
    return await talk(
        live,
        ExecShell(connect),
        streams,
        shift_s,
        terminal=bool(connect.options.get("tty")),
        script=is_shell(command),
    )


async def talk(
    live: LiveWorld,
    speaker: Speaker,
    streams: RemoteStreams,
    shift_s: int,
    *,
    terminal: bool,
    script: bool,
) -> ExecResult:
    """Talk until the speaker or its input ends.

    Args:
        live: The cluster.
        speaker: What is typed at.
        streams: From and to the client.
        shift_s: How far the client's clock is ahead of the world's.
        terminal: Whether keys arrive one by one and want an echo.
        script: Whether the lines are a shell's, which may take several to be complete.

    Returns:
        The last result, which has the exit code of the whole.
    """
    session = _Session(live, speaker, streams, shift_s, terminal, script)
    try:
        await session.prompt()
        async for text in texts(streams):
            if await session.take(text):
                return session.last
        await session.rest()
    except ContainerNotRunningError:
        return ExecResult(137)
    finally:
        with live.open() as world:
            speaker.close(world)
    return session.last


class _Session:
    """The state of one talk."""

    def __init__(
        self,
        live: LiveWorld,
        speaker: Speaker,
        streams: RemoteStreams,
        shift_s: int,
        terminal: bool,
        script: bool,
    ) -> None:
        self._live = live
        self._speaker = speaker
        self._streams = streams
        self._shift_s = shift_s
        self._editor = LineEditor() if terminal else None
        self._script = script
        self._pending = ""
        self.last = ExecResult(0)

    async def prompt(self, secondary: bool = False) -> None:
        """Show the prompt, on a terminal."""
        if self._editor is None:
            return
        with self._live.open() as world:
            text = "> " if secondary else self._speaker.prompt(world)
        await self._streams.send(STDOUT, text.encode())

    async def take(self, text: str) -> bool:
        """Take what was typed; whether the talk is over."""
        if self._editor is None:
            self._pending += text
            complete, newline, rest = self._pending.rpartition("\n")
            if newline and (self._reads or not (self._script and unfinished(complete + newline))):
                self._pending = rest
                return await self._say(complete + newline)
            return False
        typed = self._editor.keys(text)
        if typed.echo:
            await self._streams.send(STDOUT, typed.echo.encode())
        for line in typed.lines:
            reads = self._reads
            if line is None and reads:
                with self._live.open() as world:
                    self._speaker.interrupt(world)
            self._pending = "" if line is None else self._pending + line + "\n"
            waits = self._script and not reads and unfinished(self._pending)
            if not waits:
                said, self._pending = self._pending, ""
                if (said.strip() or (said and reads)) and await self._say(said):
                    return True
            if not self._reads:
                await self.prompt(secondary=waits)
        if typed.ended and self._reads:
            if await self._say("", closed=True):
                return True
            await self.prompt()
            return False
        return typed.ended

    @property
    def _reads(self) -> bool:
        """Whether a command reads what is typed, and not the shell itself."""
        with self._live.open() as world:
            return self._speaker.reads(world)

    async def rest(self) -> None:
        """Run what is left when the input ends without the end of a line."""
        if self._editor is None and (self._pending.strip() or self._reads):
            await self._say(self._pending, closed=True)

    async def _say(self, text: str, *, closed: bool = False) -> bool:
        text = shifted_text(text, -self._shift_s)
        with self._live.open() as world:
            began = world.now
            self.last, ended = self._speaker.say(world, text, closed=closed)
        await spend(self._live, began, self.last.duration_s)
        terminal = self._editor is not None
        await answer(self._streams, self.last, self._shift_s, terminal=terminal)
        return ended

"""Talking to processes: shells that are typed at line by line, main processes that read input.

A shell of its own (exec of `sh`) keeps a `Dialogue` between lines, held by whoever types. A main
process with `stdin: true` keeps what it was told in its journal, in the world.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExecResult, LogLine
from sregym_cluster_embedded.userland.life import append, end
from sregym_cluster_embedded.userland.process import change, process_of
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.input import (
    command_name,
    is_console,
    is_shell,
    waits_for_input,
)
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_UNFINISHED = ("unexpected end of file", "unterminated", "EOF in", "missing '")


@dataclass(frozen=True)
class Dialogue:
    """What a shell or console remembers between lines.

    Attributes:
        command: Its command line.
        environment: Variables.
        working_dir: Present folder.
        last: Exit code of the last line.
        root: Whether it runs as root, which its prompt shows.
        within: The shell of the node that was entered from it, which what is typed goes to.
        node: The node that it runs on, where it runs on one itself.
    """

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    working_dir: str = "/"
    last: int = 0
    root: bool = True
    within: Dialogue | None = None
    node: str = ""


class Reply(NamedTuple):
    """What came of a line; `ended`: the shell has ended with the result's exit code."""

    result: ExecResult
    dialogue: Dialogue
    ended: bool


def unfinished(text: str) -> bool:
    """Whether a shell would ask for another line before it runs the text."""
    if text.endswith("\\\n"):
        return True
    try:
        parse(text)
    except ShellSyntaxError as error:
        return any(word in str(error) for word in _UNFINISHED)
    return False


class Interaction:
    """Offered to higher rooms as `interaction`.

    Args:
        runtime: The container runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def begin(self, world: World, ref: ContainerRef, command: tuple[str, ...]) -> Dialogue:
        """A shell or console that has just been started beside the main process."""
        session = self._session(world, ref)
        who = self._runtime.exec(world, ref, ("id", "-u"), "")
        root = who.exit_code != 0 or who.stdout.strip() in ("", "0")
        return Dialogue(command, dict(session.environment), session.working_dir, 0, root)

    def say(self, world: World, ref: ContainerRef, dialogue: Dialogue, text: str) -> Reply:
        """Carry out complete lines."""
        if not is_shell(dialogue.command):
            if text.strip() in ("exit", "quit", "\\q", "exit;", "quit;", "exit()", "quit()"):
                return Reply(ExecResult(0), dialogue, True)
            result = self._runtime.exec(world, ref, dialogue.command, text)
            return Reply(result, dialogue, False)
        result, ended = ExecResult(0, duration_s=0.0), False
        for piece in _pieces(text):
            reply = self._piece(world, ref, dialogue, piece)
            result, dialogue, ended = _joined(result, reply.result), reply.dialogue, reply.ended
            if ended:
                break
        return Reply(result, dialogue, ended)

    def _piece(self, world: World, ref: ContainerRef, dialogue: Dialogue, text: str) -> Reply:
        """Carry out what is complete in itself, in the innermost shell."""
        if dialogue.within is not None:
            inner = self._piece(world, ref, dialogue.within, text)
            within = None if inner.ended else inner.dialogue
            last = inner.result.exit_code
            return Reply(inner.result, replace(dialogue, within=within, last=last), False)
        session = self._session(world, ref, dialogue.node)
        session.on_terminal = True
        session.environment = dict(dialogue.environment)
        session.working_dir = dialogue.working_dir
        session.arguments = (dialogue.command[0],)
        session.last = dialogue.last
        output, ended = _run(session, text)
        remembered = replace(
            dialogue,
            environment=session.environment,
            working_dir=session.working_dir,
            last=output.code,
        )
        if session.entered:
            within = Dialogue(
                ("bash",), dict(session.environment), "/", 0, dialogue.root, node=session.entered
            )
            remembered = replace(remembered, within=within)
        result = ExecResult(output.code, output.out, output.err, duration_s=session.slept_s)
        return Reply(result, remembered, ended)

    def prompt(self, world: World, ref: ContainerRef, dialogue: Dialogue) -> str:
        """What a shell on a terminal shows before it reads a line."""
        sign = "#" if dialogue.root else "$"
        name = command_name(dialogue.command)
        if not is_shell(dialogue.command):
            return self._runtime.consoles.get(name, f"{name}> ")
        if dialogue.within is not None:
            return self.prompt(world, ref, dialogue.within)
        session = self._session(world, ref, dialogue.node)
        home = dialogue.environment.get("HOME", "/root")
        folder = "~" if dialogue.working_dir == home else dialogue.working_dir
        if name == "bash":
            user = "root" if dialogue.root else "I have no name!"
            return f"{user}@{session.process.config.hostname}:{folder}{sign} "
        return f"{folder} {sign} " if session.busybox else f"{sign} "

    def is_console(self, command: Sequence[str]) -> bool:
        """Whether a command line is the console of a server that waits for statements."""
        return is_console(command, self._runtime.consoles)

    def takes_input(self, world: World, ref: ContainerRef) -> bool:
        """Whether the main process waits for input."""
        process = process_of(world, ref)
        return (
            process is not None
            and process.running
            and waits_for_input(process, self._runtime.consoles)
        )

    def dialogue_of(self, world: World, ref: ContainerRef) -> Dialogue:
        """What the main process, a shell or console, remembers."""
        process = process_of(world, ref)
        if process is not None and process.journal:
            kept = process.journal[0]
            if isinstance(kept, Dialogue):
                return kept
        return self.begin(world, ref, () if process is None else process.argv)

    def feed(self, world: World, ref: ContainerRef, text: str, closed: bool) -> ExecResult:
        """Give input to the main process; what it writes goes to its log as well.

        Args:
            world: The cluster.
            ref: The life of the container.
            text: Complete lines for a shell, any text for others.
            closed: Whether the input ends here: the process ends with it.
        """
        process = process_of(world, ref)
        if process is None or not process.running:
            return ExecResult(0)
        if is_shell(process.argv) or self.is_console(process.argv):
            reply = Reply(ExecResult(0), self.dialogue_of(world, ref), False)
            if text:
                reply = self.say(world, ref, reply.dialogue, text)
                self._write(world, ref, reply.result)
            change(world, ref, journal=(reply.dialogue,))
            if reply.ended or closed:
                end(world, ref, reply.dialogue.last if closed else reply.result.exit_code)
            return reply.result
        known = (process.journal[0] if process.journal else "") + text
        change(world, ref, journal=(known,))
        if not closed:
            return ExecResult(0)
        result = self._runtime.exec(world, ref, process.argv, known)
        self._write(world, ref, result)
        end(world, ref, result.exit_code)
        return result

    def _write(self, world: World, ref: ContainerRef, result: ExecResult) -> None:
        lines = [
            LogLine(world.now, stream, line)
            for stream, text in (("stdout", result.stdout), ("stderr", result.stderr))
            for line in text.splitlines()
        ]
        if lines:
            append(world, ref, lines)

    def _session(self, world: World, ref: ContainerRef, node: str = "") -> Session:
        process = process_of(world, ref)
        if process is not None and node:
            rights = self._runtime.session(world, process).rights
            return self._runtime.host_session(world, node, rights)
        if process is None:
            message = f"{ref} has no process"
            raise LookupError(message)
        return self._runtime.session(world, process)


def _pieces(text: str) -> Iterator[str]:
    """Lines, as many together as a command takes."""
    piece = ""
    for line in text.splitlines(keepends=True):
        piece += line
        if not unfinished(piece):
            yield piece
            piece = ""
    if piece:
        yield piece


def _joined(before: ExecResult, after: ExecResult) -> ExecResult:
    return replace(
        after,
        stdout=before.stdout + after.stdout,
        stderr=before.stderr + after.stderr,
        duration_s=before.duration_s + after.duration_s,
    )


def _run(session: Session, text: str) -> tuple[Output, bool]:
    try:
        shell = Interpreter(session)
        return shell.run(shell.parsed(text), ""), False
    except ShellSyntaxError as error:
        return Output(2, "", f"{session.arguments[0]}: {error}\n"), False
    except Exit as stop:
        return Output(stop.code, stop.output.out, stop.output.err), True
    except Leave as leave:
        return leave.output, False

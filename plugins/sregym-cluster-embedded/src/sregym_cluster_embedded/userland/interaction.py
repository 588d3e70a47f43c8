"""Talking to processes: shells that are typed at line by line, main processes that read input.

A shell of its own (exec of `sh`) keeps a `Dialogue` between lines, held by its client. A main
process with `stdin: true` keeps what it was told in its journal, in the world.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_regex.budget import Budget, under

from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExecResult, LogLine
from sregym_cluster_embedded.userland.dialogue import (
    Dialogue,
    Entered,
    PendingInput,
    Reading,
    Reply,
    first_piece,
)
from sregym_cluster_embedded.userland.jobs import next_pid
from sregym_cluster_embedded.userland.life import append, end, touch_probes
from sregym_cluster_embedded.userland.process import change, process_of
from sregym_cluster_embedded.userland.shell.checkpoints import restored, take_checkpoint
from sregym_cluster_embedded.userland.shell.input import (
    command_name,
    is_console,
    is_shell,
    waits_for_input,
)
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.memory import COMMAND_STEPS, MEMORY_BYTES
from sregym_cluster_embedded.userland.shell.open_input import (
    OpenInput,
    OpenShell,
    advanced_line,
    go_on,
)
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.tree import Sequence as Script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint
    from sregym_cluster_embedded.world import World


class Interaction:
    """Offered to higher layers as `interaction`.

    Args:
        runtime: The container runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def begin(
        self, world: World, ref: ContainerRef, command: tuple[str, ...], *, terminal: bool = False
    ) -> Dialogue:
        """A shell or console that has just been started beside the main process."""
        session = self._session(world, ref)
        who = self._runtime.exec(world, ref, ("id", "-u"), "")
        root = who.exit_code != 0 or who.stdout.strip() in ("", "0")
        return Dialogue(
            command, dict(session.environment), session.working_dir, 0, root,
            terminal=terminal, pid=next_pid(world, ref),
        )  # fmt: skip

    def say(
        self, world: World, ref: ContainerRef, dialogue: Dialogue, text: str, closed: bool = False
    ) -> Reply:
        """Carry out complete lines, and give the others to the command that reads them.

        Args:
            world: The cluster.
            ref: The life of the container.
            dialogue: What the shell remembers.
            text: What was typed.
            closed: Whether the command that reads gets no more.
        """
        if not is_shell(dialogue.command):
            if text.strip() in ("exit", "quit", "\\q", "exit;", "quit;", "exit()", "quit()"):
                return Reply(ExecResult(0), dialogue, True)
            result = self._runtime.exec(world, ref, dialogue.command, text)
            return Reply(result, dialogue, False)
        result, ended = ExecResult(0, duration_s=0.0), False
        while (text or (closed and dialogue.reads)) and not ended:
            reply = self._piece(world, ref, dialogue, text, closed)
            result, dialogue, ended = _joined(result, reply.result), reply.dialogue, reply.ended
            text = reply.unread
        return Reply(result, dialogue, ended)

    def _piece(
        self, world: World, ref: ContainerRef, dialogue: Dialogue, text: str, closed: bool
    ) -> Reply:
        """Carry out what is complete in itself, in the innermost shell."""
        if dialogue.within is not None:
            inner = self._piece(world, ref, dialogue.within, text, closed)
            within = None if inner.ended else inner.dialogue
            last = inner.result.exit_code
            kept = replace(dialogue, within=within, last=last)
            return Reply(inner.result, kept, False, inner.unread)
        if dialogue.reading is None:
            line, text = first_piece(text)
            reading = Reading(line, OpenInput(text, closed, dialogue.terminal))
        else:
            line, state = dialogue.reading
            reading = Reading(line, replace(state, text=state.text + text, closed=closed))
        session = self._session(world, ref, dialogue.node)
        session.on_terminal, session.interactive = True, dialogue.terminal
        session.environment = dict(dialogue.environment)
        session.working_dir = dialogue.working_dir
        session.arguments = (dialogue.command[0],)
        session.last, session.pid = dialogue.last, dialogue.pid or session.pid
        output, ended, left = _run(session, reading, dialogue.place)
        if left.reading is not None:
            result = ExecResult(0, output.out, output.err, duration_s=session.slept_s)
            return Reply(result, replace(dialogue, reading=left.reading), False)
        remembered = replace(
            dialogue,
            environment=session.environment,
            working_dir=session.working_dir,
            last=output.code,
            reading=None,
            place=left.place,
        )
        if session.entered:
            within = Dialogue(
                ("bash",), dict(session.environment), "/", 0, dialogue.root,
                node=session.entered, terminal=dialogue.terminal,
            )  # fmt: skip
            remembered = replace(remembered, within=within)
        result = ExecResult(output.code, output.out, output.err, duration_s=session.slept_s)
        return Reply(result, remembered, ended, left.unread)

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
            if text or (closed and reply.dialogue.reads):
                reply = self.say(world, ref, reply.dialogue, text, closed)
                self._write(world, ref, reply.result)
            change(world, ref, journal=(reply.dialogue,))
            if reply.ended or closed:
                end(world, ref, reply.dialogue.last if closed else reply.result.exit_code)
            return reply.result
        known = process.journal[0] if process.journal else OpenInput(pid=1)
        entered = self.enter(world, ref, known, process.argv, text, closed=closed)
        change(world, ref, journal=(entered.state,))
        self._write(world, ref, entered.result)
        if entered.ended:
            end(world, ref, entered.result.exit_code)
        return entered.result

    def feed_reader(self, world: World, ref: ContainerRef, text: str) -> ExecResult:
        """End the input of the command that a main process, a shell, lets read; it goes on itself."""
        reply = self.say(world, ref, self.dialogue_of(world, ref), text, closed=True)
        self._write(world, ref, reply.result)
        change(world, ref, journal=(reply.dialogue,))
        if reply.ended:
            end(world, ref, reply.result.exit_code)
        return reply.result

    def interrupt(self, world: World, ref: ContainerRef) -> None:
        """End the command that a main process, a shell, lets read."""
        change(world, ref, journal=(self.dialogue_of(world, ref).interrupted(),))

    def open(self, world: World, ref: ContainerRef, *, terminal: bool) -> OpenInput:
        """A command line that is started while its input is still being typed."""
        return OpenInput(terminal=terminal, pid=next_pid(world, ref))

    def enter(
        self,
        world: World,
        ref: ContainerRef,
        state: OpenInput,
        command: tuple[str, ...],
        text: str,
        *,
        closed: bool,
    ) -> Entered:
        """Give more input to a command line; what it writes, with an exit code when it has ended.

        Args:
            world: The cluster.
            ref: The life of the container.
            state: How far the command line got.
            command: The command line.
            text: What was typed since.
            closed: Whether the input is complete now.
        """
        session = self._session(world, ref)
        state = replace(state, text=state.text + text, closed=closed)
        progress = go_on(session, state, command)
        touch_probes(world, ref)
        said = progress.said
        result = ExecResult(said.code, said.out, said.err, duration_s=session.slept_s)
        return Entered(progress.state, result, progress.ended)

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


def _joined(before: ExecResult, after: ExecResult) -> ExecResult:
    return replace(
        after,
        stdout=before.stdout + after.stdout,
        stderr=before.stderr + after.stderr,
        duration_s=before.duration_s + after.duration_s,
    )


def _run(
    session: Session, reading: Reading, place: Checkpoint | None
) -> tuple[Output, bool, PendingInput]:
    """Carry out a line; whether the shell has ended by it, and what is left of the input."""
    with under(Budget(COMMAND_STEPS, MEMORY_BYTES)):
        shell = OpenShell(session, reading.state)
        if place is not None:
            last = session.last
            restored(shell, place)
            session.last = last
        try:
            tree = shell.parsed(reading.line)
        except ShellSyntaxError as error:
            left = PendingInput(None, reading.state.text, place)
            return Output(2, "", f"{session.arguments[0]}: {error}\n"), False, left
    progress = advanced_line(shell, tree)
    if not progress.ended:
        return progress.said, False, PendingInput(Reading(reading.line, progress.state), "", place)
    # The code of the line is that of the shell from now on.
    session.last = progress.said.code
    left = PendingInput(None, progress.unread, take_checkpoint(shell, Script(())))
    return progress.said, shell.has_exited, left

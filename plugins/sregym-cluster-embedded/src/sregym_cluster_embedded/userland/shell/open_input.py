"""A command line whose input is still being typed: it goes as far as what has come allows.

Each time more has come it is run again from its beginning: commands that were carried out answer
from the journal, one that waits for more input is left (`WantsInput`). What such a command passes on
line by line (`cat`, `tee`, `grep --line-buffered`) is seen before its input ends.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_regex.budget import Budget, BudgetExceededError, under

from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.control import (
    BecomeProgram,
    Exit,
    Leave,
    NeedsInput,
)
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
from sregym_cluster_embedded.userland.shell.invocation import SHELLS, invocation
from sregym_cluster_embedded.userland.shell.memory import COMMAND_STEPS, MEMORY_BYTES
from sregym_cluster_embedded.userland.shell.readers import passes_on, reads, repeatable
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.tree import Pipeline, Simple

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.tree import Node

_KILLED, _SEGMENTATION_FAULT = 137, 139
# What readers of lines do not read without a difference.
_MORE = "\n0 more\n"


@dataclass(frozen=True)
class OpenInput:
    """How far a command line got; a value.

    Attributes:
        text: All of the input up to now.
        closed: Whether it is complete.
        terminal: Whether it writes to a terminal.
        pid: Process number of the command line.
        journal: What its commands gave.
        taken: Place in the journal -> how much of the input the command there has read.
        written: What they wrote, output and errors.
        out: What has been told of its standard output.
        err: The same of its error stream.
    """

    text: str = ""
    closed: bool = False
    terminal: bool = False
    pid: int = 0
    journal: tuple[Any, ...] = ()
    taken: dict[int, int] = field(default_factory=dict)
    written: tuple[str, str] = ("", "")
    out: str = ""
    err: str = ""


class Progress(NamedTuple):
    """What came of more input.

    Attributes:
        state: From which it goes on.
        said: What it has written since the last time, and its exit code once it has ended.
        ended: Whether it has.
        unread: What is left of the input then.
    """

    state: OpenInput
    said: Output
    ended: bool
    unread: str = ""


class OpenShell(Interpreter):
    """Runs a command line on an input that may not be complete.

    Args:
        session: Where.
        state: How far it got the last time, with the input of now.
    """

    def __init__(self, session: Session, state: OpenInput) -> None:
        super().__init__(session, state.journal)
        self.state = state
        self.taken = dict(state.taken)
        self.said = Output()
        self.has_exited = False  # whether the shell has ended by its own line
        self.unread = ""  # the part of the input that was not read, at the end
        self._granted = False  # whether what is read now has been found to be enough

    @property
    def recording(self) -> bool:
        """Time does not pass between its commands: what they wait for is counted."""
        return False

    def emit(self, output: Output) -> None:
        """Collect what a command wrote in this run."""
        self.said = Output(0, self.said.out + output.out, self.said.err + output.err)

    def once(self, act: Callable[[], Output]) -> Output:
        """What an earlier run found, or what is found now."""
        assert self._journal is not None
        if self._anew:
            found = act()
            self._journal.append(tuple(found))
        self._position += 1
        return Output(*self._journal[self._position - 1])

    def wait(
        self,
        seconds: float | None,
        doing: tuple[str, ...] = (),
        threads: float = 0.0,
        said: Output | None = None,
    ) -> None:
        """Count the time that passes before the next command; None is for ever."""
        journal, self._journal = self._journal, None
        try:
            super().wait(seconds, doing, threads, said)
        finally:
            self._journal = journal

    def _timed_out(self, words: list[str], stdin: str) -> Output:
        return self.inner().external(words, stdin)

    def external(self, words: list[str], stdin: str) -> Output:
        """Run an executable of the image; servers do not start in an exec."""
        try:
            return super().external(words, stdin)
        except BecomeProgram:
            return Output()

    def line(self, tree: Node) -> Output:
        """Carry out a line that was typed, or what is left of one that reads the next."""
        try:
            return self.fed(tree, self.state.text)
        except Exit as stop:
            self.has_exited = True
            return Output(stop.code, stop.output.out, stop.output.err)
        except Leave as leave:
            return leave.output

    def read_line(self, descriptor: int = 0) -> str | None:
        """The next line of the input, once it has come."""
        opened = self.session.descriptors.get(descriptor)
        if self._at_open_input and opened is None and "\n" not in self._unread[-1]:
            raise NeedsInput
        return super().read_line(descriptor)

    def takes_all(self, node: Simple) -> None:
        """A command reads to the end of its input: it waits for it, unless more makes no difference."""
        if len(self._unread) != 1:
            super().takes_all(node)
            return
        text, place = self._unread[0], self._position
        if not self._anew:
            self._unread[0] = text[self.taken.get(place, len(text)) :]
            return
        if not self.state.closed and not self._granted:
            self._demand(node, text, shown=not self._captured)
        self.taken[place] = len(text)
        self._unread[0] = ""

    def _pipeline(self, node: Pipeline, stdin: str) -> Output:
        granted = self._granted
        if self._at_open_input and len(node.commands) > 1 and not granted and self._anew:
            first = _plain_words(node.commands[0])
            if first and reads(first, self.session.runtime.consoles):
                self._demand(node, self._unread[0], shown=not self._captured)
                self._granted = True
        try:
            return super()._pipeline(node, stdin)
        finally:
            self._granted = granted

    def _feeding(self, stdin: str, act: Callable[[], Output]) -> Output:
        self._unread.append(stdin)
        try:
            return act()
        finally:
            self.unread = self._unread.pop()

    def _passed(self, rest: Node) -> None:
        """A loop begins a round; nothing is forgotten, since what is told is compared from the beginning."""

    @property
    def _anew(self) -> bool:
        """Whether what comes now has not been carried out in an earlier run."""
        return self._position == len(self._journal or ())

    @property
    def _at_open_input(self) -> bool:
        return not self.state.closed and len(self._unread) == 1

    def _demand(self, node: Node, text: str, *, shown: bool) -> None:
        """Go on when the command has read enough; `shown`: the client sees what it writes.

        Raises:
            WantsInput: It has not.
        """
        if self._enough(node, text):
            return
        if not shown:
            raise NeedsInput
        stages = node.commands if isinstance(node, Pipeline) else (node,)
        lines = [_plain_words(stage) for stage in stages]
        terminal = self.state.terminal
        last = len(lines) - 1
        if not all(
            passes_on(words, terminal=terminal and at == last) for at, words in enumerate(lines)
        ):
            raise NeedsInput
        if not all(words[0].rpartition("/")[2] in ("cat", "tee") for words in lines):
            text = text[: text.rfind("\n") + 1]
        again = all(repeatable(words) for words in lines) and not any(
            each.operator in (">>", "&>>")
            for stage in stages
            if isinstance(stage, Simple)
            for each in stage.redirections
        )
        done, _ = self._tried(node, text, for_real=again)
        raise NeedsInput(done.out, done.err)

    def _enough(self, node: Node, text: str) -> bool:
        """Whether more input makes no difference to a command that has come to its end."""
        if not text:
            return False
        one = self._tried(node, text, for_real=False)
        if one[0].code != 0:
            return False
        more = (f"{text}{_MORE}", f"{text}{_MORE}{text}")
        return all(one == self._tried(node, each, for_real=False) for each in more)

    def _tried(self, node: Node, text: str, *, for_real: bool) -> tuple[Output, tuple[Any, ...]]:
        """What a command says and does with a text, in a fork of the world unless it is to be seen."""
        session = self.session
        since = session.world.store.revision
        world = session.world if for_real else session.world.fork()
        process = process_of(world, session.process.ref) or session.process
        copy = replace(
            session,
            world=world,
            process=process,
            files=session.files if for_real else session.runtime.files(world, process),
            environment=dict(session.environment),
            unexported=set(session.unexported),
            descriptors=dict(session.descriptors),
        )
        charge = session.files.charge
        try:
            result = Interpreter(copy).fed(node, text)
        except Exit as stop:
            result = Output(stop.code, stop.output.out, stop.output.err)
        finally:
            session.files.charge = charge
        return result, () if for_real else (world.doings(since), copy.slept_s)


def go_on(session: Session, state: OpenInput, command: tuple[str, ...]) -> Progress:
    """Run a command line as far as its input allows.

    Args:
        session: A fresh one.
        state: How far it got, with the input of now.
        command: The command line, as exec has it.
    """
    session.line = command
    name = command[0].rpartition("/")[2]
    asked = invocation(list(command)) if name in SHELLS else None
    text, strict = shlex.join(command), False
    if asked is not None and (asked.command is not None or asked.file):
        file = session.files.read(session.path(asked.file)) if asked.file else None
        text, strict = asked.command if asked.command is not None else file or "", asked.strict
        session.shell, session.script, session.arguments = name, asked.file, asked.arguments
        session.options, session.strict = set(asked.options), "u" in asked.options
    return advanced(session, state, text, strict=strict)


def advanced(session: Session, state: OpenInput, script: str, *, strict: bool = False) -> Progress:
    """Run a script as far as its input allows."""
    session.pid = state.pid or session.pid
    shell = OpenShell(session, state)
    return _progress(shell, lambda: shell.script(script, state.text, stop_on_error=strict))


def advanced_line(shell: OpenShell, tree: Node) -> Progress:
    """Carry out a line that was typed at a shell, as far as what was typed after it allows."""
    return _progress(shell, lambda: shell.line(tree))


def _progress(shell: OpenShell, act: Callable[[], Output]) -> Progress:
    """What is told agrees from one run to the next: what was told before stands at its beginning."""
    state, partly = shell.state, None
    with under(Budget(COMMAND_STEPS, MEMORY_BYTES)):
        try:
            result = act()
        except NeedsInput as wants:
            result, partly = Output(), wants
        except RecursionError:
            result = Output(_SEGMENTATION_FAULT)
        except (BudgetExceededError, MemoryError):
            result = Output(_KILLED)
    written = (state.written[0] + shell.said.out, state.written[1] + shell.said.err)
    if partly is None:
        out, err = result.out, result.err
    else:
        out, err = written[0] + partly.out, written[1] + partly.err
    said = Output(result.code, out[len(state.out) :], err[len(state.err) :])
    kept = replace(
        state, journal=shell.recorded(), taken=shell.taken, written=written,
        out=max(out, state.out, key=len), err=max(err, state.err, key=len),
    )  # fmt: skip
    return Progress(kept, said, partly is None, shell.unread)


def _plain_words(node: Node) -> list[str]:
    """The words of a command before any expansion."""
    if not isinstance(node, Simple):
        return []
    return ["".join(text for text, _ in word.pieces) for word in node.words]

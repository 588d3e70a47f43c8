"""How a script goes on: conditions, choices, loops."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sregym_regex.budget import portion
from sregym_regex.globs import matches

from sregym_cluster_embedded.userland.shell.assigning import assign
from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint, take_checkpoint
from sregym_cluster_embedded.userland.shell.computing import reads_all, writes_last
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.execution import Execution
from sregym_cluster_embedded.userland.shell.expansion import Expansion
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.signalling import (
    HARMLESS,
    SHRUGGED_OFF,
    SIGNALS,
    UNSTOPPABLE,
)
from sregym_cluster_embedded.userland.shell.tree import (
    Case,
    Condition,
    Counting,
    Each,
    Loop,
    Pipeline,
    Sequence,
    Simple,
    StartedLoop,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.tree import Node


# A round of a loop that has done nothing that must not be repeated is passed as seldom as this.
_SELDOM = 64
# Commands that end before their input does.
_TAKE_SOME = ("head", "true", "false", ":", "echo", "sleep")


def takes_some(command: Node) -> bool:
    """Whether a command of a pipeline ends without having read all of its input."""
    if not isinstance(command, Simple) or not command.words:
        return False
    words = _plain(command)
    quick = words[:1] == ["grep"] and any(word in ("-q", "-m1", "-m") for word in words)
    return quick or (words[:1] or [""])[0] in _TAKE_SOME


def ends_early(command: Node) -> bool:
    """Whether a command of a pipeline may end while its input is still written."""
    if not isinstance(command, Simple):
        return False
    return takes_some(command) or not reads_all(_plain(command))


def _plain(command: Node) -> list[str]:
    """The words of a command as they are written, without what is expanded."""
    words = command.words if isinstance(command, Simple) else ()
    return [text for word in words for text, how in word.pieces if how == "plain"]


class Flow(Execution):
    """Carries out what decides which command comes next.

    Args:
        session: Where.
        journal: See `Execution`.
    """

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        super().__init__(session, journal)
        # How many loops surround the present command, within its function.
        self.loops = 0
        # What is left to read of the inputs of the compound commands around the present one.
        self._unread: list[str] = []
        # What `trap` has set, by signal.
        self.traps: dict[str, str] = {}
        # Where a script that is recorded goes on, and its parts around the present one: each makes
        # what is left of itself from what is left of the part.
        self.place: Checkpoint | None = None
        self._around: list[Callable[[Node], Node]] = []
        self._rounds = 0

    def run(self, node: Node, stdin: str) -> Output:
        """Carry out a node."""
        raise NotImplementedError

    def words(self, words: Any) -> list[str]:
        """Words as a command gets them."""
        raise NotImplementedError

    def _number(self, text: str) -> int:
        """The value of an expression."""
        raise NotImplementedError

    def _substitute(self, text: str, *, raw: bool = False) -> str:
        raise NotImplementedError

    def parsed(self, text: str) -> Node:
        """The tree of a script."""
        raise NotImplementedError

    @contextmanager
    def _within(self, rest_of: Callable[[Node], Node]) -> Iterator[None]:
        """A part of a script, in which it can go on later."""
        self._around.append(rest_of)
        try:
            yield
        finally:
            self._around.pop()

    def _passed(self, rest: Node) -> None:
        """A loop begins a round: what was done before need not be repeated, if nothing hinders.

        A script goes on in its sequences, choices, loops and functions; in a pipeline, within
        redirections and for `set -e` in a condition it does not, and is repeated from before them.
        """
        self._rounds += 1
        open_ = self._depth == len(self._around) + 1 and not self._captured
        known = self._journal is not None and self._position == len(self._journal)
        if not known or not open_ or any(self._unread) or self.session.sockets:
            return
        if not self._journal and self._rounds % _SELDOM:
            return
        for rest_of in reversed(self._around):
            rest = rest_of(rest)
        self.place = take_checkpoint(cast("Interpreter", self), rest)
        self._journal, self._position = [], 0

    def obeyed(self, number: int, result: Output) -> Output:
        """Let a signal reach this shell itself; `result` is that of the `kill` that has sent it.

        Raises:
            Exit: The signal ends it.
        """
        session = self.session
        action = self.traps.get(SIGNALS[number - 1]) if 0 < number <= len(SIGNALS) else None
        if action is None or number in UNSTOPPABLE:
            first = session.pid == 1 or (session.interactive and number in SHRUGGED_OFF)
            if number in HARMLESS or first:
                return result
            raise Exit(128 + number, result, number)
        if not action:
            return result
        done = self.run(self.parsed(action), "")
        if self._journal is not None and not self._captured:
            return result
        return Output(result.code, result.out + done.out, result.err + done.err)

    def _sequence(self, node: Sequence, stdin: str) -> Output:
        written, code = _Written(), 0
        for index, (operator, part) in enumerate(node.parts):
            if (operator == "&&" and code != 0) or (operator == "||" and code == 0):
                continue
            following = node.parts[index + 1][0] if index + 1 < len(node.parts) else ";"
            act = self._quietly if following != ";" else self.run
            with written.kept(), self._within(lambda rest, i=index: _following(node, i, rest)):  # type: ignore[misc]  # bound at once
                result = act(part, stdin)
            code = self.session.last = result.code
            written.add(result)
            negated = isinstance(part, Pipeline) and part.negated
            if code != 0 and "ERR" in self.traps and following == ";" and not negated:
                with written.kept():
                    written.add(self.run(self.parsed(self.traps["ERR"]), stdin))
                self.session.last = code
            stops = self.stop_on_error and following == ";" and not negated
            if code != 0 and stops and operator != "||":
                raise Exit(code, written.output(code))
        return written.output(code)

    def _pipeline(self, node: Pipeline, stdin: str) -> Output:
        err, before = "", len(self._journal or ())
        self._captured += 1
        codes = []
        try:
            endless, slept_s = self.session.endless, self.session.slept_s
            cut, self._cut = self._cut, self._cut or any(map(ends_early, node.commands[1:]))
            try:
                with portion() if len(node.commands) > 1 else nullcontext():
                    result = self._stage(node.commands[0], stdin)
            finally:
                self._cut = cut
            err, codes = result.err, [result.code]
            for command in node.commands[1:]:
                text = result.out
                if self.session.endless > endless and takes_some(command):
                    # A process that writes to a pipe without readers is ended.
                    self.session.endless, self.session.slept_s = endless, slept_s
                result = self._feeding(text, lambda c=command, t=text: self._stage(c, t))  # type: ignore[misc]  # bound at once
                if self.session.endless > endless and writes_last(_plain(command)):
                    result = Output(result.code, "", result.err)
                err += result.err
                codes.append(result.code)
        finally:
            self._captured -= 1
        code = result.code
        if self.session.pipefail:
            code = next((c for c in reversed(codes) if c), 0)
        code = int(code == 0) if node.negated else code
        return self._emitted(before, Output(code, result.out, err))

    def _stage(self, command: Node, stdin: str) -> Output:
        """One command of a pipeline; each of several has a shell of its own."""
        try:
            return self.run(command, stdin)
        except Exit as stop:
            if stop.signal:
                raise
            return Output(stop.code, stop.output.out, stop.output.err)

    def _feeding(self, stdin: str, act: Callable[[], Output]) -> Output:
        """Carry out a command whose parts read one after another from one input."""
        self._unread.append(stdin)
        try:
            return act()
        finally:
            self._unread.pop()

    def fed(self, node: Node, text: str) -> Output:
        """Carry out a node whose parts read from a text."""
        return self._feeding(text, lambda: self.run(node, text))

    def takes_all(self, node: Simple) -> None:
        """A command that begins reads all that is left of the present input."""
        del node
        self._unread[-1] = ""

    def _case(self, node: Case, stdin: str) -> Output:
        expansion = Expansion(self.session, self._substitute)
        value = expansion.joined(node.word)
        result, falls = Output(), False
        for patterns, body, end in node.branches:
            if not falls and not any(
                matches(value, expansion.pattern(pattern), escapes=True) for pattern in patterns
            ):
                continue
            with self._within(rest_of_choice) if end not in (";&", ";;&") else nullcontext():
                result = self._after(result.out, result.err, body, stdin)
            falls = end == ";&"
            if end not in (";&", ";;&"):
                break
        return result

    def _condition(self, node: Condition, stdin: str) -> Output:
        out, err = "", ""
        for test, body in node.branches:
            result = self._quietly(test, stdin)
            out, err = out + result.out, err + result.err
            if result.code == 0:
                with self._within(rest_of_choice):
                    return self._after(out, err, body, stdin)
        if node.otherwise is not None:
            with self._within(rest_of_choice):
                return self._after(out, err, node.otherwise, stdin)
        return Output(0, out, err)

    def _after(
        self, out: str, err: str, body: Node, stdin: str, *, quietly: bool = False
    ) -> Output:
        """A body with what was written before it; `quietly`: no command in it ends the shell."""
        try:
            result = self._quietly(body, stdin) if quietly else self.run(body, stdin)
        except Exit as stop:
            joined = Output(stop.code, out + stop.output.out, err + stop.output.err)
            raise Exit(stop.code, joined, stop.signal) from None
        except Leave as leave:
            joined = Output(0, out + leave.output.out, err + leave.output.err)
            raise Leave(leave.word, joined, leave.loops) from None
        return Output(result.code, out + result.out, err + result.err)

    def _quietly(self, test: Node, stdin: str) -> Output:
        if not self.stop_on_error:
            return self.run(test, stdin)
        self.stop_on_error = False
        self._depth += 1
        try:
            return self.run(test, stdin)
        finally:
            self._depth -= 1
            self.stop_on_error = True

    def _loop(self, node: Loop | Each | Counting, stdin: str) -> Output:
        words = tuple(self.words(node.words)) if isinstance(node, Each) else ()
        if isinstance(node, Counting) and node.start.strip():
            self._number(node.start)
        return self._begun(StartedLoop(node, words=words), stdin)

    def _begun(self, begun: StartedLoop, stdin: str) -> Output:
        """A loop from one of its rounds on."""
        node, at, code = begun.loop, begun.at, begun.code
        written, body = _Written(), begun.rest
        while True:
            if body is None:
                self._passed(replace(begun, rest=None, at=at, code=code))
                with written.kept():
                    if not self._goes_on(begun, at, written, stdin):
                        break
                at += 1
                body = node.body
            left = replace(begun, at=at, code=code)
            with written.kept(), self._within(lambda rest, left=left: replace(left, rest=rest)):  # type: ignore[misc]  # bound at once
                result, goes_on = self._round(body, stdin)
            body = None
            written.add(result)
            code = result.code if goes_on is not None else code
            if goes_on is False:
                break
            if isinstance(node, Counting) and node.step.strip():
                self._number(node.step)
        return written.output(code)

    def _goes_on(self, begun: StartedLoop, at: int, written: _Written, stdin: str) -> bool:
        """Whether a loop has one more round, which begins."""
        node = begun.loop
        self.spend()
        if isinstance(node, Each):
            if at == len(begun.words):
                return False
            assign(self.session, node.name, begun.words[at])
            self.session.unexported.add(node.name)
            return True
        if isinstance(node, Counting):
            return not node.test.strip() or bool(self._number(node.test))
        result = self._quietly(node.test, stdin)
        written.add(result)
        return (result.code == 0) != node.until

    def _round(self, body: Node, stdin: str) -> tuple[Output, bool | None]:
        """A loop's body, and whether the loop goes on; None when `continue` began it anew."""
        self.loops += 1
        try:
            return self.run(body, stdin), True
        except Leave as leave:
            if leave.word == "return":
                raise
            if leave.loops > 1:
                raise Leave(leave.word, leave.output, leave.loops - 1) from None
            return leave.output, False if leave.word == "break" else None
        finally:
            self.loops -= 1


class _Written:
    """What the parts of a script have written, put together when it is asked for."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._err: list[str] = []

    def add(self, output: Output) -> None:
        """What one more part has written."""
        if output.out:
            self._out.append(output.out)
        if output.err:
            self._err.append(output.err)

    def output(self, code: int) -> Output:
        """All of it."""
        return Output(code, "".join(self._out), "".join(self._err))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """A part that may leave the script: what was written before goes with it."""
        try:
            yield
        except Exit as stop:
            self.add(stop.output)
            raise Exit(stop.code, self.output(stop.code), stop.signal) from None
        except Leave as leave:
            self.add(leave.output)
            raise Leave(leave.word, self.output(0), leave.loops) from None


def rest_of_choice(rest: Node) -> Node:
    """What is left of a choice when so much is left of its branch."""
    return rest


def _following(node: Sequence, index: int, rest: Node) -> Node:
    """What is left of a sequence when so much is left of one of its parts."""
    return Sequence(((";", rest), *node.parts[index + 1 :]))

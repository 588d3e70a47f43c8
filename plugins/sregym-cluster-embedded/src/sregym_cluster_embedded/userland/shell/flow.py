"""How a script goes on: conditions, choices, loops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.execution import Execution
from sregym_cluster_embedded.userland.shell.expansion import Expansion
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.shapes import expression
from sregym_cluster_embedded.userland.shell.tree import (
    Case,
    Condition,
    Each,
    Loop,
    Pipeline,
    Sequence,
)
from sregym_cluster_embedded.userland.shell.variables import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.tree import Node


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

    def run(self, node: Node, stdin: str) -> Output:
        """Carry out a node."""
        raise NotImplementedError

    def words(self, words: Any) -> list[str]:
        """Words as a command gets them."""
        raise NotImplementedError

    def _substitute(self, text: str, *, raw: bool = False) -> str:
        raise NotImplementedError

    def parsed(self, text: str) -> Node:
        """The tree of a script."""
        raise NotImplementedError

    def _sequence(self, node: Sequence, stdin: str) -> Output:
        out, err, code = "", "", 0
        for index, (operator, part) in enumerate(node.parts):
            if (operator == "&&" and code != 0) or (operator == "||" and code == 0):
                continue
            following = node.parts[index + 1][0] if index + 1 < len(node.parts) else ";"
            result = self._after(out, err, part, stdin, quietly=following != ";")
            code = self.session.last = result.code
            out, err = result.out, result.err
            negated = isinstance(part, Pipeline) and part.negated
            if code != 0 and "ERR" in self.traps and following == ";" and not negated:
                trapped = self._after(out, err, self.parsed(self.traps["ERR"]), stdin)
                self.session.last, out, err = code, trapped.out, trapped.err
                result = Output(code, out, err)
            stops = self.stop_on_error and following == ";" and not negated
            if code != 0 and stops and operator != "||":
                raise Exit(code, result)
        return Output(code, out, err)

    def _pipeline(self, node: Pipeline, stdin: str) -> Output:
        err, before = "", len(self._journal or ())
        self._captured += 1
        codes = []
        try:
            result = self._stage(node.commands[0], stdin)
            err, codes = result.err, [result.code]
            for command in node.commands[1:]:
                text = result.out
                result = self._feeding(text, lambda c=command, t=text: self._stage(c, t))  # type: ignore[misc]  # bound at once
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
            return Output(stop.code, stop.output.out, stop.output.err)

    def _feeding(self, stdin: str, act: Callable[[], Output]) -> Output:
        """Carry out a command whose parts read one after another from one input."""
        self._unread.append(stdin)
        try:
            return act()
        finally:
            self._unread.pop()

    def _case(self, node: Case, stdin: str) -> Output:
        expansion = Expansion(self.session, self._substitute)
        value = expansion.joined(node.word)
        result, falls = Output(), False
        for patterns, body, end in node.branches:
            if not falls and not any(
                re.fullmatch(expression(expansion.pattern(pattern)), value) for pattern in patterns
            ):
                continue
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
                return self._after(out, err, body, stdin)
        if node.otherwise is not None:
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
            raise Exit(stop.code, joined) from None
        except Leave as leave:
            joined = Output(0, out + leave.output.out, err + leave.output.err)
            raise Leave(leave.word, joined, leave.loops) from None
        return Output(result.code, out + result.out, err + result.err)

    def _quietly(self, test: Node, stdin: str) -> Output:
        if not self.stop_on_error:
            return self.run(test, stdin)
        self.stop_on_error = False
        try:
            return self.run(test, stdin)
        finally:
            self.stop_on_error = True

    def _loop(self, node: Loop | Each, stdin: str) -> Output:
        out, err, code = "", "", 0
        words = iter(self.words(node.words) if isinstance(node, Each) else ())
        while True:
            self.spend()
            if isinstance(node, Each):
                word = next(words, None)
                if word is None:
                    break
                assign(self.session, node.name, word)
                self.session.unexported.add(node.name)
            else:
                result = self._quietly(node.test, stdin)
                out, err = out + result.out, err + result.err
                if (result.code == 0) == node.until:
                    break
            result, goes_on = self._round(out, err, node.body, stdin)
            out, err = result.out, result.err
            code = result.code if goes_on is not None else code
            if goes_on is False:
                break
        return Output(code, out, err)

    def _round(self, out: str, err: str, body: Node, stdin: str) -> tuple[Output, bool | None]:
        """A loop's body, and whether the loop goes on; None when `continue` began it anew."""
        self.loops += 1
        try:
            return self._after(out, err, body, stdin), True
        except Leave as leave:
            if leave.word == "return":
                raise
            if leave.loops > 1:
                raise Leave(leave.word, leave.output, leave.loops - 1) from None
            return leave.output, False if leave.word == "break" else None
        finally:
            self.loops -= 1

"""How a script goes on: conditions, choices, loops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.execution import Execution
from sregym_cluster_embedded.userland.shell.expansion import Expansion, expression
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import Case, Condition, Each, Loop
from sregym_cluster_embedded.userland.shell.variables import assign

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.syntax import Node


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

    def run(self, node: Node, stdin: str) -> Output:
        """Carry out a node."""
        raise NotImplementedError

    def words(self, words: Any) -> list[str]:
        """Words as a command gets them."""
        raise NotImplementedError

    def _substitute(self, text: str) -> str:
        raise NotImplementedError

    def _case(self, node: Case, stdin: str) -> Output:
        expansion = Expansion(self.session, self._substitute)
        value = expansion.joined(node.word)
        for patterns, body in node.branches:
            for pattern in patterns:
                if re.fullmatch(expression(expansion.pattern(pattern)), value, re.DOTALL):
                    return self.run(body, stdin)
        return Output()

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

    def _after(self, out: str, err: str, body: Node, stdin: str) -> Output:
        """A body with what was written before it."""
        try:
            result = self.run(body, stdin)
        except Exit as stop:
            joined = Output(stop.code, out + stop.output.out, err + stop.output.err)
            raise Exit(stop.code, joined) from None
        except Leave as leave:
            joined = Output(0, out + leave.output.out, err + leave.output.err)
            raise Leave(leave.word, joined, leave.loops) from None
        return Output(result.code, out + result.out, err + result.err)

    def _quietly(self, test: Node, stdin: str) -> Output:
        kept, self.stop_on_error = self.stop_on_error, False
        result = self.run(test, stdin)
        self.stop_on_error = kept
        return result

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
            self.loops += 1
            try:
                result = self._after(out, err, node.body, stdin)
            except Leave as leave:
                if leave.word == "return":
                    raise
                if leave.loops > 1:
                    raise Leave(leave.word, leave.output, leave.loops - 1) from None
                out, err = leave.output.out, leave.output.err
                if leave.word == "break":
                    break
                continue
            finally:
                self.loops -= 1
            code, out, err = result.code, result.out, result.err
        return Output(code, out, err)

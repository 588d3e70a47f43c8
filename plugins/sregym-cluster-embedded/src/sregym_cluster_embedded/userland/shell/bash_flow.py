"""What only bash has: `((`, `[[`, `for ((`, `time`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_regex.globs import matches
from sregym_regex.posix import PatternError, compiled

from sregym_cluster_embedded.userland.shell import arrays
from sregym_cluster_embedded.userland.shell.conditions import compare_words, is_binary, unary_holds
from sregym_cluster_embedded.userland.shell.control import Exit, Leave
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.expansion import BadSubstitutionError, Expansion
from sregym_cluster_embedded.userland.shell.flow import Flow
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import assignment
from sregym_cluster_embedded.userland.shell.tree import Called

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.lexing import Word
    from sregym_cluster_embedded.userland.shell.tree import Calculation, Test, Timed

_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")


class BashFlow(Flow):
    """Carries out what only bash has.

    Args:
        session: Where.
        journal: See `Execution`.
    """

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        super().__init__(session, journal)
        # What variables were before functions declared them local, one table a function.
        self.frames: list[dict[str, str | None]] = []

    def put(self, target: str, word: Word) -> None:
        """An assignment of bash."""
        session = self.session
        name = target.removesuffix("+")
        fresh = name not in session.environment and "a" not in session.options
        arrays.assign_element(Expansion(session, self._substitute), target, word, self.words)
        if fresh and name in session.environment:
            session.unexported.add(name)

    def declared(self, word: Word, before: list[str]) -> str:
        """An array behind `declare` and its kin; the name is what the command gets."""
        found = assignment(word, bash=True)
        if found is None:
            return "".join(text for text, _ in word.pieces)
        name = found[0].rstrip("+")
        if self.frames and before[:1] != ["export"]:
            self.hide(name)
        if any(flag.startswith("-") and "A" in flag for flag in before[1:]):
            arrays.make_by_name(self.session, name)
        self.put(*found)
        return name

    def hide(self, name: str) -> None:
        """Let a variable and the elements of an array be as before when the function ends."""
        known, frame = self.session.environment, self.frames[-1]
        frame.setdefault(name, known.get(name))
        for key, value in arrays.remove(self.session, name).items():
            frame.setdefault(key, value)

    def call(self, name: str, arguments: list[str], stdin: str) -> Output:
        """Run a function of the shell."""
        session, kept = self.session, self.session.arguments
        session.arguments = (kept[0], *arguments)
        return self._called(Called(session.functions[name], kept, self.loops, {}), stdin)

    def _called(self, node: Called, stdin: str) -> Output:
        """A function, from its beginning or from where it goes on."""
        session = self.session
        frame = dict(node.frame)
        self.frames.append(frame)
        self.loops = 0
        try:
            with self._within(lambda rest: replace(node, rest=rest, frame=dict(frame))):
                return self.run(node.rest, stdin)
        except Leave as leave:
            if leave.word != "return":
                raise
            return Output(session.last, leave.output.out, leave.output.err)
        finally:
            session.arguments, self.loops = node.arguments, node.loops
            self.frames.pop()
            arrays.forget(session, frame)
            for variable, before in frame.items():
                if before is None:
                    session.environment.pop(variable, None)
                else:
                    session.environment[variable] = before

    def _expansion(self) -> Expansion:
        return Expansion(self.session, self._substitute)

    def _number(self, text: str) -> int:
        """The value of an expression; the shell goes on to its end after a mistake."""
        try:
            return self._expansion().number(text)
        except BadSubstitutionError as error:
            said = f"{shell_name(self.session)}: ((: {error}\n"
            raise Exit(1, Output(1, "", said)) from None

    def _calculation(self, node: Calculation) -> Output:
        self.session.at_line = node.line
        try:
            return Output(int(self._number(node.text) == 0))
        except Exit as stop:
            return stop.output

    def _timed(self, node: Timed, stdin: str) -> Output:
        before = self.session.slept_s
        result = self.run(node.body, stdin)
        took = self.session.slept_s - before
        minutes, seconds = divmod(took + 0.002, 60)
        shown = f"\nreal\t{int(minutes)}m{seconds:.3f}s\nuser\t0m0.001s\nsys\t0m0.001s\n"
        return Output(result.code, result.out, result.err + shown)

    def _tested(self, node: Test) -> Output:
        self.session.at_line = node.line
        try:
            return self.once(lambda: Output(int(not _Condition(self, node.words).holds())))
        except BadSubstitutionError as error:
            raise Exit(1, Output(1, "", f"{shell_name(self.session)}: {error}\n")) from None
        except PatternError:
            return Output(2)

    def expansion(self) -> Expansion:
        """What expands the words of a condition."""
        return self._expansion()


class _Condition:
    """The grammar of `[[`: `||` binds least, then `&&`, then `!`."""

    def __init__(self, shell: BashFlow, words: tuple[Word, ...]) -> None:
        self._shell, self._words, self._at = shell, words, 0
        self._expansion = shell.expansion()

    def holds(self) -> bool:
        """Whether the condition is true."""
        found = self._both()
        while self._sign() == "||":
            self._at += 1
            other = self._both()
            found = found or other
        return found

    def _both(self) -> bool:
        found = self._not()
        while self._sign() == "&&":
            self._at += 1
            other = self._not()
            found = found and other
        return found

    def _sign(self, ahead: int = 0) -> str:
        at = self._at + ahead
        if at >= len(self._words) or len(self._words[at].pieces) != 1:
            return ""
        return self._words[at].pieces[0][0]

    def _take(self) -> Word:
        self._at += 1
        return self._words[self._at - 1]

    def _not(self) -> bool:
        if self._sign() == "!":
            self._at += 1
            return not self._not()
        if self._sign() == "(":
            self._at += 1
            found = self.holds()
            self._at += 1
            return found
        return self._primary()

    def _primary(self) -> bool:
        sign = self._sign()
        left = self._take()
        operator = self._sign()
        if is_binary(operator) or operator == "=~":
            self._at += 1
            return self._compared(left, operator, self._take())
        ended = self._at >= len(self._words) or operator in ("&&", "||", ")")
        if re.fullmatch(r"-[a-zA-Z]", sign) and not ended:
            return unary_holds(self._shell.session, sign, self._expansion.joined(self._take()))
        return self._expansion.joined(left) != ""

    def _compared(self, left: Word, operator: str, right: Word) -> bool:
        text = self._expansion.joined(left)
        if operator in ("=", "==", "!="):
            fits = matches(text, self._expansion.pattern(right), escapes=True)
            return fits == (operator != "!=")
        if operator == "=~":
            return self._matched(text, right)
        other = self._expansion.joined(right)
        if operator in _NUMBERS:
            numbers = [str(self._expansion.number(each)) for each in (text, other)]
            return compare_words(self._shell.session, [numbers[0], operator, numbers[1]])
        return compare_words(self._shell.session, [text, operator, other])

    def _matched(self, text: str, right: Word) -> bool:
        """`=~`: quoted parts stand for themselves, and what was found is `BASH_REMATCH`."""
        form = "".join(
            self._expansion.text(part, quoted=False)
            if how == "plain"
            else re.sub(
                r"([][.^$*+?(){}|\\])",
                r"\\\1",
                part if how == "single" else self._expansion.text(part, quoted=True),
            )
            for part, how in right.pieces
        )
        found = compiled(form, extended=True).search(text)
        groups = [found.group(), *(group or "" for group in found.groups())] if found else []
        arrays.fill(self._shell.session, "BASH_REMATCH", groups)
        return found is not None

"""Expressions that need trial and error: references back, look-around; each trial is counted.

Few patterns come here, for RE2 answers all others. A search that takes more trials than PCRE's
`match limit` allows by default ends as there.
"""

from __future__ import annotations

from re import _constants as sre  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import spend
from sregym_regex.matches import Match, Searching
from sregym_regex.program import Instruction, Program, program

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIALS = 500_000
_PENDING = 200_000
_PAID_AT_ONCE = 256
_SPACE = frozenset(" \t\n\r\f\v")


class TrialsExceededError(Exception):
    """A search has taken too many trials."""


class Backtracking(Searching):
    """An expression that has been compiled.

    Args:
        pattern: The expression, in Python's notation.
        flags: Python's flags for it.

    Raises:
        PatternError: It is none; the text is Python's.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        spend(200 + 4 * len(pattern))
        self._program: Program = program(pattern, flags)
        self.groups, self.groupindex = self._program.groups, self._program.names

    def search(self, text: str, pos: int = 0) -> Match | None:
        """The first match anywhere, from a character on.

        Raises:
            TrialsExceededError: Finding out takes too long.
        """
        run = _Run(self, text)
        for start in range(pos, len(text) + 1):
            if (found := run.at(start)) is not None:
                return found
        return None

    def match(self, text: str) -> Match | None:
        """The match at the beginning.

        Raises:
            TrialsExceededError: Finding out takes too long.
        """
        return _Run(self, text).at(0)

    def fullmatch(self, text: str) -> Match | None:
        """The match of the whole text.

        Raises:
            TrialsExceededError: Finding out takes too long.
        """
        return _Run(self, text, whole=True).at(0)

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, one behind the other.

        Raises:
            TrialsExceededError: Finding out takes too long.
        """
        at, last = 0, -1
        while at <= len(text):
            found = self.search(text, at)
            if found is None:
                return
            start, end = found.span()
            if not start == end == last:
                yield found
            last, at = end, end if end > start else end + 1


class _Run:
    """Trials on one text."""

    def __init__(self, pattern: Backtracking, text: str, *, whole: bool = False) -> None:
        self._pattern, self._text, self._whole = pattern, text, whole
        self._program: Program = pattern._program
        self._trials = 0

    def at(self, start: int) -> Match | None:
        saved = [-1] * (2 * self._program.groups + 2)
        end = self._ways(self._program.code, start, saved, whole=self._whole)
        if end is None:
            return None
        saved[0], saved[1] = start, end
        places = zip(saved[::2], saved[1::2], strict=True)
        return Match(self._pattern, self._text, [*places])

    def _pay(self, steps: int) -> None:
        self._trials += steps
        spend(steps)
        if self._trials > _TRIALS:
            raise TrialsExceededError

    def _ways(
        self, code: list[Instruction], at: int, saved: list[int], *, whole: bool = False
    ) -> int | None:
        """Where a match that begins here ends; `saved` are the places of groups then."""
        text, place, marks = self._text, 0, {-1: -1}
        # Ways that have not been tried: place, character, groups, where loops began.
        pending: list[tuple[int, int, list[int], dict[int, int]]] = []
        groups, steps = saved[:], 0
        while True:
            steps += 1
            if steps == _PAID_AT_ONCE:
                self._pay(steps)
                steps = 0
            name, what, other, behind = code[place]
            fits, place = True, place + 1
            if name == "one":
                fits = at < len(text) and belongs(text[at], what, ignore=other)
                at += 1
            elif name == "try":
                pending.append((other, at, groups, marks))
                if len(pending) > _PENDING:
                    raise TrialsExceededError
                place = what
            elif name == "jump":
                place = what
            elif name == "save":
                groups = [*groups]
                groups[what] = at
            elif name == "mark":
                marks = {**marks, what: at}
            elif name == "moved":
                fits = marks[what] != at
            elif name == "at":
                fits = stands(text, at, what, multiline=other)
            elif name == "back":
                start, end = groups[2 * what], groups[2 * what + 1]
                again = text[start:end] if 0 <= start <= end else None
                here = text[at : at + len(again or "")]
                fits = again is not None and _alike(here, again, ignore=other)
                at += len(again or "")
            elif name == "given":
                place = place if groups[2 * what + 1] >= 0 else other
            elif name == "end":
                fits = not whole or at == len(text)
                if fits:
                    self._pay(steps)
                    saved[:] = groups
                    return at
            else:
                inner = [*groups]
                end_of = self._ways(what, at - behind, inner) if at >= behind else None
                if name == "whole":
                    fits, at = end_of is not None, at if end_of is None else end_of
                else:
                    fits = (end_of is not None) != other
                groups = inner if fits and end_of is not None else groups
            if not fits:
                if not pending:
                    self._pay(steps)
                    return None
                place, at, groups, marks = pending.pop()


def _alike(first: str, second: str, *, ignore: bool) -> bool:
    return first == second or (ignore and first.lower() == second.lower())


def belongs(char: str, wanted: tuple[bool, list[Any]], *, ignore: bool) -> bool:
    """Whether a character is one of a set, as an instruction `one` has it."""
    negated, items = wanted
    forms = {char, char.lower(), char.upper()} if ignore else (char,)
    return any(_of(form, item) for form in forms for item in items) != negated


def _of(char: str, item: Any) -> bool:
    operation, argument = item
    if operation is sre.LITERAL:
        return len(char) == 1 and ord(char) == argument
    if operation is sre.RANGE:
        return len(char) == 1 and bool(argument[0] <= ord(char) <= argument[1])
    name = str(argument)
    found = (
        char.isdecimal() if "DIGIT" in name
        else char in _SPACE if "SPACE" in name
        else char.isalnum() or char == "_"
    )  # fmt: skip
    return found != ("NOT" in name)


def stands(text: str, at: int, place: str, *, multiline: bool) -> bool:
    """Whether a character of a text is such a place: its beginning, its end, the edge of a word."""
    if "BOUNDARY" in place:
        before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
        after = at < len(text) and (text[at].isalnum() or text[at] == "_")
        return (before != after) != ("NON" in place)
    if "BEGINNING" in place:
        return at == 0 or (multiline and "STRING" not in place and text[at - 1] == "\n")
    return at == len(text) or (multiline and "STRING" not in place and text[at] == "\n")

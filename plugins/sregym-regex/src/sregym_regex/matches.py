"""Matches of an expression in a text, the same for every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from sregym_regex.budget import allocate, spend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


# What it takes to hand over a match.
_MATCH_STEPS = 9


class PatternError(ValueError):
    """A text that is no expression; why, as its language words it.

    Attributes:
        bare: The same without the place.
        at: Which character is wrong.
    """

    def __init__(self, text: str, bare: str = "", at: int = 0) -> None:
        super().__init__(text)
        self.bare, self.at = bare or text, at


class Searching:
    """An expression: what can be done with all of them, however they are matched.

    Attributes:
        pattern: Its text.
        groups: How many groups it has.
        groupindex: Name -> number of those with a name.
    """

    __slots__ = ()
    pattern: str
    groups: int
    groupindex: dict[str, int]

    def search(self, text: str, pos: int = 0) -> Match | None:
        """The first match anywhere, from a character on."""
        raise NotImplementedError

    def match(self, text: str) -> Match | None:
        """The match at the beginning."""
        raise NotImplementedError

    def fullmatch(self, text: str) -> Match | None:
        """The match of the whole text."""
        raise NotImplementedError

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, one behind the other; no empty one right behind another."""
        raise NotImplementedError

    def sub(self, fresh: Callable[[Match], str], text: str, count: int = 0) -> str:
        """A text in which matches are put anew: all of them, or the first so many."""
        out, at = [], 0
        for number, match in enumerate(self.finditer(text), 1):
            start, end = match.span()
            new = fresh(match)
            spend(_MATCH_STEPS)
            allocate(len(new) + 100)
            out += [text[at:start], new]
            at = end
            if number == count:
                break
        allocate(len(text))
        return "".join([*out, text[at:]])

    def split(self, text: str) -> list[str]:
        """What stands between matches; empty matches do not separate."""
        out, at = [], 0
        for match in self.finditer(text):
            start, end = match.span()
            if start == end:
                continue
            spend(_MATCH_STEPS)
            out.append(text[at:start])
            at = end
        allocate(len(text) + 64 * len(out))
        return [*out, text[at:]]


class Match:
    """Where a text fits an expression.

    Attributes:
        re: The expression.
        string: The text.
    """

    __slots__ = ("_spans", "re", "string")

    def __init__(self, pattern: Searching, string: str, spans: Sequence[tuple[int, int]]) -> None:
        self.re, self.string, self._spans = pattern, string, spans

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return self.string[start:end] if start >= 0 else None

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Where a group begins and ends; twice -1 when it has no part in the match.

        Raises:
            IndexError: There is no such group.
        """
        number = group if isinstance(group, int) else self.re.groupindex.get(group, -1)
        if not 0 <= number < len(self._spans):
            raise IndexError("no such group")
        return self._spans[number]

    def start(self, group: int | str = 0) -> int:
        """Where a group begins."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Where a group ends."""
        return self.span(group)[1]

    @overload
    def group(self) -> str: ...
    @overload
    def group(self, group: int | str) -> str | None: ...
    def group(self, group: int | str = 0) -> str | None:
        """What a group matches; the whole match when none is named."""
        return self[group]

    @overload
    def groups(self) -> tuple[str | None, ...]: ...
    @overload
    def groups(self, default: str) -> tuple[str, ...]: ...
    def groups(self, default: str | None = None) -> tuple[str | None, ...]:
        """What all groups match."""
        return tuple(
            default if (text := self[number]) is None else text
            for number in range(1, len(self._spans))
        )

    def groupdict(self) -> dict[str, str]:
        """What groups with a name match; those that have no part in it are empty."""
        return {name: self[number] or "" for name, number in self.re.groupindex.items()}

"""Expressions that RE2 matches: in time linear in the text, whatever the pattern.

A `Pattern` has the methods of one of Python's. One thing differs, as in Go, POSIX and Perl: among
all matches of a text, an empty one right behind another does not count.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import allocate, cached, spend
from sregym_regex.matches import Match, PatternError, Searching

if TYPE_CHECKING:
    from collections.abc import Iterator

# For the program and for the states that are made of it while it runs.
_MEMORY_BYTES = 2 << 20
# Their places are kept for each way that is tried.
_MOST_GROUPS = 1000
_TOO_LARGE = "pattern too large"
# What makes the number of states grow faster than the pattern: repeats, and many wide atoms.
_REPEATS = re.compile(r"\{\d{2,}[,}]|\{\d*,\d{2,}\}")
_MANY = 24
# Without states, each byte costs a look at each instruction.
_LOOKS_PER_STEP = 1 << 6
_BYTES_PER_STEP = 1 << 8


@cached(64)
def linear(
    pattern: str, *, ignore_case: bool = False, longest: bool = False, multiline: bool = False
) -> Pattern:
    """An expression in RE2's language.

    Args:
        pattern: The expression.
        ignore_case: Whether letters match those of the other case.
        longest: Whether the longest match counts, as in POSIX, and not the first that is found.
        multiline: Whether `^` and `$` match at each line.

    Raises:
        PatternError: It is none; the text is RE2's.
    """
    # Loaded when it is needed: it costs more than all that is around it.
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    options.case_sensitive = not ignore_case
    options.longest_match = longest
    data = pattern.encode("utf-8", "surrogatepass")
    spend(50 + (len(data) >> 1))
    allocate(len(data) * 32)
    text = b"(?m)" + data if multiline else data
    try:
        found = re2.compile(text, options)
        if found.groups > _MOST_GROUPS:
            raise PatternError(_TOO_LARGE)
        return Pattern(pattern, found)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise PatternError(words) from None
    finally:
        # The library keeps the last ones as well, and would keep their states.
        re2.purge()


class Pattern(Searching):
    """An expression that has been compiled.

    Attributes:
        pattern: Its text.
        groups: How many groups it has.
        groupindex: Name -> number of those with a name.
    """

    __slots__ = ("_compiled", "_looks", "groupindex", "groups", "pattern")

    def __init__(self, pattern: str, compiled: Any) -> None:
        self.pattern, self._compiled = pattern, compiled
        self.groups: int = compiled.groups
        named = compiled.groupindex.items()
        self.groupindex: dict[str, int] = {
            name.decode() if isinstance(name, bytes) else name: number for name, number in named
        }
        wide = sum(map(pattern.count, (".", "[", "\\")))
        risky = wide > _MANY or _REPEATS.search(pattern) is not None
        # How many instructions a byte may have to be held against.
        self._looks: int = compiled.programsize if risky else 0

    def search(self, text: str, pos: int = 0) -> Match | None:
        """The first match anywhere, from a character on."""
        return next(self._found("search", text, pos), None)

    def match(self, text: str) -> Match | None:
        """The match at the beginning."""
        return next(self._found("match", text, 0), None)

    def fullmatch(self, text: str) -> Match | None:
        """The match of the whole text."""
        return next(self._found("fullmatch", text, 0), None)

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, one behind the other."""
        return self._found("search", text, 0)

    def _pay(self, length: int) -> None:
        if self._looks:
            spend(1 + length * self._looks // _LOOKS_PER_STEP)
        else:
            spend(3 + length // _BYTES_PER_STEP)

    def _found(self, how: str, text: str, pos: int) -> Iterator[Match]:
        ascii_only = text.isascii()
        data = text.encode() if ascii_only else text.encode("utf-8", "surrogatepass")
        at = pos if ascii_only else len(text[:pos].encode("utf-8", "surrogatepass"))
        search = getattr(self._compiled, how)
        # Where characters were counted last: byte and character.
        known, last = (at, pos), -1
        while at <= len(data):
            self._pay(len(data) - at)
            hit = search(data, at)
            if hit is None:
                return
            spans = [hit.span(number) for number in range(self.groups + 1)]
            start, end = spans[0]
            if not start == end == last:
                if not ascii_only:
                    spans, known = _in_characters(data, spans, known)
                yield Match(self, text, spans)
            last = end
            at = end if end > start else _behind(data, end)


def _behind(data: bytes, at: int) -> int:
    """Where the character after a place ends."""
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def _in_characters(
    data: bytes, spans: list[tuple[int, int]], known: tuple[int, int]
) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Places in bytes as places in characters, and the last of those that all lie behind."""
    at, count = known
    counted = {-1: -1}
    first = known
    for place in sorted({place for span in spans for place in span if place >= 0}):
        count += len(data[at:place].decode("utf-8", "surrogatepass"))
        at = place
        counted[place] = count
        if place == spans[0][0]:
            first = (at, count)
    return [(counted[start], counted[end]) for start, end in spans], first

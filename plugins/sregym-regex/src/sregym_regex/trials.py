"""How many trials a matcher that backtracks needs, worked out without making them.

What a matcher does from a place of the expression at a character of the text depends on these two
alone, and on which loops have begun at that very character. So each is looked at once, however
often the matcher would come back to it: the number of trials may be exponential, the work is not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sregym_regex.backtracking import belongs, stands
from sregym_regex.matches import PatternError
from sregym_regex.program import Instruction, program

if TYPE_CHECKING:
    from collections.abc import Sequence

# Expressions whose trials depend on more than the place: references back, look-around, atomic groups.
_DEPENDENT = frozenset({"back", "given", "look", "whole"})
_LONGEST = 4096
_MOST_PLACES = 200_000


class _Place(NamedTuple):
    """Where a matcher is: instruction, character, and the loops that have begun at that character."""

    code: int
    at: int
    loops: frozenset[int]


@lru_cache(maxsize=256)
def trials(pattern: str, text: str, most: int) -> int:
    """Trials of a search for an expression in a text; `most` where it would be more.

    Args:
        pattern: The expression, in the notation of Perl.
        text: What is searched; of a longer text the first 4096 characters.
        most: After so many the matcher gives up.

    Raises:
        PatternError: The pattern is no expression, or one with references back, look-around or
            atomic groups.
    """
    try:
        code = program(pattern, re.NOFLAG).code
    except RecursionError:
        raise PatternError("regular expression is too large") from None
    if any(instruction.name in _DEPENDENT for instruction in code):
        raise PatternError("trials of references back, look-around and atomic groups are not told")
    known: dict[_Place, tuple[int, bool]] = {}
    text, total = text[:_LONGEST], 0
    for start in range(len(text) + 1):
        cost, found = _from(code, text, _Place(0, start, frozenset()), known, most)
        total += cost
        if found or total >= most:
            break
    return min(total, most)


def _from(
    code: Sequence[Instruction],
    text: str,
    first: _Place,
    known: dict[_Place, tuple[int, bool]],
    most: int,
) -> tuple[int, bool]:
    """Trials from a place on, and whether they find an end."""
    pending = [first]
    while pending:
        place = pending[-1]
        if place in known:
            pending.pop()
            continue
        if len(known) > _MOST_PLACES:
            return most, False
        total, found = 1, code[place.code].name == "end"
        for way in _ways(code, text, place):
            if way not in known:
                pending.append(way)
                break
            cost, found = known[way]
            total = min(total + cost, most)
            if found:
                break
        if pending[-1] is place:
            known[place] = (total, found)
    return known[first]


def _ways(code: Sequence[Instruction], text: str, place: _Place) -> tuple[_Place, ...]:
    """Where a matcher goes from a place: the ways that it tries, in their order."""
    name, what, other, _ = code[place.code]
    behind = place._replace(code=place.code + 1)
    if name == "one":
        fits = place.at < len(text) and belongs(text[place.at], what, ignore=other)
        return (_Place(place.code + 1, place.at + 1, frozenset()),) if fits else ()
    if name == "try":
        return (place._replace(code=what), place._replace(code=other))
    if name == "jump":
        return (place._replace(code=what),)
    if name == "mark":
        return (behind._replace(loops=place.loops | {what}),)
    if name == "moved":
        return () if what in place.loops else (behind,)
    if name == "at":
        return (behind,) if stands(text, place.at, what, multiline=other) else ()
    return (behind,) if name == "save" else ()

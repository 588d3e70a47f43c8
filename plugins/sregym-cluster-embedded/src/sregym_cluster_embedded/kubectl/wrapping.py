"""Lines of a width, as kubectl breaks them."""

from __future__ import annotations

import re

_WORDS = re.compile(r"([^\S\xa0]*)((?:\S|\xa0)+)|([^\S\xa0]+)")


def wrapped(width: int, text: str) -> str:
    """The text with its lines broken at spaces; a word that is longer than a line stays whole."""
    return "\n".join(_line(width, line) for line in text.split("\n"))


def _line(width: int, line: str) -> str:
    pieces: list[str] = []
    used = 0
    for found in _WORDS.finditer(line):
        space, word, trailing = found.groups()
        if trailing is not None:
            pieces += [trailing] if used + len(trailing) <= width else []
            continue
        # Where the word would cross the edge; a word that alone fills the line is not moved.
        crossing = max(1, width - used - len(space) + 1)
        if used + len(space) + len(word) > width and crossing < width:
            pieces += ["\n", word]
            used = len(word)
        else:
            pieces += [space, word]
            used += len(space) + len(word)
    return "".join(pieces)


def indented(width: int, text: str) -> str:
    """The text with spaces before each line."""
    lead = " " * width
    return lead + text.replace("\n", f"\n{lead}")

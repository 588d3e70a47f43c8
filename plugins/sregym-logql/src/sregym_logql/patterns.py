"""Patterns of lines: literals with captures `<name>` and `<_>` between them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CAPTURE = re.compile(r"<([a-zA-Z_]\w*)>")


@lru_cache(maxsize=256)
def captures(text: str) -> tuple[tuple[str, str], ...]:
    """Literals and captures in order: (literal, "") or ("", name); unnamed ones have no name."""
    parts: list[tuple[str, str]] = []
    position = 0
    for found in _CAPTURE.finditer(text):
        if found.start() > position:
            parts.append((text[position : found.start()], ""))
        parts.append(("", "" if found[1] == "_" else found[1]))
        position = found.end()
    if position < len(text):
        parts.append((text[position:], ""))
    return tuple(parts)


def check_captures(text: str) -> None:
    """Refuse a pattern of the parser that captures nothing or cannot be told apart.

    Raises:
        ValueError: In Loki's words.
    """
    parts = captures(text)
    names = [name for literal, name in parts if not literal and name]
    if not names:
        message = "at least one capture is required"
        raise ValueError(message)
    _check_consecutive(parts)
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        message = f"duplicate capture name ({twice[0]}): invalid expression"
        raise ValueError(message)


def check_filter(text: str) -> None:
    """Refuse a pattern of a line filter that captures by name.

    Raises:
        ValueError: In Loki's words.
    """
    parts = captures(text)
    _check_consecutive(parts)
    for _, name in parts:
        if name:
            message = f"named captures are not allowed: found '<{name}>'"
            raise ValueError(message)


def _check_consecutive(parts: tuple[tuple[str, str], ...]) -> None:
    for left, right in pairwise(parts):
        if not left[0] and not right[0]:
            shown = "".join(f"<{name or '_'}>" for _, name in (left, right))
            message = f"found consecutive capture '{shown}': invalid expression"
            raise ValueError(message)


def line_test(text: str) -> Callable[[str], bool]:
    """Whether a line has the literals of a pattern in order, each where it is met first.

    `<_>` stands for something, never for nothing; a literal at the end ends the line.
    """
    parts = captures(text)
    if not parts:
        return lambda line: not line
    ends_open = not parts[-1][0]

    def test(line: str) -> bool:
        if not line:
            return False
        position = 0
        for index, (literal, _) in enumerate(parts):
            if not literal:
                continue
            at = line.find(literal, position)
            if at < 0 or (index and at == position):
                return False
            position = at + len(literal)
        return ends_open == (position != len(line))

    return test

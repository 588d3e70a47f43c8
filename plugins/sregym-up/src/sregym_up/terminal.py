"""Texts for a terminal: no wider than it, with lists and what is indented left as they are."""

from __future__ import annotations

import re
import shutil
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Wider lines are hard to read.
WIDEST = 100
_ITEM = re.compile(r"(?:\d+\.|[-*]) +")


def columns() -> int:
    """How wide texts may be: the terminal, which the variable COLUMNS overrides."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def filled(text: str, width: int) -> str:
    """A text with its paragraphs and items of lists filled anew; what is indented stays."""
    return "\n".join(
        line
        for first, *others in _blocks(text.splitlines())
        for line in (_block(first, others, width) if first.strip() else ("",))
    )


def indented(text: str, indent: str, width: int) -> str:
    """A paragraph below something else, indented."""
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Paragraphs, items of lists, and lines that stand for themselves."""
    block: list[str] = []
    hang = 0
    for line in lines:
        item = _ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        goes_on = block and block[0].strip() and line.strip() and not item and indent == hang
        if goes_on and not line.startswith(("{", "}")):
            block.append(line)
            continue
        if block:
            yield block
        block = [line]
        hang = len(item.group()) if item else 0
        if line.startswith((" ", "{", "}")):
            hang = -1
    if block:
        yield block


def _block(first: str, others: Sequence[str], width: int) -> list[str]:
    if first.startswith((" ", "{", "}")):
        return [first]
    item = _ITEM.match(first)
    text = " ".join((first, *(line.strip() for line in others)))
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * len(item.group()) if item else "",
        break_long_words=False,
        break_on_hyphens=False,
    )

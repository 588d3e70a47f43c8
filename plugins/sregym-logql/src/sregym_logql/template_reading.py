"""From the text of a template to its parts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_ACTION = re.compile(
    r"\{\{(-\s)?\s*(/\*.*?\*/|(?:\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[^\"`])*?)\s*(\s-)?\}\}", re.DOTALL
)
_WORD = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|`[^`]*`|[+-]?(?:\d+\.?\d*|\.\d+)(?![\w.])|\||\(|\)(?:\.\w+)*|:?=|,|\$?[\w.]*[\w.]|\$)'
)
_BLOCKS = ("if", "with", "range")


class TemplateError(ValueError):
    """A template that cannot be read or carried out."""


@lru_cache(maxsize=256)
def parsed(template: str) -> list[Any]:
    """Its parts: texts, actions as their words, and blocks (keyword, condition, body, other body).

    Raises:
        TemplateError: It cannot be read.
    """
    pieces: list[Any] = []
    position = 0
    trim = False
    for found in _ACTION.finditer(template):
        text = template[position : found.start()]
        text = text.lstrip() if trim else text
        pieces.append(text.rstrip() if found[1] else text)
        pieces.append(_words(template, found.start(2), found.end(2)))
        trim = bool(found[3])
        position = found.end()
    rest = template[position:]
    if "{{" in rest:
        message = "template: line:1: unclosed action"
        raise TemplateError(message)
    pieces.append(rest.lstrip() if trim else rest)
    parts, ended = _nested(pieces, 0)
    if ended != len(pieces):
        message = "template: line:1: unexpected {{end}}"
        raise TemplateError(message)
    return parts


class Word(str):
    """A word of an action that knows where it stands: `line:column`, as Go counts."""

    __slots__ = ("place",)
    place: str


def _words(template: str, begin: int, end: int) -> tuple[Word, ...]:
    words: list[Word] = []
    if template.startswith("/*", begin):
        return ()
    position = begin
    while template[position:end].strip():
        found = _WORD.match(template, position, end)
        if found is None:
            text = template[position:end].strip()
            message = f"template: line:1: unexpected {text!r} in command"
            raise TemplateError(message)
        word = Word(found[1])
        before = template[: found.start(1)]
        column = len(before.rpartition("\n")[2].encode())
        word.place = f"{before.count(chr(10)) + 1}:{column}"
        words.append(word)
        position = found.end()
    return tuple(words)


def _nested(pieces: Sequence[Any], position: int) -> tuple[list[Any], int]:
    """Parts up to an `end` or `else` of the block around, and where that stands."""
    parts: list[Any] = []
    while position < len(pieces):
        piece = pieces[position]
        if isinstance(piece, str):
            if piece:
                parts.append(piece)
        elif piece and piece[0] in ("end", "else"):
            return parts, position
        elif piece and piece[0] in _BLOCKS:
            block, position = _block(pieces, position)
            parts.append(block)
        elif piece:
            parts.append(piece)
        position += 1
    return parts, position


def _block(pieces: Sequence[Any], position: int) -> tuple[Any, int]:
    keyword, *condition = pieces[position]
    body, position = _nested(pieces, position + 1)
    other: list[Any] = []
    if position < len(pieces) and pieces[position][0] == "else":
        words = pieces[position]
        if len(words) > 1 and words[1] == "if":
            rest = [words[1:], *pieces[position + 1 :]]
            inner, ended = _block(rest, 0)
            return (keyword, tuple(condition), body, [inner]), position + ended
        other, position = _nested(pieces, position + 1)
    if position >= len(pieces):
        message = "template: line:1: unexpected EOF"
        raise TemplateError(message)
    return (keyword, tuple(condition), body, other), position

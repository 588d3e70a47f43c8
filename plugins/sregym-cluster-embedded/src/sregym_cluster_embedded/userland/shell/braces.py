"""`{a,b}` and `{1..5}` of bash: one word made into several, before anything else happens to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.budget import spend

from sregym_cluster_embedded.userland.shell.lexing import Word

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def braced(word: Word) -> list[Word]:
    """The words that a word stands for; itself alone when it has no braces."""
    spend(10)
    for at, (text, how) in enumerate(word.pieces):
        if how != "plain" or "{" not in text:
            continue
        found = _first(text)
        if found is None:
            continue
        start, end, parts = found
        words = []
        for part in parts:
            pieces = (*word.pieces[:at], (text[:start] + part + text[end:], "plain"))
            words += braced(Word((*pieces, *word.pieces[at + 1 :])))
        return words
    return [word]


def _first(text: str) -> tuple[int, int, list[str]] | None:
    """Where the first braces of a text begin and end, and what they stand for."""
    for start in _openings(text):
        spend((len(text) - start) >> 2)
        depth, commas = 0, [start]
        for at in range(start, len(text)):
            char = text[at]
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 1:
                commas.append(at)
            if depth == 0:
                inner = text[start + 1 : at]
                if len(commas) > 1:
                    ends = [*commas[1:], at]
                    parts = [text[a + 1 : b] for a, b in zip(commas, ends, strict=True)]
                    return start, at + 1, parts
                span = _SPAN.fullmatch(inner)
                if span is not None:
                    return start, at + 1, _spanned(span)
                break
    return None


def _openings(text: str) -> Iterator[int]:
    for match in re.finditer(r"\{", text):
        if text[match.start() - 1 : match.start()] != "$":
            yield match.start()


def _spanned(span: re.Match[str]) -> list[str]:
    first, last = span[1], span[2]
    step = abs(int(span[3] or 1)) or 1
    if first.lstrip("-").isdecimal() != last.lstrip("-").isdecimal():
        return [f"{{{span[0]}}}"]
    if first.lstrip("-").isdecimal():
        a, b = int(first), int(last)
        padded = any(re.match(r"-?0\d", text) for text in (first, last))
        width = max(len(first), len(last)) if padded else 0
        numbers = range(a, b + (1 if b >= a else -1), step if b >= a else -step)
        spend(abs(b - a) // step)
        return [f"{number:0{width}d}" for number in numbers]
    a, b = ord(first), ord(last)
    return [chr(code) for code in range(a, b + (1 if b >= a else -1), step if b >= a else -step)]

"""Parsers: what they take out of a line, as labels. Each is made once for a query."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_regex.go import anywhere

from sregym_logql.extraction import Extraction, free_name
from sregym_logql.json_extracting import json, unpack
from sregym_logql.logfmt_extracting import logfmt
from sregym_logql.patterns import captures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_logql.extraction import Bind
    from sregym_logql.nodes import Parser


def extractor(parser: Parser, wanted: frozenset[str] | None = None) -> Bind:
    """What a parser does with a line; it raises `ExtractionError` for one without its form.

    Args:
        parser: Which.
        wanted: The only labels that anybody looks at, if that is known; others may be left out.
    """
    if parser.kind == "json":
        return json(parser, wanted)
    if parser.kind == "logfmt":
        return logfmt(parser, wanted)
    if parser.kind == "regexp":
        return _regexp(parser.text)
    return _pattern(parser.text) if parser.kind == "pattern" else unpack


def _regexp(text: str) -> Bind:
    compiled = anywhere(text)
    names = tuple(compiled.groupindex)

    def bind(own: Mapping[str, str]) -> Extraction:
        search = compiled.search
        free = tuple(free_name(name, own) for name in names)
        renamed = free != names

        def extract(labels: dict[str, str], line: str, _: int = 0) -> str:
            match = search(line)
            if match is not None:
                found = match.groupdict()
                labels.update(zip(free, found.values(), strict=True) if renamed else found)
            return line

        return Extraction(extract)

    return bind


def _pattern(text: str) -> Bind:
    """Captures between literals; what is missed ends at the end of the line."""
    parts = captures(text)
    first = parts[0][0]
    wanted = [
        (name, parts[index + 1][0] if index + 1 < len(parts) else "")
        for index, (literal, name) in enumerate(parts)
        if not literal
    ]

    def bind(own: Mapping[str, str]) -> Extraction:
        free = [(name and free_name(name, own), literal) for name, literal in wanted]
        whole = _whole_pattern(first, tuple(free))

        def extract(labels: dict[str, str], line: str, _: int = 0) -> str:
            if not line:
                return line
            found = whole(line)
            if found is not None:
                labels.update(found.groupdict())
            elif line.startswith(first):
                part(line, labels)
            return line

        def part(line: str, labels: dict[str, str]) -> None:
            """Of a line that ends before the pattern does."""
            position, find = len(first), line.find
            for name, literal in free:
                end = find(literal, position) if literal else -1
                value = line[position:] if end < 0 else line[position:end]
                if name:
                    labels[name] = value
                if end < 0:
                    break
                position = end + len(literal)

        return Extraction(extract)

    return bind


@lru_cache(maxsize=256)
def _whole_pattern(
    first: str, wanted: tuple[tuple[str, str], ...]
) -> Callable[[str], re.Match[str] | None]:
    """A pattern whose literals are all there, each where it is met first; groups have its names."""
    names = [name for name, _ in wanted if name]
    if len(set(names)) < len(names) or not all(name.isidentifier() for name in names):
        return lambda _: None
    written = [re.escape(first)]
    for name, literal in wanted:
        # Up to the first place of the literal, in a way that cannot be tried otherwise.
        value = ".*"
        if literal:
            initial, rest = re.escape(literal[0]), re.escape(literal[1:])
            value = f"[^{initial}]*" + (f"(?:{initial}(?!{rest})[^{initial}]*)*" if rest else "")
        written.append(f"(?P<{name}>{value})" if name else value)
        written.append(re.escape(literal))
    return re.compile("".join(written), re.DOTALL).match

"""Parsers: what they take out of a line, as labels. Each is made once for a query."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from sregym_cluster_embedded.telemetry.logql.json_lines import (
    NO_TEXT,
    JsonError,
    at_path,
    fields,
    path_of,
)
from sregym_cluster_embedded.telemetry.logql.logfmt_lines import pairs
from sregym_cluster_embedded.telemetry.logql.patterns import captures
from sregym_cluster_embedded.telemetry.promql.patterns import anywhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sregym_cluster_embedded.telemetry.logql.nodes import Parser

    # Puts what it finds in a line into labels, given those of the stream, whose names are taken;
    # gives the line that goes on.
    Extractor: TypeAlias = Callable[[str, dict[str, str], Mapping[str, str]], str]

ERROR = "__error__"
DETAILS = "__error_details__"

_ENTRY = "_entry"
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_]")


class ExtractionError(ValueError):
    """A line that a parser cannot take: the name of the error, and details."""

    def __init__(self, name: str, details: str) -> None:
        super().__init__(name)
        self.name = name
        self.details = details


def extractor(parser: Parser) -> Extractor:
    """What a parser does with a line; it raises `ExtractionError` for one without its form."""
    if parser.kind == "json":
        return _paths(parser) if parser.wanted else _json
    if parser.kind == "logfmt":
        return _logfmt(parser)
    if parser.kind == "regexp":
        return _regexp(parser.text)
    return _pattern(parser.text) if parser.kind == "pattern" else _unpack


@lru_cache(maxsize=4096)
def label_name(text: str) -> str:
    """A key as a label's name."""
    name = _BAD_NAME.sub("_", text.strip())
    return f"_{name}" if name[:1].isdigit() else name


def _put(labels: dict[str, str], own: Mapping[str, str], found: Iterable[tuple[str, str]]) -> None:
    for name, value in found:
        # What the stream has already keeps its name.
        labels[f"{name}_extracted" if name in own else name] = value


def _json(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
    if NO_TEXT not in line:
        try:
            content = orjson.loads(line)
        except ValueError:
            content = None
        if type(content) is dict and _collect(content, "", labels, own, line):
            return line
    # No JSON as a whole, or some number is not written in the shortest form.
    try:
        _put_fields(line, "", labels, own)
    except JsonError as error:
        raise ExtractionError("JSONParserErr", str(error)) from None
    return line


def _put_fields(line: str, prefix: str, labels: dict[str, str], own: Mapping[str, str]) -> None:
    for key, value in fields(line):
        name = f"{prefix}_{_inner_name(key)}" if prefix else label_name(key)
        if value.kind == "object":
            _put_fields(value.text, name, labels, own)
        elif value.kind not in ("array", "null"):
            labels[f"{name}_extracted" if name in own else name] = value.plain()


def _collect(
    content: dict[str, Any],
    prefix: str,
    labels: dict[str, str],
    own: Mapping[str, str],
    line: str,
) -> bool:
    """Put in the fields of an object and those within; False when a number is written oddly."""
    for key, value in content.items():
        name = f"{prefix}_{_inner_name(key)}" if prefix else label_name(key)
        if name in own:
            inner, name = name, f"{name}_extracted"
        else:
            inner = name
        kind = type(value)
        if kind is str:
            labels[name] = value
        elif kind is int:
            labels[name] = str(value)
        elif kind is float:
            text = repr(value)
            at = line.find(text)
            if at < 0 or line[at + len(text)] not in ",}] " or line[at - 1] not in ":[, ":
                return False
            labels[name] = text
        elif kind is bool:
            labels[name] = "true" if value else "false"
        elif kind is dict and not _collect(value, inner, labels, own, line):
            return False
    return True


@lru_cache(maxsize=4096)
def _inner_name(key: str) -> str:
    return _BAD_NAME.sub("_", key.strip())


def _paths(parser: Parser) -> Extractor:
    wanted = [(label, path_of(path)) for label, path in parser.wanted]
    # Only of these a look at the whole is quick.
    alone = all(len(path) == 1 for _, path in wanted)

    def extract(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
        if not line:
            return line
        if line[0] not in '"{[':
            raise ExtractionError("JSONParserErr", "")
        content = _flat(line) if alone else None
        for label, path in wanted:
            value: Any = None if content is None else content.get(path[0])
            kind = type(value)
            if kind is int and value:
                value = str(value)
            elif kind is not str:
                found = at_path(line, path)
                if found is None:
                    # A label of the stream stays what it is.
                    labels.setdefault(label, "")
                    continue
                value = found.plain()
            labels[f"{label}_extracted" if label in own else label] = value
        return line

    return extract


def _flat(line: str) -> dict[Any, Any] | None:
    """The fields of a line that is an object of its own, texts as texts; None for other lines."""
    try:
        content = orjson.loads(line)
    except ValueError:
        return None
    return content if type(content) is dict and NO_TEXT not in line else None


def _logfmt(parser: Parser) -> Extractor:
    strict, keep_empty = "strict" in parser.flags, "keep-empty" in parser.flags
    wanted = [(label, label_name(source)) for label, source in parser.wanted]

    def extract(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
        if "\\" not in line and _put_words(line, labels, own, keep_empty):
            return line
        for key, value, wrong in pairs(line):
            if wrong:
                if strict:
                    raise ExtractionError("LogfmtParserErr", wrong)
                continue
            value = value.replace(NO_TEXT, " ")
            if value or keep_empty:
                name = label_name(key)
                labels[f"{name}_extracted" if name in own else name] = value
        return line

    if not wanted:
        return extract

    def choose(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
        values: dict[str, str] = {}
        try:
            extract(line, values, {})
        finally:
            for label, source in wanted:
                value = values.get(source, "")
                if value or label not in own:
                    labels[f"{label}_extracted" if label in own else label] = value
        return line

    return choose


def _put_words(line: str, labels: dict[str, str], own: Mapping[str, str], keep_empty: bool) -> bool:
    """Put in the pairs of a line without escapes whose quotes enclose whole values.

    False for other lines; of these some pairs may be put in then.
    """
    if NO_TEXT in line:
        return False
    parts = line.split('"')
    last = len(parts) - 1
    if last % 2:
        return False
    for place in range(0, last + 1, 2):
        part = parts[place]
        words = part.split()
        quoted = ""
        if place < last:
            if part[-1:] != "=":
                return False
            quoted = words.pop()[:-1]
            if not quoted or "=" in quoted:
                return False
        for word in words:
            key, _, value = word.partition("=")
            if not key or "=" in value:
                return False
            if value or keep_empty:
                name = label_name(key)
                labels[f"{name}_extracted" if name in own else name] = value
        if quoted and (keep_empty or parts[place + 1]):
            name = label_name(quoted)
            labels[f"{name}_extracted" if name in own else name] = parts[place + 1]
    return True


def _regexp(text: str) -> Extractor:
    compiled = anywhere(text)
    names = tuple(compiled.groupindex)

    def extract(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
        match = compiled.search(line)
        if match is not None:
            _put(labels, own, ((name, match[name] or "") for name in names))
        return line

    return extract


def _pattern(text: str) -> Extractor:
    """Captures between literals; what is missed ends at the end of the line."""
    parts = captures(text)
    first = parts[0][0]
    wanted = [
        (name, parts[index + 1][0] if index + 1 < len(parts) else "")
        for index, (literal, name) in enumerate(parts)
        if not literal
    ]

    def extract(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
        if not line or not line.startswith(first):
            return line
        position, find = len(first), line.find
        for name, literal in wanted:
            end = find(literal, position) if literal else -1
            value = line[position:] if end < 0 else line[position:end]
            if name:
                labels[f"{name}_extracted" if name in own else name] = value
            if end < 0:
                break
            position = end + len(literal)
        return line

    return extract


def _unpack(line: str, labels: dict[str, str], own: Mapping[str, str]) -> str:
    if not line:
        return line
    if line[0] != "{":
        raise ExtractionError("JSONParserErr", "expecting json object(6), but it is not")
    content = _flat(line)
    try:
        texts = (
            [(key, value.plain()) for key, value in fields(line) if value.kind == "string"]
            if content is None
            else [(key, value) for key, value in content.items() if type(value) is str]
        )
    except JsonError as error:
        raise ExtractionError("JSONParserErr", str(error)) from None
    entry = None
    found = []
    for key, value in texts:
        if key == _ENTRY:
            entry = value
        else:
            found.append((label_name(f"{key}_extracted" if key in own else key), value))
    if entry is None:
        # It was not packed.
        return line
    labels.update(found)
    return entry

"""The parsers `json` and `unpack`: labels from lines of JSON."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from sregym_logql.extraction import (
    BAD_NAME,
    Extraction,
    ExtractionError,
    free_name,
    label_name,
)
from sregym_logql.json_lines import (
    NO_TEXT,
    JsonError,
    at_path,
    fields,
    path_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_logql.extraction import Bind
    from sregym_logql.nodes import Parser

    # Of the keys of an object those that are needed: key, label, and what names within begin with.
    _Plan: TypeAlias = tuple[tuple[str, str, str], ...]

_ENTRY = "_entry"
# Forms of objects that are remembered for a stream.
_MOST_PLANS = 256


def json(parser: Parser, wanted: frozenset[str] | None) -> Bind:
    """What `| json` does; of the labels only `wanted` ones are needed, if any are named."""
    if parser.wanted:
        return _paths(parser)

    def bind(own: Mapping[str, str]) -> Extraction:
        taken = frozenset(own)
        plans: dict[tuple[str, ...], _Plan] = {}

        def collect(
            content: dict[str, Any], prefix: str, labels: dict[str, str], line: str
        ) -> bool:
            """Put in the fields of an object and those within; False for a number written oddly."""
            keys = (prefix, *content)
            plan = plans.get(keys)
            if plan is None:
                if len(plans) >= _MOST_PLANS:
                    plans.clear()
                plan = plans[keys] = _plan(keys, taken, wanted)
            for key, name, inner in plan:
                value = content[key]
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
                elif kind is dict and not collect(value, inner, labels, line):
                    return False
            return True

        def extract(labels: dict[str, str], line: str, _: int = 0) -> str:
            if NO_TEXT not in line:
                try:
                    content = orjson.loads(line)
                except ValueError:
                    content = None
                if type(content) is dict and collect(content, "", labels, line):
                    return line
            # No JSON as a whole, or some number is not written in the shortest form.
            try:
                _put_fields(line, "", labels, own)
            except JsonError as error:
                raise ExtractionError("JSONParserErr", str(error)) from None
            return line

        return Extraction(extract)

    return bind


@lru_cache(maxsize=1024)
def _plan(keys: tuple[str, ...], own: frozenset[str], wanted: frozenset[str] | None) -> _Plan:
    """What is taken of an object: behind the prefix of its fields stand their keys."""
    prefix, *names = keys
    found = []
    for key in names:
        inner = f"{prefix}_{_inner_name(key)}" if prefix else label_name(key)
        name = f"{inner}_extracted" if inner in own else inner
        if wanted is None or name in wanted or any(one.startswith(f"{inner}_") for one in wanted):
            found.append((key, name, inner))
    return tuple(found)


def _put_fields(line: str, prefix: str, labels: dict[str, str], own: Mapping[str, str]) -> None:
    for key, value in fields(line):
        name = f"{prefix}_{_inner_name(key)}" if prefix else label_name(key)
        if value.kind == "object":
            _put_fields(value.text, name, labels, own)
        elif value.kind not in ("array", "null"):
            labels[free_name(name, own)] = value.plain()


@lru_cache(maxsize=4096)
def _inner_name(key: str) -> str:
    return BAD_NAME.sub("_", key.strip())


def _paths(parser: Parser) -> Bind:
    wanted = [(label, path_of(path)) for label, path in parser.wanted]
    # Only of these a look at the whole is quick.
    alone = all(len(path) == 1 for _, path in wanted)

    def bind(own: Mapping[str, str]) -> Extraction:
        targets = [(label, free_name(label, own), path) for label, path in wanted]

        def extract(labels: dict[str, str], line: str, _: int = 0) -> str:
            if not line:
                return line
            if line[0] not in '"{[':
                raise ExtractionError("JSONParserErr", "")
            content = _flat(line) if alone else None
            for label, target, path in targets:
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
                labels[target] = value
            return line

        return Extraction(extract)

    return bind


def _flat(line: str) -> dict[Any, Any] | None:
    """The fields of a line that is an object of its own, texts as texts; None for other lines."""
    try:
        content = orjson.loads(line)
    except ValueError:
        return None
    return content if type(content) is dict and NO_TEXT not in line else None


def unpack(own: Mapping[str, str]) -> Extraction:
    """What `| unpack` does with the lines of a stream."""

    def extract(labels: dict[str, str], line: str, _: int = 0) -> str:
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
                found.append((label_name(free_name(key, own)), value))
        if entry is None:
            # It was not packed.
            return line
        labels.update(found)
        return entry

    return Extraction(extract)

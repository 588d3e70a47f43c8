"""What Loki finds in lines without being told: labels worth offering, fields and their types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_logql.extraction import DETAILS, ERROR
from sregym_logql.nodes import Logs, Parser
from sregym_logql.pipeline import pipeline
from sregym_logql.streams import Entry
from sregym_logql.units import go_duration_s, go_float, size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sregym_logql.streams import Stream
    from sregym_promql.storage import Labels

# Labels that are offered whatever their values are.
_ALWAYS = ("cluster", "namespace", "instance", "pod")
_NUMBER = re.compile(r"\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_BOOLEANS = frozenset({"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"})  # fmt: skip
_JSON, _LOGFMT = Parser("json"), Parser("logfmt")


def labels_found(sets: Iterable[Labels]) -> list[dict[str, Any]]:
    """Labels of streams with the number of their values, without those that only tell ids."""
    values: dict[str, set[str]] = {}
    for labels in sets:
        for name, value in labels:
            values.setdefault(name, set()).add(value)
    return [
        {"label": name, "cardinality": len(known)}
        for name, known in sorted(values.items())
        if name in _ALWAYS or not all(map(_NUMBER.fullmatch, known))
    ]


@dataclass
class Found:
    """A field that lines have.

    Attributes:
        values: In the order in which they were met.
        parsers: By which it is found; none for what the query itself took out of lines.
        kind: Type of the value that was met last.
    """

    values: dict[str, None] = field(default_factory=dict)
    parsers: tuple[str, ...] = ()
    kind: str = "string"


def fields_found(node: Logs, streams: Sequence[Stream], most: int) -> dict[str, Found]:
    """Fields of the lines that a log query finds, those that it takes out itself included."""
    fields: dict[str, Found] = {}
    stages = pipeline(node.stages)
    for stream in streams:
        own = dict(stream.labels)
        for entry, labels, line in stages.over(stream.labels)(stream.entries):
            taken = {name: text for name, text in labels.items() if name not in own}
            parsed, parser = _parsed(stream.labels, entry.at_ns, line)
            for name, text, parsers in _told(taken, parsed, parser):
                if name not in fields and len(fields) >= most:
                    continue
                known = fields.setdefault(name, Found(parsers=parsers))
                known.values[text] = None
                known.kind = _type(text)
    return fields


def _told(
    taken: Mapping[str, str], parsed: Mapping[str, str], parser: str
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for name, text in taken.items():
        if name not in (ERROR, DETAILS):
            yield name, text, ()
    for name, text in parsed.items():
        if name not in taken:
            yield name, text, (parser,)


def _parsed(labels: Labels, at_ns: int, line: str) -> tuple[dict[str, str], str]:
    """Fields of a line by the parser that can read it."""
    own = dict(labels)
    for parser in (_JSON, _LOGFMT):
        found = next(iter(pipeline((parser,)).over(labels)([Entry(at_ns, line)])), None)
        if found is not None and ERROR not in found[1]:
            fields = {name: text for name, text in found[1].items() if name not in own}
            return fields, parser.kind
    return {}, ""


def _type(text: str) -> str:
    if _WHOLE.fullmatch(text):
        return "int"
    if _reads(go_float, text):
        return "float"
    if text in _BOOLEANS:
        return "boolean"
    if _reads(go_duration_s, text):
        return "duration"
    return "bytes" if _reads(size_bytes, text) else "string"


def _reads(read: Callable[[str], float], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True

"""The text of a query that was read as it is written: on one line, or broken where it is long.

Parentheses stand where they stood: the syntax is that of `parse_as_written`.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_regex.go_text import quoted

from sregym_promql.durations import duration_text
from sregym_promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Length,
    Matching,
    Moment,
    Negation,
    Node,
    Number,
    Passthrough,
    Range,
    Selector,
    Subquery,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_promql.samples import Matcher

_WIDTH = 100
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_BINDING: Mapping[str, int] = MappingProxyType({"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3})
_TIGHTEST = 4


def line(node: Node) -> str:
    """On one line."""
    if isinstance(node, Number):
        return number(node.value)
    if isinstance(node, Text):
        return quoted(node.bare)
    if isinstance(node, Selector):
        return _selector(node) + _edges(node) + _moment(node.moment)
    if isinstance(node, Range):
        bare = _selector(node.selector)
        span = _span(node.range_ms, node.length)
        edges = _edges(node.selector)
        return f"{bare}[{span}]{edges}{_moment(node.selector.moment)}"
    if isinstance(node, Subquery):
        return line(node.inner) + _steps(node)
    if isinstance(node, Call):
        return f"{node.name}({', '.join(line(part) for part in node.arguments)})"
    if isinstance(node, Aggregate):
        return f"{_folding(node)}({', '.join(line(part) for part in _arguments(node))})"
    if isinstance(node, Negation):
        return f"-{line(node.inner)}"
    if isinstance(node, Passthrough):
        return f"({line(node.inner)})" if node.sign == "(" else f"{node.sign}{line(node.inner)}"
    return f"{line(node.left)} {_operator(node)} {line(node.right)}"


def pretty(node: Node, depth: int = 0) -> str:
    """Broken into lines where one would be too long."""
    indent = "  " * depth
    if len(line(node).encode()) <= _WIDTH:
        # Prometheus forgets to move this one in.
        return line(node) if isinstance(node, Subquery) else indent + line(node)
    if isinstance(node, Binary):
        left, right = pretty(node.left, depth + 1), pretty(node.right, depth + 1)
        return f"{left}\n{indent}{_operator(node)}\n{right}"
    if isinstance(node, Call | Aggregate):
        parts = _arguments(node) if isinstance(node, Aggregate) else node.arguments
        opening = _folding(node) if isinstance(node, Aggregate) else node.name
        inside = ",\n".join(pretty(part, depth + 1) for part in parts)
        return f"{indent}{opening}(\n{inside}\n{indent})"
    if isinstance(node, Subquery):
        return pretty(node.inner, depth) + _steps(node)
    if isinstance(node, Negation):
        return f"{indent}-{pretty(node.inner, depth).strip()}"
    if isinstance(node, Passthrough) and node.sign == "(":
        return f"{indent}(\n{pretty(node.inner, depth + 1)}\n{indent})"
    if isinstance(node, Passthrough):
        return f"{indent}{node.sign}{pretty(node.inner, depth).strip()}"
    return indent + line(node)


def number(value: float) -> str:
    """A literal, as Go prints floats."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(value)]
    return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)


def _selector(node: Selector) -> str:
    inside = ",".join(sorted(_matcher(matcher) for matcher in node.matchers))
    if node.name and not _METRIC.fullmatch(node.name):
        return f"{{{','.join(part for part in (quoted(node.name), inside) if part)}}}"
    return f"{node.name}{{{inside}}}" if inside or not node.name else node.name


def _label(name: str) -> str:
    return name if _LABEL.fullmatch(name) else quoted(name)


def _matcher(matcher: Matcher) -> str:
    return f"{_label(matcher.name)}{matcher.op}{quoted(matcher.value)}"


def _edges(node: Selector) -> str:
    return f" {node.edges}" if node.edges else ""


def _span(milliseconds: int, length: Length | None) -> str:
    return duration_text(milliseconds) if length is None else _length(length)


def _length(length: Length, binds: int = 0) -> str:
    """A length, in parentheses where it would bind too loosely."""
    if length.op == "number":
        return duration_text(round(length.seconds * 1000))
    if length.op in ("step", "range"):
        return f"{length.op}()"
    if length.op in ("min", "max"):
        return f"{length.op}({', '.join(_length(part) for part in length.parts)})"
    if length.op == "negative":
        return f"-{_length(length.parts[0], _TIGHTEST)}"
    own = _BINDING[length.op]
    left, right = length.parts
    # Those of one level are read from the left, powers from the right.
    sides = (own + 1, own) if length.op == "^" else (own, own + 1)
    text = f"{_length(left, sides[0])} {length.op} {_length(right, sides[1])}"
    return f"({text})" if own < binds else text


def _moment(moment: Moment) -> str:
    at = ""
    if isinstance(moment.at, int):
        at = f" @ {moment.at / 1000:.3f}"
    elif moment.at is not None:
        at = f" @ {moment.at}()"
    if moment.offset is not None:
        plain = moment.offset.op in ("step", "range", "min", "max")
        text = _length(moment.offset)
        return f"{at} offset {text if plain else f'({text})'}"
    if not moment.offset_ms:
        return at
    sign = "-" if moment.offset_ms < 0 else ""
    return f"{at} offset {sign}{duration_text(abs(moment.offset_ms))}"


def _steps(node: Subquery) -> str:
    step = "" if node.step_ms is None else _span(node.step_ms, node.step_length)
    return f"[{_span(node.range_ms, node.length)}:{step}]{_moment(node.moment)}"


def _arguments(node: Aggregate) -> tuple[Node, ...]:
    return (node.inner,) if node.parameter is None else (node.parameter, node.inner)


def _folding(node: Aggregate) -> str:
    labels = ", ".join(map(_label, node.labels))
    if node.without:
        return f"{node.op} without ({labels}) "
    return f"{node.op} by ({labels}) " if labels else node.op


def _operator(node: Binary) -> str:
    text = node.op + (" bool" if node.returns_bool else "")
    matching = node.matching
    if matching.labels or matching.on:
        text += f" {'on' if matching.on else 'ignoring'} ({_labels(matching.labels)})"
    side = {"many-to-one": "group_left", "one-to-many": "group_right"}.get(matching.cardinality)
    text = f"{text} {side} ({_labels(matching.include)})" if side else text
    return text + _fills(matching)


def _labels(names: Sequence[str]) -> str:
    return ", ".join(map(_label, names))


def _fills(matching: Matching) -> str:
    left, right = matching.fill_left, matching.fill_right
    if left is not None and left == right:
        return f" fill ({number(left)})"
    text = "" if left is None else f" fill_left ({number(left)})"
    return text if right is None else f"{text} fill_right ({number(right)})"

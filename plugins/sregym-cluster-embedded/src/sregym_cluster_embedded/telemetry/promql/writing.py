"""The text of a query's syntax, on one line or broken where it is long, as Prometheus writes it.

Parentheses stand where the binding of operators needs them: what more there were is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.promql.durations import duration_text
from sregym_cluster_embedded.telemetry.promql.lexing import quoted
from sregym_cluster_embedded.telemetry.promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Moment,
    Negation,
    Node,
    Number,
    Range,
    Selector,
    Subquery,
    Text,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.promql.data import Matcher

_WIDTH = 100
_BINDING = {
    **{"or": 1, "and": 2, "unless": 2},
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 3),
    **{"+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "atan2": 5, "^": 6},
}
_SIGN = 5
_OPERAND = 7


def line(node: Node) -> str:
    """On one line."""
    if isinstance(node, Number):
        return number(node.value)
    if isinstance(node, Text):
        return quoted(node.value)
    if isinstance(node, Selector):
        return _selector(node) + _moment(node.moment)
    if isinstance(node, Range):
        bare = _selector(node.selector)
        return f"{bare}[{duration_text(node.range_ms)}]{_moment(node.selector.moment)}"
    if isinstance(node, Subquery):
        return _within(node.inner, _OPERAND, line(node.inner)) + _steps(node)
    if isinstance(node, Call):
        return f"{node.name}({', '.join(line(part) for part in node.arguments)})"
    if isinstance(node, Aggregate):
        return f"{_folding(node)}({', '.join(line(part) for part in _arguments(node))})"
    if isinstance(node, Negation):
        return "-" + _within(node.inner, _SIGN, line(node.inner))
    left = _within(node.left, _BINDING[node.op] + (node.op == "^"), line(node.left))
    right = _within(node.right, _BINDING[node.op] + (node.op != "^"), line(node.right))
    return f"{left} {_operator(node)} {right}"


def pretty(node: Node, depth: int = 0) -> str:
    """Broken into lines where one would be too long."""
    indent = "  " * depth
    whole = indent + line(node)
    if len(whole) <= _WIDTH:
        return whole
    if isinstance(node, Binary):
        left = _pretty_within(node.left, _BINDING[node.op] + (node.op == "^"), depth + 1)
        right = _pretty_within(node.right, _BINDING[node.op] + (node.op != "^"), depth + 1)
        return f"{left}\n{indent}{_operator(node)}\n{right}"
    if isinstance(node, Call | Aggregate):
        parts = _arguments(node) if isinstance(node, Aggregate) else node.arguments
        opening = _folding(node) if isinstance(node, Aggregate) else node.name
        inside = ",\n".join(pretty(part, depth + 1) for part in parts)
        return f"{indent}{opening}(\n{inside}\n{indent})"
    if isinstance(node, Subquery):
        return _pretty_within(node.inner, _OPERAND, depth) + _steps(node)
    if isinstance(node, Negation):
        return f"{indent}-{_pretty_within(node.inner, _SIGN, depth).lstrip()}"
    return whole


def _binding(node: Node) -> int:
    if isinstance(node, Binary):
        return _BINDING[node.op]
    return _SIGN if isinstance(node, Negation) else _OPERAND


def _within(node: Node, binding: int, text: str) -> str:
    return text if _binding(node) >= binding else f"({text})"


def _pretty_within(node: Node, binding: int, depth: int) -> str:
    if _binding(node) >= binding:
        return pretty(node, depth)
    indent = "  " * depth
    return f"{indent}(\n{pretty(node, depth + 1)}\n{indent})"


def number(value: float) -> str:
    """A literal, as Go prints floats."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(value)]
    return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)


def _selector(node: Selector) -> str:
    inside = ",".join(sorted(_matcher(matcher) for matcher in node.matchers))
    return f"{node.name}{{{inside}}}" if inside or not node.name else node.name


def _matcher(matcher: Matcher) -> str:
    return f"{matcher.name}{matcher.op}{quoted(matcher.value)}"


def _moment(moment: Moment) -> str:
    at = ""
    if isinstance(moment.at, int):
        at = f" @ {moment.at / 1000:.3f}"
    elif moment.at is not None:
        at = f" @ {moment.at}()"
    if not moment.offset_ms:
        return at
    sign = "-" if moment.offset_ms < 0 else ""
    return f"{at} offset {sign}{duration_text(abs(moment.offset_ms))}"


def _steps(node: Subquery) -> str:
    step = "" if node.step_ms is None else duration_text(node.step_ms)
    return f"[{duration_text(node.range_ms)}:{step}]{_moment(node.moment)}"


def _arguments(node: Aggregate) -> tuple[Node, ...]:
    return (node.inner,) if node.parameter is None else (node.parameter, node.inner)


def _folding(node: Aggregate) -> str:
    labels = ", ".join(node.labels)
    if node.without:
        return f"{node.op} without ({labels}) "
    return f"{node.op} by ({labels}) " if labels else node.op


def _operator(node: Binary) -> str:
    text = node.op + (" bool" if node.returns_bool else "")
    matching = node.matching
    if matching.labels or matching.on:
        text += f" {'on' if matching.on else 'ignoring'} ({', '.join(matching.labels)})"
    side = {"many-to-one": "group_left", "one-to-many": "group_right"}.get(matching.cardinality)
    return f"{text} {side} ({', '.join(matching.include)})" if side else text

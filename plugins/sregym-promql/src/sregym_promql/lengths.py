"""Lengths of ranges and offsets that are expressions: `[5m + 1m]`, `offset -(step() / 2)`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from sregym_promql.errors import EvaluationError
from sregym_promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Length,
    Moment,
    Negation,
    Node,
    Passthrough,
    Range,
    Selector,
    Subquery,
)

N = TypeVar("N", bound=Node)
_MOST_S = 2.0**63 / 1e9


@dataclass(frozen=True)
class Query:
    """What lengths may ask of the query that they are part of.

    Attributes:
        step_s: From one step to the next; 0 at a single moment.
        span_s: From the first step to the last.
    """

    step_s: float
    span_s: float


def resolved(node: N, query: Query) -> N:
    """An expression in which all lengths are milliseconds.

    Raises:
        EvaluationError: One cannot be worked out, or is none.
    """
    if isinstance(node, Selector):
        moment = _moment(node.moment, query)
        return node if moment is node.moment else replace(node, moment=moment)
    if isinstance(node, Range):
        selector, range_ms = resolved(node.selector, query), node.range_ms
        if node.length is not None:
            range_ms = _positive(node.length, query)
        elif selector is node.selector:
            return node
        return replace(node, selector=selector, range_ms=range_ms, length=None)
    if isinstance(node, Subquery):
        range_ms, step_ms = node.range_ms, node.step_ms
        if node.length is not None:
            range_ms = _positive(node.length, query)
        if node.step_length is not None:
            step_ms = _positive(node.step_length, query)
        moment, inner = _moment(node.moment, query), resolved(node.inner, query)
        return Subquery(inner, range_ms, step_ms, moment)  # type: ignore[return-value]
    return _inside(node, query)


def _inside(node: N, query: Query) -> N:
    """The same where no length of its own is."""
    if isinstance(node, Call):
        arguments = tuple(resolved(part, query) for part in node.arguments)
        return replace(node, arguments=arguments)
    if isinstance(node, Binary):
        return replace(node, left=resolved(node.left, query), right=resolved(node.right, query))
    if isinstance(node, Aggregate):
        parameter = None if node.parameter is None else resolved(node.parameter, query)
        return replace(node, inner=resolved(node.inner, query), parameter=parameter)
    if isinstance(node, Negation | Passthrough):
        return replace(node, inner=resolved(node.inner, query))
    return node


def _moment(moment: Moment, query: Query) -> Moment:
    if moment.offset is None:
        return moment
    offset_ms = _milliseconds(_value(moment.offset, query), moment.offset.place)
    return Moment(offset_ms, moment.at)


def _positive(length: Length, query: Query) -> int:
    seconds = _value(length, query)
    if not seconds > 0:
        message = f"duration must be greater than 0, at character {length.place + 1}"
        raise EvaluationError(message)
    return _milliseconds(seconds, length.place)


def _milliseconds(seconds: float, place: int) -> int:
    if not abs(seconds) < _MOST_S:
        message = f"duration is out of range, at character {place + 1}"
        raise EvaluationError(message)
    return int(seconds * 1000) if seconds < 0 else math.floor(seconds * 1000)


def _value(length: Length, query: Query) -> float:
    """Seconds."""
    if length.op == "number":
        return length.seconds
    if length.op == "step":
        return query.step_s
    if length.op == "range":
        return query.span_s
    left, *rest = (_value(part, query) for part in length.parts)
    if length.op == "negative":
        return -left
    if length.op in ("min", "max"):
        return min(left, *rest) if length.op == "min" else max(left, *rest)
    (right,) = rest
    if length.op in ("/", "%") and not right:
        what = "division" if length.op == "/" else "modulo"
        message = f"{what} by zero, at character {length.place + 1}"
        raise EvaluationError(message)
    return _applied(length.op, left, right)


def _applied(op: str, left: float, right: float) -> float:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "/":
        return left / right
    if op == "%":
        return math.nan if math.isinf(left) else math.fmod(left, right)
    try:
        found = left**right
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return found if isinstance(found, float) else math.nan

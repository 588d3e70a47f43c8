"""Which parts of a query can be left out when nothing comes of them: those that cannot fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Number,
    Range,
    Selector,
)

if TYPE_CHECKING:
    from sregym_promql.nodes import Node

_AGGREGATIONS = frozenset({"avg", "count", "group", "max", "min", "stddev", "stdvar", "sum"})
_OVER_TIME = frozenset(
    {
        "avg_over_time",
        "delta",
        "increase",
        "max_over_time",
        "min_over_time",
        "rate",
        "sum_over_time",
    }
)
_SETS = frozenset({"and", "or", "unless"})


def cannot_fail(node: Node) -> bool:
    """Whether an expression has rows that differ even without names, whatever there is.

    Then neither it nor what matches it by all labels can end in an error. False for much of which
    that is true, too.
    """
    if isinstance(node, Selector):
        return bool(node.name)
    if isinstance(node, Aggregate):
        inner = node.inner
        return node.op in _AGGREGATIONS and (isinstance(inner, Selector) or cannot_fail(inner))
    if isinstance(node, Call):
        span = node.arguments[0] if node.arguments else None
        return node.name in _OVER_TIME and isinstance(span, Range) and bool(span.selector.name)
    if isinstance(node, Binary) and node.op not in _SETS:
        sides = [side for side in (node.left, node.right) if not isinstance(side, Number)]
        matching = node.matching
        by_all = matching.cardinality == "one-to-one" and not (matching.on or matching.labels)
        return bool(sides) and by_all and all(cannot_fail(side) for side in sides)
    return False

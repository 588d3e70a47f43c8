"""Operations on two sides: arithmetic, comparison, sets, and how rows of two vectors match."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_regex.budget import spend

from sregym_promql.certainty import cannot_fail
from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.errors import EvaluationError
from sregym_promql.samples import (
    NAME,
    SAME_LABELS,
    Floats,
    Labels,
    Mask,
    Vector,
    bare,
    doomed,
    empty,
    format_labels,
    labels_of,
    stacked,
    unique,
    value_of,
    with_doomed_name,
    without_doomed,
    without_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_promql.nodes import Binary, Matching

_ARITHMETIC: Mapping[str, Callable[[Floats, Floats], Floats]] = MappingProxyType(
    {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "%": np.fmod,
        "^": np.power,
        "atan2": np.arctan2,
    }
)
_COMPARISONS: Mapping[str, Callable[[Floats, Floats], Mask]] = MappingProxyType(
    {
        "==": np.equal,
        "!=": np.not_equal,
        ">": np.greater,
        "<": np.less,
        ">=": np.greater_equal,
        "<=": np.less_equal,
    }
)
SETS = ("and", "or", "unless")
# Prometheus 2 leaves the name on what `atan2` gives.
_DROPS_NAME = frozenset(_ARITHMETIC) - {"atan2"}


def _drops_name(op: str, dialect: Dialect) -> bool:
    return op in _DROPS_NAME or (dialect.delayed_names and op in _ARITHMETIC)


def scalars(node: Binary, left: Floats, right: Floats) -> Floats:
    """Two numbers at each step."""
    with np.errstate(all="ignore"):
        if node.op in _COMPARISONS:
            return _COMPARISONS[node.op](left, right).astype(np.float64)
        return _ARITHMETIC[node.op](left, right)


def with_scalar(
    node: Binary,
    vector: Vector,
    scalar: Floats,
    dialect: Dialect = PROMETHEUS_2,
    *,
    swapped: bool,
) -> Vector:
    """A vector and a number at each step; `swapped` when the number stands on the left."""
    drop = doomed if dialect.delayed_names else bare
    left, right = (scalar, vector.values) if swapped else (vector.values, scalar)
    with np.errstate(all="ignore"):
        if node.op in _ARITHMETIC:
            dropped = _drops_name(node.op, dialect)
            kept = drop(vector.labels) if dropped else vector.labels
            return vector.renamed(kept, _ARITHMETIC[node.op](left, right))
        holds = _COMPARISONS[node.op](left, right)
    if node.returns_bool:
        return vector.renamed(drop(vector.labels), holds.astype(np.float64))
    return Vector(vector.labels, vector.values, vector.present & holds)


def is_settled(node: Binary, left: Floats | Vector) -> bool:
    """Whether the right side changes nothing any more, and cannot fail either."""
    if node.op not in ("and", "unless") or not isinstance(left, Vector):
        return False
    return not left.present.any() and cannot_fail(node.right)


def vectors(node: Binary, left: Vector, right: Vector, dialect: Dialect = PROMETHEUS_2) -> Vector:
    """Two vectors.

    Raises:
        EvaluationError: Their rows do not match as the operation says.
    """
    if node.op in SETS:
        return _set_operation(node, left, right)
    if node.matching.cardinality == "one-to-many":
        return _matched(node, right, left, dialect, swapped=True)
    return _matched(node, left, right, dialect, swapped=False)


def _signature(matching: Matching) -> Callable[[Labels], Labels]:
    names = frozenset(matching.labels)
    if matching.on:
        return lambda labels: tuple(pair for pair in labels if pair[0] in names)
    return lambda labels: tuple(pair for pair in labels if pair[0] not in names and pair[0] != NAME)


class _Trouble(NamedTuple):
    """What is wrong at a step; of several the one at the first step counts, then the first kind."""

    step: int
    kind: int
    message: str


def _matched(node: Binary, many: Vector, one: Vector, dialect: Dialect, *, swapped: bool) -> Vector:
    signature = _signature(node.matching)
    # Where one of the sides is empty, the other is not even looked at.
    looked_at: Mask = np.logical_and(many.present.any(axis=0), one.present.any(axis=0))
    partners, troubles = _partners(one, looked_at, signature, "left" if swapped else "right")
    rows: list[int] = []
    found_labels: list[Labels] = []
    values, present = [], []
    for row, labels in enumerate(many.labels):
        for other_labels, other_values, other_present in partners.get(signature(labels), ()):
            both = many.present[row] & other_present
            if not both.any():
                continue
            value, keep = _applied(node, many.values[row], other_values, swapped=swapped)
            rows.append(row)
            found_labels.append(_result_labels(node, labels, other_labels, dialect))
            values.append(value)
            present.append(both & keep)
    troubles.extend(_ambiguities(node, many, rows, found_labels, present, signature))
    if troubles:
        raise EvaluationError(min(troubles).message)
    matching = node.matching
    if (matching.fill_left, matching.fill_right) != (None, None):
        for made_labels, value, there in _filled(node, many, one, dialect, swapped=swapped):
            found_labels.append(made_labels)
            values.append(value)
            present.append(there)
    if not found_labels:
        return empty(many.values.shape[1])
    return unique(found_labels, np.stack(values), np.stack(present))


def _filled(
    node: Binary, many: Vector, one: Vector, dialect: Dialect, *, swapped: bool
) -> Iterator[tuple[Labels, Floats, Mask]]:
    """Rows that have no partner, with the number that stands for it."""
    signature, matching = _signature(node.matching), node.matching
    # With `group_right` Prometheus turns the sides round, and not what stands for them.
    for_many, for_one = matching.fill_left, matching.fill_right
    if for_one is not None:
        taken = _occupied(one, signature)
        for row, labels in enumerate(many.labels):
            known = taken.get(signature(labels))
            there = many.present[row] if known is None else many.present[row] & ~known
            if there.any():
                other = np.full(many.values.shape[1], for_one)
                value, keep = _applied(node, many.values[row], other, swapped=swapped)
                yield _result_labels(node, labels, (), dialect), value, there & keep
    if for_many is not None:
        taken = _occupied(many, signature)
        for row, labels in enumerate(one.labels):
            key = signature(labels)
            known = taken.get(key)
            there = one.present[row] if known is None else one.present[row] & ~known
            if there.any():
                other = np.full(one.values.shape[1], for_many)
                value, keep = _applied(node, other, one.values[row], swapped=swapped)
                yield _result_labels(node, key, labels, dialect), value, there & keep


def _partners(
    one: Vector, looked_at: Mask, signature: Callable[[Labels], Labels], side: str
) -> tuple[dict[Labels, list[tuple[Labels, Floats, Mask]]], list[_Trouble]]:
    """The rows of the "one" side by signature, each with its own steps, and where two share one."""
    found: dict[Labels, list[tuple[Labels, Floats, Mask]]] = {}
    troubles: list[_Trouble] = []
    for row, labels in enumerate(one.labels):
        key = signature(labels)
        known = found.setdefault(key, [])
        for other, _, present in known:
            spend(20)
            shared = present & one.present[row] & looked_at
            if shared.any():
                message = (
                    f"found duplicate series for the match group {format_labels(key)} "
                    f"on the {side} hand-side of the operation: "
                    f"[{format_labels(labels)}, {format_labels(other)}]"
                    ";many-to-many matching not allowed: matching labels must be unique on one side"
                )
                troubles.append(_Trouble(int(shared.argmax()), 0, message))
        known.append((labels, one.values[row], one.present[row]))
    return found, troubles[:1] if len(looked_at) == 1 else troubles


def _applied(node: Binary, many: Floats, one: Floats, *, swapped: bool) -> tuple[Floats, Mask]:
    left, right = (one, many) if swapped else (many, one)
    everywhere = np.ones(left.shape, dtype=np.bool_)
    with np.errstate(all="ignore"):
        if node.op in _ARITHMETIC:
            return _ARITHMETIC[node.op](left, right), everywhere
        holds = _COMPARISONS[node.op](left, right)
    if node.returns_bool:
        return holds.astype(np.float64), everywhere
    return left, holds


def _result_labels(node: Binary, many: Labels, one: Labels, dialect: Dialect) -> Labels:
    matching = node.matching
    labels = many
    if _drops_name(node.op, dialect) or (node.returns_bool and not dialect.delayed_names):
        labels = without_name(labels)
        if dialect.delayed_names:
            labels = without_doomed(with_doomed_name(labels))
    elif node.returns_bool:
        labels = with_doomed_name(labels)
    if matching.cardinality == "one-to-one":
        names = frozenset(matching.labels)
        if matching.on:
            return tuple(pair for pair in labels if pair[0] in names)
        return tuple(pair for pair in labels if pair[0] not in names)
    if not matching.include:
        return labels
    taken = {name: str(value_of(one, name)) for name in matching.include}
    kept = [pair for pair in labels if pair[0] not in taken]
    return labels_of([*kept, *taken.items()])


def _ambiguities(
    node: Binary,
    many: Vector,
    rows: list[int],
    labels: list[Labels],
    present: list[Mask],
    signature: Callable[[Labels], Labels],
) -> Iterator[_Trouble]:
    """Where two rows of the "many" side give one row of the result at the same step."""
    grouped = node.matching.cardinality != "one-to-one"
    message = (
        "multiple matches for labels: grouping labels must ensure unique matches"
        if grouped
        else "multiple matches for labels: many-to-one matching must be explicit "
        "(group_left/group_right)"
    )
    seen: dict[tuple[Labels, Labels], Mask] = {}
    alike: dict[Labels, Mask] = {}
    for position, row in enumerate(rows):
        key = (signature(many.labels[row]), labels[position] if grouped else ())
        for before, kind, text in (
            (seen.get(key), 1, message),
            (alike.get(labels[position]), 2, SAME_LABELS),
        ):
            if before is not None and (shared := before & present[position]).any():
                yield _Trouble(int(shared.argmax()), kind, text)
        seen[key] = seen[key] | present[position] if key in seen else present[position]
        same = alike.get(labels[position])
        alike[labels[position]] = present[position] if same is None else same | present[position]


def _set_operation(node: Binary, left: Vector, right: Vector) -> Vector:
    signature = _signature(node.matching)
    steps = left.values.shape[1]
    spend(12 * (len(left.labels) + len(right.labels)))
    if node.op == "or":
        taken = _occupied(left, signature)
        free = right.present.copy()
        for row, labels in enumerate(right.labels):
            known = taken.get(signature(labels))
            if known is not None:
                free[row] &= ~known
        return stacked([left, Vector(right.labels, right.values, free)], steps)
    there = _occupied(right, signature)
    kept = left.present.copy()
    for row, labels in enumerate(left.labels):
        known = there.get(signature(labels))
        if node.op == "and":
            kept[row] &= known if known is not None else False
        elif known is not None:
            kept[row] &= ~known
    return Vector(left.labels, left.values, kept)


def _occupied(vector: Vector, signature: Callable[[Labels], Labels]) -> dict[Labels, Mask]:
    """At which steps each signature is there."""
    found: dict[Labels, Mask] = {}
    for row, labels in enumerate(vector.labels):
        key = signature(labels)
        known = found.get(key)
        found[key] = vector.present[row] if known is None else known | vector.present[row]
    return found

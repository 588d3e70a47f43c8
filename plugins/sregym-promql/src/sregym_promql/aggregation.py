"""Aggregations: rows of a vector by groups of labels."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql import compensating
from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.errors import EvaluationError
from sregym_promql.limiting import first_rows, share_of_rows
from sregym_promql.quantiles import quantile
from sregym_promql.ranking import ranked
from sregym_promql.samples import (
    NAME,
    Floats,
    Labels,
    Mask,
    Rows,
    Times,
    Vector,
    labels_of,
    stacked,
)
from sregym_promql.summing import is_stable_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_promql.nodes import Aggregate

# The largest float that a whole number of 64 bits holds.
_MOST = 9223372036854774784.0
# How values are put together, and what changes nothing: minus zero not even the sign of another.
_REDUCED: Mapping[str, tuple[np.ufunc, float]] = MappingProxyType(
    {
        "sum": (np.add, -0.0),
        "min": (np.fmin, math.nan),
        "max": (np.fmax, math.nan),
        "count": (np.add, 0.0),
        "group": (np.add, 0.0),
    }
)
_COMPENSATED: Mapping[str, Callable[[Floats, Mask], Floats]] = MappingProxyType(
    {
        "avg": compensating.mean,
        "stddev": lambda values, present: np.sqrt(compensating.variance(values, present)),
        "stdvar": compensating.variance,
        "sum": compensating.total,
    }
)


def aggregate(
    node: Aggregate,
    vector: Vector,
    parameter: Floats | str | None,
    dialect: Dialect = PROMETHEUS_2,
) -> Vector:
    """The vector of the groups; `parameter` is a scalar at each step, or count_values' label."""
    groups = _groups(node, vector)
    if node.op in ("limitk", "limit_ratio"):
        assert isinstance(parameter, np.ndarray)
        there = vector.present.any(axis=0)
        if node.op == "limit_ratio":
            _check_ratio(parameter[there])
            return share_of_rows(vector, parameter)
        _check_size(parameter[there])
        return first_rows(vector, groups, parameter)
    if node.op in ("topk", "bottomk"):
        assert isinstance(parameter, np.ndarray)
        later = dialect.later_functions
        # Prometheus 3 looks at sizes where there is something to choose from.
        _check_size(parameter[vector.present.any(axis=0)] if later else parameter)
        return ranked(vector, groups, parameter, largest=node.op == "topk", replaces=later)
    if node.op == "count_values":
        assert isinstance(parameter, str)
        if node.without and parameter in node.labels:
            # The label of the values is among those that do not count.
            return aggregate(replace(node, op="count", parameter=None), vector, None, dialect)
        # It takes the place of a label of that name before rows are grouped.
        known = {*node.labels} | {parameter} if node.without else {*node.labels} - {parameter}
        groups = _groups(replace(node, labels=tuple(sorted(known))), vector)
        return _counted_values(vector, groups, parameter)
    if node.op in _REDUCED and not (node.op == "sum" and dialect.compensated):
        return _reduced(node.op, vector, groups)
    steps = vector.values.shape[1]
    values = np.empty((len(groups), steps))
    present = np.empty((len(groups), steps), dtype=np.bool_)
    for position, rows in enumerate(groups.values()):
        members, there = vector.values[rows], vector.present[rows]
        present[position] = there.any(axis=0)
        with np.errstate(all="ignore"):
            if dialect.compensated and node.op in _COMPENSATED:
                values[position] = _COMPENSATED[node.op](members, there)
            else:
                values[position] = _folded(node.op, members, there, parameter)
    return Vector(groups.keys_as_rows, values, present)


class _Groups(dict[Labels, list[int]]):
    """Row numbers by the labels of their group, in the order in which groups appear."""

    @cached_property
    def keys_as_rows(self) -> Rows:
        """The labels of the groups."""
        return Rows(self)

    @cached_property
    def rows(self) -> Times:
        """The numbers of all rows, group after group."""
        return np.array([row for members in self.values() for row in members], dtype=np.int64)

    @cached_property
    def edges(self) -> Times:
        """Where each group begins among these, and where the last one ends."""
        return np.array([0, *accumulate(map(len, self.values()))], dtype=np.int64)

    @cached_property
    def starts(self) -> Times:
        """Where each group begins."""
        return self.edges[:-1]

    @cached_property
    def turns(self) -> Sequence[tuple[Times, Times]] | None:
        """Groups with a second row and these rows, with a third one, and so on.

        None where there are more rows in a group than groups.
        """
        lengths = np.diff(self.edges)
        if int(lengths.max()) >= len(lengths):
            return None
        several = [np.flatnonzero(lengths > number) for number in range(1, int(lengths.max()))]
        return [(there, self.starts[there] + number) for number, there in enumerate(several, 1)]


def _groups(node: Aggregate, vector: Vector) -> _Groups:
    """Which rows belong together; with rows that come again it is kept."""
    labels = vector.labels
    if isinstance(labels, Rows):
        key = ("groups", node.without, node.labels)
        return labels.made(key, lambda: _grouped(node, labels))
    return _grouped(node, labels)


def _grouped(node: Aggregate, every: Sequence[Labels]) -> _Groups:
    groups = _Groups()
    names = frozenset(node.labels)
    pick: Callable[[Labels], Labels] | None = None
    wanted, length = sorted(names), 0
    for row, labels in enumerate(every):
        key = None
        if pick is not None and len(labels) == length:
            key = pick(labels)
            if [name for name, _ in key] != wanted:
                key = None
        if key is None:
            if node.without:
                key = tuple(pair for pair in labels if pair[0] not in names and pair[0] != NAME)
            else:
                key = tuple(pair for pair in labels if pair[0] in names)
                if len(key) == len(wanted) > 1:
                    # The rows behind it most often have all names at the same places.
                    length = len(labels)
                    places = [place for place, pair in enumerate(labels) if pair[0] in names]
                    pick = itemgetter(*places)
        if key in groups:
            groups[key].append(row)
        else:
            groups[key] = [row]
    return groups


def _reduced(op: str, vector: Vector, groups: _Groups) -> Vector:
    """The groups of an aggregation that takes row after row, all at once."""
    if not groups:
        return vector
    rows, starts, labels = groups.rows, groups.starts, groups.keys_as_rows
    alone = len(groups) == len(rows)
    there = vector.present[rows]
    whole = bool(there.all())
    if whole:
        present = np.ones((len(groups), there.shape[1]), dtype=np.bool_)
    else:
        present = there if alone else np.logical_or.reduceat(there, starts, axis=0)
    if op == "group":
        return Vector(labels, np.ones(present.shape), present)
    if op == "count":
        return Vector(labels, np.add.reduceat(there.astype(np.float64), starts, axis=0), present)
    fold, nothing = _REDUCED[op]
    values = vector.values[rows]
    if not whole:
        values = np.where(there, values, nothing)
    if alone:
        found: Floats = values
    elif op == "sum":
        found = _summed(values, groups)
    else:
        found = fold.reduceat(values, starts, axis=0)
    return Vector(labels, found, present)


def _summed(values: Floats, groups: _Groups) -> Floats:
    """Sums of the rows of each group, one row after the other: so each step's sum is its own."""
    if groups.turns is not None:
        # The first rows of all groups, then the second ones, and so on.
        total: Floats = values[groups.starts]
        for there, added in groups.turns:
            total[there] += values[added]
        return total
    steps = values.shape[1]
    if steps == 1:
        # A single column would be summed in pairs.
        values = np.concatenate((values, values), axis=1)
    found = np.array(
        [np.add.reduce(values[low:high], axis=0) for low, high in pairwise(groups.edges.tolist())]
    )
    return found[:, :steps]


def _folded(op: str, values: Floats, present: Mask, parameter: Floats | str | None) -> Floats:
    if op == "avg":
        return _mean(values, present)
    if op in ("min", "max"):
        fold = np.fmin if op == "min" else np.fmax
        found: Floats = fold.reduce(np.where(present, values, np.nan), axis=0)
        return found
    if op in ("stddev", "stdvar"):
        return _spread(op, values, present)
    assert op == "quantile"
    assert isinstance(parameter, np.ndarray)
    result = np.full(values.shape[1], np.nan)
    for step in np.flatnonzero(present.any(axis=0)):
        level = float(parameter[step])
        result[step] = quantile(level, values[present[:, step], step][np.newaxis, :])[0]
    return result


def _mean(values: Floats, present: Mask) -> Floats:
    """Row by row, so that no sum overflows; an infinite mean stays what it is."""
    mean = np.zeros(values.shape[1])
    count = np.zeros(values.shape[1])
    for row, there in zip(values, present, strict=True):
        count += there
        grown = mean + (row / count - mean / count)
        mean = np.where(there & ~((count > 1) & is_stable_mean(mean, row)), grown, mean)
        mean = np.where(there & (count == 1), row, mean)
    return mean


def _spread(op: str, values: Floats, present: Mask) -> Floats:
    """Population variance, row by row; of one value it is zero, be it infinite or NaN."""
    mean, squares = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    count = np.zeros(values.shape[1])
    for row, there in zip(values, present, strict=True):
        count += there
        first, later = there & (count == 1), there & (count > 1)
        off = row - mean
        grown = mean + off / count
        squares = np.where(later, squares + off * (row - grown), squares)
        mean = np.where(first, row, np.where(later, grown, mean))
    variance: Floats = squares / np.maximum(count, 1)
    return np.sqrt(variance) if op == "stddev" else variance


def _check_ratio(ratios: Floats) -> None:
    if np.isnan(ratios).any():
        message = "Ratio value NaN is NaN"
        raise EvaluationError(message)


def _check_size(sizes: Floats) -> None:
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(sizes) <= _MOST)
    if wrong.any():
        message = f"Scalar value {_in_go(float(sizes[wrong.argmax()]))} overflows int64"
        raise EvaluationError(message)


def _in_go(value: float) -> str:
    """A number as Go's `%v`."""
    if not math.isfinite(value):
        return value_text(value)
    return repr(value).removesuffix(".0")


def _counted_values(vector: Vector, groups: dict[Labels, list[int]], label: str) -> Vector:
    """How often each value occurs in a group; the value becomes a label."""
    steps = vector.values.shape[1]
    parts: list[Vector] = []
    for key, rows in groups.items():
        counted: dict[str, Floats] = {}
        for row in rows:
            for step in np.flatnonzero(vector.present[row]):
                text = value_text(float(vector.values[row, step]))
                counted.setdefault(text, np.zeros(steps))[step] += 1
        base = [pair for pair in key if pair[0] != label]
        labels: Sequence[Labels] = [labels_of([*base, (label, text)]) for text in counted]
        if labels:
            values = np.stack(list(counted.values()))
            parts.append(Vector(labels, values, values > 0))
    return stacked(parts, steps)


def value_text(value: float) -> str:
    """A number as Go's shortest form without exponent, and as Prometheus' API gives it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value)) if value or math.copysign(1, value) > 0 else "-0"
    text = repr(value)
    if "e" not in text:
        return text
    return np.format_float_positional(value, trim="-")

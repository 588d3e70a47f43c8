"""histogram_quantile of classic histograms."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.notes import is_decreasing, of_bounds, of_levels, of_order
from sregym_promql.quantiles import (
    bucket_fraction,
    bucket_quantile,
    bucket_quantiles,
    hardly_rises,
    is_plain,
    plain_quantiles,
)
from sregym_promql.samples import (
    Floats,
    Labels,
    Rows,
    Times,
    Vector,
    doomed,
    empty,
    unique,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.notes import Note

_BOUND = "le"


class _Histogram(NamedTuple):
    """The rows of one histogram: from the lowest bound to the highest."""

    bounds: list[float]
    rows: list[int]


def histogram_quantile(levels: Floats, buckets: Vector, dialect: Dialect = PROMETHEUS_2) -> Vector:
    """The φ-quantile of each histogram at each step; its buckets differ in the label `le`.

    Raises:
        EvaluationError: Two histograms differ in nothing but the name, which the answer has not.
    """
    labels = buckets.labels
    groups = _groups(labels)
    steps = buckets.values.shape[1]
    if not groups:
        return empty(steps)
    values = np.full((len(groups), steps), np.nan)
    present = np.zeros((len(groups), steps), dtype=np.bool_)
    done: set[int] = set()
    for alike in groups.alike:
        counts = buckets.values[alike.rows]
        plain = buckets.present[alike.rows].all() and not np.isnan(counts).any()
        if plain and not (dialect.compensated and hardly_rises(counts)):
            values[alike.positions] = plain_quantiles(levels, alike.bounds, counts)
            present[alike.positions] = True
            done.update(alike.positions)
    for position, (bounds, rows) in enumerate(groups.values()):
        if position in done:
            continue
        counts, there = buckets.values[rows], buckets.present[rows]
        present[position] = there.any(axis=0)
        whole = there.all(axis=0)
        if whole.any():
            values[position, whole] = bucket_quantiles(
                levels[whole], bounds, counts[:, whole], later=dialect.compensated
            )
        for step in np.flatnonzero(present[position] & ~whole):
            known = there[:, step]
            at = [bound for bound, is_there in zip(bounds, known, strict=True) if is_there]
            counted = counts[known, step].tolist()
            values[position, step] = bucket_quantile(
                float(levels[step]), at, counted, later=dialect.compensated
            )
    names = doomed(Rows(groups)) if dialect.delayed_names else groups.keys_as_rows
    return unique(names, values, present)


def histogram_fraction(low: Floats, high: Floats, buckets: Vector) -> Vector:
    """The share of observations between two values, at each step.

    Raises:
        EvaluationError: Two histograms differ in nothing but the name, which the answer has not.
    """
    groups = _groups(buckets.labels)
    steps = buckets.values.shape[1]
    if not groups:
        return empty(steps)
    values = np.full((len(groups), steps), np.nan)
    present = np.zeros((len(groups), steps), dtype=np.bool_)
    for position, (bounds, rows) in enumerate(groups.values()):
        counts, there = buckets.values[rows], buckets.present[rows]
        present[position] = there.any(axis=0)
        for step in np.flatnonzero(present[position]):
            known = there[:, step]
            at = [bound for bound, is_there in zip(bounds, known, strict=True) if is_there]
            between = (float(low[step]), float(high[step]))
            values[position, step] = bucket_fraction(between, at, counts[known, step].tolist())
    return unique(doomed(Rows(groups)), values, present)


def notes_of(levels: Floats, buckets: Vector, places: tuple[int, ...]) -> set[Note]:
    """What is to be said of levels and buckets, with their places in the query."""
    labels = buckets.labels
    groups = _groups(labels)
    found = of_levels(levels.tolist(), places[0])
    unread = (row for row in groups.unread if buckets.present[row].any())
    found |= of_bounds((labels[row] for row in unread), places[1])
    if _fall(levels, buckets, groups):
        found.add(of_order(places[1]))
    return found


def _fall(levels: Floats, buckets: Vector, groups: _Histograms) -> bool:
    rising: set[int] = set()
    for alike in groups.alike:
        counts = buckets.values[alike.rows]
        if buckets.present[alike.rows].all() and not (counts[:, 1:] < counts[:, :-1]).any():
            rising.update(alike.positions)
    for position, (bounds, rows) in enumerate(groups.values()):
        if position not in rising and bounds[-1] == math.inf:
            counts = np.where(buckets.present[rows], buckets.values[rows], np.nan)
            firsts = [place for place, bound in enumerate(bounds) if bound not in bounds[:place]]
            if len(firsts) < len(bounds):
                counts = np.add.reduceat(counts, firsts, axis=0)
            if is_decreasing(levels, counts):
                return True
    return False


class _Alike(NamedTuple):
    """Histograms of which most likely all buckets are there, with the same bounds.

    Attributes:
        bounds: Ascending, all different, up to infinity.
        positions: Which histograms.
        rows: Histograms by buckets.
    """

    bounds: Floats
    positions: list[int]
    rows: Times


class _Histograms(dict[Labels, _Histogram]):
    """Histograms by labels, in the order in which they appear.

    Attributes:
        unread: Rows whose bound cannot be read.
    """

    def __init__(self, unread: Sequence[int]) -> None:
        super().__init__()
        self.unread = unread

    @cached_property
    def keys_as_rows(self) -> Sequence[Labels]:
        """Their labels, without names; `Rows` if they differ."""
        return Rows(self).bare

    @cached_property
    def alike(self) -> Sequence[_Alike]:
        """Those that can be looked at together."""
        found: dict[tuple[float, ...], list[int]] = {}
        members = [*self.values()]
        for position, (bounds, _) in enumerate(members):
            if is_plain(bounds):
                found.setdefault(tuple(bounds), []).append(position)
        return [
            _Alike(np.array(bounds), positions, np.array([members[one].rows for one in positions]))
            for bounds, positions in found.items()
        ]


def _groups(labels: Sequence[Labels]) -> _Histograms:
    if isinstance(labels, Rows):
        return labels.made(_BOUND, lambda: _histograms(labels))
    return _histograms(labels)


def _histograms(every: Sequence[Labels]) -> _Histograms:
    """By all labels but the bound."""
    groups: dict[Labels, list[tuple[float, int]]] = {}
    unread: list[int] = []
    for row, labels in enumerate(every):
        bound = _number(value_of(labels, _BOUND))
        if bound is None:
            unread.append(row)
        else:
            key = tuple(pair for pair in labels if pair[0] != _BOUND)
            groups.setdefault(key, []).append((bound, row))
    found = _Histograms(unread)
    for key, members in groups.items():
        members.sort()
        found[key] = _Histogram([bound for bound, _ in members], [row for _, row in members])
    return found


def _number(text: str) -> float | None:
    try:
        return float(text.replace("Inf", "inf")) if text else None
    except ValueError:
        return None

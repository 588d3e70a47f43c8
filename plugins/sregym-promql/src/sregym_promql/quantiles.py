"""Quantiles of samples and of classic histograms."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.notes import close

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.samples import Floats

_FEWEST_BUCKETS = 2
# Counts that differ by less, relative to their sum, are the same.
_CLOSE = 1e-12


def quantile(level: float, samples: Floats) -> Floats:
    """The φ-quantile of each row, linear between its samples; NaN sorts before all numbers."""
    rows, count = samples.shape
    if count == 0 or math.isnan(level):
        return np.full(rows, np.nan)
    if level < 0:
        return np.full(rows, -np.inf)
    if level > 1:
        return np.full(rows, np.inf)
    keyed = np.where(np.isnan(samples), -np.inf, samples)
    order = np.argsort(keyed, axis=1, kind="stable")
    # Among values that sort alike, NaN goes first.
    ordered = np.take_along_axis(samples, order, axis=1)
    nans = np.isnan(samples).sum(axis=1)
    if nans.any():
        ordered = np.stack([_nan_first(row) for row in samples])
    rank = level * (count - 1)
    lower = max(0, math.floor(rank))
    upper = min(count - 1, lower + 1)
    weight = rank - math.floor(rank)
    with np.errstate(invalid="ignore"):
        found: Floats = ordered[:, lower] * (1 - weight) + ordered[:, upper] * weight
    return found


def _nan_first(row: Floats) -> Floats:
    nan = np.isnan(row)
    return np.concatenate([row[nan], np.sort(row[~nan])])


def bucket_quantile(
    level: float, bounds: Sequence[float], counts: Sequence[float], *, later: bool = False
) -> float:
    """The φ-quantile of a histogram given by upper bounds, ascending, and cumulative counts.

    With `later` counts that hardly differ are the same, as in Prometheus 3.
    """
    if math.isnan(level):
        return math.nan
    if level < 0:
        return -math.inf
    if level > 1:
        return math.inf
    if not bounds or bounds[-1] != math.inf:
        return math.nan
    edges, cumulated = _coalesced(bounds, counts)
    if len(edges) < _FEWEST_BUCKETS:
        return math.nan
    (_settled if later else _raised)(cumulated)
    total = cumulated[-1]
    if total == 0:
        return math.nan
    rank = level * total
    last = len(edges) - 1
    # Halving, as Prometheus does: among counts that are no numbers it finds what nothing else does.
    bucket = bisect_left(range(last), True, key=lambda number: cumulated[number] >= rank)
    if bucket == last:
        return edges[last - 1]
    if bucket == 0 and edges[0] <= 0:
        return edges[0]
    begin, end, count = 0.0, edges[bucket], cumulated[bucket]
    if bucket > 0:
        begin = edges[bucket - 1]
        count -= cumulated[bucket - 1]
        rank -= cumulated[bucket - 1]
    # Of an empty bucket no part is known.
    inside = rank / count if count else rank * math.inf
    return begin + (end - begin) * inside


def bucket_fraction(
    between: tuple[float, float], bounds: Sequence[float], counts: Sequence[float]
) -> float:
    """The share of a histogram's observations that lie between two values."""
    low, high = between
    if not bounds or bounds[-1] != math.inf or math.isnan(low) or math.isnan(high):
        return math.nan
    edges, cumulated = _coalesced(bounds, counts)
    if cumulated[-1] == 0:
        return math.nan
    if low >= high:
        return 0.0
    upto = [_counted_below(value, edges, cumulated) for value in between]
    return (upto[1] - upto[0]) / cumulated[-1]


def _counted_below(value: float, edges: Sequence[float], cumulated: Sequence[float]) -> float:
    """How many observations are not above a value, as if they lay evenly in their buckets.

    The lower bound of the first bucket is unknown: within it there is no number.
    """
    if value == -math.inf:
        return 0.0
    bucket = bisect_left(edges, value)
    if edges[bucket] == value:
        return cumulated[bucket]
    if not bucket:
        return math.nan
    below, begin = cumulated[bucket - 1], edges[bucket - 1]
    inside = (value - begin) / (edges[bucket] - begin)
    return below + (cumulated[bucket] - below) * inside


def bucket_quantiles(
    levels: Floats, bounds: Sequence[float], counts: Floats, *, later: bool = False
) -> Floats:
    """`bucket_quantile` of the counts at many steps: as many columns as levels."""
    if not is_plain(bounds) or np.isnan(counts).any() or (later and hardly_rises(counts)):
        columns = counts.T.tolist()
        pairs = zip(levels.tolist(), columns, strict=True)
        return np.array(
            [bucket_quantile(level, bounds, column, later=later) for level, column in pairs]
        )
    found: Floats = plain_quantiles(levels, np.asarray(bounds), counts[np.newaxis])[0]
    return found


def hardly_rises(counts: Floats) -> bool:
    """Whether counts of buckets, by bound (the last axis but one), rise by rounding alone."""
    lower, upper = counts[..., :-1, :], counts[..., 1:, :]
    apart = np.abs(upper - lower)
    return bool(((apart > 0) & (apart <= _CLOSE * (np.abs(upper) + np.abs(lower)))).any())


def is_plain(bounds: Sequence[float]) -> bool:
    """Whether bounds, ascending, are enough, all different, and end with infinity."""
    enough = len(bounds) >= _FEWEST_BUCKETS and bounds[-1] == math.inf
    return enough and len(set(bounds)) == len(bounds)


def plain_quantiles(levels: Floats, edges: Floats, counts: Floats) -> Floats:
    """The quantiles of histograms with plain bounds, rows by steps; no count is NaN.

    Args:
        levels: At each step.
        edges: Upper bounds of the buckets of all histograms.
        counts: Histograms by buckets by steps.
    """
    cumulated = np.maximum.accumulate(counts, axis=1)
    last = len(edges) - 1
    total = cumulated[:, -1]
    rank = levels * total
    enough = cumulated[:, :-1] >= rank[:, np.newaxis]
    bucket = np.where(enough.any(axis=1), enough.argmax(axis=1), last)
    before = np.maximum(bucket - 1, 0)
    rows, steps = np.ix_(range(bucket.shape[0]), range(bucket.shape[1]))
    below = np.where(bucket > 0, cumulated[rows, before, steps], 0.0)
    begin = np.where(bucket > 0, edges[before], 0.0)
    inside = (rank - below) / (cumulated[rows, bucket, steps] - below)
    found: Floats = begin + (edges[bucket] - begin) * inside
    found = np.where((bucket == 0) & (edges[0] <= 0), edges[0], found)
    found = np.where(bucket == last, edges[last - 1], found)
    found = np.where(total == 0, np.nan, found)
    found = np.where(levels > 1, np.inf, np.where(levels < 0, -np.inf, found))
    return np.where(np.isnan(levels), np.nan, found)


def _coalesced(bounds: Sequence[float], counts: Sequence[float]) -> tuple[list[float], list[float]]:
    """Buckets of one bound together."""
    edges: list[float] = []
    cumulated: list[float] = []
    for bound, count in zip(bounds, counts, strict=True):
        if edges and edges[-1] == bound:
            cumulated[-1] += count
        else:
            edges.append(bound)
            cumulated.append(count)
    return edges, cumulated


def _raised(cumulated: list[float]) -> None:
    """Let counts never fall: scrapes are not atomic."""
    most = cumulated[0]
    for number, count in enumerate(cumulated):
        if count > most:
            most = count
        elif count < most:
            cumulated[number] = most


def _settled(cumulated: list[float]) -> None:
    """Let counts never fall, nor rise by what rounding makes."""
    before = cumulated[0]
    for number, count in enumerate(cumulated):
        if count < before or close(before, count):
            cumulated[number] = before
        else:
            before = count

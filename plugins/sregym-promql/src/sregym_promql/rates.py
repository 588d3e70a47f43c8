"""`rate` and what is like it: changes between samples, carried on to the ends of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sregym_promql.reducing import Result, ends_of, reduced, some

if TYPE_CHECKING:
    from sregym_promql.dialect import Dialect
    from sregym_promql.samples import Floats, Times
    from sregym_promql.series_selection import SelectedRange, Windows
    from sregym_promql.unaligned import Table


def extrapolated(
    windows: Windows, *, counter: bool, per_second: bool, zero_last: bool = False
) -> Result:
    """What changed between the first and the last sample, carried on to the ends."""
    group = windows.group
    present = some(windows, 2)
    if len(group.times) < 2:
        return np.zeros(present.shape), np.zeros(present.shape, dtype=np.bool_)
    first, last = ends_of(windows)
    values = group.values
    change = values[:, last] - values[:, first]
    if counter:
        with np.errstate(invalid="ignore"):
            fell = values[:, 1:] < values[:, :-1]
        if fell.any():
            drops = np.zeros_like(values)
            drops[:, 1:] = np.where(fell, values[:, :-1], 0.0)
            change = change + reduced(np.add, drops, first + 1, last + 1) * (last > first)
    span = _Span(group.times[first], group.times[last], last - first, windows.starts, windows.ends)
    found = _stretched(span, values[:, first], change, counter, per_second, zero_last)
    return found, present


class _Span(NamedTuple):
    """From the first to the last sample of windows, in milliseconds, and the windows' own ends."""

    first: Times
    last: Times
    intervals: Times
    starts: Times
    ends: Times


def _stretched(
    span: _Span,
    first_values: Floats,
    change: Floats,
    counter: bool,
    per_second: bool,
    zero_last: bool,
) -> Floats:
    """What changed between two samples, carried on to the ends of the window.

    With `zero_last` also half an interval before the first sample is cut to where it was zero.
    """
    to_start = (span.first - span.starts) / 1000.0
    to_end = (span.ends - span.last) / 1000.0
    sampled = (span.last - span.first) / 1000.0
    between = sampled / np.maximum(span.intervals, 1)
    threshold = between * 1.1
    if zero_last:
        to_start = np.where(to_start < threshold, to_start, between / 2)
    if counter:
        # A counter cannot have begun below zero: it was zero this long before the first sample.
        zero = sampled * (first_values / change)
        falls = (change > 0) & (first_values >= 0) & (zero < to_start)
        if falls.any():
            to_start = np.where(falls, zero, to_start)
    if not zero_last:
        to_start = np.where(to_start < threshold, to_start, between / 2)
    length = sampled + to_start
    length = length + np.where(to_end < threshold, to_end, between / 2)
    factor = length / sampled
    if per_second:
        factor = factor / ((span.ends - span.starts) / 1000.0)
    return change * factor


def unaligned(name: str, samples: Table, sought: SelectedRange, dialect: Dialect) -> Result:
    """`rate`, `increase` or `delta` of series that are sampled each at moments of its own."""
    counter = name != "delta"
    starts, ends = sought.starts, sought.ends
    low, high = (
        samples.until(starts, inclusive=sought.left_open),
        samples.until(ends, inclusive=True),
    )
    present = high - low >= 2
    width = samples.values.shape[1]
    first, last = np.minimum(low, width - 1), np.clip(high - 1, 0, width - 1)
    from_, to = samples.flat(first), samples.flat(last)
    values, times = samples.values.ravel(), samples.times.ravel()
    first_values = values[from_]
    change = values[to] - first_values
    if counter:
        fell = values[1:] < values[:-1]
        # From one row to the next nothing falls.
        fell[width - 1 :: width] = False
        if fell.any():
            lost = np.zeros(len(values) + 2)
            lost[1:-2] = np.where(fell, values[:-1], 0.0)
            places = np.stack([from_, np.maximum(to, from_)], axis=2).ravel() + 1
            sums = np.add.reduceat(lost, places)[::2].reshape(change.shape)
            change = change + sums * (last > first)
    span = _steady(samples, (first, last), starts, ends)
    if span is None:
        span = _Span(times[from_], times[to], last - first, starts, ends)
    zero_last = dialect.zero_after_threshold
    found = _stretched(span, first_values, change, counter, name == "rate", zero_last)
    return found, present


def _steady(
    samples: Table, places: tuple[Times, Times], starts: Times, ends: Times
) -> _Span | None:
    """The windows of each row as one, where samples lie alike in all of them: most often they do."""
    first, last = places
    if not samples.spacing:
        return None
    intervals = last - first
    lag = samples.times[:, :1] + first * samples.spacing - starts
    if not ((lag == lag[:, :1]).all() and (intervals == intervals[:, :1]).all()):
        return None
    intervals, lag = intervals[:, :1], lag[:, :1]
    length = (ends - starts)[:1]
    until = lag + intervals * samples.spacing
    return _Span(lag, until, intervals, np.zeros_like(length), length)


def of_last_two(windows: Windows, *, rate: bool) -> Result:
    """What changed between the last two samples; a second with `rate`."""
    group = windows.group
    present = some(windows, 2)
    if len(group.times) < 2:
        return np.zeros(present.shape), np.zeros(present.shape, dtype=np.bool_)
    _, last = ends_of(windows)
    before = np.maximum(last - 1, 0)
    newer, older = group.values[:, last], group.values[:, before]
    # After a reset the counter has counted up from zero.
    change = np.where(newer < older, newer, newer - older) if rate else newer - older
    passed = (group.times[last] - group.times[before]) / 1000.0
    return (change / passed if rate else change), present & (passed != 0)

"""Functions of range vectors: what happened in each step's window of samples.

Each takes windows and gives values and presence, rows by steps. Samples of a group are looked at
together; sums and extremes over overlapping windows come from `reduceat`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from sregym_promql import summing
from sregym_promql.data import Floats, Mask, Times
from sregym_promql.errors import EvaluationError
from sregym_promql.quantiles import quantile
from sregym_promql.selecting import Sought, Windows

if TYPE_CHECKING:
    from sregym_promql.dialect import Dialect
    from sregym_promql.unaligned import Table

Result: TypeAlias = tuple[Floats, Mask]
# Windows, and the scalar arguments at each step.
Function: TypeAlias = Callable[[Windows, list[Floats]], Result]


def _reduced(function: Any, values: Floats, low: Times, high: Times) -> Floats:
    """A ufunc's reduction over each window; of no meaning where a window is empty."""
    if values.shape[1] == 0:
        return np.zeros((values.shape[0], len(low)))
    # One column more, so that a window may end behind the last sample.
    padded = np.concatenate([values, values[:, -1:]], axis=1)
    first = np.minimum(low, values.shape[1] - 1)
    last = np.maximum(high, first + 1)
    places = np.stack([first, last], axis=1).ravel()
    reduced: Floats = function.reduceat(padded, places, axis=1)[:, ::2]
    return reduced


def _counts(windows: Windows) -> Floats:
    return (windows.high - windows.low).astype(np.float64)


def _some(windows: Windows, least: int = 1) -> Mask:
    enough = windows.high - windows.low >= least
    return np.broadcast_to(enough, (len(windows.group.labels), len(enough)))


def _ends_of(windows: Windows) -> tuple[Times, Times]:
    """Indexes of the first and the last sample, clipped where there are none."""
    most = max(len(windows.group.times) - 1, 0)
    return np.minimum(windows.low, most), np.clip(windows.high - 1, 0, most)


def _extrapolated(
    windows: Windows, *, counter: bool, per_second: bool, zero_last: bool = False
) -> Result:
    group = windows.group
    present = _some(windows, 2)
    if len(group.times) < 2:
        return np.zeros(present.shape), np.zeros(present.shape, dtype=np.bool_)
    first, last = _ends_of(windows)
    values = group.values
    change = values[:, last] - values[:, first]
    if counter:
        with np.errstate(invalid="ignore"):
            fell = values[:, 1:] < values[:, :-1]
        if fell.any():
            drops = np.zeros_like(values)
            drops[:, 1:] = np.where(fell, values[:, :-1], 0.0)
            change = change + _reduced(np.add, drops, first + 1, last + 1) * (last > first)
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


def unaligned(name: str, samples: Table, sought: Sought, dialect: Dialect) -> Result:
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


def _instant(windows: Windows, *, rate: bool) -> Result:
    group = windows.group
    present = _some(windows, 2)
    if len(group.times) < 2:
        return np.zeros(present.shape), np.zeros(present.shape, dtype=np.bool_)
    _, last = _ends_of(windows)
    before = np.maximum(last - 1, 0)
    newer, older = group.values[:, last], group.values[:, before]
    # After a reset the counter has counted up from zero.
    change = np.where(newer < older, newer, newer - older) if rate else newer - older
    passed = (group.times[last] - group.times[before]) / 1000.0
    return (change / passed if rate else change), present & (passed != 0)


def _over(function: Any) -> Function:
    def reduced(windows: Windows, _: list[Floats]) -> Result:
        values = _reduced(function, windows.group.values, windows.low, windows.high)
        return values, _some(windows)

    return reduced


def _exactly(function: Callable[[Windows], Floats]) -> Function:
    return lambda windows, _: (function(windows), _some(windows))


def _count(windows: Windows, _: list[Floats]) -> Result:
    present = _some(windows)
    return np.broadcast_to(_counts(windows), present.shape).copy(), present


def _present(windows: Windows, _: list[Floats]) -> Result:
    present = _some(windows)
    return np.ones(present.shape), present


def _last(windows: Windows, _: list[Floats]) -> Result:
    present = _some(windows)
    if not len(windows.group.times):
        return np.zeros(present.shape), present
    return windows.group.values[:, _ends_of(windows)[1]], present


def _first(windows: Windows, _: list[Floats]) -> Result:
    present = _some(windows)
    if not len(windows.group.times):
        return np.zeros(present.shape), present
    return windows.group.values[:, _ends_of(windows)[0]], present


def _moment_of_end(which: str) -> Function:
    """When the first or the last sample was taken."""

    def found(windows: Windows, _: list[Floats]) -> Result:
        present = _some(windows)
        if not len(windows.group.times):
            return np.zeros(present.shape), present
        places = _ends_of(windows)[0 if which == "first" else 1]
        seconds = windows.group.times[places] / 1000.0
        return np.broadcast_to(seconds, present.shape).copy(), present

    return found


def _moment_of_extreme(
    reaches: Callable[[Floats, Floats], Mask],
) -> Callable[[Floats, Times, int, list[Floats]], Floats]:
    """When the last sample was taken whose value no other one surpasses; NaN surpasses nothing."""

    def found(samples: Floats, times: Times, _: int, __: list[Floats]) -> Floats:
        best, at = samples[:, 0].copy(), np.zeros(samples.shape[0], dtype=np.int64)
        for place in range(1, samples.shape[1]):
            value = samples[:, place]
            better = reaches(value, best) | np.isnan(best)
            best, at = np.where(better, value, best), np.where(better, place, at)
        seconds: Floats = times[at] / 1000.0
        return seconds

    return found


def _deviation(samples: Floats, _: Times, __: int, ___: list[Floats]) -> Floats:
    """The median of the distances from the median."""
    middle = quantile(0.5, samples)
    return quantile(0.5, np.abs(samples - middle[:, np.newaxis]))


def _changes(windows: Windows, _: list[Floats]) -> Result:
    values = windows.group.values
    differs = (values[:, 1:] != values[:, :-1]) & ~(
        np.isnan(values[:, 1:]) & np.isnan(values[:, :-1])
    )
    return _steps(windows, differs)


def _resets(windows: Windows, _: list[Floats]) -> Result:
    values = windows.group.values
    return _steps(windows, values[:, 1:] < values[:, :-1])


def _steps(windows: Windows, marks: Mask) -> Result:
    """How many marks lie between the samples of each window."""
    present = _some(windows)
    if marks.shape[1] == 0:
        return np.zeros(present.shape), present
    first, last = _ends_of(windows)
    counted = _reduced(np.add, marks.astype(np.float64), first, last)
    return counted * (last > first), present


def _each(least: int, function: Callable[[Floats, Times, int, list[Floats]], Floats]) -> Function:
    """A function that looks at the samples of one window after the other, of all rows at once."""

    def looked(windows: Windows, scalars: list[Floats]) -> Result:
        present = _some(windows, least)
        values = np.zeros(present.shape)
        for step in range(present.shape[1]):
            low, high = windows.low[step], windows.high[step]
            if high - low >= least:
                given = [scalar[step : step + 1] for scalar in scalars]
                samples = windows.group.values[:, low:high]
                at = windows.group.times[low:high]
                values[:, step] = function(samples, at, int(windows.steps[step]), given)
        return values, present

    return looked


def _quantile(windows: Windows, scalars: list[Floats]) -> Result:
    """Windows with equally many samples are looked at together: most often all have."""
    present = _some(windows)
    values = np.zeros(present.shape)
    lengths = windows.high - windows.low
    groups: dict[tuple[int, float], list[int]] = {}
    for step, key in enumerate(zip(lengths.tolist(), scalars[0].tolist(), strict=True)):
        # Each NaN is a key of its own; there are few.
        groups.setdefault(key, []).append(step)
    for (length, level), steps in groups.items():
        if length:
            places = windows.low[steps][:, np.newaxis] + np.arange(length)
            samples = windows.group.values[:, places].reshape(-1, length)
            values[:, steps] = quantile(level, samples).reshape(-1, len(steps))
    return values, present


def _derivative(windows: Windows, _: list[Floats]) -> Result:
    times = windows.group.times
    present = _some(windows, 2)
    if not len(times):
        return np.zeros(present.shape), present
    return summing.regression(windows, times[_ends_of(windows)[0]])[0], present


def _predicted(windows: Windows, scalars: list[Floats]) -> Result:
    slope, intercept = summing.regression(windows, windows.steps)
    return slope * scalars[0] + intercept, _some(windows, 2)


def _smoothed(samples: Floats, _: Times, __: int, scalars: list[Floats]) -> Floats:
    """Holt and Winters' double exponential smoothing, without seasons."""
    smoothing, trend_factor = float(scalars[0][0]), float(scalars[1][0])
    before, level = np.zeros(samples.shape[0]), samples[:, 0]
    trend = samples[:, 1] - samples[:, 0]
    for number in range(1, samples.shape[1]):
        if number > 1:
            trend = trend_factor * (level - before) + (1 - trend_factor) * trend
        fresh = smoothing * samples[:, number] + (1 - smoothing) * (level + trend)
        before, level = level, fresh
    return level


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "avg_over_time": _exactly(summing.mean),
        "changes": _changes,
        "count_over_time": _count,
        "delta": lambda windows, _: _extrapolated(windows, counter=False, per_second=False),
        "deriv": _derivative,
        "holt_winters": _each(2, _smoothed),
        "idelta": lambda windows, _: _instant(windows, rate=False),
        "increase": lambda windows, _: _extrapolated(windows, counter=True, per_second=False),
        "irate": lambda windows, _: _instant(windows, rate=True),
        "last_over_time": _last,
        "max_over_time": _over(np.fmax),
        "min_over_time": _over(np.fmin),
        "predict_linear": _predicted,
        "present_over_time": _present,
        "quantile_over_time": _quantile,
        "rate": lambda windows, _: _extrapolated(windows, counter=True, per_second=True),
        "resets": _resets,
        "stddev_over_time": _exactly(lambda windows: np.sqrt(summing.variance(windows))),
        "stdvar_over_time": _exactly(summing.variance),
        "sum_over_time": _exactly(summing.total),
    }
)
_LATER: Mapping[str, Function] = MappingProxyType(
    {
        "double_exponential_smoothing": _each(2, _smoothed),
        "first_over_time": _first,
        "increase": lambda windows, _: _extrapolated(
            windows, counter=True, per_second=False, zero_last=True
        ),
        "mad_over_time": _each(1, _deviation),
        "rate": lambda windows, _: _extrapolated(
            windows, counter=True, per_second=True, zero_last=True
        ),
        "ts_of_first_over_time": _moment_of_end("first"),
        "ts_of_last_over_time": _moment_of_end("last"),
        "ts_of_max_over_time": _each(1, _moment_of_extreme(np.greater_equal)),
        "ts_of_min_over_time": _each(1, _moment_of_extreme(np.less_equal)),
    }
)
NAMES = frozenset({*FUNCTIONS, *_LATER})


def of_dialect(name: str, dialect: Dialect) -> Function:
    """The function of that name, as a dialect has it."""
    if dialect.later_functions and name in _LATER:
        return _LATER[name]
    return FUNCTIONS[name]


UNALIGNED = frozenset({"rate", "increase", "delta"})
# Only these leave the metric's name on their rows.
KEEPS_NAME = frozenset({"first_over_time", "last_over_time"})


def check(name: str, given: Windows, scalars: list[Floats]) -> None:
    """Prometheus looks at the factors of smoothing where there are samples to smooth.

    Raises:
        EvaluationError: One is not between zero and one.
    """
    if name not in ("double_exponential_smoothing", "holt_winters"):
        return
    for step in np.flatnonzero(given.high > given.low):
        for what, factors in zip(("smoothing", "trend"), scalars, strict=True):
            factor = float(factors[step])
            if factor <= 0 or factor >= 1:
                message = f"invalid {what} factor. Expected: 0 < {what[0]}f < 1, got: {factor:f}"
                raise EvaluationError(message)

"""Functions of range vectors: what happened in each step's window of samples.

Each takes windows and gives values and presence, rows by steps. Samples of a group are looked at
together; sums and extremes over overlapping windows come from `reduceat`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sregym_promql import summing
from sregym_promql.errors import EvaluationError
from sregym_promql.quantiles import quantile
from sregym_promql.rates import extrapolated, of_last_two
from sregym_promql.reducing import Result, counts, ends_of, reduced, some
from sregym_promql.samples import Floats, Mask, Times
from sregym_promql.series_selection import Windows

if TYPE_CHECKING:
    from sregym_promql.dialect import Dialect

# Windows, and the scalar arguments at each step.
Function: TypeAlias = Callable[[Windows, list[Floats]], Result]


def _over(function: Any) -> Function:
    def found(windows: Windows, _: list[Floats]) -> Result:
        values = reduced(function, windows.group.values, windows.low, windows.high)
        return values, some(windows)

    return found


def _exactly(function: Callable[[Windows], Floats]) -> Function:
    return lambda windows, _: (function(windows), some(windows))


def _count(windows: Windows, _: list[Floats]) -> Result:
    present = some(windows)
    return np.broadcast_to(counts(windows), present.shape).copy(), present


def _present(windows: Windows, _: list[Floats]) -> Result:
    present = some(windows)
    return np.ones(present.shape), present


def _last(windows: Windows, _: list[Floats]) -> Result:
    present = some(windows)
    if not len(windows.group.times):
        return np.zeros(present.shape), present
    return windows.group.values[:, ends_of(windows)[1]], present


def _first(windows: Windows, _: list[Floats]) -> Result:
    present = some(windows)
    if not len(windows.group.times):
        return np.zeros(present.shape), present
    return windows.group.values[:, ends_of(windows)[0]], present


def _moment_of_end(which: str) -> Function:
    """When the first or the last sample was taken."""

    def found(windows: Windows, _: list[Floats]) -> Result:
        present = some(windows)
        if not len(windows.group.times):
            return np.zeros(present.shape), present
        places = ends_of(windows)[0 if which == "first" else 1]
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
    present = some(windows)
    if marks.shape[1] == 0:
        return np.zeros(present.shape), present
    first, last = ends_of(windows)
    counted = reduced(np.add, marks.astype(np.float64), first, last)
    return counted * (last > first), present


def _each(least: int, function: Callable[[Floats, Times, int, list[Floats]], Floats]) -> Function:
    """A function that looks at the samples of one window after the other, of all rows at once."""

    def looked(windows: Windows, scalars: list[Floats]) -> Result:
        present = some(windows, least)
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
    present = some(windows)
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


def _derivative(windows: Windows, _: list[Floats], *, forgets: bool = False) -> Result:
    times = windows.group.times
    present = some(windows, 2)
    if not len(times):
        return np.zeros(present.shape), present
    return summing.regression(windows, times[ends_of(windows)[0]], forgets=forgets)[0], present


def _predicted(windows: Windows, scalars: list[Floats], *, forgets: bool = False) -> Result:
    slope, intercept = summing.regression(windows, windows.steps, forgets=forgets)
    return slope * scalars[0] + intercept, some(windows, 2)


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
        "delta": lambda windows, _: extrapolated(windows, counter=False, per_second=False),
        "deriv": _derivative,
        "holt_winters": _each(2, _smoothed),
        "idelta": lambda windows, _: of_last_two(windows, rate=False),
        "increase": lambda windows, _: extrapolated(windows, counter=True, per_second=False),
        "irate": lambda windows, _: of_last_two(windows, rate=True),
        "last_over_time": _last,
        "max_over_time": _over(np.fmax),
        "min_over_time": _over(np.fmin),
        "predict_linear": _predicted,
        "present_over_time": _present,
        "quantile_over_time": _quantile,
        "rate": lambda windows, _: extrapolated(windows, counter=True, per_second=True),
        "resets": _resets,
        "stddev_over_time": _exactly(lambda windows: np.sqrt(summing.variance(windows))),
        "stdvar_over_time": _exactly(summing.variance),
        "sum_over_time": _exactly(summing.total),
    }
)
_LATER: Mapping[str, Function] = MappingProxyType(
    {
        "avg_over_time": _exactly(summing.mean_of_sum),
        "deriv": partial(_derivative, forgets=True),
        "double_exponential_smoothing": _each(2, _smoothed),
        "first_over_time": _first,
        "increase": lambda windows, _: extrapolated(
            windows, counter=True, per_second=False, zero_last=True
        ),
        "mad_over_time": _each(1, _deviation),
        "predict_linear": partial(_predicted, forgets=True),
        "rate": lambda windows, _: extrapolated(
            windows, counter=True, per_second=True, zero_last=True
        ),
        "stddev_over_time": _exactly(
            lambda windows: np.sqrt(summing.variance(windows, forgets=True))
        ),
        "stdvar_over_time": _exactly(partial(summing.variance, forgets=True)),
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

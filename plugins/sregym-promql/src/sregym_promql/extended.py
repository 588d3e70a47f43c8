"""Ranges with `anchored` and `smoothed` ends: nothing is carried on, samples beside them count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.errors import EvaluationError

if TYPE_CHECKING:
    from sregym_promql.samples import Floats, Mask, Times
    from sregym_promql.series_selection import Group, Windows

_ALLOWED = {
    "anchored": ("changes", "delta", "increase", "rate", "resets"),
    "smoothed": ("delta", "increase", "rate"),
}
# Of these falling values are counters that began anew.
_COUNTERS = ("increase", "rate")


def check_use(edges: str, name: str) -> None:
    """Refuse functions that have no use for the samples beside a range.

    Raises:
        EvaluationError: This is one.
    """
    allowed = _ALLOWED[edges]
    if name not in allowed:
        known = ", ".join(allowed)
        message = f"{edges} modifier can only be used with: {known} - not with {name}"
        raise EvaluationError(message)


def anchored(windows: Windows, lookback_ms: int) -> Windows:
    """Windows with the sample before them, if it is not older than the look-back."""
    times = windows.group.times
    before = windows.low - 1
    if not len(times):
        return windows
    known = (before >= 0) & (times[np.maximum(before, 0)] > windows.starts - lookback_ms)
    filled = windows.high > windows.low
    return windows._replace(low=np.where(known & filled, before, windows.low))


def change(name: str, windows: Windows) -> tuple[Floats, Mask]:
    """`rate`, `increase` or `delta` from the first to the last sample of windows."""
    values = windows.group.values
    filled = windows.high > windows.low
    present = np.broadcast_to(filled, (values.shape[0], len(filled)))
    if not values.shape[1]:
        return np.zeros(present.shape), present
    most = values.shape[1] - 1
    first, last = np.minimum(windows.low, most), np.clip(windows.high - 1, 0, most)
    found = values[:, last] - values[:, first]
    if name in _COUNTERS:
        found = found + _lost(values, first, last)
    return _per_second(name, found, windows), present


def smoothed(name: str, windows: Windows, lookback_ms: int) -> tuple[Floats, Mask]:
    """`rate`, `increase` or `delta` between values in the middle of samples."""
    group, counter = windows.group, name in _COUNTERS
    values = group.values
    begin, begins = interpolated(group, windows.starts, lookback_ms, counter=counter)
    end, ends = interpolated(group, windows.ends, lookback_ms, counter=counter)
    filled = windows.high > windows.low
    if not values.shape[1]:
        return np.zeros(begin.shape), np.zeros(begin.shape, dtype=np.bool_)
    most = values.shape[1] - 1
    low, high = np.minimum(windows.low, most), np.clip(windows.high - 1, 0, most)
    first, last = values[:, low], values[:, high]
    begin = np.where(begins, begin, first)
    end = np.where(ends, end, last)
    present = np.broadcast_to(filled | (begins & ends), begin.shape)
    found = end - begin
    if counter:
        inside = _lost(values, low, high) + np.where(first < begin, begin, 0.0)
        inside += np.where(end < last, last, 0.0)
        found = found + np.where(filled, inside, np.where(end < begin, begin, 0.0))
    return _per_second(name, found, windows), present


def interpolated(
    group: Group, moments: Times, lookback_ms: int, *, counter: bool = False
) -> tuple[Floats, Mask]:
    """The values at moments, between the samples around them; the last one where none follows.

    A counter that falls has begun at zero again. Nothing where there is no sample before.
    """
    times, values = group.times, group.values
    shape = (values.shape[0], len(moments))
    if not len(times):
        return np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    after = np.searchsorted(times, moments, side="right")
    before = np.maximum(after - 1, 0)
    following = np.minimum(after, len(times) - 1)
    known = (after > 0) & (times[before] > moments - lookback_ms)
    follows = (after < len(times)) & (times[following] <= moments + lookback_ms)
    older, newer = values[:, before], values[:, following]
    if counter:
        older = np.where(follows & (newer < older) & (times[before] < moments), 0.0, older)
    passed = np.where(follows, moments - times[before], 0)
    between = np.maximum(times[following] - times[before], 1)
    found = older + (np.where(follows, newer, older) - older) * (passed / between)
    return found, np.broadcast_to(known, shape)


def _lost(values: Floats, first: Times, last: Times) -> Floats:
    """What counters had reached before each of their resets between two samples."""
    fell = np.zeros(values.shape)
    fell[:, 1:] = np.where(values[:, 1:] < values[:, :-1], values[:, :-1], 0.0)
    summed = np.cumsum(fell, axis=1)
    found: Floats = summed[:, last] - summed[:, first]
    return found


def _per_second(name: str, change: Floats, windows: Windows) -> Floats:
    return change / ((windows.ends - windows.starts) / 1000.0) if name == "rate" else change

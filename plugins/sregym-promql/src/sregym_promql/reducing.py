"""What functions of windows are made of: which of them hold samples, their ends, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sregym_promql.samples import Floats, Mask, Times

if TYPE_CHECKING:
    from sregym_promql.series_selection import Windows

Result: TypeAlias = tuple[Floats, Mask]


def reduced(function: Any, values: Floats, low: Times, high: Times) -> Floats:
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


def counts(windows: Windows) -> Floats:
    """How many samples there are in each window."""
    return (windows.high - windows.low).astype(np.float64)


def some(windows: Windows, least: int = 1) -> Mask:
    """Which windows hold so many samples at least, for each row."""
    enough = windows.high - windows.low >= least
    return np.broadcast_to(enough, (len(windows.group.labels), len(enough)))


def ends_of(windows: Windows) -> tuple[Times, Times]:
    """Indexes of the first and the last sample, clipped where there are none."""
    most = max(len(windows.group.times) - 1, 0)
    return np.minimum(windows.low, most), np.clip(windows.high - 1, 0, most)

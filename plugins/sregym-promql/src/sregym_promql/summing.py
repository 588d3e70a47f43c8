"""Sums over windows of samples, compensated as Kahan and Neumaier do.

Samples are added in their order, as Prometheus adds them: what cancels out there does so here. The
samples of all windows at one distance from their window's begin are looked at together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_promql.samples import Floats, Mask, Times
    from sregym_promql.series_selection import Windows


class Turn(NamedTuple):
    """The samples that come next in their windows.

    Attributes:
        columns: The windows, by number, that have one more sample.
        values: Rows by these windows.
        at_ms: Milliseconds since 1970, for each of these windows.
        number: How many samples each of the windows has given, this one counted.
    """

    columns: Times
    values: Floats
    at_ms: Times
    number: int


def turns(windows: Windows) -> Iterator[Turn]:
    """First the first samples of all windows, then the second ones, and so on."""
    lengths = windows.high - windows.low
    for number in range(int(lengths.max(initial=0))):
        columns = np.flatnonzero(lengths > number)
        places = windows.low[columns] + number
        yield Turn(
            columns, windows.group.values[:, places], windows.group.times[places], number + 1
        )


class Sum:
    """Sums that know what rounding has taken from them; one for each row and window.

    With `forgets` nothing is lost of what is infinite, as in Prometheus 3.
    """

    def __init__(self, shape: tuple[int, int], *, forgets: bool = False) -> None:
        self._forgets = forgets
        self._sum = np.zeros(shape)
        self._lost = np.zeros(shape)

    def add(self, columns: Times, terms: Floats, where: Mask | None = None) -> None:
        """Add to some windows, at all rows or at some places only."""
        before, lost = self._sum[:, columns], self._lost[:, columns]
        after = before + terms
        larger = np.abs(before) >= np.abs(terms)
        rest = np.where(larger, (before - after) + terms, (terms - after) + before)
        rest += lost
        if self._forgets:
            rest = np.where(np.isinf(after), 0.0, rest)
        if where is not None:
            after, rest = np.where(where, after, before), np.where(where, rest, lost)
        self._sum[:, columns] = after
        self._lost[:, columns] = rest

    def rough(self, columns: Times) -> Floats:
        """Without what was lost, at some windows."""
        return self._sum[:, columns]

    def at(self, columns: Times) -> Floats:
        """At some windows."""
        exact: Floats = self._sum[:, columns] + self._lost[:, columns]
        return exact

    def exact(self) -> Floats:
        """At all windows."""
        whole: Floats = self._sum + self._lost
        return whole

    def finished(self) -> Floats:
        """At all windows, infinite where the sum is."""
        return np.where(np.isinf(self._sum), self._sum, self._sum + self._lost)


def _shape(windows: Windows) -> tuple[int, int]:
    return len(windows.group.labels), len(windows.low)


def total(windows: Windows) -> Floats:
    """The sum of each window."""
    found = Sum(_shape(windows))
    for turn in turns(windows):
        found.add(turn.columns, turn.values)
    return found.finished()


def mean(windows: Windows) -> Floats:
    """The mean of each window; it grows with each sample, so that no sum overflows."""
    found = Sum(_shape(windows))
    for turn in turns(windows):
        so_far = found.rough(turn.columns)
        found.add(
            turn.columns,
            turn.values / turn.number - so_far / turn.number,
            where=~is_stable_mean(so_far, turn.values),
        )
    return found.finished()


def mean_of_sum(windows: Windows) -> Floats:
    """The mean of each window: of its sum, or grown sample by sample where that overflows."""
    summed = total(windows)
    counts = np.maximum(windows.high - windows.low, 1)
    direct: Floats = summed / counts
    overflown = np.isinf(summed)
    return np.where(overflown, mean(windows), direct) if overflown.any() else direct


def is_stable_mean(mean_so_far: Floats, values: Floats) -> Mask:
    """Where an infinite mean stays what it is."""
    same = np.isinf(values) & ((mean_so_far > 0) == (values > 0))
    settled_there: Mask = np.isinf(mean_so_far) & (same | np.isfinite(values))
    return settled_there


def variance(windows: Windows, *, forgets: bool = False) -> Floats:
    """The variance of each window, of the population."""
    shape = _shape(windows)
    means, squares = Sum(shape, forgets=forgets), Sum(shape, forgets=forgets)
    for turn in turns(windows):
        off = turn.values - means.at(turn.columns)
        means.add(turn.columns, off / turn.number)
        squares.add(turn.columns, off * (turn.values - means.at(turn.columns)))
    counts = np.maximum(windows.high - windows.low, 1)
    found: Floats = squares.exact() / counts
    return found


def regression(
    windows: Windows, origins_ms: Times, *, forgets: bool = False
) -> tuple[Floats, Floats]:
    """By least squares, the slope a second of each window and the value at its origin."""
    shape = _shape(windows)
    x, y, xy, x2 = (Sum(shape, forgets=forgets) for _ in range(4))
    constant = np.ones(shape, dtype=np.bool_)
    first = np.zeros(shape)
    for turn in turns(windows):
        if turn.number == 1:
            first[:, turn.columns] = turn.values
        constant[:, turn.columns] &= (turn.values == first[:, turn.columns]) | (turn.number == 1)
        seconds = (turn.at_ms - origins_ms[turn.columns]) / 1000.0
        across = np.broadcast_to(seconds, turn.values.shape)
        x.add(turn.columns, across)
        y.add(turn.columns, turn.values)
        xy.add(turn.columns, across * turn.values)
        x2.add(turn.columns, across * across)
    counts = np.maximum(windows.high - windows.low, 1)
    sum_x, sum_y = x.exact(), y.exact()
    covariance = xy.exact() - sum_x * sum_y / counts
    slope = covariance / (x2.exact() - sum_x * sum_x / counts)
    intercept = sum_y / counts - slope * sum_x / counts
    infinite = constant & np.isinf(first)
    slope = np.where(infinite, np.nan, np.where(constant, 0.0, slope))
    intercept = np.where(infinite, np.nan, np.where(constant, first, intercept))
    return slope, intercept

"""How many of the first requests take no longer than a bound, and how long all took, as chance has it.

Each request has a level in [0, 1), and those below a share of all are as many as of independent
draws. Levels come from one table that begins again after `CELLS` cells; a cell lasts a second or
longer. Where many requests come in a cell, some of them share its level and the others are spread
evenly, such that counts vary as if each were drawn. So no count goes back, none grows by more
than there are requests, and more take no longer than a higher bound, at any moment.

The level of a request says how long it took: the sum of a histogram is that of the same draws.

What chance a histogram has depends on what it is of alone: a fork has the same past.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.clock.jitter import mixed

if TYPE_CHECKING:
    from sregym_promql.storage import Floats, Times

CELLS = 1 << 12
_LONGEST_S = 64.0
# Standard deviations of logarithms of times, for which sums are kept.
_SPREADS = np.array([0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.4, 1.9, 2.5])


@cache
def _shares() -> Floats:
    """The shares for which the table is kept, closer together near both ends; 0 and 1 among them."""
    tails = 0.5 ** np.arange(7, 13)
    shares: Floats = np.unique(np.concatenate([np.arange(65) / 64, tails, 1 - tails]))
    return shares


@cache
def _levels() -> Floats:
    """Of each cell."""
    order = np.argsort(np.array([mixed(cell) for cell in range(CELLS)], dtype=np.uint64))
    levels: Floats = (order + 0.5) / CELLS
    return levels


@cache
def _table() -> Floats:
    """For each cell the levels below each share, less what is to be expected, one after the other."""
    levels, shares = _levels(), _shares()
    table = np.zeros((CELLS + 1, len(shares)))
    np.cumsum((levels[:, None] < shares) - shares, axis=0, out=table[1:])
    return table.ravel()


@cache
def _sums() -> Floats:
    """For each spread (rows) and cell the times of all levels before, in means, less their number."""
    score = NormalDist().inv_cdf
    scores = np.array([score(level) for level in _levels().tolist()])
    times = np.exp(_SPREADS[:, None] * scores)
    times /= times.mean(axis=1, keepdims=True)
    sums = np.zeros((len(_SPREADS), CELLS + 1))
    np.cumsum(times - 1, axis=1, out=sums[:, 1:])
    return sums


def _pace(rates: Floats) -> tuple[Floats, Floats]:
    """Cells a second, and how many requests a whole level weighs, in each stretch."""
    lasting = np.exp2(np.ceil(np.log2(1 / np.maximum(rates, 1 / _LONGEST_S))))
    cells = 1 / np.clip(lasting, 1.0, _LONGEST_S)
    requests = rates / cells
    return cells, np.minimum(requests, np.sqrt(requests))


class BucketScatter:
    """By how many requests the counts of buckets differ from their shares.

    Args:
        begin: Where in the table it is at second 0, in [0, 1).
        rates: Requests a second, of each stretch.
        shares: Of each bucket (columns) in each stretch (rows).

    Attributes:
        begin: In cells.
        cells: Cells a second, in each stretch.
        scales: How many requests a whole level weighs, in each stretch.
        columns: Of each bucket in each stretch, where its share is among those of the table.
        fractions: How far it is from there to the next one.
    """

    __slots__ = ("begin", "cells", "columns", "fractions", "scales")

    def __init__(self, begin: float, rates: Floats, shares: Floats) -> None:
        self.begin = float(int(begin * CELLS))
        self.cells, self.scales = _pace(rates)
        known = _shares()
        bounded = np.clip(shares, 0.0, 1.0)
        self.columns = np.minimum(known.searchsorted(bounded, side="right"), len(known) - 1) - 1
        here = known[self.columns]
        self.fractions = (bounded - here) / (known[self.columns + 1] - here)

    def at(self, stretches: Times, come: Floats) -> Floats:
        """Moments by buckets.

        Args:
            stretches: Which one each moment is in.
            come: How far requests have come, in seconds at their mean rate.
        """
        along = come * self.cells[stretches] + self.begin
        columns, fractions = self.columns[stretches], self.fractions[stretches]
        return off_share(along, self.scales[stretches], columns, fractions)


class Surplus:
    """By how much the time that requests took together differs from their number times the mean.

    Args:
        begin: As of the `Scatter` of the same requests.
        rates: Requests a second, of each stretch.
        means: Of their times, in each stretch.
        variances: The same.
    """

    def __init__(self, begin: float, rates: Floats, means: Floats, variances: Floats) -> None:
        self._begin = float(int(begin * CELLS))
        self._cells, scales = _pace(rates)
        self._scales = scales * means
        squares = np.where(means > 0, means, 1.0) ** 2
        spreads = np.minimum(np.sqrt(np.log1p(variances / squares)), _SPREADS[-1])
        self._rows = np.minimum(_SPREADS.searchsorted(spreads, side="right"), len(_SPREADS) - 1) - 1
        here = _SPREADS[self._rows]
        self._fractions = (spreads - here) / (_SPREADS[self._rows + 1] - here)

    def at(self, stretches: Times, come: Floats) -> Floats:
        """At each moment; arguments as of `Scatter.at`."""
        along = come * self._cells[stretches] + self._begin
        whole = np.floor(along)
        cell = whole.astype(np.int64) & CELLS - 1
        part, rows, sums = along - whole, self._rows[stretches], _sums()
        low = sums[rows, cell] + part * (sums[rows, cell + 1] - sums[rows, cell])
        high = sums[rows + 1, cell] + part * (sums[rows + 1, cell + 1] - sums[rows + 1, cell])
        found: Floats = self._scales[stretches] * (low + self._fractions[stretches] * (high - low))
        return found


def off_share(along: Floats, scales: Floats, columns: Times, fractions: Floats) -> Floats:
    """The differences at places in the table, in a further dimension for buckets.

    Args:
        along: In cells.
        scales: As of `Scatter`, at each place, and so on.
        columns: At each place, of each bucket.
        fractions: At each place, of each bucket.
    """
    table, width = _table(), len(_shares())
    whole = np.floor(along)
    part = (along - whole)[..., None]
    first = (whole.astype(np.int64) & CELLS - 1)[..., None] * width + columns
    low: Floats = table[first]
    after: Floats = table[first + width]
    low += part * (after - low)
    high, after = table[first + 1], table[first + width + 1]
    high += part * (after - high)
    low += fractions * (high - low)
    low *= scales[..., None]
    return low

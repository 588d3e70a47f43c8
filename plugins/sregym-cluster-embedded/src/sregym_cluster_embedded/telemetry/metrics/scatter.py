"""How many of the first requests take no longer than a bound: about their share, as chance has it.

Each request has a level in [0, 1), and those below a share of all are as many as of independent
draws. Levels come from one table that begins again after `CELLS` cells; a cell lasts a second or
longer. Where many requests come in a cell, some of them share its level and the others are spread
evenly, such that counts vary as if each were drawn. So no count goes back, none grows by more
than there are requests, and more take no longer than a higher bound, at any moment.

What chance a histogram has depends on what it is of alone: a fork has the same past.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.clock.unrest import mixed

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.promql.data import Floats, Times

CELLS = 1 << 12
_LONGEST_S = 64.0


@cache
def _shares() -> Floats:
    """The shares for which the table is kept, closer together near both ends; 0 and 1 among them."""
    tails = 0.5 ** np.arange(7, 13)
    shares: Floats = np.unique(np.concatenate([np.arange(65) / 64, tails, 1 - tails]))
    return shares


@cache
def _table() -> Floats:
    """For each cell the levels below each share, less what is to be expected, one after the other."""
    order = np.argsort(np.array([mixed(cell) for cell in range(CELLS)], dtype=np.uint64))
    levels, shares = (order + 0.5) / CELLS, _shares()
    table = np.zeros((CELLS + 1, len(shares)))
    np.cumsum((levels[:, None] < shares) - shares, axis=0, out=table[1:])
    return table.ravel()


class Scatter:
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
        lasting = np.exp2(np.ceil(np.log2(1 / np.maximum(rates, 1 / _LONGEST_S))))
        self.cells = 1 / np.clip(lasting, 1.0, _LONGEST_S)
        requests = rates / self.cells
        self.scales = np.minimum(requests, np.sqrt(requests))
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

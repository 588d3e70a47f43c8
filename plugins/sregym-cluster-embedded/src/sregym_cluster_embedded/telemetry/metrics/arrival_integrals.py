"""`traffic.arrivals` for many moments at once: how far requests have come, in seconds at their rates.

All that is counted of requests is an integral over this time instead of the clock's.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.traffic.arrivals import STEPS, swung, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Floats, Times

    from sregym_cluster_embedded.traffic.arrivals import RateModulations


# So many starts are worked out one by one.
_FEW = 6


@cache
def _walk() -> tuple[Floats, Floats]:
    places = np.array(walk())
    return places[:-1], places[1:] - places[:-1]


class _Swings:
    """Parts of rate modulations, for many moments.

    Args:
        parts: (where on the walk, seconds of a step) of each.
    """

    def __init__(self, parts: Sequence[tuple[int, int]]) -> None:
        self._begins = np.array([begin for begin, _ in parts], dtype=np.int64)[:, np.newaxis]
        cells = np.array([float(cell) for _, cell in parts])[:, np.newaxis]
        self._per_s, self._roots = 1 / cells, np.sqrt(cells)

    def __call__(self, seconds: Floats) -> Floats:
        """`arrivals.swung` of each: rows by moments."""
        places, steps = _walk()
        along = seconds * self._per_s
        whole = np.floor(along)
        index = whole.astype(np.int64)
        index += self._begins
        index &= STEPS - 1
        along -= whole
        along *= steps[index]
        along += places[index]
        along *= self._roots
        return along


def _sway(rhythm: RateModulations, at: float) -> float:
    return sum(weight * swung(begin, cell, at) for begin, cell, weight in rhythm)


class Progress:
    """How far the requests of one kind have come by each moment, counted from the first start.

    Args:
        starts: Virtual seconds at which rate modulations begin, ascending.
        rhythms: The rate modulation from each on.

    Attributes:
        starts: The same as an array.
        places: How far they had come at each start.
        swings: The parts of which the rate modulations consist.
        weights: Of each part (columns) from each start on (rows).
        ahead: What is to be added to the moment and its parts.
    """

    __slots__ = ("_swung", "ahead", "places", "starts", "swings", "weights")

    def __init__(self, starts: Floats, rhythms: Sequence[RateModulations]) -> None:
        self.starts = self.places = starts
        self._swung: _Swings | None = None
        self.swings = sorted({swing[:2] for part in dict.fromkeys(rhythms) for swing in part})
        if not self.swings:
            self.ahead = np.zeros(len(starts))
            self.weights = np.zeros((len(starts), 0))
        elif len(starts) <= _FEW:
            self._one_by_one(starts.tolist(), rhythms)
        else:
            self._together(rhythms)

    def _one_by_one(self, starts: list[float], rhythms: Sequence[RateModulations]) -> None:
        place, before, base = starts[0], starts[0], 0.0
        places, ahead, last = [], [], rhythms[0][:0]
        for at, rhythm in zip(starts, rhythms, strict=True):
            place += at - before - base + _sway(last, at)
            base = _sway(rhythm, at)
            places.append(place)
            ahead.append(place - at - base)
            last, before = rhythm, at
        self.places, self.ahead = np.array(places), np.array(ahead)
        self.weights = np.array([self._row(rhythm) for rhythm in rhythms])

    def _row(self, rhythm: RateModulations) -> list[float]:
        weights = {swing[:2]: swing.weight for swing in rhythm}
        return [weights.get(swing, 0.0) for swing in self.swings]

    def _together(self, rhythms: Sequence[RateModulations]) -> None:
        starts, rows = self.starts, {rhythm: self._row(rhythm) for rhythm in dict.fromkeys(rhythms)}
        self.weights = np.array([rows[rhythm] for rhythm in rhythms])
        there = _Swings(self.swings)(starts)
        swayed = self.weights.T * there
        gone = starts[1:] - starts[:-1]
        gone += (self.weights[:-1].T * there[:, 1:] - swayed[:, :-1]).sum(axis=0)
        self.places = starts.copy()
        self.places[1:] = starts[0] + gone.cumsum()
        self.ahead = self.places - starts - swayed.sum(axis=0)

    def __call__(self, seconds: Floats) -> Floats:
        """At each moment."""
        if not self.swings:
            return seconds
        if self._swung is None:
            self._swung = _Swings(self.swings)
        there = self._swung(seconds)
        if len(self.starts) == 1:
            one: Floats = self.weights[0] @ there
            one += seconds
            one += self.ahead[0]
            return one
        index = np.maximum(self.starts.searchsorted(seconds, side="right") - 1, 0)
        found: Floats = (self.weights[index].T * there).sum(axis=0)
        found += seconds
        found += self.ahead[index]
        return found

    def at(self, second: float) -> float:
        """At one moment."""
        if not self.swings or second == np.inf:
            return second
        return float(self(np.array([second]))[0])


class Shared:
    """The courses of what has the same starts: for the same rate modulations the same one."""

    def __init__(self) -> None:
        self._known: dict[tuple[RateModulations, ...], Progress] = {}

    def __call__(self, starts: Floats, rhythms: Sequence[RateModulations]) -> Progress:
        """The course of requests with these rate modulations."""
        key = tuple(rhythms)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Progress(starts, rhythms)
        return known


class Progresses:
    """Several of them, as rows.

    Args:
        rows: Each has a beginning; some may be the same.
    """

    def __init__(self, rows: Sequence[Progress]) -> None:
        different = {id(one): one for one in rows}
        known = {number: place for place, number in enumerate(different)}
        several, self._size = [*different.values()], len(rows)
        # Where each row is found among those that differ.
        self._whose = np.array([known[id(one)] for one in rows])
        swings = sorted({swing for one in several for swing in one.swings})
        self._swung = _Swings(swings) if swings else None
        width = max(len(one.starts) for one in several)
        columns = {swing: number for number, swing in enumerate(swings)}
        self._starts = np.full((len(several), width), np.inf)
        self._ahead = np.zeros((len(several), width))
        self._weights = np.zeros((len(several), width, len(swings)))
        for row, one in enumerate(several):
            self._starts[row, : len(one.starts)] = one.starts
            self._ahead[row, : len(one.starts)] = one.ahead
            places = [columns[swing] for swing in one.swings]
            self._weights[row, : len(one.starts), places] = one.weights.T
        self._rows = np.arange(len(several))
        self._flat = (self._rows * width)[:, np.newaxis]

    def __call__(self, seconds: Floats) -> Floats:
        """Rows by moments, which are in order."""
        if self._swung is None:
            return np.broadcast_to(seconds, (self._size, len(seconds)))
        there = self._swung(seconds)
        first, last = self._at(seconds[0]), self._at(seconds[-1])
        # Most often nothing changes from the first moment to the last.
        found: Floats = self._weights[self._rows, last] @ there
        found += seconds
        found += self._ahead[self._rows, last][:, np.newaxis]
        rows = np.flatnonzero(first != last)
        if len(rows):
            found[rows] = self._changing(rows, seconds, there)
        if self._size == len(found):
            return found
        all_rows: Floats = found[self._whose]
        return all_rows

    def _at(self, second: float) -> Times:
        """In each row, the last start up to a moment."""
        found: Times = np.maximum(np.add.reduce(self._starts <= second, axis=1) - 1, 0)
        return found

    def _changing(self, rows: Times, seconds: Floats, there: Floats) -> Floats:
        index = [self._starts[row].searchsorted(seconds, side="right") for row in rows]
        flat = np.maximum(np.array(index) - 1, 0) + self._flat[rows]
        found: Floats = self._ahead.ravel()[flat] + seconds
        for number, part in enumerate(there):
            found += self._weights[:, :, number].ravel()[flat] * part
        return found

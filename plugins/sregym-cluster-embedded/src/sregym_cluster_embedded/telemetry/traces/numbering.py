"""Requests of one kind by number: the n-th is the n-th whole part of the integral of its rate.

`counting.totals` counts with the same integral, over the same course, so that the numbers between
two moments are as many as the requests that metrics and logs count there.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.traffic.arrivals import Course

if TYPE_CHECKING:
    from sregym_cluster_embedded.clock import Seed
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.segments import Segment

# What `counting.totals` begins with, against rounding.
_START = 1e-6


class Piece(NamedTuple):
    """A span of time with one rate.

    Attributes:
        start: Virtual second.
        stop: Where the next piece begins, or the instance ends.
        rate: Requests a second.
        before: The integral at its start.
        after: The integral at its end.
        segment: The segment of the history that it is, or is a part of.
        course: How far requests come in it.
    """

    start: float
    stop: float
    rate: float
    before: float
    after: float
    segment: Segment
    course: Course

    @property
    def numbers(self) -> range:
        """The numbers of the requests that count in it."""
        return range(math.floor(self.before) + 1, math.floor(self.after) + 1)

    def come(self, at: float) -> float:
        """The integral at a virtual second within."""
        if at <= self.start or at >= self.stop:
            return self.before if at <= self.start else self.after
        return self.before + self.rate * self.course.elapsed(at)


class Numbering:
    """The requests of one kind that one instance of a process served.

    Args:
        pieces: (start, stop, rate, rhythm, segment) in order, without gaps.
    """

    def __init__(self, pieces: list[tuple[float, float, float, RateModulations, Segment]]) -> None:
        self.pieces: list[Piece] = []
        integral = _START
        for start, stop, rate, rhythm, segment in pieces:
            course = Course(rhythm, start)
            after = integral + rate * course.elapsed(stop) if rate else integral
            self.pieces.append(Piece(start, stop, rate, integral, after, segment, course))
            integral = after
        self._starts = [piece.start for piece in self.pieces]
        self._before = [piece.before for piece in self.pieces]
        self.last = math.floor(integral)

    def count(self, at: float) -> int:
        """How many requests there were up to a virtual second."""
        index = bisect_right(self._starts, at) - 1
        return 0 if index < 0 else math.floor(self.pieces[index].come(at))

    def piece(self, number: int) -> Piece:
        """The piece that request `number`, from 1 to `last`, falls into."""
        index = bisect_left(self._before, number) - 1
        return self.pieces[max(index, 0)]

    def arrival(self, seed: Seed, purpose: tuple[object, ...], number: int) -> float:
        """The virtual second at which a request comes: at random since the one before counted."""
        piece = self.piece(number)
        if piece.rate <= 0:
            return piece.start
        place = number - seed.fraction(*purpose, "arrival", number)
        return piece.course.reached(max(0.0, (place - piece.before) / piece.rate))

    def between(self, start: float, end: float) -> range:
        """The numbers of the requests that count from `start` to `end`."""
        return range(self.count(start) + 1, self.count(end) + 1)

"""Whole requests of what flowed: integrals of rates, counted on the course on which requests come."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import neg, sub
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.traffic.arrivals import Course
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.clock import SharedCache
    from sregym_cluster_embedded.traffic.segments import Segment

# Among the kinds of ends: none of the errors.
_OK = ""
# What is whole up to rounding counts as whole.
_WHOLE = 1e-6
# So many segments are counted before others are spared that.
_WORTH_KEEPING = 8


class Totals(NamedTuple):
    """Whole requests over a span of time."""

    requests: int
    ok: int
    failed: dict[str, int]
    time: Time


class _Come(NamedTuple):
    """What had come when a segment began: what succeeded, and what failed, stretch by stretch."""

    ok: float
    failed: tuple[dict[str, float], ...]


class _Courses(NamedTuple):
    """How requests of a flow come that succeed and that fail; `kept` is the fraction that succeeds."""

    good: Course
    bad: Course
    kept: float


def totals(known: tuple[Segment, ...], operation: str, start: float, end: float) -> Totals:
    """Requests of one operation from `start` to `end`."""
    return Counting(known, operation).totals(start, end)


class Counting:
    """Requests of one operation, counted from span to span; no span may begin before the last ended.

    Counters are whole parts of integrals since the first segment, so that spans that touch add up.

    Args:
        known: The segments, oldest first.
        operation: Its name.
        shared_cache: Of the world: whoever counts begins where another one has counted to that has the
            same past. What came before a segment follows from that segment, since what was in effect
            is never changed, only followed by other segments.
    """

    def __init__(
        self,
        known: tuple[Segment, ...],
        operation: str,
        shared_cache: SharedCache | None = None,
    ) -> None:
        self._known, self._operation, self._findings = known, operation, shared_cache
        self._starts = [segment.start for segment in known]
        # What came in the segments that are over, and how many these are.
        self._ok, self._failed = _WHOLE, Stretches()
        self._over = 0
        self._courses: list[_Courses] = []
        self._last: tuple[float, dict[str, int]] | None = None
        # How those of the segments that are over were divided.
        self._divided: dict[str, int] | None = None

    def totals(self, start: float, end: float) -> Totals:
        """Requests from `start` to `end`."""
        before, after = self._until(start), self._until(end)
        counts = {kind: after[kind] - before.get(kind, 0) for kind in sorted(after)}
        ok = counts.pop(_OK)
        failed = {kind: count for kind, count in counts.items() if count}
        return Totals(ok + sum(failed.values()), ok, failed, self._time(start, end))

    def _until(self, until: float) -> dict[str, int]:
        """How many have come up to a moment, by what became of them."""
        if self._last is not None and self._last[0] == until:
            return self._last[1]
        starts = self._starts
        if self._last is None:
            self._catch_up(until)
        while self._over + 1 < len(starts) and starts[self._over + 1] <= until:
            self._next_segment()
        ok, failed = self._ok, list[dict[str, float]]()
        if starts and starts[self._over] < until:
            ok, failed = self._came(until)
        if failed:
            divided = self._failed.divided(failed)
        else:
            divided = self._divided = self._divided or self._failed.divided()
        counts = {_OK: math.floor(ok), **divided}
        self._last = until, counts
        return counts

    def _next_segment(self) -> None:
        self._ok, failed = self._came(self._starts[self._over + 1])
        if failed:
            self._failed.add(failed)
            self._divided = None
        self._over += 1
        self._courses = []

    def _catch_up(self, until: float) -> None:
        """Come to the segment of a moment, from the latest one before which was counted."""
        shared_cache, key = self._findings, ("traffic.come", self._operation)
        last = bisect_right(self._starts, until) - 1
        if shared_cache is None or last < _WORTH_KEEPING:
            return
        for number in range(last, 0, -1):
            come: _Come | None = shared_cache.known(key, (self._known[number],))
            if come is not None:
                self._over, self._ok = number, come.ok
                self._failed.add(come.failed)
                break
        missing = last - self._over
        while self._over < last:
            self._next_segment()
        if missing >= _WORTH_KEEPING:
            come = _Come(self._ok, tuple(self._failed.parts))
            shared_cache.found(key, (self._known[last],), lambda: come)

    def _came(self, stop: float) -> tuple[float, list[dict[str, float]]]:
        """What has come up to a moment in the present segment; of those that failed, its own only."""
        segment = self._known[self._over]
        flows = [flow for flow in segment.flows if flow.operation == self._operation]
        if not self._courses:
            for flow in flows:
                good, bad = (Course(part, segment.start) for part in flow.rhythms)
                self._courses.append(_Courses(good, bad, 1 - flow.lost))
        ok, failed = self._ok, []
        for flow, (good, bad, kept) in zip(flows, self._courses, strict=True):
            ok += flow.rate * good.elapsed(stop) * kept
            if flow.errors:
                came = flow.rate * bad.elapsed(stop)
                failed.append({kind: came * share for kind, share in flow.errors})
        return ok, failed

    def _time(self, start: float, end: float) -> Time:
        """The time in effect for the larger part of the requests that succeeded."""
        best, weight = Time(), 0.0
        starts = self._starts
        first = max(bisect_right(starts, start) - 1, 0)
        for index in range(first, bisect_left(starts, end)):
            stop = starts[index + 1] if index + 1 < len(starts) else end
            length = min(stop, end) - max(starts[index], start)
            for flow in self._known[index].flows:
                if flow.operation == self._operation and length * flow.rate * flow.ok > weight:
                    best, weight = flow.time, length * flow.rate * flow.ok
        return best


class Stretches:
    """What failed in stretches after each other, and how many of it failed in each way.

    The n-th fails when the sum of all reaches n. How is decided at that moment, kind by kind.

    Attributes:
        parts: How much failed in each stretch, by kind.
    """

    def __init__(self) -> None:
        self.parts: list[dict[str, float]] = []
        self._kinds: list[str] = []
        # Of each kind, stretch by stretch: what is left there to it and those behind it, and its own sum.
        self._left: list[list[float]] = []
        self._own: list[list[float]] = []

    def add(self, parts: Sequence[dict[str, float]]) -> None:
        """Go on with further stretches."""
        self.parts += parts
        kinds = sorted({*self._kinds, *(kind for part in parts for kind in part)})
        if kinds != self._kinds:
            self._kinds, parts = kinds, self.parts
            self._left, self._own = [[] for _ in kinds], [[_WHOLE] for _ in kinds]
        for part in parts:
            whole = sum(part.values())
            for kind, left, own in zip(kinds, self._left, self._own, strict=True):
                mine = part.get(kind, 0.0)
                left.append(whole)
                own.append(own[-1] + (mine if whole > 0 else 0.0))
                whole -= mine

    def divided(self, more: Sequence[dict[str, float]] = ()) -> dict[str, int]:
        """How many failed in each way up to the end of these stretches and some more."""
        if not all(kind in self._kinds for part in more for kind in part):
            longer = Stretches()
            longer.add([*self.parts, *more])
            return longer.divided()
        if not self._kinds:
            return {}
        known = len(self.parts)
        self.add(more)
        try:
            return self._divided()
        finally:
            for sums in (self._left, self._own):
                for column in sums:
                    del column[len(column) - len(more) :]
            del self.parts[known:]

    def _divided(self) -> dict[str, int]:
        left, found = math.floor(sum(self._left[0]) + _WHOLE), {}
        for number, kind in enumerate(self._kinds[:-1]):
            wholes = self._left[number]
            missing = list(accumulate(wholes, sub, initial=float(left)))
            # The stretch in which the last of them failed; of what came before all counts.
            place = bisect_right(missing, 0.0, key=neg) - 1
            own = self._own[number][place]
            if place < len(wholes) and wholes[place] > 0:
                own += self.parts[place].get(kind, 0.0) * (missing[place] / wholes[place])
            found[kind] = min(math.floor(own), left)
            left -= found[kind]
        return {**found, self._kinds[-1]: left}

"""Whole requests of what flowed: integrals of rates, counted on the course on which requests come."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.traffic.arrivals import Course
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
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
        self._ok, self._failed = _WHOLE, list[dict[str, float]]()
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
            divided = _divided([*self._failed, *failed])
        else:
            divided = self._divided = self._divided or _divided(self._failed)
        counts = {_OK: math.floor(ok), **divided}
        self._last = until, counts
        return counts

    def _next_segment(self) -> None:
        self._ok, failed = self._came(self._starts[self._over + 1])
        if failed:
            self._failed += failed
            self._divided = None
        self._over += 1
        self._courses = []

    def _catch_up(self, until: float) -> None:
        """Come to the segment of a moment, from the latest one before which somebody has counted."""
        shared_cache, key = self._findings, ("traffic.come", self._operation)
        last = bisect_right(self._starts, until) - 1
        if shared_cache is None or last < _WORTH_KEEPING:
            return
        for number in range(last, 0, -1):
            come: _Come | None = shared_cache.known(key, (self._known[number],))
            if come is not None:
                self._over, self._ok, self._failed = number, come.ok, list(come.failed)
                break
        missing = last - self._over
        while self._over < last:
            self._next_segment()
        if missing >= _WORTH_KEEPING:
            come = _Come(self._ok, tuple(self._failed))
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


def _divided(parts: list[dict[str, float]]) -> dict[str, int]:
    """How many failed in each way, of what failed in stretches after each other.

    The n-th fails when the sum of all reaches n. How is decided at that moment, kind by kind.
    """
    kinds = sorted({kind for part in parts for kind in part})
    rest = [sum(part.values()) for part in parts]
    left, found = math.floor(sum(rest) + _WHOLE), {}
    for kind in kinds[:-1]:
        own, missing = _WHOLE, float(left)
        for part, whole in zip(parts, rest, strict=True):
            reached = min(whole, missing)
            own += part.get(kind, 0.0) * (reached / whole if whole > 0 else 0.0)
            missing -= reached
        found[kind] = min(math.floor(own), left)
        left -= found[kind]
        rest = [whole - part.get(kind, 0.0) for whole, part in zip(rest, parts, strict=True)]
    return {**found, kinds[-1]: left} if kinds else {}

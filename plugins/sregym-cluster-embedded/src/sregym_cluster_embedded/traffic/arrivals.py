"""How unevenly requests come: not at the mean rate, but now a little more, now a little less often.

The model of the traffic knows rates alone. What is counted of them scatters about its mean as
independent arrivals do: in any span of time the variance of a count is near the count to be
expected. That is done in one place, by bending time. While a rate stands, as many requests come
from one moment to another as would come at that rate in `Course.elapsed` seconds; metrics, access
lines, spans and statistics of load generators all count on the same course, so that they agree.

A course is real time plus the steps of bounded random walks, which belong to the kinds of requests
that load generators send. What these lead to further down is uneven in the same way at the same
moments, in the proportions in which it comes from them: callers and callees count the same.
Failures have a walk of their own beside it, since whom a partial fault hits is chance, too.

The walks depend on nothing but the process that sends and on time: a fork has the same, whatever
its seed. They go on when rates change; nothing is ever counted again.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_cluster_embedded.clock.jitter import mixed, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import Structure

# Steps of a walk until it begins again, hours later.
STEPS = 1 << 14
# The largest step: they are spread evenly, with variance 1.
_LARGEST = math.sqrt(3)
# By so much a rate may be above or below its mean within a cell, and all together.
_MOST, _ALL = 0.75, 0.95
# No cell is longer than this; what comes less often is more even than chance has it.
_LONGEST_S = 64
# Failures come by fewer in a cell: longer ones leave room for chance.
_FAILING_CELLS = 8
# The walk of failures begins elsewhere.
_ELSEWHERE = STEPS // 2


class RateModulation(NamedTuple):
    """A part of what makes a course uneven.

    Attributes:
        begin: Where on the walk it is at virtual second 0.
        cell_s: Seconds that a step takes, a power of 2.
        weight: How far a course goes ahead or back, in seconds for each root of a second.
    """

    begin: int
    cell_s: int
    weight: float


# How uneven requests come; evenly without any part.
RateModulations: TypeAlias = tuple[RateModulation, ...]


@cache
def walk() -> tuple[float, ...]:
    """Where the walk is after each step; the last one leads back to where it began."""
    steps = [_LARGEST * (mixed(index) / 2**63 - 1) for index in range(STEPS)]
    # No place is special: what is left over is taken from all steps.
    mean = sum(steps) / STEPS
    return (0.0, *accumulate(step - mean for step in steps))


def swung(begin: int, cell_s: int, second: float) -> float:
    """Where a walk is at a virtual second, in roots of a second."""
    along = second / cell_s
    step = math.floor(along)
    known, index = walk(), (step + begin) % STEPS
    here = known[index]
    return math.sqrt(cell_s) * (here + (known[index + 1] - here) * (along - step))


@lru_cache(maxsize=4096)
def rate_modulation_of(ref: ContainerRef, name: str, rate: float) -> RateModulations:
    """How unevenly a load generator sends one kind of requests.

    Args:
        ref: The load generator.
        name: Of the kind.
        rate: Requests a second.
    """
    if rate <= 0:
        return ()
    cell = 1
    while cell < _LONGEST_S and rate * cell < (_LARGEST / _MOST) ** 2:
        cell *= 2
    weight = min(1 / math.sqrt(rate), _MOST * math.sqrt(cell) / _LARGEST)
    return (RateModulation(_begin(ref, name), cell, round(weight, 9)),)


@lru_cache(maxsize=4096)
def _begin(ref: ContainerRef, name: str) -> int:
    return int(place("arrivals", ref, name) * 2**20) % STEPS


def blended(parts: Sequence[tuple[float, RateModulations]], rate: float) -> RateModulations:
    """How unevenly requests come that come from several sides.

    Args:
        parts: The rate and the rate modulation of each.
        rate: Of all; what is left over comes evenly.
    """
    if not parts or rate <= 0:
        return ()
    first = parts[0][1]
    if all(rhythm is first or rhythm == first for _, rhythm in parts):
        share = sum(part for part, _ in parts) / rate
        if abs(share - 1) < 1e-6:
            return first
    amounts: dict[tuple[int, int], float] = {}
    for part, rhythm in parts:
        for begin, cell_s, weight in rhythm:
            key = (begin, cell_s)
            amounts[key] = amounts.get(key, 0.0) + part * weight
    return tuple(RateModulation(*key, round(amounts[key] / rate, 9)) for key in sorted(amounts))


@lru_cache(maxsize=4096)
def by_outcome(
    rhythm: RateModulations, lost: float, chance: float
) -> tuple[RateModulations, RateModulations]:
    """How unevenly the requests come that succeed, and those that fail.

    Args:
        rhythm: Of all of them.
        lost: Fraction that fails.
        chance: Fraction of the calls that fail where these failures arise.
    """
    if not rhythm or not 0 < lost < 1 or not 0 < chance < 1:
        return rhythm, rhythm
    taken = sum(_LARGEST * weight / math.sqrt(cell) for _, cell, weight in rhythm)
    room = max(0.0, _ALL - taken) / (taken / math.sqrt(_FAILING_CELLS))
    odds = chance / (1 - chance)
    factor = min(1 / math.sqrt(odds), room, room / odds)
    failing = [
        RateModulation((begin + _ELSEWHERE) % STEPS, cell * _FAILING_CELLS, weight * factor)
        for begin, cell, weight in rhythm
    ]
    less = lost / (1 - lost)
    against = [swing._replace(weight=-less * swing.weight) for swing in failing]
    return _joined(rhythm, against), _joined(rhythm, failing)


def _joined(rhythm: RateModulations, more: Iterable[RateModulation]) -> RateModulations:
    return (*rhythm, *(swing._replace(weight=round(swing.weight, 9)) for swing in more))


class Course:
    """How far requests with one rate modulation have come since a moment, in seconds at their mean rate.

    Args:
        rhythm: Their rate modulation.
        start: Virtual second from which it is counted.
    """

    __slots__ = ("_base", "_rhythm", "_unit", "start")

    def __init__(self, rhythm: RateModulations, start: float) -> None:
        self.start = start
        self._rhythm = rhythm
        self._unit = min((cell for _, cell, _ in rhythm), default=1)
        self._base = self._swung(start)

    def _swung(self, at: float) -> float:
        return sum(weight * swung(begin, cell, at) for begin, cell, weight in self._rhythm)

    def elapsed(self, at: float) -> float:
        """The seconds at the mean rate in which as much comes as up to a virtual second."""
        if not self._rhythm:
            return at - self.start
        return at - self.start + self._swung(at) - self._base

    def reached(self, elapsed: float) -> float:
        """The virtual second up to which as much comes as in so many seconds at the mean rate."""
        low, high, before, after = self.around(elapsed, self.start, 0.0)
        return low + (high - low) * (elapsed - before) / (after - before)

    def around(
        self, elapsed: float, known_at: float, known: float
    ) -> tuple[float, float, float, float]:
        """Two moments between which it is reached and nothing bends, and what has elapsed there.

        Args:
            elapsed: Seconds at the mean rate, at least 0.
            known_at: A virtual second, from where it is looked for.
            known: What has elapsed there.
        """
        if not self._rhythm:
            return self.start, self.start + 1.0, 0.0, 1.0
        unit = self._unit
        first = math.floor(self.start / unit)
        low = max(first, math.floor((known_at + elapsed - known) / unit))
        before, step = self.elapsed(low * unit), 1
        high, after = low, before
        while low > first and before > elapsed:
            high, after = low, before
            low, step = max(first, low - step), step * 2
            before = self.elapsed(low * unit)
        step = 1
        while after <= elapsed:
            low, before = high, after
            high, step = high + step, step * 2
            after = self.elapsed(high * unit)
        while high - low > 1:
            middle = (low + high) // 2
            there = self.elapsed(middle * unit)
            if there <= elapsed:
                low, before = middle, there
            else:
                high, after = middle, there
        if low * unit < self.start:
            return self.start, float(high * unit), 0.0, after
        return float(low * unit), float(high * unit), before, after


def rate_modulations(structure: Structure, numbers: FlowState) -> list[RateModulations]:
    """How unevenly requests come to each operation; evenly where there are none.

    Records of message queues are taken evenly.
    """
    come: list[list[tuple[float, RateModulations]]] = [[] for _ in structure.operations]
    for source, sent in zip(structure.sources, numbers.sent, strict=True):
        for part in source.parts:
            rate = sent * part.weight
            rhythm = rate_modulation_of(source.ref, part.name, round(rate, 6))
            for end in part.ends:
                if end.callee >= 0:
                    come[end.callee].append((rate * end.share, rhythm))
    found: list[RateModulations] = [()] * len(come)
    for index in range(len(come) - 1, -1, -1):
        rhythm = found[index] = blended(come[index], numbers.rate[index])
        if not rhythm:
            continue
        for site in structure.operations[index].sites:
            tried = numbers.calls[site.index] * (1 - numbers.shed[site.index])
            if tried > 0:
                for route in site.routes:
                    if route.callee >= 0:
                        come[route.callee].append((tried * route.share, rhythm))
    return found

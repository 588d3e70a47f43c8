"""Integrals of piecewise-constant rates, and counters made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.arrival_integrals import Progress
from sregym_cluster_embedded.telemetry.metrics.scatter import BucketScatter, Surplus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.latency import Time

# As in `traffic.segments`: what is whole up to rounding counts as whole.
WHOLE = 1e-6
_FOREVER = float("inf")


class Integral:
    """What flowed since the first moment.

    Args:
        starts: Virtual seconds at which rates begin, ascending.
        rates: Per second, each up to the next start.
        end: Virtual second after which nothing flows.

    Attributes:
        before: What had flowed at each start.
    """

    def __init__(
        self, starts: Sequence[float] | Floats, rates: Sequence[float] | Floats, end: float
    ) -> None:
        self.starts = np.asarray(starts, dtype=np.float64)
        self.rates = np.asarray(rates, dtype=np.float64)
        self.end = end
        self.before = np.zeros(max(1, len(self.starts)))
        if len(self.starts) > 1:
            lengths = self.starts[1:] - self.starts[:-1]
            (self.rates[:-1] * lengths).cumsum(out=self.before[1:])

    def __call__(self, seconds: Floats) -> Floats:
        """The amount up to each moment."""
        starts = self.starts
        if not len(starts):
            return np.zeros(len(seconds))
        at = seconds if self.end == _FOREVER else np.minimum(seconds, self.end)
        if len(starts) == 1:
            found: Floats = self.rates[0] * np.maximum(at - starts[0], 0.0)
            return found
        index = starts.searchsorted(at, side="right") - 1
        # Before the first start nothing has flowed, for no time.
        elapsed = np.maximum(at - starts[index], 0.0) if index.min() < 0 else at - starts[index]
        grown: Floats = self.before[np.maximum(index, 0)] + self.rates[index] * elapsed
        return grown

    def at(self, second: float) -> float:
        """The amount up to one moment."""
        starts = self.starts
        if not len(starts):
            return 0.0
        at = min(second, self.end)
        index = max(int(starts.searchsorted(at, "right")) - 1, 0)
        elapsed = max(at - float(starts[index]), 0.0)
        return float(self.before[index]) + float(self.rates[index]) * elapsed

    def reached(self, amounts: Floats) -> Floats:
        """When each amount was reached."""
        if not len(self.starts):
            return np.zeros(len(amounts))
        index = np.maximum(self.before.searchsorted(amounts, side="left") - 1, 0)
        rates = self.rates[index]
        missing = amounts - self.before[index]
        found: Floats = self.starts[index] + missing / np.where(rates > 0, rates, 1.0)
        return found if self.end == _FOREVER else np.minimum(found, self.end)


class Outcomes:
    """Counters of requests by how they ended; they add up to the counter of all.

    Those that succeed and those that fail have courses of their own. On each the n-th request
    happens when the integral of the rate reaches n. Which outcome it has is decided at that
    moment, so that no counter ever goes back.

    Args:
        starts: Virtual seconds at which rates begin, ascending.
        rates: Requests per second.
        end: Virtual second after which there are none.
        shares: Outcome -> its share from each start on.
        rhythms: The rate modulation from each start on, those that succeed and those that
            fail; evenly without any.
        failing: The outcomes that are failures.
        course: Makes the courses.

    Attributes:
        starts: As given.
        groups: Those that succeed, and those that fail if any can.
        courses: Of each outcome: how far its requests have come.
        own: Of each outcome, over its course.
    """

    def __init__(
        self,
        starts: Sequence[float],
        rates: Sequence[float],
        end: float,
        shares: Mapping[str, Sequence[float]],
        rhythms: Sequence[tuple[RateModulations, RateModulations]] = (),
        failing: Collection[str] = (),
        course: Callable[[Floats, Sequence[RateModulations]], Progress] = Progress,
    ) -> None:
        self.starts = np.asarray(starts, dtype=np.float64)
        self._rates = np.asarray(rates, dtype=np.float64)
        self._shares = {key: np.asarray(part) for key, part in shares.items()}
        self._places = {name: place for place, name in enumerate(self._shares)}
        good = bad = course(self.starts, [pair[0] for pair in rhythms])
        if any(pair[1] is not pair[0] and pair[1] != pair[0] for pair in rhythms):
            bad = course(self.starts, [pair[1] for pair in rhythms])
        self.courses = [bad if name in failing else good for name in self._shares]
        self.own = [
            Integral(course.places, self._rates * share, course.at(end))
            for course, share in zip(self.courses, self._shares.values(), strict=True)
        ]
        places = self._places.items()
        sides = [
            tuple(place for name, place in places if (name in failing) is bad)
            for bad in (False, True)
        ]
        self.groups = [Group(members, self.courses, self.own) for members in sides if members]
        self._known: _Counted | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All outcomes."""
        return tuple(self._shares)

    def since(self, name: str) -> float:
        """From when on there can be requests with an outcome."""
        positive = np.flatnonzero(self._rates * self._shares[name] > 0)
        return float(self.starts[int(positive[0])]) if len(positive) else float("inf")

    def total(self, seconds: Floats) -> Floats:
        """How many requests there were up to each moment."""
        counts = [self.count(name, seconds) for name in self._shares]
        return counts[0] if len(counts) == 1 else np.add.reduce(counts)

    def count(self, name: str, seconds: Floats) -> Floats:
        """How many of them had an outcome."""
        return self._counted(seconds).counts[self._places[name]]

    def amount(self, name: str, weights: Floats, seconds: Floats) -> Floats:
        """The sum of a quantity over the counted requests of an outcome; a mean for each start."""
        counted, own = self.count(name, seconds), self.own[self._places[name]]
        reached = own.reached(counted)
        summed = Integral(own.starts, own.rates * weights, own.end)(reached)
        found: Floats = np.where(counted > 0, summed, 0.0)
        return found

    def come(self, name: str, seconds: Floats) -> Floats:
        """How far the requests of an outcome have come."""
        return self._counted(seconds).come[self._places[name]]

    def _counted(self, seconds: Floats) -> _Counted:
        """How many requests each outcome had; most often several are asked for at once."""
        known = self._known
        if known is not None and known.seconds is seconds:
            return known
        nothing = seconds[:0]
        come, counts = [nothing] * len(self.own), [nothing] * len(self.own)
        for group in self.groups:
            there = group.course(seconds)
            left = np.floor(group.sent(there) + WHOLE)
            for place, rest in zip(group.places, group.rests, strict=False):
                part = self.own[place](rest.reached(left))
                counts[place] = np.minimum(np.floor(part + WHOLE), left)
                left = left - counts[place]
            counts[group.places[-1]] = left
            for place in group.places:
                come[place] = there
        # Replaced as a whole: forks that share this may ask at the same time.
        known = self._known = _Counted(seconds, counts, come)
        return known


class Group:
    """Outcomes that are counted on one course.

    Args:
        places: Of the outcomes.
        courses: Of all outcomes.
        own: Of all outcomes, over their courses.

    Attributes:
        places: As given.
        course: How far their requests have come.
        sent: All of them.
        rests: Of what is left for each outcome and those after it, but for the last.
    """

    def __init__(
        self, places: Sequence[int], courses: Sequence[Progress], own: Sequence[Integral]
    ) -> None:
        self.places = places
        self.course = courses[places[0]]
        self.rests: list[Integral] = []
        rest = own[places[-1]]
        for place in reversed(places[:-1]):
            part = own[place]
            rest = Integral(part.starts, part.rates + rest.rates, part.end)
            self.rests.insert(0, rest)
        self.sent = rest


class _Counted(NamedTuple):
    """Counts of outcomes at some moments, and how far each outcome's requests had come."""

    seconds: Floats
    counts: list[Floats]
    come: list[Floats]


class Parts:
    """An outcome of requests, divided: the buckets of a histogram.

    Args:
        outcomes: Of which requests.
        name: Of the outcome.
        shares: Of each part (columns) from each start on (rows).
        begin: In [0, 1), what tells the chance of one histogram from that of others.

    Attributes:
        own: The outcome over its course.
        rates: Per second, of each part from each start on.
        scatter: By how many each part differs from what flowed at these rates.
        before: What had flowed of each part at each start, less the scatter there.
    """

    def __init__(self, outcomes: Outcomes, name: str, shares: Floats, begin: float) -> None:
        self.outcomes, self.name = outcomes, name
        self.own = outcomes.own[outcomes.names.index(name)]
        starts = self.own.starts
        self.rates = self.own.rates[:, None] * shares
        self.before = np.zeros_like(self.rates)
        if len(starts) > 1:
            lengths = (starts[1:] - starts[:-1])[:, None]
            (self.rates[:-1] * lengths).cumsum(axis=0, out=self.before[1:])
        self.scatter = BucketScatter(begin, self.own.rates, shares)
        stretches = np.arange(len(starts))
        there = self.scatter.at(stretches, starts)
        if len(starts) > 1:
            gone = self.scatter.at(stretches[:-1], starts[1:]) - there[:-1]
            self.before[1:] += gone.cumsum(axis=0)
        self.before -= there
        self._known: tuple[Floats, Floats] | None = None

    def count(self, number: int, seconds: Floats) -> Floats:
        """How many belong to a part; most often all parts are asked for at once."""
        known = self._known
        if known is None or known[0] is not seconds:
            # Replaced as a whole: forks that share this may ask at the same time.
            known = self._known = (seconds, self._counts(seconds))
        found: Floats = known[1][number]
        return found

    def _counts(self, seconds: Floats) -> Floats:
        """One row for each part."""
        counted = self.outcomes.count(self.name, seconds)
        come = np.minimum(self.outcomes.come(self.name, seconds), self.own.end)
        starts = self.own.starts
        index = np.maximum(starts.searchsorted(come, side="right") - 1, 0)
        amounts = self.rates[index] * (come - starts[index])[:, None]
        amounts += self.before[index]
        amounts += self.scatter.at(index, come)
        found: Floats = np.minimum(np.floor(amounts + WHOLE), counted[:, None])
        return np.maximum(found, 0.0).T


class Sum:
    """How long the requests of an outcome took together: the sum of their histogram.

    Args:
        outcomes: Of which requests.
        name: Of the outcome.
        times: From each start on, how long one takes.
        unit_ms: In which the sum is counted.
        begin: That of their `Parts`: both are of the same draws.
    """

    def __init__(
        self, outcomes: Outcomes, name: str, times: Sequence[Time], unit_ms: float, begin: float
    ) -> None:
        self._outcomes, self._name = outcomes, name
        self._own = outcomes.own[outcomes.names.index(name)]
        starts = self._own.starts
        means = np.array([time.mean_ms for time in times]) / unit_ms
        variances = np.array([time.variance for time in times]) / unit_ms**2
        self._rates = self._own.rates * means
        self._surplus = Surplus(begin, self._own.rates, means, variances)
        stretches = np.arange(len(starts))
        there = self._surplus.at(stretches, starts)
        self._before = np.zeros(len(starts))
        if len(starts) > 1:
            gone = self._surplus.at(stretches[:-1], starts[1:]) - there[:-1]
            gone += self._rates[:-1] * (starts[1:] - starts[:-1])
            gone.cumsum(out=self._before[1:])
        self._before -= there

    def __call__(self, seconds: Floats) -> Floats:
        """Up to each moment; it grows with the requests that are counted."""
        counted = self._outcomes.count(self._name, seconds)
        come, starts = self._own.reached(counted), self._own.starts
        index = np.maximum(starts.searchsorted(come, side="right") - 1, 0)
        summed = self._before[index] + self._rates[index] * (come - starts[index])
        summed += self._surplus.at(index, come)
        found: Floats = np.where(counted > 0, summed, 0.0)
        return found


def shares_within(times: Sequence[Time], bounds_ms: Sequence[float]) -> Floats:
    """For each time (rows) the share of requests that take no longer than each bound (columns)."""
    mean = np.array([time.mean_ms for time in times], dtype=np.float64)[:, None]
    variance = np.array([time.variance for time in times], dtype=np.float64)[:, None]
    bounds = np.asarray(bounds_ms, dtype=np.float64)[None, :]
    known = mean > 0
    safe = np.where(known, mean, 1.0)
    sigma2 = np.log1p(variance / safe**2)
    spread = np.sqrt(2 * np.maximum(sigma2, 1e-12))
    distance = (np.log(bounds) - np.log(safe) + sigma2 / 2) / spread
    found: Floats = np.where(known, 1 - 0.5 * _erfc(distance), 1.0)
    return found


_COEFFICIENTS = (
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
    0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
)  # fmt: skip


def _erfc(argument: Floats) -> Floats:
    """The complementary error function to a relative error of 1.2e-7 (a Chebyshev fit)."""
    size = np.abs(argument)
    scaled = 1 / (1 + 0.5 * size)
    polynomial = np.zeros_like(scaled)
    for coefficient in reversed(_COEFFICIENTS):
        polynomial = polynomial * scaled + coefficient
    positive = scaled * np.exp(-size * size + polynomial)
    found: Floats = np.where(argument >= 0, positive, 2 - positive)
    return found

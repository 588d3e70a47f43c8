"""Integrals of piecewise-constant rates, and counters made of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.telemetry.promql.data import Floats
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

    The n-th request happens when the integral of the rate reaches n. Which outcome it has is
    decided at that moment, so that no counter ever goes back.

    Args:
        starts: Virtual seconds at which rates begin, ascending.
        rates: Requests per second.
        end: Virtual second after which there are none.
        shares: Outcome -> its share from each start on. What is left over falls to the last one.

    Attributes:
        sent: All of them.
    """

    def __init__(
        self,
        starts: Sequence[float],
        rates: Sequence[float],
        end: float,
        shares: Mapping[str, Sequence[float]],
    ) -> None:
        self.starts, self._end = np.asarray(starts, dtype=np.float64), end
        self._rates = np.asarray(rates, dtype=np.float64)
        self.sent = Integral(self.starts, self._rates, end)
        self._shares = {key: np.asarray(part) for key, part in shares.items()}
        self._places = {name: place for place, name in enumerate(self._shares)}
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
        found: Floats = np.floor(self.sent(seconds) + WHOLE)
        return found

    def count(self, name: str, seconds: Floats) -> Floats:
        """How many of them had an outcome."""
        return self._counted(seconds).counts[self._places[name]]

    def amount(self, name: str, weights: Floats, seconds: Floats) -> Floats:
        """The sum of a quantity over the counted requests of an outcome; a mean for each start."""
        counted = self.count(name, seconds)
        rates = self._rates * self._shares[name] * weights
        summed = Integral(self.starts, rates, self._end)(self.moments(name, seconds))
        found: Floats = np.where(counted > 0, summed, 0.0)
        return found

    def rates_of(self, name: str) -> Floats:
        """Requests a second with an outcome, from each start on."""
        found: Floats = self._rates * self._shares[name]
        return found

    @cached_property
    def own(self) -> list[Integral]:
        """Of each outcome."""
        return [
            Integral(self.starts, self._rates * share, self._end) for share in self._shares.values()
        ]

    @cached_property
    def rests(self) -> list[Integral]:
        """Of what is left for each outcome and those after it."""
        rest, found = self._rates, []
        for share in self._shares.values():
            found.append(Integral(self.starts, rest, self._end))
            rest = np.maximum(rest - self._rates * share, 0.0)
        return found

    def _counted(self, seconds: Floats) -> _Counted:
        """How many requests each outcome had; most often several are asked for at once."""
        known = self._known
        if known is not None and known.seconds is seconds:
            return known
        found: list[Floats] = []
        left = self.total(seconds)
        for place in range(len(self._shares) - 1):
            moments = self.rests[place].reached(left)
            part = self.own[place](moments)
            found.append(np.minimum(np.floor(part + WHOLE), left))
            left = left - found[-1]
        found.append(left)
        # Replaced as a whole: forks that share this may ask at the same time.
        known = self._known = _Counted(seconds, found, {})
        return known

    def moments(self, name: str, seconds: Floats) -> Floats:
        """When an outcome's count was reached."""
        known = self._counted(seconds)
        if name not in known.moments:
            place = self._places[name]
            known.moments[name] = self.own[place].reached(known.counts[place])
        return known.moments[name]


class _Counted(NamedTuple):
    """Counts of outcomes at some moments, and when each outcome's count was reached."""

    seconds: Floats
    counts: list[Floats]
    moments: dict[str, Floats]


class Parts:
    """An outcome of requests, divided: the buckets of a histogram.

    Args:
        outcomes: Of which requests.
        name: Of the outcome.
        shares: Of each part (columns) from each start on (rows).

    Attributes:
        rates: Per second, of each part from each start on.
        before: What had flowed of each part at each start.
    """

    def __init__(self, outcomes: Outcomes, name: str, shares: Floats) -> None:
        self.outcomes, self.name = outcomes, name
        starts = outcomes.starts
        self.rates = outcomes.rates_of(name)[:, None] * shares
        self.before = np.zeros_like(self.rates)
        if len(starts) > 1:
            lengths = (starts[1:] - starts[:-1])[:, None]
            (self.rates[:-1] * lengths).cumsum(axis=0, out=self.before[1:])
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
        outcomes, name = self.outcomes, self.name
        counted, moments = outcomes.count(name, seconds), outcomes.moments(name, seconds)
        starts = outcomes.starts
        index = np.maximum(starts.searchsorted(moments, side="right") - 1, 0)
        amounts = self.rates[index] * (moments - starts[index])[:, None]
        if len(starts) > 1:
            amounts += self.before[index]
        found: Floats = np.minimum(np.floor(amounts + WHOLE), counted[:, None])
        return np.maximum(found, 0.0).T


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

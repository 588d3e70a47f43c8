"""Irregularities of many moments at once (`clock.jitter` has those of one)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.clock import jitter
from sregym_cluster_embedded.clock.jitter import LEVELS, place

if TYPE_CHECKING:
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.integrals import Integral

_LEVELS = np.array(LEVELS)
_NEXT = np.roll(_LEVELS, -1) - _LEVELS
_SIZE = len(LEVELS)


def drift(begin: float | Floats, seconds: Floats, period_s: float) -> Floats:
    """Deviations in [-1, 1) that go from one level to the next within each period."""
    moments = seconds / period_s + begin
    steps = moments.astype(np.int64)
    index = steps % _SIZE
    found: Floats = _LEVELS[index] + _NEXT[index] * (moments - steps)
    return found


def flicker(begin: float, seconds: Floats) -> Floats:
    """Deviations in [-1, 1) that have nothing to do with each other from second to second."""
    found: Floats = _LEVELS[(seconds + begin).astype(np.int64) * 7919 % _SIZE]
    return found


class About:
    """A number that is another each time it is measured, most often by less than `spread`.

    Args:
        value: Where it is most of the time; it is never far below.
        spread: As a fraction of it. Now and then it is three times as far above.
        purpose: What it is of.
    """

    def __init__(self, value: float, spread: float, *purpose: object) -> None:
        self._value, self._spread = value, spread
        self._begin = place(*purpose)

    def __call__(self, seconds: Floats) -> Floats:
        """At each moment."""
        deviation = flicker(self._begin, seconds)
        further = 2 * np.maximum(deviation, 0.0) ** 8
        found: Floats = self._value * (1 + self._spread * (deviation + further))
        return found


class Unsteady:
    """A counter whose rate is now a little higher, now a little lower than its mean.

    It is ahead or behind by what flows in two seconds at most, and never goes back.

    Args:
        flow: What flowed up to each moment, at steady rates.
        purpose: What it is of.

    Attributes:
        begin: Where its deviations begin.
    """

    __slots__ = ("begin", "flow")

    def __init__(self, flow: Integral, *purpose: object) -> None:
        self.flow = flow
        self.begin = place(*purpose)

    def __call__(self, seconds: Floats) -> Floats:
        """The amount up to each moment."""
        return self.flow(unsteady_moments(self.begin, seconds))

    def at(self, second: float) -> float:
        """The amount up to one moment."""
        return self.flow.at(second + _AHEAD_S * jitter.drift(self.begin, second, _PERIOD_S))


_AHEAD_S, _PERIOD_S = 2.0, 33.0


def unsteady_moments(begin: float | Floats, seconds: Floats) -> Floats:
    """The moments to which as much flows as up to `seconds` at a rate that is unsteady."""
    return seconds + _AHEAD_S * drift(begin, seconds, _PERIOD_S)

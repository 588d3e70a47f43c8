"""Values made of other values: each can be asked for many moments, or quickly for one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.exposition import Value

# As in `traffic.segments`: what is whole up to rounding counts as whole.
_WHOLE = 1e-6


def at(value: Value, second: float) -> float:
    """A value at one moment."""
    if not callable(value):
        return value
    quick = getattr(value, "at", None)
    return float(value(np.array([second]))[0] if quick is None else quick(second))


class Scaled:
    """A value times a factor."""

    __slots__ = ("factor", "value")

    def __init__(self, value: Callable[[Floats], Floats], factor: float) -> None:
        self.value, self.factor = value, factor

    def __call__(self, seconds: Floats) -> Floats:
        """At each moment."""
        return self.value(seconds) * self.factor

    def at(self, second: float) -> float:
        """At one moment."""
        return at(self.value, second) * self.factor


class Floored:
    """The whole part of a value."""

    __slots__ = ("value",)

    def __init__(self, value: Callable[[Floats], Floats]) -> None:
        self.value = value

    def __call__(self, seconds: Floats) -> Floats:
        """At each moment."""
        found: Floats = np.floor(self.value(seconds) + _WHOLE)
        return found

    def at(self, second: float) -> float:
        """At one moment."""
        return float(math.floor(at(self.value, second) + _WHOLE))


class Member(NamedTuple):
    """What one of several adds, and from when to when it is there."""

    value: Callable[[Floats], Floats]
    since: float
    until: float


class Summed:
    """The sum over several that come and go.

    Args:
        members: These.
        stays: Whether what one has counted still counts when it is gone.
    """

    __slots__ = ("members", "stays")

    def __init__(self, members: Sequence[Member], *, stays: bool) -> None:
        self.members, self.stays = members, stays

    def __call__(self, seconds: Floats) -> Floats:
        """At each moment."""
        total = np.zeros(len(seconds))
        for value, since, until in self.members:
            there = seconds >= since
            if not self.stays:
                there &= seconds < until
            total += np.where(there, value(seconds), 0.0)
        return total

    def at(self, second: float) -> float:
        """At one moment."""
        total = 0.0
        for value, since, until in self.members:
            if second >= since and (self.stays or second < until):
                total += at(value, second)
        return total

"""Moments of what happens at one rate: the same for every query and part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.arrivals import Course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.traffic.arrivals import RateModulations

# The golden ratio's fraction spreads the moments without hashing each.
_SPREAD = 0.6180339887498949


def before_last(
    count: float, rate: float, start: float, until: float, rhythm: RateModulations
) -> float:
    """A virtual second from which on at least `count` events come until `until`; `start` at least.

    Args:
        count: Of events.
        rate: As for `moments`, and the others.
        start: Virtual second from which events are counted.
        until: Before when.
        rhythm: Their rate modulation.
    """
    course = Course(rhythm, start)
    elapsed = course.elapsed(until) - (count + 1) / rate
    return course.reached(elapsed) if elapsed > 0 else start


def moments(
    rate: float,
    start: float,
    first: float,
    until: float,
    offset: float,
    rhythm: RateModulations = (),
) -> Iterator[tuple[int, float]]:
    """The number and the virtual second of each event from `first` on and before `until`.

    Args:
        rate: Events a second; nothing happens at 0.
        start: Virtual second from which they are counted; event n is the one after n others.
        first: From when on they are wanted.
        until: Before when.
        offset: In [0, 1), what tells one series from another.
        rhythm: Their rate modulation; none for even arrivals.
    """
    if rate <= 0:
        return
    course = Course(rhythm, start)
    number = max(0, math.floor(course.elapsed(max(first, start)) * rate) - 1)
    wanted = (number + (number * _SPREAD + offset) % 1) / rate
    low, high, before, after = course.around(wanted, start, 0.0)
    slope = (high - low) / (after - before)
    while (at := low + (wanted - before) * slope) < until:
        if at >= first:
            yield number, at
        number += 1
        wanted = (number + (number * _SPREAD + offset) % 1) / rate
        if wanted >= after:
            low, high, before, after = course.around(wanted, high, after)
            slope = (high - low) / (after - before)

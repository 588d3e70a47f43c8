"""When a source of noise disturbs, and for how long: a pure function of its name, seed and level."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# By which the pauses between disturbances get shorter, by level.
PAUSES: Mapping[int, float] = {1: 1.0, 2: 0.6, 3: 0.35}


@dataclass(frozen=True)
class Schedule:
    """Times of disturbances; each value is drawn uniformly between two bounds.

    Attributes:
        first_s: Seconds from the beginning to the first disturbance.
        pause_s: From the end of one to the beginning of the next, at level 1.
        lasts_s: How long one lasts; (0, 0) for what is over when it has happened.
    """

    first_s: tuple[float, float] = (20.0, 200.0)
    pause_s: tuple[float, float] = (180.0, 360.0)
    lasts_s: tuple[float, float] = (0.0, 0.0)


# For what stays until the noise ends: it comes soon, once, or a few times in a long episode.
LASTING = Schedule(first_s=(10.0, 180.0), pause_s=(600.0, 1200.0), lasts_s=(2400.0, 3600.0))


@dataclass(frozen=True)
class Moment:
    """A moment at which a disturbance begins or ends.

    Attributes:
        at_s: Seconds since the noise began.
        occurrence: Which disturbance, counted from 0.
        ends: Whether it ends then.
    """

    at_s: float
    occurrence: int
    ends: bool = False


def moments(schedule: Schedule, name: str, seed: int, level: int) -> Iterator[Moment]:
    """All moments of a source, rising and without end; none at level 0.

    Args:
        schedule: Of the source.
        name: Of the source: two with the same schedule disturb at different times.
        seed: Of the episode's noise.
        level: How much noise.
    """
    if level not in PAUSES:
        return
    chance = Random(f"{name}, seed {seed}, level {level}")  # noqa: S311 - a game, no secret
    at_s, occurrence = chance.uniform(*schedule.first_s), 0
    while True:
        yield Moment(round(at_s, 3), occurrence)
        lasts_s = chance.uniform(*schedule.lasts_s)
        if lasts_s:
            at_s += lasts_s
            yield Moment(round(at_s, 3), occurrence, ends=True)
        at_s += PAUSES[level] * chance.uniform(*schedule.pause_s)
        occurrence += 1

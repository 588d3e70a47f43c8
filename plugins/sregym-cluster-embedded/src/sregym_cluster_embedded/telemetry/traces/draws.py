"""Chance that keeps its shares: of the first n draws with share p, p * n hit, give or take one.

Requests are numbered. Whether request n is one of a share is found without looking at the others,
which is what makes a trace a function of its number, and counts of traces agree with counters.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from sregym_cluster_embedded.clock.jitter import mixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.clock import Seed
    from sregym_cluster_embedded.traffic.latency import Time

# Below this a share is nothing but rounding.
NEGLIGIBLE = 1e-9

_PARTS = 128
_EDGE = 1e-6
_NORMAL = NormalDist()


def hit(seed: Seed, purpose: tuple[object, ...], number: int, share: float) -> int | None:
    """Which of the hits draw `number` (from 0) is, counted from 0; None when it is a miss.

    Of each run of about 1 / share draws exactly one hits, at a place that is random.
    """
    if share >= 1 - NEGLIGIBLE:
        return number
    if share <= NEGLIGIBLE:
        return None
    run, place = _run(seed, purpose, number, share)
    return run if place == number else None


def _run(seed: Seed, purpose: tuple[object, ...], number: int, share: float) -> tuple[int, int]:
    """The run that a draw is in, and the number of the draw that hits in it."""
    run = math.floor(number * share + NEGLIGIBLE)
    first, after = _first(run, share), _first(run + 1, share)
    return run, first + int(seed.fraction(*purpose, "run", run) * (after - first))


def _first(run: int, share: float) -> int:
    return max(0, math.ceil(run / share - NEGLIGIBLE))


def choose(
    seed: Seed, purpose: tuple[object, ...], number: int, shares: Sequence[float]
) -> tuple[int, int]:
    """Which of several draw `number` falls to, and which of that one's draws it is.

    The shares need not make 1: they are taken relative to their sum, which must be positive.
    """
    left = sum(shares)
    last = max(index for index, share in enumerate(shares) if share > 0)
    for index, share in enumerate(shares[:last]):
        if share <= 0:
            continue
        found = hit(seed, (*purpose, index), number, share / left)
        if found is not None:
            return index, found
        number -= _before(seed, (*purpose, index), number, share / left)
        left -= share
    return last, number


def _before(seed: Seed, purpose: tuple[object, ...], number: int, share: float) -> int:
    """How many of the draws before `number`, which is a miss, hit."""
    if share <= NEGLIGIBLE:
        return 0
    run, place = _run(seed, purpose, number, share)
    return run + (place < number)


class Even:
    """Numbers in [0, 1) in no order that fill it evenly: 128 after each other have one 128th each.

    Args:
        seed: Chance.
        purpose: What they are for.
    """

    def __init__(self, seed: Seed, purpose: tuple[object, ...]) -> None:
        self._key = int(seed.fraction(*purpose) * 2**56)

    def level(self, number: int) -> float:
        """The one of a number."""
        block, place = divmod(number, _PARTS)
        shuffle = mixed(self._key + block)
        for turn in range(3):
            # Each step can be undone, so that no two places become one.
            place = (place * (shuffle >> 8 * turn | 1) + (shuffle >> 32 + 8 * turn)) % _PARTS
            place ^= place >> 3
        return (place + mixed(self._key ^ number << 1) / 2**64) / _PARTS

    def score(self, number: int) -> float:
        """The same as a standard normal number."""
        return _NORMAL.inv_cdf(min(max(self.level(number), _EDGE), 1 - _EDGE))


def level_of(time: Time, ms: float) -> float:
    """The fraction of requests that take less than `ms`."""
    return _NORMAL.cdf(score_of(time, ms)) if ms > 0 else 0.0


def score_of(time: Time, ms: float) -> float:
    """Where a time stands on its log-normal distribution, as a standard normal number."""
    if time.mean_ms <= 0 or ms <= 0:
        return 0.0
    spread = math.log(1 + time.variance / time.mean_ms**2)
    if spread <= 0:
        return 0.0
    return (math.log(ms) - math.log(time.mean_ms) + spread / 2) / math.sqrt(spread)


def score(seed: Seed, *purpose: object) -> float:
    """A standard normal number."""
    return _NORMAL.inv_cdf(min(max(seed.fraction(*purpose), _EDGE), 1 - _EDGE))


def tail_score(level: float, beyond: float) -> float:
    """A standard normal number of the upper tail whose share is `beyond`."""
    return _NORMAL.inv_cdf(min(max(1 - beyond * (1 - level), _EDGE), 1 - _EDGE))


def sample(time: Time, at: float) -> float:
    """The time in ms that has the standard normal number `at` on its log-normal distribution."""
    if time.mean_ms <= 0:
        return 0.0
    spread = math.log(1 + time.variance / time.mean_ms**2)
    return math.exp(math.log(time.mean_ms) - spread / 2 + at * math.sqrt(spread))

"""Small irregularities of what is measured: nothing in a real machine stays exactly where it is.

A deviation is a function of what it is of and of the moment: the same whoever asks, in which order
and on which copy of a world. It does not depend on the world's seed, since a fork that goes on with
another one has the same past; names of pods are chance enough.
"""

from __future__ import annotations

from sregym_cluster_embedded.clock.seed import Seed

_SIZE = 1024
_MASK = 2**64 - 1


def mixed(number: int) -> int:
    """A number of 64 bits that looks like chance (the finaliser of splitmix64)."""
    number = (number + 1) * 0x9E3779B97F4A7C15 & _MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


# Numbers in [-1, 1) without order; what deviates goes through them from a place of its own.
LEVELS = tuple(mixed(index) / 2**63 - 1 for index in range(_SIZE))


def place(*purpose: object) -> float:
    """Where the deviations of something begin, in [0, 1024)."""
    return Seed(0).fraction("unrest", *purpose) * _SIZE


def drift(begin: float, second: float, period_s: float) -> float:
    """A deviation in [-1, 1) that goes from one level to the next within each period."""
    at = second / period_s + begin
    step = int(at)
    level = LEVELS[step % _SIZE]
    return level + (LEVELS[(step + 1) % _SIZE] - level) * (at - step)


def level(begin: float) -> float:
    """A deviation in [-1, 1) that stays."""
    return LEVELS[int(begin)]

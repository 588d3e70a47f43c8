"""Quantiles of a finite number of requests: they scatter about those of the distribution.

The k-th smallest of n independent draws stands at a level that is k spacings of n + 1 along, and
spacings are exponential. Sums of many of them are drawn at once, so that the price does not depend
on n. What is drawn depends on what it is for alone: a fork has the same past, whatever its seed.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from sregym_cluster_embedded.clock.jitter import mixed
from sregym_cluster_embedded.clock.seed import Seed
from sregym_cluster_embedded.telemetry.traces.draws import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.traffic.latency import Time

_NORMAL = NormalDist()
_EDGE = 1e-9
# So many are drawn one by one.
_FEW = 16


class Sampled:
    """Quantiles of requests, batch by batch.

    Args:
        purpose: What the requests are for; other ones scatter otherwise.
    """

    def __init__(self, *purpose: object) -> None:
        self._key = int(Seed(0).fraction("quantiles", *purpose) * 2**56)

    def quantiles(
        self, time: Time, batch: int, count: int, levels: Sequence[float]
    ) -> tuple[float, ...]:
        """The times in ms that fractions of the requests of a batch do not exceed.

        Args:
            time: How long requests take.
            batch: Its number.
            count: Of its requests, at least 1.
            levels: The fractions, ascending.
        """
        ranks = [min(count, max(1, math.ceil(count * level - _EDGE))) for level in levels]
        key = mixed(self._key ^ batch)
        sums, reached, before = [], 0.0, 0
        for number, rank in enumerate((*ranks, count + 1)):
            if rank > before:
                reached += _gamma(rank - before, key + number * _FEW)
            sums.append(reached)
            before = rank
        return tuple(sample(time, _score(one / reached)) for one in sums[:-1])


def _gamma(shape: int, key: int) -> float:
    """A sum of so many exponential draws; of many, as Wilson and Hilferty approximate it."""
    if shape <= _FEW:
        draws = (mixed(key + number) / 2**64 for number in range(shape))
        return -sum(math.log(max(draw, _EDGE)) for draw in draws)
    score = _score(mixed(key) / 2**64)
    return float(shape * (1 - 1 / (9 * shape) + score / (3 * math.sqrt(shape))) ** 3)


def _score(level: float) -> float:
    return _NORMAL.inv_cdf(min(max(level, _EDGE), 1 - _EDGE))

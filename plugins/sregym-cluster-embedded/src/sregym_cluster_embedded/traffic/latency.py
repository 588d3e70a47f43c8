"""Times of requests as distributions: queueing, sums, quantiles."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.outcomes import Path

# Quantile -> that of the standard normal distribution.
_NORMAL = {
    0.5: 0.0,
    0.75: 0.6744898,
    0.9: 1.2815516,
    0.95: 1.6448536,
    0.99: 2.3263479,
    0.999: 3.0902323,
}

# TCP sends a lost packet again after this time, and after twice the time whenever it is lost again.
_RETRY_MS = 200.0
_MOST_RETRIES = 15

# What a request and its answer weigh together where a link is narrow.
_EXCHANGE_KBIT = 64.0


class Time(NamedTuple):
    """A positive time with its mean and variance, in milliseconds; log-normal where it matters."""

    mean_ms: float = 0.0
    variance: float = 0.0

    def then(self, other: Time, share: float = 1.0) -> Time:
        """This time followed by another that is spent with probability `share`."""
        return Time(*followed(*self, *other, share))

    def quantile(self, level: float) -> float:
        """The time that a fraction `level` of requests does not exceed."""
        if self.mean_ms <= 0:
            return 0.0
        sigma2 = math.log(1 + self.variance / self.mean_ms**2)
        return math.exp(math.log(self.mean_ms) - sigma2 / 2 + _NORMAL[level] * math.sqrt(sigma2))

    def beyond(self, limit_ms: float) -> float:
        """The fraction of requests that take longer than `limit_ms`."""
        return share_beyond(self.mean_ms, self.variance, limit_ms)


def followed(
    mean_ms: float, variance: float, other_ms: float, spread: float, share: float
) -> tuple[float, float]:
    """Mean and variance of a time followed by another that is spent with probability `share`."""
    if share == 1.0:
        return mean_ms + other_ms, variance + spread
    mean = share * other_ms
    square = share * (spread + other_ms**2)
    return mean_ms + mean, variance + max(0.0, square - mean**2)


def far_below(mean_ms: float, squared_spread: float, limit_ms: float) -> bool:
    """Whether a limit is at least six deviations off, where no logarithm needs to be asked.

    Args:
        mean_ms: Mean of the time.
        squared_spread: Its variance as a fraction of the square of the mean.
        limit_ms: The limit. Six deviations above a log-normal time of spread 1 stands about 105
            times its mean; below that the bound is a parabola over the squared spread.
    """
    bound = 4 + squared_spread * (35 + 66 * squared_spread)
    return squared_spread <= 1 and limit_ms > bound * mean_ms


def share_beyond(mean_ms: float, variance: float, limit_ms: float) -> float:
    """The fraction of a time with this mean and variance that exceeds `limit_ms`."""
    if mean_ms <= 0:
        return 0.0
    square = mean_ms * mean_ms
    if far_below(mean_ms, variance / square, limit_ms):
        return 0.0
    sigma2 = math.log(1 + variance / square)
    if sigma2 <= 0:
        return float(mean_ms > limit_ms)
    centre = math.log(mean_ms) - sigma2 / 2
    share = 0.5 * math.erfc((math.log(limit_ms) - centre) / math.sqrt(2 * sigma2))
    return share if share > 1e-9 else 0.0


def within(mean_ms: float, variance: float, limit_ms: float) -> tuple[float, float]:
    """Mean and variance of those times that do not exceed `limit_ms`."""
    sigma2 = math.log(1 + variance / (mean_ms * mean_ms))
    if sigma2 <= 0:
        return min(mean_ms, limit_ms), 0.0
    sigma = math.sqrt(sigma2)
    reach = (math.log(limit_ms) - math.log(mean_ms) + sigma2 / 2) / sigma
    base = math.erfc(-reach / math.sqrt(2))
    if base < 1e-9:
        return limit_ms, 0.0
    first = math.erfc((sigma - reach) / math.sqrt(2)) / base
    second = math.erfc((2 * sigma - reach) / math.sqrt(2)) / base
    mean = min(limit_ms, mean_ms * first)
    return mean, max(0.0, (variance + mean_ms * mean_ms) * second - mean * mean)


@lru_cache(maxsize=256)
def network_time(path: Path) -> Time:
    """The time that one request and its answer spend on their way."""
    mean, variance = path.latency_ms, path.jitter_ms**2
    if path.bandwidth_mbit:
        mean += _EXCHANGE_KBIT / path.bandwidth_mbit
    if path.loss:
        lost, square, chance = 0.0, 0.0, 1 - path.loss
        for retries in range(1, _MOST_RETRIES):
            chance *= path.loss
            delay = _RETRY_MS * (2**retries - 1)
            lost += chance * delay
            square += chance * delay**2
        mean += lost
        variance += square - lost**2
    return Time(mean, variance)


def timed_out_share(path: Path, limit_ms: float) -> float:
    """The fraction of requests whose packets are lost so often that a caller's timeout ends the attempt."""
    if not path.loss:
        return 0.0
    left = limit_ms - path.latency_ms
    retries = int(math.log2(max(left, 0.0) / _RETRY_MS + 1)) if left > 0 else 0
    return path.loss ** (retries + 1)

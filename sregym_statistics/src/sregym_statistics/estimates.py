"""Estimates with intervals: of single rates, and of means over problems."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

CONFIDENCE = 0.95
RESAMPLES = 2000
# Intervals are the same each time that a report is written.
SEED = 20240


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value: The estimate; None where there is nothing to estimate it from.
        low: Lower end of the interval.
        high: Upper end of the interval.
        n: From how many episodes, or problems where problems are what is drawn.
        count: Of a rate, how many of them are successes.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    count: int | None = None


NOTHING = Estimate(None, None, None, 0)


def rate(outcomes: Iterable[bool | None], confidence: float = CONFIDENCE) -> Estimate:
    """A rate of successes with Wilson's score interval; None counts for nothing.

    Args:
        outcomes: One for each episode.
        confidence: Of the interval.
    """
    known = [one for one in outcomes if one is not None]
    if not known:
        return Estimate(None, None, None, 0, 0)
    count = sum(known)
    low, high = _wilson(count, len(known), confidence)
    return Estimate(count / len(known), low, high, len(known), count)


def _wilson(count: int, n: int, confidence: float) -> tuple[float, float]:
    """Bounds of Wilson's interval, bit for bit those of `proportion_confint` of statsmodels.

    That takes a second to import, which every report would wait for.
    """
    from scipy.special import ndtri

    z = -float(ndtri((1 - confidence) / 2))
    share, squared = count / n, z**2
    scale = 1 + squared / n
    center = (share + squared / (2 * n)) / scale
    distance = z * math.sqrt(share * (1.0 - share) / n + squared / (4.0 * n**2)) / scale
    return max(0.0, center - distance), min(1.0, center + distance)


def over_problems(
    values: Iterable[tuple[Hashable, float | bool | None]], confidence: float = CONFIDENCE
) -> Estimate:
    """The mean of the problems' means, with a bootstrap interval over problems.

    Episodes of one problem are no independent trials; what is drawn anew is therefore the problem.
    With a single problem there is a value and no interval.

    Args:
        values: Pairs of a problem and a value; None counts for nothing.
        confidence: Of the interval.
    """
    means = list(_means(values).values())
    return mean_of(means, confidence)


def mean_of(means: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The mean of values that are independent, with a bootstrap interval (percentiles)."""
    if not means:
        return NOTHING
    import numpy as np

    sample = np.asarray(means, dtype=float)
    value = float(sample.mean())
    if len(sample) < 2:
        return Estimate(value, None, None, len(sample))
    if np.ptp(sample) == 0.0:  # all draws are equal
        return Estimate(value, value, value, len(sample))
    from scipy.stats import bootstrap

    drawn = bootstrap(
        (sample,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=500,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Estimate(value, float(drawn.low), float(drawn.high), len(sample))


def pass_at_k(
    outcomes: Iterable[tuple[Hashable, bool | None]], k: int, confidence: float = CONFIDENCE
) -> Estimate:
    """Probability that at least one of k attempts at a problem passes.

    The unbiased estimate from n attempts with c passes, 1 - C(n-c, k) / C(n, k), averaged over the
    problems with at least k attempts.
    """
    from scipy.special import comb

    values = [1.0 - comb(n - c, k) / comb(n, k) for n, c in _tallies(outcomes) if n >= k]
    return mean_of([float(value) for value in values], confidence)


def pass_hat_k(
    outcomes: Iterable[tuple[Hashable, bool | None]], k: int, confidence: float = CONFIDENCE
) -> Estimate:
    """Probability that all of k attempts at a problem pass: C(c, k) / C(n, k), over problems."""
    from scipy.special import comb

    values = [comb(c, k) / comb(n, k) for n, c in _tallies(outcomes) if n >= k]
    return mean_of([float(value) for value in values], confidence)


def _means(values: Iterable[tuple[Hashable, float | bool | None]]) -> Mapping[Hashable, float]:
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for group, value in values:
        if value is not None:
            groups[group].append(float(value))
    return {group: sum(found) / len(found) for group, found in groups.items()}


def _tallies(outcomes: Iterable[tuple[Hashable, bool | None]]) -> list[tuple[int, int]]:
    """Attempts and passes of each problem."""
    groups: dict[Hashable, list[bool]] = defaultdict(list)
    for group, outcome in outcomes:
        if outcome is not None:
            groups[group].append(outcome)
    return [(len(found), sum(found)) for found in groups.values()]

"""Histograms of what takes about as long each time: its time is no state of the cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.exposition import BEGINNING, FOREVER, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs

# Standard deviation of the logarithm of what is observed.
_SPREAD = 0.6


def spread_rows(
    sample: str,
    labels: Pairs,
    counted: Callable[[Floats], Floats],
    mean: float,
    bounds: Sequence[float],
    since: float = BEGINNING,
    until: float = FOREVER,
) -> Iterator[Row]:
    """The rows of a histogram whose observations are spread log-normally about a mean.

    Args:
        sample: Which of its samples: `_bucket`, `_sum` or `_count` at its end.
        labels: Besides `le`.
        counted: How many observations there were.
        mean: Of them.
        bounds: Upper bounds of the buckets, ascending, without infinity.
        since: From when on there are rows.
        until: Up to when.
    """
    if sample.endswith("_count"):
        yield Row(labels, counted, since, until)
    elif sample.endswith("_sum"):
        yield Row(labels, lambda seconds: counted(seconds) * mean, since, until)
    else:
        for bound in bounds:
            value = _Below(counted, _share(mean, bound))
            yield Row((*labels, ("le", f"{bound:g}")), value, since, until)
        yield Row((*labels, ("le", "+Inf")), counted, since, until)


def changing_rows(
    sample: str,
    labels: Pairs,
    counted: Callable[[Floats], Floats],
    means: Sequence[tuple[float, float]],
    bounds: Sequence[float],
    since: float = BEGINNING,
    until: float = FOREVER,
) -> Iterator[Row]:
    """The same where the mean is another one from certain moments on.

    Args:
        sample: As above, like all that is not told here.
        labels: Besides `le`.
        counted: How many observations there were.
        means: From when on which; ascending, the first from the beginning.
        bounds: Upper bounds of the buckets.
        since: From when on there are rows.
        until: Up to when.
    """
    if len(means) == 1 or sample.endswith("_count"):
        yield from spread_rows(sample, labels, counted, means[0][1], bounds, since, until)
    elif sample.endswith("_sum"):
        yield Row(labels, _Weighed(counted, means), since, until)
    else:
        for bound in bounds:
            shares = [(start, _share(mean, bound)) for start, mean in means]
            value = _Whole(_Weighed(counted, shares))
            yield Row((*labels, ("le", f"{bound:g}")), value, since, until)
        yield Row((*labels, ("le", "+Inf")), counted, since, until)


class _Weighed:
    """Observations, each with the weight that it has at its moment."""

    def __init__(
        self, counted: Callable[[Floats], Floats], weights: Sequence[tuple[float, float]]
    ) -> None:
        self._counted = counted
        self._starts = np.array([start for start, _ in weights])
        self._weights = np.array([weight for _, weight in weights])
        self._at = counted(self._starts)
        self._at[0] = 0.0
        self._before = np.concatenate(([0.0], (np.diff(self._at) * self._weights[:-1]).cumsum()))

    def __call__(self, seconds: Floats) -> Floats:
        index = np.maximum(self._starts.searchsorted(seconds, side="right") - 1, 0)
        grown = (self._counted(seconds) - self._at[index]) * self._weights[index]
        found: Floats = self._before[index] + grown
        return found


class _Whole:
    """Whole numbers of them."""

    def __init__(self, value: Callable[[Floats], Floats]) -> None:
        self._value = value

    def __call__(self, seconds: Floats) -> Floats:
        found: Floats = np.floor(self._value(seconds) + 0.5)
        return found


def _share(mean: float, bound: float) -> float:
    """The fraction of observations that is not above a bound."""
    if bound <= 0:
        return 0.0
    distance = math.log(bound / mean) + _SPREAD**2 / 2
    return 0.5 * math.erfc(-distance / (_SPREAD * math.sqrt(2)))


class _Below:
    """How many observations were not above a bound."""

    def __init__(self, counted: Callable[[Floats], Floats], share: float) -> None:
        self._counted, self._share = counted, share

    def __call__(self, seconds: Floats) -> Floats:
        found: Floats = np.floor(self._counted(seconds) * self._share + 0.5)
        return found

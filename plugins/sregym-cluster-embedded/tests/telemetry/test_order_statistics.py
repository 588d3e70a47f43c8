"""Quantiles of few requests scatter far, those of many little, about those of the distribution."""

from __future__ import annotations

import math
from statistics import NormalDist, fmean, pvariance

import pytest
from sregym_cluster_embedded.telemetry.order_statistics import Sampled
from sregym_cluster_embedded.traffic.latency import Time

LEVELS = (0.5, 0.9, 0.99)
# Log-normal with a median of 1 ms and a deviation of the logarithm of 1.
TIME = Time(math.exp(0.5), math.e * (math.e - 1))


def scores(level: int, count: int, batches: int = 2000) -> list[float]:
    sampled = Sampled("test")
    return [math.log(sampled.quantiles(TIME, n, count, LEVELS)[level]) for n in range(batches)]


@pytest.mark.parametrize("count", [1000, 20000])
@pytest.mark.parametrize(("place", "level"), [*enumerate(LEVELS)])
def test_many_requests_scatter_as_quantiles_do(place: int, level: float, count: int) -> None:
    found, normal = scores(place, count), NormalDist()
    centre = normal.inv_cdf(level)
    assert fmean(found) == pytest.approx(centre, abs=0.03)
    expected = level * (1 - level) / count / normal.pdf(centre) ** 2
    assert pvariance(found) == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize(("count", "mean", "variance"), [(1, 0.0, 1.0), (5, 1.16296, 0.4475)])
def test_of_few_requests_the_slowest_is_the_last(count: int, mean: float, variance: float) -> None:
    assert fmean(scores(2, count)) == pytest.approx(mean, abs=0.06)
    assert pvariance(scores(2, count)) == pytest.approx(variance, rel=0.15)
    assert scores(1, count) == scores(2, count)


def test_they_ascend_and_are_the_same_for_the_same_purpose() -> None:
    one, other = Sampled("shop", "buy"), Sampled("shop", "sell")
    for count in (1, 2, 7, 300):
        found = [one.quantiles(TIME, n, count, LEVELS) for n in range(100)]
        assert all(list(each) == sorted(each) for each in found)
        assert found == [
            Sampled("shop", "buy").quantiles(TIME, n, count, LEVELS) for n in range(100)
        ]
        assert found[0] != other.quantiles(TIME, 0, count, LEVELS)
    steady = Time(3.0, 0.0)
    assert one.quantiles(steady, 1, 9, LEVELS) == pytest.approx((3.0, 3.0, 3.0))

"""How long requests take is chance, and their histograms hold to what counters hold to."""

from __future__ import annotations

import numpy as np
import pytest
from sregym_cluster_embedded.telemetry.metrics.integrals import Outcomes, Parts, Sum, shares_within
from sregym_cluster_embedded.traffic.latency import Time

SHARES = np.array([[0.0, 0.003, 0.31, 0.5, 0.93, 0.991, 1.0]])


def counts(rate: float, seconds: np.ndarray, begin: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """The buckets of requests that come evenly (rows), and how many came."""
    outcomes = Outcomes([0.0], [rate], float("inf"), {"": [1.0]}, [((), ())])
    parts = Parts(outcomes, "", SHARES, begin)
    rows = np.array([parts.count(number, seconds) for number in range(SHARES.shape[1])])
    return rows, outcomes.count("", seconds)


@pytest.mark.parametrize("window_s", [15.0, 60.0])
@pytest.mark.parametrize("rate", [1.0, 7.3, 60.0, 900.0])
def test_counts_of_a_window_vary_as_independent_draws_do(rate: float, window_s: float) -> None:
    rows, _ = counts(rate, np.arange(0.0, 4096.0, window_s))
    grown, expected = np.diff(rows, axis=1), SHARES[0] * rate * window_s
    assert grown.mean(axis=1) == pytest.approx(expected, rel=0.05, abs=0.3)
    drawn = expected * (1 - SHARES[0])
    wide = drawn > 3
    assert wide.sum() >= 2
    # Windows are few: what is found scatters, too.
    assert grown.var(axis=1)[wide] == pytest.approx(drawn[wide], rel=0.6, abs=0.5)
    assert not grown[0].any()


@pytest.mark.parametrize("rate", [0.01, 0.4, 3.0, 250.0])
def test_buckets_never_go_back_and_none_has_more_than_the_next(rate: float) -> None:
    rows, came = counts(rate, np.arange(0.0, 9000.0, 0.7))
    grown = np.diff(np.vstack([rows, came]), axis=0)
    assert grown.min() == 0
    assert np.diff(rows, axis=1).min() == 0
    assert (rows == np.floor(rows)).all()
    assert (rows[-1] == came).all()


def test_a_histogram_has_chance_of_its_own() -> None:
    seconds = np.arange(0.0, 600.0, 15.0)
    one, other = counts(20.0, seconds)[0], counts(20.0, seconds, 0.7)[0]
    assert (one == counts(20.0, seconds)[0]).all()
    assert (one != other).any()


def test_what_follows_changes_nothing_of_what_was() -> None:
    before, seconds = [0.0, 100.0], np.arange(0.0, 250.0, 3.0)
    rows = []
    for more in ([], [260.0]):
        starts, size = [*before, *more], len(before) + len(more)
        outcomes = Outcomes(
            starts, [20.0, 3.0, 90.0][:size], 1e9, {"": [1.0] * size}, [((), ())] * size
        )
        shares = np.array([[0.2, 0.7], [0.1, 0.95], [0.6, 0.6]])[:size]
        parts = Parts(outcomes, "", shares, 0.5)
        later = np.concatenate([seconds, 250.0 + seconds])
        rows.append(np.array([parts.count(number, later) for number in range(2)]))
        assert np.diff(rows[-1], axis=1).min() >= 0
    assert (rows[0][:, : len(seconds)] == rows[1][:, : len(seconds)]).all()


TIMES = (Time(12.0, 9.0), Time(40.0, 400.0), Time(7.0, 300.0))
BOUNDS = np.geomspace(0.05, 3000.0, 160)


def summed(rate: float, time: Time, seconds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum of requests that come evenly, and the same reckoned from many narrow buckets."""
    outcomes = Outcomes([0.0], [rate], float("inf"), {"": [1.0]}, [((), ())])
    parts = Parts(outcomes, "", shares_within([time], BOUNDS), 0.3)
    buckets = np.array([parts.count(number, seconds) for number in range(len(BOUNDS))])
    middles = np.sqrt(BOUNDS[:-1] * BOUNDS[1:])
    reckoned = middles @ np.diff(buckets, axis=0) + BOUNDS[0] * buckets[0]
    return Sum(outcomes, "", [time], 1.0, 0.3)(seconds), reckoned


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("rate", [1.0, 7.3, 60.0])
def test_sums_vary_as_those_of_independent_draws_and_are_those_of_the_buckets(
    rate: float, time: Time
) -> None:
    found, reckoned = summed(rate, time, np.arange(0.0, 4096.0, 30.0))
    grown, same = np.diff(found), np.diff(reckoned)
    assert grown.min() > 0
    assert grown.mean() == pytest.approx(rate * 30.0 * time.mean_ms, rel=0.03)
    assert grown.var() == pytest.approx(rate * 30.0 * time.variance, rel=0.6)
    # Slow requests of a window are in its upper buckets, and in its sum.
    assert np.corrcoef(grown, same)[0, 1] > 0.9


def test_a_sum_stands_still_while_no_request_comes_and_never_goes_back() -> None:
    seconds = np.arange(0.0, 400.0, 0.25)
    starts, rates, times = [0.0, 130.0, 260.0], [2.0, 0.3, 40.0], [*TIMES]
    outcomes = Outcomes(starts, rates, 1e9, {"": [1.0] * 3}, [((), ())] * 3)
    counted = np.diff(outcomes.count("", seconds))
    grown = np.diff(Sum(outcomes, "", times, 1000.0, 0.8)(seconds))
    assert grown.min() == 0.0
    assert ((grown > 0) <= (counted > 0)).all()


def test_what_takes_no_time_adds_nothing() -> None:
    outcomes = Outcomes([0.0], [5.0], 1e9, {"": [1.0]}, [((), ())])
    assert not Sum(outcomes, "", [Time()], 1.0, 0.8)(np.arange(0.0, 60.0)).any()

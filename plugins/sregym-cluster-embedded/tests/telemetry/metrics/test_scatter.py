"""How many requests take no longer than a bound is chance, and holds to what counters hold to."""

from __future__ import annotations

import numpy as np
import pytest
from sregym_cluster_embedded.telemetry.metrics.integrals import Outcomes, Parts

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

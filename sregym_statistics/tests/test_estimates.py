"""Figures against values from the literature, and against what can be counted by hand."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from sregym_statistics import Estimate, over_problems, pass_at_k, pass_hat_k, rate


def test_wilson_interval_as_newcombe_1998_prints_it() -> None:
    found = rate([True] * 81 + [False] * (263 - 81) + [None] * 5)
    assert (found.n, found.count) == (263, 81)
    assert (round(found.low or 0, 4), round(found.high or 0, 4)) == (0.2553, 0.3662)
    # No success at all has an interval, too.
    assert round(rate([False] * 20).high or 0, 4) == 0.1611
    assert rate([None]) == Estimate(None, None, None, 0, 0)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_wilson_interval_is_that_of_statsmodels_to_the_last_bit(confidence: float) -> None:
    for n in (1, 2, 3, 7, 20, 97, 1000):
        for count in {0, 1, n // 3, n // 2, n - 1, n}:
            told = proportion_confint(count, n, alpha=1 - confidence, method="wilson")
            found = rate([True] * count + [False] * (n - count), confidence)
            assert (found.low, found.high) == told


def test_problems_count_once_however_often_they_are_played() -> None:
    played = [("a", True)] * 9 + [("b", False)]
    found = over_problems(played)
    assert (found.value, found.low, found.high, found.n) == (0.5, 0.0, 1.0, 2)


def test_one_problem_has_no_interval() -> None:
    assert over_problems([("a", True), ("a", False)]) == Estimate(0.5, None, None, 1)
    assert over_problems([("a", 3.0), ("b", 3.0)]) == Estimate(3.0, 3.0, 3.0, 2)
    assert over_problems([("a", None)]) == Estimate(None, None, None, 0)


def test_more_problems_make_the_interval_narrower() -> None:
    few = over_problems([(i, i % 2 == 0) for i in range(10)])
    many = over_problems([(i, i % 2 == 0) for i in range(160)])
    assert few.low is not None
    assert few.high is not None
    assert many.low is not None
    assert many.high is not None
    assert 2.5 < (few.high - few.low) / (many.high - many.low) < 6.0  # a fourth, by the root law


def test_pass_at_k_and_pass_hat_k() -> None:
    # Two passes of four: a draw of two misses both in 1 of 6 cases, and hits both in 1 of 6.
    played = [("a", one) for one in (True, True, False, False)]
    assert pass_at_k(played, 2).value == pytest.approx(5 / 6)
    assert pass_hat_k(played, 2).value == pytest.approx(1 / 6)
    # What was not played four times says nothing of four attempts.
    assert pass_at_k([*played, ("b", True), ("b", None)], 4) == pass_at_k(played, 4)
    assert pass_at_k(played, 5) == Estimate(None, None, None, 0)

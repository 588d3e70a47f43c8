"""Two groups beside each other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sregym_statistics import EpisodeFacts, attempts_needed, compare, pairwise

Make = Callable[..., EpisodeFacts]


def test_signs_of_six_problems(episode: Make) -> None:
    a = [episode(f"p{i}", "a", False, False) for i in range(6)]
    b = [episode(f"p{i}", "b", True, True, tokens=100) for i in range(6)]
    found = compare(a, b)
    assert found["e2e"].difference == 1.0
    # All signs equal: 2 of the 64 assignments are as extreme.
    assert found["e2e"].p == pytest.approx(2 / 64)
    assert (found["ttd_s"].a, found["ttd_s"].b, found["ttd_s"].p) == (None, 60.0, None)
    assert (found["tokens"].a, found["tokens"].b, found["tokens"].problems) == (None, 100.0, 0)


def test_only_what_both_have_played_counts(episode: Make) -> None:
    a = [episode("easy", "a", True, True), episode("hard", "a", False, False)]
    b = [episode("easy", "b", True, True)]
    found = compare(a, b)["e2e"]
    assert (found.a, found.b, found.difference, found.p, found.problems) == (1.0, 1.0, 0.0, None, 1)


def test_undecided_and_errors_count_for_nobody(episode: Make) -> None:
    a = [episode("p", "a", None, True), episode("p", "a", True, True)]
    b = [episode("p", "b", False, True)]
    assert compare(a, b)["diagnosis"].difference == -1.0
    assert compare(a[:1], b)["diagnosis"].problems == 0
    assert compare(a[:1], b)["mitigation"].problems == 1


def test_repeating_an_episode_makes_nothing_significant(episode: Make) -> None:
    """Fifty seeds of one problem are no fifty problems."""
    a = [episode("p", "a", False, False, seed=seed) for seed in range(50)]
    b = [episode("p", "b", True, True, seed=seed) for seed in range(50)]
    assert (compare(a, b)["e2e"].p, compare(a, b)["e2e"].low) == (None, None)


def test_pairs_are_corrected_for_their_number(episode: Make) -> None:
    facts = [episode(f"p{i}", "none", False, False) for i in range(8)]
    facts += [episode(f"p{i}", "half", i % 2 == 0, True) for i in range(8)]
    facts += [episode(f"p{i}", "all", True, True) for i in range(8)]
    found = pairwise(facts, "e2e")
    assert list(found) == [("all", "half"), ("all", "none"), ("half", "none")]
    best = found["all", "none"]
    assert best.p == pytest.approx(2 / 256)
    assert best.adjusted == pytest.approx(3 * 2 / 256)  # Holm: the smallest times the number
    assert all((one.adjusted or 0) >= (one.p or 0) for one in found.values())


def test_five_points_need_many_attempts(episode: Make) -> None:
    facts = [episode(f"p{i}", "a", i % 2 == 0, True, seed=s) for i in range(20) for s in range(2)]
    needed = attempts_needed(facts, 0.05)
    # A textbook example: 0.50 against 0.55 at 80 % takes some 1,565 in each group.
    assert 1550 <= needed.unpaired <= 1580
    assert needed.paired < needed.unpaired
    assert needed.problems == 20
    assert needed.attempts == -(-needed.paired // 20)
    assert needed.detectable is not None
    assert 0.05 < needed.detectable < 0.5
    assert attempts_needed(facts, 0.2).unpaired < needed.unpaired / 10

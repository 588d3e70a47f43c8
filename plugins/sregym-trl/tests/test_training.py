"""The tiny policy: its mathematics, its episodes, and that it beats `random`."""

from __future__ import annotations

import numpy as np
import pytest
from sregym_rollouts import RolloutTask
from sregym_trl.policy import Policy, Trace
from sregym_trl.training import Point, Training

PROBLEM = "wrong_service_selector_hotel_reservation"


def test_only_free_moves_are_chosen_and_they_share_one() -> None:
    policy = Policy(3, words=8)
    seen = policy.features(["no endpoints"], [1])
    shares = policy.shares(seen, np.array([True, False, True]))
    assert shares.tolist() == [0.5, 0.0, 0.5]
    assert seen[8:].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert np.linalg.norm(seen[:8]) == pytest.approx(1.0)


def test_what_earned_more_than_its_group_becomes_likelier() -> None:
    """Groups of which all earn the same teach nothing, whatever they earn."""
    policy = Policy(2, words=8, entropy=0.0)
    seen, free = policy.features([], []), np.array([True, True])

    def trace(group: str, move: int, reward: float) -> Trace:
        return Trace(group, [seen], [free], [move], reward)

    policy.learn([trace("easy", 1, 1.0), trace("easy", 1, 1.0)])
    assert policy.shares(seen, free).tolist() == [0.5, 0.5]
    policy.learn([trace("a", 0, 1.0), trace("a", 1, 0.0)])
    assert policy.shares(seen, free)[0] > 0.5


def test_an_episode_makes_each_move_once_and_is_graded() -> None:
    training = Training([PROBLEM], worlds=1, batch=2)
    assert len(training.moves) == len(set(training.moves)) == 7
    trace, passed = training.episode(RolloutTask(PROBLEM, 1))
    assert len(set(trace.chosen)) == len(trace.chosen)
    assert trace.reward in (0.0, 0.5, 1.0)
    assert passed == (trace.reward == 1.0)
    [point] = training.run(2)
    assert isinstance(point, Point)
    assert (point.episodes, training.policy.weights.any()) in ((2, True), (2, False))


@pytest.mark.thorough
def test_the_policy_beats_random_on_three_problems() -> None:
    training = Training(worlds=2)
    *_, last = training.run(480)
    assert last.reward > 0.5
    seeds = range(1001, 1006)
    trained, random = training.solved(seeds), training.solved_by("random", seeds)
    assert {name: trained[name] > random[name] for name in trained} == dict.fromkeys(trained, True)

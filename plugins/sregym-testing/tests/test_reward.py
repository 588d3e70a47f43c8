"""The reward contract accepts a good reward and finds each kind of bad one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import Reward, RewardFacts
from sregym_core.model import Outcome, ToolCall
from sregym_testing import RewardContract


class Good(Reward):
    """Passes, less a little for each call."""

    name = "thrift"
    low = -0.1
    high = 1.0
    accepts: ClassVar[Mapping[str, float]] = {"step": 0.001}

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        solved = float(facts.record.outcome is Outcome.PASS)
        return {"solved": solved, "steps": self.so_far(facts.record.transcript)}

    def so_far(self, calls: Sequence[ToolCall]) -> float:
        return -min(0.1, self.weights["step"] * len(calls))


class Boundless(Good):
    def so_far(self, calls: Sequence[ToolCall]) -> float:
        return -self.weights["step"] * len(calls)


class PaysForLooking(Good):
    high = 2.0

    def so_far(self, calls: Sequence[ToolCall]) -> float:
        return min(1.0, self.weights["step"] * 100 * len(calls))


class PaysForNames(Good):
    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        diagnosis = facts.record.diagnosis
        score = 0.0 if diagnosis is None else diagnosis.verdict.score
        return {
            **super().terms(facts),
            "names": 0.01 * score * (1 - super().terms(facts)["solved"]),
        }


class Remembers(Good):
    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self.seen = 0

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        self.seen += 1
        return {**super().terms(facts), "tired": -1e-6 * self.seen}


class PaysForComing(Good):
    def so_far(self, calls: Sequence[ToolCall]) -> float:
        return 0.01 + super().so_far(calls)


class TellsTheVerdict(Good):
    def so_far(self, calls: Sequence[ToolCall]) -> float:
        right = any("cart" in str(call.arguments.get("text")) for call in calls)
        return super().so_far(calls) + 0.01 * right


class TakesAnything(Good):
    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__({k: v for k, v in (options or {}).items() if k in self.accepts})


BAD: dict[str, type[Reward]] = {
    "test_it_is_a_finite_number_within_its_bounds": Boundless,
    "test_whoever_solves_has_more_than_whoever_does_not": PaysForLooking,
    "test_the_score_of_a_failed_diagnosis_earns_nothing": PaysForNames,
    "test_the_same_episode_has_the_same_reward": Remembers,
    "test_what_is_told_on_the_way_follows_from_the_calls": PaysForComing,
    "test_submissions_are_not_told_apart_on_the_way": TellsTheVerdict,
    "test_an_option_that_it_does_not_have_is_refused": TakesAnything,
}


class TestGoodReward(RewardContract):
    @pytest.fixture
    def reward(self) -> Reward:
        return Good()


@pytest.mark.parametrize("check", BAD)
def test_bad_reward_is_found(check, run_check) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_check(RewardContract, check, reward=BAD[check]())


def test_every_check_has_a_bad_reward(checks_of) -> None:
    assert set(BAD) == checks_of(RewardContract)


def test_weights_are_numbers() -> None:
    with pytest.raises(UsageError) as refused:
        Good({"step": "much"})
    assert str(refused.value) == "reward 'thrift', option 'step': a number is needed, not 'much'"

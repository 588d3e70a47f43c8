"""Contract tests for every reward."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import RewardFacts
from sregym_core.model import (
    Change,
    EpisodeRecord,
    GroundTruth,
    Outcome,
    RepairRecord,
    StageRecord,
    Tokens,
    ToolCall,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Reward

TRUTH = GroundTruth(
    component="cart",
    kind="Service",
    object_name="cart",
    namespace="shop",
    mechanism="wrong-port",
    changed=Change(what="spec.ports[0].targetPort", before="8080", after="8081"),
)
_LOOK = ToolCall(
    at_s=1.0,
    tool="kubectl",
    arguments={"command": "kubectl get service cart -n shop -o yaml"},
    output="name: cart, targetPort: 8081",
    digest="cart",
    exit_code=0,
)
_WRITE = ToolCall(
    at_s=2.0,
    tool="kubectl",
    arguments={"command": "kubectl delete pod cart-0 -n shop"},
    output='pod "cart-0" deleted',
    digest="deleted",
    exit_code=0,
)
_REFUSED = ToolCall(at_s=3.0, tool="nonsense", ok=False)
_VERDICTS = (Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED, None)
# How an agent may have gone about it, by name.
_CONDUCTS: Mapping[str, Sequence[ToolCall]] = {
    "nothing": (),
    "one look": (_LOOK,),
    "sixty looks": (_LOOK,) * 60,
    "writes at once": (_WRITE,) * 5,
    "thousands of refused calls": (_REFUSED,) * 3000,
}
_COSTS: Mapping[str, tuple[Tokens | None, RepairRecord | None]] = {
    "cheap": (None, None),
    "a billion tokens": (Tokens(prompt=10**9), None),
    "much harm": (
        None,
        RepairRecord(blast_radius=200, restarts=400, requests=9, failed_requests=9),
    ),
}


class RewardContract:
    """Override `reward`, which makes the reward under test with its default weights."""

    @pytest.fixture
    def reward(self) -> Reward:
        """The reward under test."""
        raise NotImplementedError("override the fixture `reward`")

    def test_it_is_a_finite_number_within_its_bounds(self, reward: Reward) -> None:
        """For whatever an agent did; bounds that say nothing are none."""
        assert -math.inf < reward.low < reward.high < math.inf
        wrong = {}
        for name, facts in _episodes().items():
            total = _total(reward, facts)
            if not reward.low - 1e-9 <= total <= reward.high + 1e-9:
                wrong[name] = total
        assert wrong == {}

    def test_whoever_solves_has_more_than_whoever_does_not(self, reward: Reward) -> None:
        """However cheaply and carefully one fails, and however dearly the other solves."""
        totals = {name: (_total(reward, facts), facts) for name, facts in _episodes().items()}
        solved = {n: t for n, (t, f) in totals.items() if f.record.outcome is Outcome.PASS}
        others = {n: t for n, (t, f) in totals.items() if f.record.outcome is not Outcome.PASS}
        least = min(solved, key=lambda name: solved[name])
        most = max(others, key=lambda name: others[name])
        assert solved[least] > others[most], f"{most} has as much as {least}, or more"

    def test_the_score_of_a_failed_diagnosis_earns_nothing(self, reward: Reward) -> None:
        """It rises with the names that occur in a text: an agent that names everything would profit from it."""
        poor, rich = (
            RewardFacts(_record(Outcome.FAIL, Outcome.FAIL, (_LOOK,), score=score), (TRUTH,))
            for score in (0.0, 0.9)
        )
        assert _total(reward, poor) == _total(reward, rich)

    def test_the_same_episode_has_the_same_reward(self, reward: Reward) -> None:
        """Also after others: one object serves many episodes."""
        episodes = _episodes()
        first = {name: dict(reward.terms(facts)) for name, facts in episodes.items()}
        again = {name: dict(reward.terms(facts)) for name, facts in reversed(episodes.items())}
        assert again == first

    def test_what_is_told_on_the_way_follows_from_the_calls(self, reward: Reward) -> None:
        """Nothing before the first call, and the same number for the same calls."""
        assert reward.so_far(()) == 0.0
        for calls in _CONDUCTS.values():
            told = reward.so_far(calls)
            assert math.isfinite(told)
            assert reward.so_far(list(calls)) == told

    def test_submissions_are_not_told_apart_on_the_way(self, reward: Reward) -> None:
        """What the harness alone knows of a submission, its verdict, comes at the end."""

        def told(text: str) -> float:
            arguments = {"stage": "diagnosis", "text": text}
            return reward.so_far((_LOOK, ToolCall(at_s=9.0, tool="submit", arguments=arguments)))

        assert told("The port of cart is wrong.") == told("It is the weather.")

    def test_an_option_that_it_does_not_have_is_refused(self, reward: Reward) -> None:
        """By name, with those that it has."""
        with pytest.raises(UsageError) as refused:
            type(reward)({"no-such-weight": "1"})
        has = f"it has: {', '.join(reward.accepts)}" if reward.accepts else "it has none"
        expected = f"reward {reward.name!r} has no option 'no-such-weight'; {has}"
        assert str(refused.value) == expected


def _episodes() -> dict[str, RewardFacts]:
    """Every pair of verdicts with every conduct and cost, by a name for each."""
    found = {}
    for diagnosis, mitigation, (conduct, calls), (cost, (tokens, repair)) in product(
        _VERDICTS, _VERDICTS, _CONDUCTS.items(), _COSTS.items()
    ):
        name = f"diagnosis {diagnosis}, mitigation {mitigation}, {conduct}, {cost}"
        record = _record(diagnosis, mitigation, calls, tokens=tokens, repair=repair)
        found[name] = RewardFacts(record, (TRUTH,))
    return found


def _record(
    diagnosis: Outcome | None,
    mitigation: Outcome | None,
    calls: Sequence[ToolCall],
    *,
    score: float = 0.5,
    tokens: Tokens | None = None,
    repair: RepairRecord | None = None,
) -> EpisodeRecord:
    solved = diagnosis is mitigation is Outcome.PASS
    return EpisodeRecord(
        episode="e0001",
        problem="cart-port",
        agent="someone",
        seed=7,
        cluster="memory",
        outcome=Outcome.PASS if solved else Outcome.FAIL,
        truths=(TRUTH,),
        diagnosis=_stage(diagnosis, score),
        mitigation=_stage(mitigation, score),
        repair=repair,
        steps=len(calls),
        tokens=tokens,
        transcript=tuple(calls),
    )


def _stage(outcome: Outcome | None, score: float) -> StageRecord | None:
    if outcome is None:
        return None
    given = 1.0 if outcome is Outcome.PASS else score
    verdict = Verdict(outcome=outcome, score=given)
    return StageRecord(text="The port of cart is wrong.", submitted_at_s=9.0, verdict=verdict)


def _total(reward: Reward, facts: RewardFacts) -> float:
    """As a record has it, but not held within the bounds: those have to be true by themselves."""
    total = sum(reward.terms(facts).values())
    assert math.isfinite(total)
    return total

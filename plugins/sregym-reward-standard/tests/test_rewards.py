"""Rewards of episodes, and that no attack pays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_core.api import Environment, EpisodeRecord, Session, Workspace, play
from sregym_core.errors import UsageError
from sregym_core.interfaces import RewardFacts
from sregym_core.model import Outcome, StageRecord, Tokens, ToolCall, Verdict
from sregym_core.settings import Settings
from sregym_kubernetes.attacks import CHEATS
from sregym_reward_standard.plain import OutcomeReward, StagesReward
from sregym_reward_standard.shaped import ShapedReward

PROBLEMS = (
    "missing_service_hotel_reservation",
    pytest.param("wrong_service_selector_hotel_reservation", marks=pytest.mark.thorough),
    pytest.param("misconfig_app_hotel_res", marks=pytest.mark.thorough),
)


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(Settings())


def record(diagnosis: str | None, mitigation: str | None, **fields: object) -> EpisodeRecord:
    def stage(outcome: str | None) -> StageRecord | None:
        if outcome is None:
            return None
        return StageRecord(verdict=Verdict(outcome=Outcome(outcome), score=0.9))

    both = (diagnosis, mitigation) == ("pass", "pass")
    return EpisodeRecord(
        episode="e1",
        problem="p",
        agent="a",
        seed=0,
        cluster="embedded",
        outcome=Outcome.PASS if both else Outcome.FAIL,
        diagnosis=stage(diagnosis),
        mitigation=stage(mitigation),
        **fields,
    )


@pytest.mark.parametrize(
    ("diagnosis", "mitigation", "outcome", "stages"),
    [
        ("pass", "pass", 1.0, 1.0),
        ("pass", "fail", 0.0, 0.2),
        ("fail", "pass", 0.0, 0.3),
        # What a judge gives besides, 0.9 here, counts for nothing.
        ("undecided", "fail", 0.0, 0.0),
        (None, None, 0.0, 0.0),
    ],
)
def test_verdicts(
    diagnosis: str | None, mitigation: str | None, outcome: float, stages: float
) -> None:
    facts = RewardFacts(record(diagnosis, mitigation), ())
    assert sum(OutcomeReward().terms(facts).values()) == outcome
    assert sum(StagesReward().terms(facts).values()) == pytest.approx(stages)


def test_costs_keep_within_their_bound() -> None:
    """Whoever solves has more than whoever does not, however long it takes."""
    calls = tuple(ToolCall(at_s=0.0, tool="nonsense", ok=False) for _ in range(5000))
    slow = record("pass", "pass", transcript=calls, tokens=Tokens(prompt=10**9))
    best_of_the_others = record("fail", "pass")
    reward = ShapedReward()
    terms = reward.terms(RewardFacts(slow, ()))
    costs = ("steps", "invalid", "repeated", "premature", "tokens")
    assert sum(terms[name] for name in costs) == pytest.approx(-0.2)
    other = reward.terms(RewardFacts(best_of_the_others, ()))
    assert sum(terms.values()) - 0.15 > sum(other.values())


def test_weights() -> None:
    reward = ShapedReward({"step": "0.5", "most_costs": "9"})
    calls = [ToolCall(at_s=0.0, tool="wait")] * 2
    assert reward.so_far(calls) == -1.0
    with pytest.raises(UsageError) as refused:
        ShapedReward({"steps": "1"})
    known = ", ".join(ShapedReward.accepts)
    assert str(refused.value) == f"reward 'shaped' has no option 'steps'; it has: {known}"
    with pytest.raises(UsageError) as refused:
        ShapedReward({"step": "much"})
    assert str(refused.value) == "reward 'shaped', option 'step': a number is needed, not 'much'"
    with pytest.raises(UsageError) as refused:
        OutcomeReward({"step": "1"})
    assert str(refused.value) == "reward 'outcome' has no option 'step'; it has none"


def test_observations_and_the_end_are_the_total(workspace: Workspace) -> None:
    with Environment(PROBLEMS[0], reward="shaped", workspace=workspace) as environment:
        environment.reset()
        seen = [
            environment.step("kubectl", command="get pods -n hotel-reservation"),
            environment.step("kubectl", command="get pods -n hotel-reservation"),
            environment.call("nonsense", {}),
            environment.submit("It is the weather."),
        ]
        fork = environment.fork()
        forked = fork.submit("Nothing was done.")
        rest = environment.submit("Nothing was done.")
        done = environment.end()
        assert fork.end().reward == done.reward
    assert [one.reward for one in seen] == pytest.approx([-0.001, -0.001, -0.011, -0.001])
    assert forked.reward == rest.reward == pytest.approx(-0.001)
    assert done.reward is not None
    assert done.reward.name == "shaped"
    settled = sum(one.reward for one in (*seen, rest))
    at_the_end = ("diagnosis", "mitigation", "solved", "ungrounded", "harm", "tokens")
    others = sum(done.reward.terms[name] for name in at_the_end)
    assert done.reward.total == pytest.approx(settled + others)


def test_no_reward_where_none_was_asked_for(workspace: Workspace) -> None:
    assert play(PROBLEMS[0], "noop", workspace=workspace).reward is None


def attacks(workspace: Workspace, problem: str) -> dict[str, Callable[[Session], object]]:
    """The cheats of the proofs, and what a policy finds out that is rewarded for its looks."""
    found = workspace.problem(problem)
    everything = workspace.application(found.application).components()
    names = [name for ref in found.faults for name in ref.components]
    targets = tuple(part for part in everything if part.name in names)

    def cheating(name: str) -> Callable[[Session], object]:
        def act(session: Session) -> None:
            session.submit("Cheating.")
            CHEATS[name](session, targets, everything)
            session.submit("Done.")

        return act

    def name_everything(session: Session) -> None:
        for part in everything:
            session.kubectl(f"kubectl get service {part.name} -n {part.namespace} -o yaml")
        session.submit(" ".join(part.name for part in everything))
        session.submit("Done.")

    def look_and_look(session: Session) -> None:
        for _ in range(60):
            session.kubectl("kubectl get pods -A -o yaml")
        session.submit("All is well.")
        session.submit("Done.")

    def submit_again_and_again(session: Session) -> None:
        for _ in range(20):
            session.submit("The root cause was found and repaired.")

    own = (name_everything, look_and_look, submit_again_and_again)
    return {**{name: cheating(name) for name in CHEATS}, **{act.__name__: act for act in own}}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_attack_pays(workspace: Workspace, problem: str) -> None:
    """Each gets less than the honest expert, and no more than whoever does nothing at all."""

    def reward(agent: str | Callable[[Session], object]) -> float:
        done = play(problem, agent, reward="shaped", workspace=workspace)
        assert done.reward is not None, done.reason
        return done.reward.total

    def idle(session: Session) -> None:
        session.kubectl("kubectl get pods -A")
        session.submit("I do not know.")
        session.submit("Nothing was done.")

    honest, nothing = reward("expert"), reward(idle)
    told = {name: reward(act) for name, act in attacks(workspace, problem).items()}
    assert {name: got for name, got in told.items() if got > nothing or got > honest - 0.5} == {}
    assert nothing < honest - 0.5

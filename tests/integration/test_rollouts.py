"""Rollouts on a living world: text in, text and reward out."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest
from sregym_core.api import Budget, EpisodeOverError, EpisodeRecord, Outcome, Workspace, playing
from sregym_core.errors import UsageError
from sregym_core.settings import Settings
from sregym_rollouts import Rollouts, RolloutTask, outcome_reward, rollout_tasks

PROBLEM = "wrong_service_selector_hotel_reservation"
TASK = RolloutTask(PROBLEM, 7)


@pytest.fixture(scope="module")
def rollouts() -> Iterator[Rollouts]:
    with Rollouts(budget=Budget(steps=9), workspace=Workspace(Settings())) as made:
        yield made


def test_the_reference_earns_the_reward_and_a_fork_that_does_nothing_none(
    rollouts: Rollouts,
) -> None:
    rollout = rollouts.start(TASK)
    idle = rollout.fork()
    tools = rollout.description.tools
    assert tools == rollouts.tools()
    steps = [rollout.act(action.line(tools)) for action in rollouts.reference(TASK)]
    assert [(step.done, step.reward) for step in steps] == [(False, 0.0)] * 4 + [(True, 1.0)]
    result = steps[-1].result
    assert result is rollout.result is rollout.finish()
    assert (result.reward, result.outcome) == (1.0, "pass")
    assert result.metrics == {"diagnosis": 1.0, "mitigation": 1.0, "steps": 5.0, "seconds": 6.0}
    assert result.trajectory()["schema_version"] == "ATIF-v1.8"
    assert idle.finish().metrics == {"diagnosis": 0.0, "mitigation": 0.0, "steps": 0.0}
    assert idle.finish().reward == 0.0
    with pytest.raises(EpisodeOverError) as over:
        rollout.act("status")
    assert str(over.value) == (
        "call: the agent's part is over: the rollout was graded; end() or close() grades it"
    )
    rollout.drop()


def test_what_a_policy_is_told_needs_no_world(rollouts: Rollouts) -> None:
    rollout = rollouts.start(TASK)
    assert rollouts.instruction(TASK).strip() == rollout.instruction
    assert rollout.prompt.startswith(f"{rollout.instruction}\n\nEach answer of yours is one action")
    rollout.drop()


def test_a_used_up_budget_ends_and_grades(rollouts: Rollouts) -> None:
    rollout = rollouts.start(TASK)
    *_, last = [rollout.act("Hm.") for _ in range(10)]
    assert (last.text, last.done) == ("the budget of 9 tool calls is used up", True)
    assert last.result is not None
    assert last.result.record.steps == 9


def test_a_reward_of_ones_own_and_worlds_that_do_not_count(rollouts: Rollouts) -> None:
    seen: list[EpisodeRecord] = []

    def count(record: EpisodeRecord) -> float:
        seen.append(record)
        return 0.25

    mine = Rollouts(reward=count, workspace=rollouts.workspace)
    assert mine.start(TASK).finish().reward == 0.25
    [record] = seen
    worth = {
        outcome: outcome_reward(record.model_copy(update={"outcome": outcome}))
        for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.UNDECIDED)
    }
    assert worth == {
        Outcome.PASS: 1.0,
        Outcome.FAIL: 0.0,
        Outcome.ERROR: None,
        Outcome.UNDECIDED: None,
    }


def test_several_threads_take_turns(rollouts: Rollouts) -> None:
    def played(number: int) -> float | None:
        rollout = rollouts.start(TASK)
        rollout.act(f"kubectl create configmap n-{number} -n load")
        mine = rollout.act("kubectl get configmaps -n load -o name").text
        assert [f"n-{other}" in mine for other in range(4)] == [
            other == number for other in range(4)
        ]
        return rollout.finish().reward

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(played, range(4))) == [0.0] * 4


def test_tasks_are_problems_in_worlds(rollouts: Rollouts) -> None:
    place = rollouts.workspace
    found = rollout_tasks([PROBLEM, "revoke_auth_mongodb-1"], seeds=[0, 3], workspace=place)
    assert [task.id for task in found] == [
        f"{PROBLEM}@0",
        "revoke_auth_mongodb-1@0",
        f"{PROBLEM}@3",
        "revoke_auth_mongodb-1@3",
    ]
    assert [RolloutTask.named(task.id) for task in found] == list(found)
    assert RolloutTask.named("x") == RolloutTask("x", 0)
    assert len(rollout_tasks(suite="lite", workspace=place)) == 10
    assert deepcopy(rollouts) is rollouts


def test_a_task_without_a_reference_is_told(
    rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All problems that are listed have one; here `noop` stands for the agent that knows it."""
    real = playing.play
    monkeypatch.setattr(
        playing, "play", lambda problem, agent, **options: real(problem, "noop", **options)
    )
    with pytest.raises(UsageError) as error:
        rollouts.reference(TASK)
    assert str(error.value) == (
        f"task '{PROBLEM}@7': agent 'expert' did not solve it: diagnosis: score 0.00 (localisation "
        "0.00, characterisation 0.00, scope 0.00); essential and not met: component, origin, mechanism"
    )


def test_misuse_is_told(rollouts: Rollouts) -> None:
    with pytest.raises(UsageError) as no_seed:
        RolloutTask.named("x@y")
    assert str(no_seed.value) == "task 'x@y': PROBLEM@SEED is needed, with a whole number as seed"
    with pytest.raises(UsageError) as no_seeds:
        rollout_tasks([PROBLEM], seeds=[], workspace=rollouts.workspace)
    assert str(no_seeds.value) == (
        "rollout_tasks: no seeds were given; give at least one, e.g. seeds=[0]"
    )

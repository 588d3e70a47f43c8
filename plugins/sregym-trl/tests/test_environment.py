"""The environment as TRL uses it: reset with a row, methods as tools, rewards afterwards."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_core.model import Claims
from sregym_rollouts import Rollouts, RolloutTask
from sregym_trl import IncidentEnvironment, environment_factory, rows

PROBLEM = "wrong_service_selector_hotel_reservation"


@pytest.fixture(scope="module")
def rollouts() -> Iterator[Rollouts]:
    with Rollouts(budget=Budget(steps=20)) as made:
        yield made


def test_tools_of_a_model_are_the_public_methods() -> None:
    methods = inspect.getmembers(IncidentEnvironment, inspect.isfunction)
    public = [name for name, _ in methods if not name.startswith("_")]
    assert public == [
        *("alerts", "get_reward", "kubectl", "query_logs", "query_metrics", "reset"),
        *("search_traces", "submit", "wait"),
    ]
    for name, method in methods:
        for parameter in inspect.signature(method).parameters if name in public else ():
            # TRL makes the schema of the docstring.
            assert parameter == "self" or f"{parameter}: " in (method.__doc__ or "")


def test_episodes_of_a_batch_are_apart_and_earn_what_they_deserve(rollouts: Rollouts) -> None:
    make = environment_factory(rollouts)
    [row] = rows([PROBLEM], seeds=[7])
    assert row["task"] == f"{PROBLEM}@7"
    assert row["prompt"][0]["content"].startswith("You are the engineer on call")
    solving, idle, unused = make(), make(), make()
    solving.reset(**row)
    idle.reset(**row)
    assert solving.kubectl("get pods -n load") == idle.kubectl("get pods -n load")
    for action in rollouts.reference(RolloutTask(PROBLEM, 7)):
        getattr(solving, action.tool)(**action.arguments)
    assert solving.kubectl("get pods") == "The episode is over; nothing more can be done."
    assert [env.get_reward() for env in (solving, idle, unused)] == [1.0, 0.0, None]
    solving.reset(**row)
    assert solving.get_reward() == 0.0


def test_every_tool_reaches_the_incident(rollouts: Rollouts) -> None:
    env = IncidentEnvironment(rollouts)
    env.reset(task=f"{PROBLEM}@7")
    said = [
        env.query_metrics("vector(1)"),
        env.query_logs('{namespace="load"}'),
        env.search_traces("frontend"),
        env.alerts(),
        env.wait(5),
        env.submit("unknown"),
    ]
    assert all(said)
    assert said[-1] == "diagnosis received; mitigation comes next"


def test_a_diagnosis_may_be_told_in_fields_too(rollouts: Rollouts) -> None:
    env = IncidentEnvironment(rollouts)
    env.reset(task=f"{PROBLEM}@7")
    fields = {name: f"some {name}" for name in inspect.signature(env.submit).parameters}
    env.submit(**fields)
    del fields["text"]
    assert env._rollout is not None
    [call] = env._rollout.finish().record.transcript
    assert Claims.model_validate_json(call.arguments["claims"]) == Claims(**fields)
    assert set(fields) == {"component", "mechanism", "detail", "before", "after"}


def test_a_row_without_a_task_is_told(rollouts: Rollouts) -> None:
    with pytest.raises(UsageError) as error:
        IncidentEnvironment(rollouts).reset(prompt="x")
    assert str(error.value) == ("the data has no column 'task'; make it with sregym_trl.rows(...)")

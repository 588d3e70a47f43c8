"""The public environment on a cluster in memory: what it gives, and what it refuses in which words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from sregym_core.api import Environment as Plain
from sregym_core.api import (
    EnvironmentClosedError,
    EnvironmentUsageError,
    EpisodeOpenError,
    EpisodeOverError,
    NoEpisodeError,
    ToolArgumentError,
    UnknownToolError,
    Workspace,
    play,
)
from sregym_core.api.errors import CannotForkError
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import Agent, Budget, Cluster, ClusterSpec, FaultContext, Session
from sregym_core.model import Outcome
from sregym_testing import MemoryCluster, MemoryProvider

from .conftest import PROBLEM, Theatre, WrongCurrency, repair

FIX = str(WrongCurrency().reference_fix(None)[0])  # type: ignore[arg-type]  # needs no context
Make = Callable[..., Plain]


class Simulated(MemoryProvider):
    """Each cluster is a world of its own."""

    simulated: ClassVar[bool] = True


class Real(MemoryProvider):
    """Clusters that cannot be forked."""

    def provision(self, spec: ClusterSpec) -> Cluster:
        cluster = MemoryCluster()
        cluster.checkpoint = lambda: None  # type: ignore[method-assign,assignment,return-value]
        return cluster


@pytest.fixture
def workspace(theatre: Theatre) -> Workspace:
    theatre.components["clusters"] = [Simulated]
    return Workspace(factory=theatre.factory())


@pytest.fixture
def make(workspace: Workspace) -> Make:
    def environment(**options: Any) -> Plain:
        return Plain(PROBLEM, cluster="memory", workspace=workspace, **options)

    return environment


def test_an_episode_by_hand(make: Make) -> None:
    with make(seed=3) as env:
        task = env.reset()
        assert task.namespaces == ("shop",)
        assert task.submissions == ("diagnosis", "mitigation")
        assert task.alerts is None
        assert "engineer on call" in task.instruction
        kubectl = next(tool for tool in task.tools if tool["name"] == "kubectl")
        assert kubectl["parameters"]["required"] == ["command"]
        seen = env.step("wait", seconds=5)
        assert (seen.ok, seen.done) == (True, False)
        assert seen.at_s > 5
        assert not env.submit("The cart's currency is wrong.").done
        assert env.step("kubectl", command=FIX).ok
        assert env.submit("Done.").done
        record = env.close()
    assert (record.outcome, record.seed, record.agent, record.steps) == (
        Outcome.PASS,
        3,
        "environment",
        4,
    )
    assert env.record == record


def test_push_and_pull_are_the_same_conductor(make: Make, workspace: Workspace) -> None:
    with make(episode="one") as env:
        env.reset()
        env.act(repair)
        pulled = env.close()
    pushed = play(PROBLEM, repair, cluster="memory", workspace=workspace, episode="one")
    assert [e.event for e in pulled.timeline] == [e.event for e in pushed.timeline]
    assert (pushed.agent, pushed.outcome) == ("repair", Outcome.PASS)
    assert [c.arguments for c in pulled.transcript] == [c.arguments for c in pushed.transcript]


def test_what_an_agent_raises_stands_in_the_record(workspace: Workspace) -> None:
    def clumsy(session: Session) -> None:
        msg = "no idea"
        raise LookupError(msg)

    record = play(PROBLEM, clumsy, cluster="memory", workspace=workspace)
    assert record.outcome is Outcome.FAIL
    assert re.sub(r":\d+\)", ":N)", record.stopped) == (
        "the agent raised LookupError: no idea (function "
        "'test_what_an_agent_raises_stands_in_the_record.<locals>.clumsy', "
        "tests/core/conductor/test_environment.py:N)"
    )


def test_a_new_seed_begins_another_episode(make: Make) -> None:
    with make(seed=1) as env:
        env.reset()
        env.step("wait", seconds=1)
        env.reset(seed=2)
        assert env.seed == 2
        env.act(repair)
        assert env.end().seed == 2
        env.reset()
        env.act(repair)
        again = env.close()
    assert (again.seed, again.outcome, again.steps) == (2, Outcome.PASS, 3)


def refused(error: type[EnvironmentUsageError], act: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        act()
    assert isinstance(caught.value, EnvironmentUsageError)
    return str(caught.value)


def test_no_episode_is_open(make: Make) -> None:
    env = make()
    told = refused(NoEpisodeError, lambda: env.step("kubectl", command="get pods"))
    assert told == "step: no episode is open; call reset() first"
    assert refused(NoEpisodeError, env.end) == "end: no episode is open; call reset() first"
    assert refused(NoEpisodeError, env.close) == "close: no episode is open; call reset() first"


def test_an_episode_is_not_lost_by_mistake(make: Make) -> None:
    with make() as env:
        env.reset()
        assert refused(EpisodeOpenError, env.reset) == (
            "reset: an episode is open; end() grades it, close() grades it and ends the "
            "environment, reset(seed=...) gives it up and begins another"
        )


def test_what_is_closed_stays_closed(make: Make) -> None:
    env = make()
    env.reset()
    first = env.close()
    assert env.close() == first
    for name, act in {
        "reset": env.reset,
        "step": lambda: env.step("kubectl", command="get pods"),
        "submit": lambda: env.submit("x"),
        "fork": env.fork,
        "end": env.end,
    }.items():
        assert refused(EnvironmentClosedError, act) == (
            f"{name}: this environment is closed; make a new Environment to play another episode"
        )


def test_an_unknown_tool_and_its_arguments(make: Make) -> None:
    with make() as env:
        task = env.reset()
        names = ", ".join(sorted(tool["name"] for tool in task.tools))
        told = refused(UnknownToolError, lambda: env.step("kubectll", command="get pods"))
        assert told == f"step: no tool named 'kubectll'; did you mean 'kubectl'? There are: {names}"
        lacks = "argument 'command': missing"
        arguments: list[tuple[dict[str, Any], str]] = [
            ({}, lacks),
            ({"command": 3}, "argument 'command': must be text, not 3"),
            (
                {"command": "get pods", "namspace": "shop"},
                "argument 'namspace': unknown; there are: command, page, stdin",
            ),
            (
                {"comand": "get pods"},
                f"{lacks}; argument 'comand': unknown; did you mean 'command'?",
            ),
        ]
        for given, what in arguments:
            told = refused(ToolArgumentError, lambda given=given: env.step("kubectl", **given))
            assert told == f"step: kubectl: {what}"
        told = refused(ToolArgumentError, lambda: env.submit("x", {"culprit": "cart"}))
        assert told == (
            "submit: claims, field 'culprit': unknown; there are: affected, after, before, component, "
            "contributing, detail, evidence, kind, mechanism, namespace"
        )
        assert env.close().steps == 0


def test_a_model_s_wrong_call_is_an_observation(make: Make) -> None:
    with make() as env:
        env.reset()
        seen = env.call("kubectll", {"command": "get pods"})
        assert (seen.ok, seen.done) == (False, False)
        assert "kubectll" in seen.text
        assert env.close().steps == 1


def test_the_part_of_an_agent_is_over(make: Make) -> None:
    with make(budget=Budget(steps=1)) as env:
        env.reset()
        assert not env.step("kubectl", command="get pods -n shop").done
        last = env.step("kubectl", command="get pods -n shop")
        assert (last.text, last.ok, last.done) == (
            "the budget of 1 tool calls is used up",
            False,
            True,
        )
        told = refused(EpisodeOverError, lambda: env.step("wait", seconds=1))
        assert told == (
            "call: the agent's part is over: the budget of 1 tool calls is used up; "
            "end() or close() grades it"
        )
    with make() as env:
        env.reset()
        env.act(repair)
        assert refused(EpisodeOverError, lambda: env.submit("more")) == (
            "submit: the agent's part is over: everything was handed in; end() or close() grades it"
        )


def test_a_real_cluster_is_not_forked(theatre: Theatre) -> None:
    theatre.components["clusters"] = [Real]
    workspace = Workspace(factory=theatre.factory())
    with Plain(PROBLEM, cluster="memory", workspace=workspace) as env:
        env.reset()
        assert refused(CannotForkError, env.fork) == (
            "fork: an episode on cluster 'memory' cannot be forked here: only simulated clusters "
            "that no process outside is connected to can be"
        )


def test_a_world_that_is_not_right(theatre: Theatre) -> None:
    class Dud(WrongCurrency):
        def inject(self, context: FaultContext) -> None:
            """Changes nothing."""

    theatre.components["clusters"], theatre.components["injectors"] = [Simulated], [Dud]
    workspace = Workspace(factory=theatre.factory())
    env = Plain(PROBLEM, cluster="memory", workspace=workspace)
    with env, pytest.raises(WorldError) as caught:
        env.reset()
    assert str(caught.value) == "fault 'wrong-currency' on 'cart' left no defect behind"
    assert env.record is not None
    assert env.record.outcome is Outcome.ERROR
    record = play(PROBLEM, repair, cluster="memory", workspace=workspace)
    assert (record.outcome, record.reason) == (Outcome.ERROR, str(caught.value))


def test_options_go_with_names_of_agents(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as caught:
        play(PROBLEM, repair, agent_options={"x": "1"}, cluster="memory", workspace=workspace)
    assert str(caught.value) == (
        "play: agent_options go with the name of an agent; give an adapter its options itself"
    )


def test_an_agent_that_is_refused_ends_the_episode(workspace: Workspace) -> None:
    class Walled(Agent):
        name = "walled"

        def run(self, session: Session) -> None:
            msg = "there is no sandbox here"
            raise UsageError(msg)

    with pytest.raises(UsageError) as caught:
        play(PROBLEM, Walled(), cluster="memory", workspace=workspace)
    assert str(caught.value) == "there is no sandbox here"


@pytest.mark.parametrize(("simulated", "recovered"), [(True, False), (False, True)])
def test_a_world_is_thrown_away_where_it_is_simulated(
    theatre: Theatre, simulated: bool, recovered: bool
) -> None:
    """The verdict is the same; a real cluster is recovered whatever anybody wants."""
    theatre.components["clusters"] = [Simulated if simulated else Real]
    records = []
    for recover in (True, False):
        workspace = Workspace(factory=theatre.factory())
        made = Plain(PROBLEM, cluster="memory", workspace=workspace, recover=recover)
        with made as environment:
            environment.reset()
            repair(environment.session)
            records.append(environment.end())
    usual, quick = records
    assert (usual.recovered, quick.recovered) == (True, recovered)
    assert (quick.outcome, quick.diagnosis, quick.mitigation) == (
        usual.outcome,
        usual.diagnosis,
        usual.mitigation,
    )
    told = [entry.event for entry in quick.timeline]
    assert ("Recovered" in told) is recovered


def test_the_transcript_of_an_open_episode_is_that_of_its_record(make: Make) -> None:
    environment = make()
    with pytest.raises(NoEpisodeError) as caught:
        _ = environment.transcript
    assert str(caught.value) == "transcript: no episode is open; call reset() first"
    environment.reset()
    assert [*environment.transcript] == []
    environment.step("wait", seconds=5)
    (call,) = environment.transcript
    assert (call.tool, call.arguments) == ("wait", {"seconds": 5})
    assert environment.close().transcript == (call,)

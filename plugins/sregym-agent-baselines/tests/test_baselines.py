"""What the baselines do, step by step, in a world of real sessions."""

from __future__ import annotations

import json

import pytest
from sregym_agent_baselines.expert import Expert
from sregym_agent_baselines.noop import Noop
from sregym_agent_baselines.random_acts import RandomActs
from sregym_agent_baselines.restart_loop import RestartLoop
from sregym_core.errors import UsageError
from sregym_core.interfaces import Budget, Command, CommandResult, Reference, Stage
from sregym_core.model import Claims
from sregym_mode_basic.modes import mode_named
from sregym_testing import Provision, ScriptedSession, Shop


def steps(session: ScriptedSession) -> list[str]:
    """Tools with what they were called with, in order."""
    return [f"{call.tool} {next(iter(call.arguments.values()), '')}" for call in session.transcript]


def test_noop_looks_at_nothing(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    Noop().run(session)
    assert steps(session) == ["submit diagnosis", "submit mitigation"]
    assert session.submissions == ["I see nothing wrong.", "I changed nothing."]


def test_expert_plays_the_answer_key(provision: Provision) -> None:
    fix = (
        Command(("kubectl", "-n", "shop", "get", "pods")),
        Command(("kubectl", "-n", "shop", "get", "services")),
    )
    claims = Claims(component="cart", mechanism="wrong port")
    session = ScriptedSession(
        Shop(), provision, reference=Reference("The port of cart is wrong.", claims, fix)
    )
    Expert().run(session)
    namespace = Shop().namespaces[0]
    assert steps(session) == [
        f"kubectl kubectl get pods -n {namespace}",
        "submit diagnosis",
        *[f"kubectl {command}" for command in fix],
        "submit mitigation",
    ]
    assert session.submissions == ["The port of cart is wrong.", "The root cause is repaired."]
    handed_in = next(call for call in session.transcript if call.tool == "submit")
    assert Claims.model_validate_json(handed_in.arguments["claims"]) == claims


def test_expert_needs_the_answer_key(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    with pytest.raises(PermissionError) as refused:
        Expert().run(session)
    assert str(refused.value) == (
        "the answer key is for privileged baselines only; this adapter is not one"
    )
    assert session.stage is Stage.DIAGNOSIS


def test_restart_loop_restarts_all_when_nothing_looks_bad(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    before = session.clock.now()
    RestartLoop().run(session)
    namespace = Shop().namespaces[0]
    assert [step for step in steps(session) if "restart" in step] == [
        f"kubectl kubectl rollout restart deployment -n {namespace}"
    ]
    assert session.submissions == [
        "Pods look healthy; they may be stuck.",
        "Everything was restarted; the system is healthy again.",
    ]
    assert session.clock.now() - before >= 60.0


def acts(provision: Provision, seed: str) -> list[str]:
    session = ScriptedSession(Shop(), provision)
    namespace = Shop().namespaces[0]
    named = {"items": [{"metadata": {"name": name}} for name in ("cart", "web")]}
    listing = f"kubectl get deployments -n {namespace} -o json"
    session.watched.behind.answers[listing] = CommandResult(0, json.dumps(named))
    RandomActs({"seed": seed}).run(session)
    assert len(session.submissions) == 2
    return steps(session)


def test_chance_derives_from_the_seed(provision: Provision) -> None:
    assert acts(provision, "1") == acts(provision, "1")
    assert acts(provision, "1") != acts(provision, "2")


def test_random_does_eight_things(provision: Provision) -> None:
    done = acts(provision, "0")
    assert sum(step.startswith("wait") for step in done) == 8
    assert sum(step.startswith("submit") for step in done) == 2


def test_a_seed_is_a_number() -> None:
    with pytest.raises(UsageError) as refused:
        RandomActs({"seed": "dice"})
    assert str(refused.value) == (
        "agent 'random', option 'seed': a whole number is needed, not 'dice'"
    )


def test_random_finds_nothing_to_do(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    RandomActs().run(session)
    assert session.submissions == ["Nothing runs here.", "There was nothing to repair."]


def in_mode(provision: Provision, mode: str) -> ScriptedSession:
    """What the expert does in a mode."""
    fix = (Command(("kubectl", "-n", "shop", "get", "services")),)
    key = Reference("The port of cart is wrong.", Claims(component="cart"), fix)
    session = ScriptedSession(Shop(), provision, reference=key, mode=mode_named(mode))
    Expert().run(session)
    return session


def test_the_expert_follows_the_task(provision: Provision) -> None:
    look = f"kubectl kubectl get pods -n {Shop().namespaces[0]}"
    mend = "kubectl kubectl -n shop get services"
    assert {
        mode: steps(in_mode(provision, mode))
        for mode in ("reactive", "diagnosis-only", "mitigation-only", "one-shot")
    } == {
        "reactive": [look, "submit diagnosis", mend, "submit mitigation"],
        "diagnosis-only": [look, "submit diagnosis"],
        "mitigation-only": [mend, "submit mitigation"],
        "one-shot": [look, mend, "submit diagnosis"],
    }


def test_who_watches_a_healthy_system_says_so_after_a_while(provision: Provision) -> None:
    limits = Budget(steps=500)
    session = ScriptedSession(Shop(), provision, budget=limits, mode=mode_named("proactive"))
    RestartLoop().run(session)
    assert sum(step == "wait 30.0" for step in steps(session)) == 40
    assert session.submissions == ["no incident"]


def test_noop_says_once_that_all_is_well(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision, mode=mode_named("proactive"))
    Noop().run(session)
    assert session.submissions == ["no incident"]

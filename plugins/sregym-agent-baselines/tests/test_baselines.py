"""What the baselines do, step by step, in a world of real sessions."""

from __future__ import annotations

import pytest
from sregym_agent_baselines.expert import Expert
from sregym_agent_baselines.noop import Noop
from sregym_agent_baselines.restart_loop import RestartLoop
from sregym_core.interfaces import Command, Reference, Stage
from sregym_core.model import Claims
from sregym_core.testing import Provision, ScriptedSession, Shop


def steps(session: ScriptedSession) -> list[str]:
    """Tools with what they were called with, in order."""
    return [f"{call.tool} {next(iter(call.arguments.values()))}" for call in session.transcript]


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

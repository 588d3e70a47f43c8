"""Which node a fault meets is decided when it comes, and everybody goes by that."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.api import Workspace, play
from sregym_core.model import Claims, EpisodeRecord, Outcome
from sregym_core.settings import Settings
from sregym_runs import pair


@pytest.fixture(scope="module")
def moved() -> tuple[str, str, EpisodeRecord]:
    """The node that ran geo at first, the one it was moved to, and the record."""
    workspace = Workspace(Settings())
    problem = pair(
        "node-disk-full", "hotel-reservation", "the node that runs geo", workspace=workspace
    )
    nodes: list[str] = []

    def where(session: Any) -> str:
        words = "get pods -l io.kompose.service=geo -n hotel-reservation"
        path = "-o jsonpath={.items[0].spec.nodeName}"
        return str(session.kubectl(f"kubectl {words} {path}").stdout)

    def act(session: Any) -> None:
        nodes.append(where(session))
        assert session.kubectl(f"kubectl cordon {nodes[0]}").ok
        words = "delete pods -l io.kompose.service=geo -n hotel-reservation"
        assert session.kubectl(f"kubectl {words}").ok
        nodes.append(where(session))
        session.wait(900.0)
        claims = Claims(component=nodes[1], kind="Node", mechanism="disk-full")
        session.submit(f"The disk of node {nodes[1]} is full.", claims)
        session.submit("nothing done")

    record = play(problem, act, seed=3, workspace=workspace, mode="proactive", start_before_s=600.0)
    return nodes[0], nodes[1], record


def test_the_fault_meets_the_node_that_runs_the_component_then(
    moved: tuple[str, str, EpisodeRecord],
) -> None:
    first, then, record = moved
    assert first != then
    (injected,) = [e.fields for e in record.timeline if e.event == "FaultInjected"]
    assert injected["component"] == f"node {then}"


def test_truth_oracle_and_recovery_go_by_that_node(
    moved: tuple[str, str, EpisodeRecord],
) -> None:
    _, then, record = moved
    assert record.diagnosis is not None
    named = {check.name: check.outcome for check in record.diagnosis.verdict.checks}
    assert named["component"] is Outcome.PASS
    assert record.mitigation is not None
    (gone,) = [c for c in record.mitigation.verdict.checks if c.name == "defect-gone"]
    assert gone.outcome is Outcome.FAIL
    assert gone.got.startswith(f"node {then} has ")
    assert record.recovered, record.reason

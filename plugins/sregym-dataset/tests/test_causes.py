"""Which component's failing calls made which other fail, told by the cluster or declared."""

from __future__ import annotations

from typing import Any

from sregym_core.api import Workspace
from sregym_core.interfaces import FatalCalls, PodFailures
from sregym_core.model import Change, GroundTruth, Problem
from sregym_core.settings import Settings
from sregym_dataset.causes import Attributed, attributed, causal_graph
from sregym_dataset.playing import Names, play_case

QUIET = Attributed({"a": 1000.0, "b": 1000.0}, {("b", "a"): 10.0}, {})


def test_each_of_two_faults_has_a_way_of_its_own() -> None:
    """Both end at the frontend, by other callees."""
    graph = _graph(
        Problem(
            id="two_at_once",
            title="rate lost the Service of its database, recommendation the port of its own",
            application="hotel-reservation",
            layer="kubernetes",
            faults=(
                {"fault": "service-missing", "target": "mongodb-rate"},
                {"fault": "service-target-port", "target": "mongodb-recommendation"},
            ),
        )
    )
    missing, port = ["service-missing"], ["service-target-port-mismatch"]
    assert {(e["cause"], e["effect"]): e["faults"] for e in graph["edges"] if e["faults"]} == {
        ("mongodb-rate", "rate"): missing,
        ("rate", "search"): missing,
        ("search", "frontend"): missing,
        ("mongodb-recommendation", "recommendation"): port,
        ("recommendation", "frontend"): port,
    }


def test_a_fault_that_hurts_nobody_has_no_edge() -> None:
    graph = _graph(Workspace(Settings()).problem("ended_in_the_middle"))
    assert (graph["derived"], [e for e in graph["edges"] if e["faults"]]) == (True, [])
    roles = {node["component"]: node["role"] for node in graph["nodes"]}
    assert roles["frontend"] == "root cause"


def test_what_failed_as_often_before_is_no_effect() -> None:
    """The same share of more requests; a share beyond chance is one, and so is a failed start."""
    same = Attributed({"a": 4000.0}, {("b", "a"): 45.0}, {("b", "a"): 0})
    more = Attributed({"a": 4000.0}, {("b", "a"): 90.0}, {("b", "a"): 0})
    starts = Attributed({"a": 0.0}, {("b", "a"): 0.0}, {("b", "a"): 1})
    assert _edges(same) == []
    edge = {"cause": "b", "effect": "a", "why": "calls to it fail", "derived": True, "faults": []}
    before = {"failed_requests_normal": 10.0, "failed_starts_normal": 0}
    assert _edges(more) == [
        {**edge, **before, "failed_requests_abnormal": 90.0, "failed_starts_abnormal": 0}
    ]
    assert _edges(starts) == [
        {**edge, **before, "failed_requests_abnormal": 0.0, "failed_starts_abnormal": 1}
    ]


def test_pods_and_hosts_become_components() -> None:
    """What belongs to none is left out: a name that nobody has, a pod of somebody else."""
    names = Names(Workspace(Settings()).application("hotel-reservation").components())
    calls = (
        FatalCalls("", "", "mongodb-rate", 5.0, 1),
        FatalCalls("", "", "mongodb-rate.hotel-reservation.svc", 2.0),
        FatalCalls("", "", "no-such-host", 9.0),
        FatalCalls("n", "geo-7d4-x", "srv-geo", 1.5),
    )
    told = [
        PodFailures("n", "search-5c-a", 20.0, 17.5, calls),
        PodFailures("n", "search-5c-b", 10.0, 0.0),
        PodFailures("other", "stranger", 10.0, 3.0, calls),
    ]
    assert attributed(told, names.of_pod, names.of_host) == Attributed(
        {"search": 30.0},
        {("mongodb-rate", "search"): 7.0, ("geo", "search"): 1.5},
        {("mongodb-rate", "search"): 1, ("geo", "search"): 0},
    )


def test_a_contributing_component_leads_to_the_cause() -> None:
    graph = causal_graph((), [_truth("a", contributing=("b",))], {}, 0)
    assert graph["derived"] is False
    assert graph["edges"] == [
        {"cause": "b", "effect": "a", "why": "contributes", "derived": False, "faults": ["m"]}
    ]
    assert [node["role"] for node in graph["nodes"]] == ["root cause", "contributing"]


def test_without_a_cluster_that_tells_edges_are_those_of_the_ground_truth() -> None:
    components = Workspace(Settings()).application("hotel-reservation").components()
    truth = _truth("mongodb-rate", affected=("rate", "search"))
    graph = causal_graph(components, [truth], {}, 0)
    declared = {"why": "is called by", "derived": False, "faults": ["m"]}
    assert (graph["derived"], graph["edges"]) == (
        False,
        [
            {"cause": "mongodb-rate", "effect": "rate", **declared},
            {"cause": "rate", "effect": "search", **declared},
        ],
    )


def _graph(problem: Problem) -> Any:
    """Of the cluster and the declared components: what telemetry would tell besides is not asked for."""
    workspace = Workspace(Settings())
    played = play_case(workspace, problem, 3, minutes=0.5, normal_s=60.0, telemetry=())
    assert sorted(played.tables) == ["events", "objects"]
    return played.graph


def _edges(after: Attributed) -> Any:
    return causal_graph((), (), {}, 0, {"normal": QUIET, "abnormal": after})["edges"]


def _truth(component: str, **fields: Any) -> GroundTruth:
    return GroundTruth(
        component=component,
        kind="Deployment",
        object_name=component,
        namespace="n",
        mechanism="m",
        changed=Change(what="x"),
        **fields,
    )

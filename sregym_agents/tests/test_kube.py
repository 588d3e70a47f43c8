"""Kubectl's answers as data."""

from __future__ import annotations

import json

import pytest
from sregym_agents.kube import items, unready_deployments
from sregym_core.interfaces import ClusterSpec, CommandResult
from sregym_testing import MemoryCluster, ScriptedSession, Shop

DEPLOYMENTS = [
    {"metadata": {"name": "good"}, "spec": {"replicas": 2}, "status": {"readyReplicas": 2}},
    {"metadata": {"name": "partly"}, "spec": {"replicas": 2}, "status": {"readyReplicas": 1}},
    {"metadata": {"name": "none-wanted"}, "spec": {"replicas": 0}, "status": {}},
    {"metadata": {"name": "by-default"}, "spec": {}, "status": {"readyReplicas": 1}},
    {"metadata": {"name": "new"}, "spec": {"replicas": 1}},
]


@pytest.fixture
def session() -> ScriptedSession:
    def provision(_spec: ClusterSpec) -> MemoryCluster:
        cluster = MemoryCluster()
        said = json.dumps({"kind": "List", "items": DEPLOYMENTS})
        cluster.answers = {"kubectl get deployments -n shop -o json": CommandResult(0, said)}
        return cluster

    return ScriptedSession(Shop(), provision)


def test_items(session: ScriptedSession) -> None:
    assert items(session, "deployments", "shop") == DEPLOYMENTS


def test_what_kubectl_refuses_is_nothing(session: ScriptedSession) -> None:
    assert items(session, "no-such-resource", "shop") == []


def test_unready_deployments(session: ScriptedSession) -> None:
    assert unready_deployments(session, "shop") == ["partly", "none-wanted", "new"]

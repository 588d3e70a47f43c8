from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.readiness import what_is_not_ready
from sregym_testing import MemoryCluster


def workload(kind: str, status: dict[str, int], generation: int = 1) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web", "namespace": "default", "generation": generation},
        "spec": {"replicas": 2},
        "status": {"observedGeneration": 1, **status},
    }


class Frozen(MemoryCluster):
    """A cluster in which a workload has just the status that the test gives it."""

    def __init__(self, live: dict[str, Any]) -> None:
        super().__init__()
        self._live = live

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[dict[str, Any]]:
        return [self._live]


@pytest.mark.parametrize(
    ("live", "phrases"),
    [
        (workload("Deployment", {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}), []),
        (
            workload("Deployment", {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 1}),
            ["Deployment default/web: 1 of 2 replicas available"],
        ),
        (
            workload("Deployment", {"replicas": 3, "updatedReplicas": 1, "availableReplicas": 2}),
            ["Deployment default/web: 1 of 2 replicas updated"],
        ),
        (
            workload("Deployment", {"replicas": 3, "updatedReplicas": 2, "availableReplicas": 3}),
            ["Deployment default/web: 1 old replicas left"],
        ),
        (
            workload("Deployment", {"replicas": 2, "updatedReplicas": 2}, generation=2),
            ["Deployment default/web: its newest specification was not looked at yet"],
        ),
        (
            workload(
                "DaemonSet",
                {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 2},
            ),
            ["DaemonSet default/web: 2 of 3 replicas available"],
        ),
        (workload("StatefulSet", {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}), []),
    ],
)
def test_what_is_missing_is_said(live: dict[str, Any], phrases: list[str]) -> None:
    assert what_is_not_ready(Frozen(live), [live]) == phrases


def test_a_workload_that_does_not_exist_is_not_ready() -> None:
    wanted = workload("Deployment", {})

    assert what_is_not_ready(MemoryCluster(), [wanted]) == [
        "Deployment default/web: does not exist"
    ]


def test_what_runs_nothing_needs_no_readiness() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}

    assert what_is_not_ready(MemoryCluster(), [service]) == []

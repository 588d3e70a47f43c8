"""Which rollouts go on, and which are over or stuck."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from sregym_kubernetes.operations.rollouts import under_way


class Listed(NamedTuple):
    """Implements what is asked of a cluster, and of an application in it."""

    objects: list[dict[str, Any]]
    namespaces: tuple[str, ...] = ("shop",)

    def list(self, version: str, kind: str, namespace: str, labels: str = "") -> Any:
        """Objects of a kind."""
        assert (version in ("v1", "apps/v1"), namespace, labels in ("", "app=cart")) == (
            True,
            "shop",
            True,
        )
        return [obj for obj in self.objects if obj["kind"] == kind]


def workload(kind: str = "Deployment", generation: int = 2, **status: Any) -> dict[str, Any]:
    metadata = {"name": "cart", "namespace": "shop", "generation": generation}
    spec = {"selector": {"matchLabels": {"app": "cart"}}}
    return {"kind": kind, "metadata": metadata, "spec": spec, "status": status}


def progressing(reason: str, **more: str) -> dict[str, Any]:
    conditions = [{"type": "Progressing", "status": "True", "reason": reason}]
    conditions += [{"type": name, "status": status} for name, status in more.items()]
    return workload(observedGeneration=2, conditions=conditions)


def pod(reason: str) -> dict[str, Any]:
    state = {"waiting": {"reason": reason}}
    status = {"phase": "Pending", "containerStatuses": [{"name": "cart", "state": state}]}
    return {"kind": "Pod", "metadata": {"name": "cart-1"}, "status": status}


@pytest.mark.parametrize(
    "objects",
    [
        [workload(observedGeneration=1)],
        [progressing("ReplicaSetUpdated")],
        [progressing("ReplicaSetUpdated"), pod("ContainerCreating")],
        [workload("StatefulSet", observedGeneration=2, currentRevision="a", updateRevision="b")],
        [
            workload(
                "DaemonSet",
                observedGeneration=2,
                desiredNumberScheduled=3,
                updatedNumberScheduled=2,
            )
        ],
    ],
)
def test_a_rollout_that_goes_on(objects: list[dict[str, Any]]) -> None:
    cluster: Any = Listed(objects)
    assert under_way(cluster, cluster) == ["cart"]


@pytest.mark.parametrize(
    "objects",
    [
        [progressing("NewReplicaSetAvailable")],
        [progressing("ProgressDeadlineExceeded")],
        [progressing("ReplicaSetUpdated", ReplicaFailure="True")],
        [progressing("ReplicaSetUpdated"), pod("ImagePullBackOff")],
        [progressing("ReplicaSetUpdated"), pod("CrashLoopBackOff")],
        [workload("StatefulSet", observedGeneration=2, currentRevision="a", updateRevision="a")],
    ],
)
def test_a_rollout_that_is_over_or_stuck(objects: list[dict[str, Any]]) -> None:
    cluster: Any = Listed(objects)
    assert under_way(cluster, cluster) == []

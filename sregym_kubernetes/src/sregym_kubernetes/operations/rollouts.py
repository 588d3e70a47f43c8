"""Rollouts that go on: pods are being replaced, and nothing stands in their way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import ROLLING_KINDS

from sregym_kubernetes.pod_trouble import pod_trouble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, Cluster

# A pod in these states waits for the cluster's work, not for a repair.
_COMING = ("Pending", "NotReady", "Terminating", "ContainerCreating", "Waiting")


def under_way(cluster: Cluster, application: Application) -> list[str]:
    """Names of the workloads of an application that are being rolled out and come forward."""
    return [
        str(workload["metadata"]["name"])
        for kind in sorted(ROLLING_KINDS)
        for namespace in application.namespaces
        for workload in cluster.list("apps/v1", kind, namespace)
        if _is_rolling(workload) and not _is_stuck(cluster, workload)
    ]


def _is_rolling(workload: Mapping[str, Any]) -> bool:
    """Whether the workload's controller has not brought all pods to the newest template."""
    status, spec = workload.get("status") or {}, workload["spec"]
    if spec.get("paused"):
        return False
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 0):
        return True
    if workload["kind"] == "StatefulSet":
        return bool(status.get("currentRevision") != status.get("updateRevision"))
    if workload["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        return bool(status.get("updatedNumberScheduled", 0) < wanted)
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    if conditions.get("ReplicaFailure", {}).get("status") == "True":
        return False
    # Its other reasons say that it is complete, or that it was given up.
    return conditions.get("Progressing", {}).get("reason") in (
        "ReplicaSetUpdated",
        "NewReplicaSetCreated",
    )


def _is_stuck(cluster: Cluster, workload: Mapping[str, Any]) -> bool:
    """Whether one of its pods cannot become ready by waiting."""
    labels = (workload["spec"].get("selector") or {}).get("matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    pods = cluster.list("v1", "Pod", workload["metadata"]["namespace"], selector)
    troubles = [trouble for pod in pods if (trouble := pod_trouble(pod)) is not None]
    return any(trouble.reason not in _COMING for trouble in troubles)

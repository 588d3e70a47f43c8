"""Pods in which commands can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster
    from sregym_core.model import ObjectRef


def ready_pod(cluster: Cluster, workload: ObjectRef) -> str | None:
    """Name of the first ready pod of a workload, by its selector, or None."""
    obj = cluster.get(workload)
    if obj is None:
        return None
    labels = obj["spec"]["selector"].get("matchLabels", {})
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    try:
        pods = cluster.list("v1", "Pod", workload.namespace, selector)
    except ClusterError:
        return None
    for pod in pods:
        conditions = {c["type"]: c["status"] for c in pod.get("status", {}).get("conditions", ())}
        if conditions.get("Ready") == "True" and "deletionTimestamp" not in pod["metadata"]:
            return str(pod["metadata"]["name"])
    return None

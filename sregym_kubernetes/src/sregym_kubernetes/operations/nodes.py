"""Nodes as the Kubernetes API shows them, and what runs on them: role and zone stand in well-known labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import Node

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
ZONE = "topology.kubernetes.io/zone"


def nodes_of(cluster: Cluster) -> tuple[Node, ...]:
    """The nodes of a cluster with role and zone, sorted by name."""
    found = []
    for obj in cluster.list("v1", "Node"):
        labels = obj["metadata"].get("labels") or {}
        role = "control-plane" if CONTROL_PLANE in labels else "worker"
        name = obj["metadata"]["name"]
        found.append(Node(name=name, role=role, zone=labels.get(ZONE, "")))
    return tuple(found)


def nodes_running(cluster: Cluster, component: Component) -> frozenset[str]:
    """Names of the nodes on which pods of a component are."""
    return frozenset(
        pod["spec"]["nodeName"]
        for pod in pods_of(cluster, component)
        if pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]
    )


def pods_of(cluster: Cluster, component: Component) -> list[KubeObject]:
    """Pods of a component that have not run to their end."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(component.pod_labels.items()))
    try:
        pods = cluster.list("v1", "Pod", component.namespace, labels)
    except ClusterError as error:
        if error.status == 404:
            return []
        raise
    ended = ("Succeeded", "Failed")
    return [pod for pod in pods if (pod.get("status") or {}).get("phase") not in ended]

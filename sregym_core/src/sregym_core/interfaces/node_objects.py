"""Nodes as the Kubernetes API shows them: role and zone stand in well-known labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import Node

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import Cluster

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

"""After machines are as they were: wait until the cluster reports so too, and clear away what was evicted.

Kubelets lift a pressure condition only after a transition period, and controllers take taints away after
that; evicted pods stay as objects until they are deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import ObjectRef

from sregym_kubernetes.operations.objects import SYSTEM_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

# A kubelet keeps a pressure condition for five minutes, and leases and taints need a minute more.
NODES_TIMEOUT_S = 900.0


def wait_nodes(cluster: Cluster, baseline: Mapping[str, KubeObject]) -> None:
    """Wait until conditions and taints of all nodes of the baseline are as they were.

    Raises:
        WorldError: They are not in time, and which.
    """
    if not cluster.clock.wait_until(
        lambda: not node_differences(cluster, baseline), NODES_TIMEOUT_S, 5.0
    ):
        waiting = "; ".join(node_differences(cluster, baseline))
        msg = f"nodes were not as before after {NODES_TIMEOUT_S:g} s: {waiting}"
        raise WorldError(msg)


def node_differences(cluster: Cluster, baseline: Mapping[str, KubeObject]) -> list[str]:
    """Which conditions and taints of nodes differ from the baseline, in words."""
    wanted = {obj["metadata"]["name"]: obj for obj in baseline.values() if obj["kind"] == "Node"}
    if not wanted:
        return []
    present = {obj["metadata"]["name"]: obj for obj in cluster.list("v1", "Node")}
    found = []
    for name in sorted(wanted):
        if name not in present:
            found.append(f"node {name} is missing")
            continue
        before, after = _conditions(wanted[name]), _conditions(present[name])
        for kind in sorted(before.keys() | after.keys()):
            if before.get(kind) != after.get(kind):
                found.append(f"node {name} has {kind}={after.get(kind, 'unset')}")
        if _taints(wanted[name]) != _taints(present[name]):
            message = ", ".join(":".join(taint) for taint in _taints(present[name]))
            found.append(f"node {name} has taints: {message or 'none'}")
    return found


def failed_pods(cluster: Cluster, namespaces: tuple[str, ...]) -> tuple[ObjectRef, ...]:
    """Pods of controllers that failed for good: evicted, or refused by their node; sorted."""
    found = [
        ObjectRef.of(obj)
        for namespace in (*namespaces, SYSTEM_NAMESPACE)
        for obj in cluster.list("v1", "Pod", namespace)
        if (obj.get("status") or {}).get("phase") == "Failed"
        and any(_replaces(owner) for owner in obj["metadata"].get("ownerReferences") or ())
    ]
    return tuple(sorted(found, key=str))


def delete_failed_pods(
    cluster: Cluster, namespaces: tuple[str, ...], before: tuple[ObjectRef, ...]
) -> None:
    """Delete pods that failed for good since the baseline; their controllers have replaced them."""
    for ref in failed_pods(cluster, namespaces):
        if ref not in before:
            cluster.delete(ref)


def _replaces(owner: Mapping[str, Any]) -> bool:
    # The pods of a Job count its failures, and stay with it.
    return bool(owner.get("controller")) and owner.get("kind") != "Job"


def _conditions(node: KubeObject) -> dict[str, str]:
    entries = (node.get("status") or {}).get("conditions") or ()
    return {str(entry["type"]): str(entry["status"]) for entry in entries}


def _taints(node: KubeObject) -> list[tuple[str, str]]:
    entries = (node.get("spec") or {}).get("taints") or ()
    return sorted((str(entry["key"]), str(entry.get("effect", ""))) for entry in entries)

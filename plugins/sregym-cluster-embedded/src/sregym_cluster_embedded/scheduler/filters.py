"""Whether a node can take a pod, and the scheduler's words when it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.placement import (
    matches_affinity,
    term_matches,
    tolerates,
    untolerated,
)
from sregym_cluster_embedded.scheduler.load import NodeLoad, PodLoad
from sregym_cluster_embedded.scheduler.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.store import Object

UNSCHEDULABLE = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
AFFINITY = "node(s) didn't match Pod's node affinity/selector"
PORTS = "node(s) didn't have free ports for the requested pod ports"
VOLUME_AFFINITY = "node(s) didn't match PersistentVolume's node affinity"
# Reasons that evicting other pods could remedy.
_PREEMPTABLE = (PORTS,)
_ANY_ADDRESS = "0.0.0.0"  # noqa: S104  compared, not bound


def reasons(
    pod: Object, wanted: PodLoad, node: Object, load: NodeLoad, volumes: Iterable[Object]
) -> list[str]:
    """Why the node cannot take the pod; empty when it can. The first failing filter speaks."""
    spec = node["spec"]
    if spec.get("unschedulable") and not _tolerates_unschedulable(pod):
        return [UNSCHEDULABLE]
    name = pod["spec"].get("nodeName")
    if name and name != node["metadata"]["name"]:
        return ["node(s) didn't match the requested node name"]
    if untolerated(pod, node, ("NoSchedule", "NoExecute")) is not None:
        return [TAINTED]
    if not matches_affinity(pod, node):
        return [AFFINITY]
    if wanted.ports and not _ports_free(wanted, load):
        return [PORTS]
    short = insufficient(wanted, node, load)
    if short:
        return short
    for volume in volumes:
        terms = volume["spec"].get("nodeAffinity", {}).get("required", {}).get("nodeSelectorTerms")
        if terms and not any(term_matches(term, node) for term in terms):
            return [VOLUME_AFFINITY]
    return []


def insufficient(wanted: PodLoad, node: Object, load: NodeLoad) -> list[str]:
    """`Insufficient cpu`, ..., and `Too many pods`."""
    allocatable: Mapping[str, str] = node.get("status", {}).get("allocatable", {})
    short = []
    # A node whose kubelet has never reported has room for nothing.
    if load.pods + 1 > int(allocatable.get("pods", "110" if allocatable else "0")):
        short.append("Too many pods")
    if wanted.requests:
        used = dict(load.requests)
        for resource, asked in wanted.requests:
            available = counted(resource, allocatable.get(resource, "0")) - used.get(resource, 0)
            if asked > available:
                short.append(f"Insufficient {resource}")
    return short


def helped_by_preemption(wanted: PodLoad, node: Object, why: list[str]) -> bool:
    """Whether the refusal would go away if pods were evicted (not: whether any may be)."""
    if any(reason in _PREEMPTABLE for reason in why):
        return True
    return bool(
        why
        and all(reason.startswith(("Insufficient", "Too many")) for reason in why)
        and not insufficient(wanted, node, NodeLoad())
    )


def _tolerates_unschedulable(pod: Object) -> bool:
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    return any(tolerates(entry, taint) for entry in pod["spec"].get("tolerations", ()))


def _ports_free(wanted: PodLoad, load: NodeLoad) -> bool:
    for address, protocol, port in wanted.ports:
        for other, other_protocol, other_port in load.ports:
            same = address == other or _ANY_ADDRESS in (address, other)
            if same and (protocol, port) == (other_protocol, other_port):
                return False
    return True

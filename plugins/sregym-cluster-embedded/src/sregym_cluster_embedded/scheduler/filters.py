"""Whether a node can take a pod, and the scheduler's words when it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        if terms and not any(_term_matches(term, node) for term in terms):
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


def untolerated(pod: Object, node: Object, effects: tuple[str, ...]) -> Object | None:
    """The first taint of the node with one of these effects that the pod does not tolerate."""
    for taint in node["spec"].get("taints", ()):
        if taint["effect"] in effects and not any(
            tolerates(toleration, taint) for toleration in pod["spec"].get("tolerations", ())
        ):
            found: Object = taint
            return found
    return None


def tolerates(toleration: Object, taint: Object) -> bool:
    """Whether a toleration covers a taint."""
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def matches_affinity(pod: Object, node: Object) -> bool:
    """Node selector and required node affinity."""
    labels = node["metadata"].get("labels", {})
    for key, value in (pod["spec"].get("nodeSelector") or {}).items():
        if labels.get(key) != value:
            return False
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_term_matches(term, node) for term in required.get("nodeSelectorTerms", ()))


def _term_matches(term: Object, node: Object) -> bool:
    expressions = term.get("matchExpressions") or []
    fields = term.get("matchFields") or []
    if not expressions and not fields:
        return False
    labels = node["metadata"].get("labels", {})
    names = {"metadata.name": node["metadata"]["name"]}
    return all(_expression(entry, labels) for entry in expressions) and all(
        _expression(entry, names) for entry in fields
    )


def _expression(entry: Object, labels: Mapping[str, str]) -> bool:
    value = labels.get(entry["key"])
    operator, values = entry["operator"], entry.get("values", ())
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    try:
        number = int(value) if value is not None else None
        limit = int(values[0])
    except (ValueError, IndexError):
        return False
    if number is None:
        return False
    return number > limit if operator == "Gt" else number < limit


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

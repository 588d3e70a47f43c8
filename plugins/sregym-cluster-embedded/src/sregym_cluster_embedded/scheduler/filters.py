"""Whether a node by itself can take a pod, in the order of the scheduler's filters.

Neighbours, spread and volumes are looked at afterwards, by modules of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.placement import matches_affinity, tolerates
from sregym_cluster_embedded.scheduler.filter_status import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.scheduler.load import NodeLoad, PodLoad
    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.store import Object

UNSCHEDULABLE = Verdict("NodeUnschedulable", ("node(s) were unschedulable",))
TAINTED = Verdict("TaintToleration", ("node(s) had untolerated taint(s)",))
AFFINITY = Verdict("NodeAffinity", ("node(s) didn't match Pod's node affinity/selector",))
FILTERED_OUT = Verdict("NodeAffinity", ("node(s) didn't satisfy plugin(s) [NodeAffinity]",))
PORTS = Verdict("NodePorts", ("node(s) didn't have free ports for the requested pod ports",), True)
_ANY_ADDRESS = "0.0.0.0"  # noqa: S104  compared, not bound
_CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def refusal(pod: Object, wanted: PodLoad, facts: NodeFacts, load: NodeLoad) -> Verdict | None:
    """Why the node cannot take the pod, or None. The first failing filter speaks."""
    spec = pod["spec"]
    if facts.unschedulable and not any(
        tolerates(entry, _CORDON) for entry in spec.get("tolerations") or ()
    ):
        return UNSCHEDULABLE
    if facts.taints and not tolerated(spec, facts):
        return TAINTED
    if ("nodeSelector" in spec or "affinity" in spec) and not matches_affinity(pod, facts.node):
        return AFFINITY
    if wanted.ports and not ports_free(wanted, load.ports):
        return PORTS
    return insufficient(wanted, facts, load)


def insufficient(wanted: PodLoad, facts: NodeFacts, load: NodeLoad) -> Verdict | None:
    """`Too many pods`, `Insufficient cpu`, ...; not remediable where the node is too small."""
    short = []
    hopeless = False
    if load.pods + 1 > facts.pods:
        short.append("Too many pods")
    if wanted.requests:
        used = dict(load.requests)
        for resource, asked in wanted.requests:
            if not asked:
                continue
            size = facts.allocatable.get(resource, 0)
            if asked > size - used.get(resource, 0):
                short.append(f"Insufficient {resource}")
                hopeless = hopeless or asked > size
    return Verdict("NodeResourcesFit", tuple(short), not hopeless) if short else None


def named_nodes(pod: Object) -> frozenset[str] | None:
    """The nodes that required affinity names by `metadata.name`; None when it does not.

    Of several terms every one must name nodes: one that does not lets all nodes in.
    """
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = required.get("nodeSelectorTerms") or ()
    found: frozenset[str] = frozenset()
    for term in terms:
        named: frozenset[str] | None = None
        for entry in term.get("matchFields") or ():
            if entry["key"] == "metadata.name" and entry["operator"] == "In":
                values = frozenset(entry.get("values") or ())
                named = values if named is None else named & values
        if named is None:
            return None
        found |= named
    return found if terms else None


def tolerated(spec: Object, facts: NodeFacts) -> bool:
    """Whether a pod tolerates all taints of a node that keep pods away."""
    tolerations = spec.get("tolerations") or ()
    return all(any(tolerates(entry, taint) for entry in tolerations) for taint in facts.taints)


def ports_free(wanted: PodLoad, taken: Iterable[tuple[str, str, int]]) -> bool:
    """Whether none of a pod's host ports is among these."""
    for address, protocol, port in wanted.ports:
        for other, other_protocol, other_port in taken:
            same = address == other or _ANY_ADDRESS in (address, other)
            if same and (protocol, port) == (other_protocol, other_port):
                return False
    return True

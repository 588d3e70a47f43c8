"""Nodes as the scheduler looks at them: parsed once for each change that matters to placement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pod_requests import counted
from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, NodeFacts] = TableKey("scheduler.nodes")


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class NodeFacts:
    """What of a node decides whether pods fit, and how well.

    Attributes:
        name: The node.
        labels: Its labels.
        taints: Those that keep pods away (`NoSchedule`, `NoExecute`).
        wishes: Its `PreferNoSchedule` taints.
        unschedulable: Cordoned.
        allocatable: In the units of `quantities.counted`, without pods.
        pods: How many pods it takes.
        node: The object.

    Two are the same only when they are one: caches compare identities.
    """

    name: str
    labels: Mapping[str, str]
    taints: tuple[Object, ...]
    wishes: tuple[Object, ...]
    unschedulable: bool
    allocatable: Mapping[str, int]
    pods: int
    node: Object

    def __repr__(self) -> str:
        # The node itself stands in the store; digests need not read it twice.
        return f"NodeFacts({self.name})"


def all_nodes(world: World) -> list[NodeFacts]:
    """The nodes by name."""
    return [facts for _, facts in sorted(world.table(_TABLE).items())]


def facts_of(world: World, name: str) -> NodeFacts | None:
    """One node."""
    found: NodeFacts | None = world.table(_TABLE).get(name)
    return found


def follow(world: World, change: Change) -> bool:
    """Take over a write of a node; True when it matters to placement."""
    table = world.table(_TABLE)
    if change.type == "DELETED":
        return table.pop(change.key.name, None) is not None
    old, new = change.old, change.obj
    if old is not None and change.key.name in table and _placement(old) == _placement(new):
        return False
    table[change.key.name] = facts_in(new)
    return True


def facts_in(node: Object) -> NodeFacts:
    """What a Node object says."""
    given: Mapping[str, str] = node.get("status", {}).get("allocatable") or {}
    taints = node["spec"].get("taints") or ()
    return NodeFacts(
        node["metadata"]["name"],
        node["metadata"].get("labels") or {},
        tuple(taint for taint in taints if taint["effect"] != "PreferNoSchedule"),
        tuple(taint for taint in taints if taint["effect"] == "PreferNoSchedule"),
        bool(node["spec"].get("unschedulable")),
        {name: counted(name, text) for name, text in given.items() if name != "pods"},
        # A node whose kubelet has never reported has room for nothing.
        int(given.get("pods", "110" if given else "0")),
        node,
    )


def _placement(node: Object) -> tuple[object, ...]:
    return (
        node["spec"],
        node["metadata"].get("labels"),
        node.get("status", {}).get("allocatable"),
    )

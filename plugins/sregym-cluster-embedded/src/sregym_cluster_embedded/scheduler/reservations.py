"""Pods that have a node, and are bound to it as soon as their volumes are.

They count there as if they were bound already: no other pod takes their room, and who must not live with
them goes elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler.load import assume, release
from sregym_cluster_embedded.scheduler.nodes import NodeFacts, facts_of
from sregym_cluster_embedded.workqueue import enqueue, forget

if TYPE_CHECKING:
    from sregym_cluster_embedded.scheduler.load import PodLoad
    from sregym_cluster_embedded.store import Key, Object
    from sregym_cluster_embedded.world import World

OVERDUE = "scheduler.overdue"
# So long the scheduler waits for the volumes of a pod.
_WAITS_S = 600.0
_TABLE: TableKey[Key, Promise] = TableKey("scheduler.promised")


class Promise(NamedTuple):
    """A pod that waits for its volumes, and its node."""

    uid: str
    node: str


def give(world: World, key: Key, pod: Object, node: str) -> bool:
    """Promise a node to a pod; whether it had none before."""
    table = world.table(_TABLE)
    if key in table:
        return False
    table[key] = Promise(pod["metadata"]["uid"], node)
    assume(world, pod, node)
    enqueue(world, OVERDUE, key, _WAITS_S)
    return True


def is_reserved(world: World, key: Key) -> bool:
    """Whether a pod has the promise of a node."""
    table = world.table(_TABLE)
    return bool(table) and key in table


def reserved_node(world: World, key: Key) -> NodeFacts | None:
    """The node that was promised to a pod, if one was and it is still there."""
    table = world.table(_TABLE)
    if not table or key not in table:
        return None
    found = facts_of(world, table[key].node)
    if found is None:
        drop(world, key)
    return found


def promised(world: World, node: str) -> list[Object]:
    """The pods that were promised a node."""
    table = world.table(_TABLE)
    found = (world.store.get(key) for key, promise in table.items() if promise.node == node)
    return [pod for pod in found if pod is not None]


def drop(world: World, key: Key) -> PodLoad | None:
    """The pod has its node, or gets none now, or is gone; returns what that gives free."""
    table = world.table(_TABLE)
    promise = table.pop(key, None) if table else None
    if promise is None:
        return None
    forget(world, OVERDUE, key)
    pod = world.store.get(key)
    bound = pod is not None and bool(pod["spec"].get("nodeName"))
    return None if bound else release(world, promise.uid)

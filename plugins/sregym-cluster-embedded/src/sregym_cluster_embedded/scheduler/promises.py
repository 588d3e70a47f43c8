"""Pods that have a node, and are bound to it as soon as their volumes are: nobody takes their room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler.nodes import NodeFacts, facts_of
from sregym_cluster_embedded.workqueue import enqueue, forget

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Key
    from sregym_cluster_embedded.world import World

OVERDUE = "scheduler.overdue"
# So long the scheduler waits for the volumes of a pod.
_WAITS_S = 600.0
_TABLE: TableKey[Key, str] = TableKey("scheduler.promised")


def give(world: World, key: Key, node: str) -> bool:
    """Promise a node to a pod; whether it had none before."""
    table = world.table(_TABLE)
    if key in table:
        return False
    table[key] = node
    enqueue(world, OVERDUE, key, _WAITS_S)
    return True


def kept(world: World, key: Key) -> NodeFacts | None:
    """The node that was promised to a pod, if one was and it is still there."""
    table = world.table(_TABLE)
    if not table or key not in table:
        return None
    found = facts_of(world, table[key])
    if found is None:
        drop(world, key)
    return found


def drop(world: World, key: Key) -> None:
    """The pod has its node, or gets none now, or is gone."""
    table = world.table(_TABLE)
    if table and table.pop(key, None) is not None:
        forget(world, OVERDUE, key)

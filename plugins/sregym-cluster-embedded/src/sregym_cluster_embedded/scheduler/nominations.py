"""Pods that were promised a node: their victims are terminating, and no other pod may take the room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler.load import PodLoad, load_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, Nominated] = TableKey("scheduler.nominated")


class Nominated(NamedTuple):
    """A pod without a node that is to get one."""

    node: str
    priority: int
    load: PodLoad


def follow(world: World, change: Change) -> None:
    """Take over a write of a pod."""
    pod = change.obj
    node = (pod.get("status") or {}).get("nominatedNodeName")
    table = world.table(_TABLE)
    uid = pod["metadata"]["uid"]
    if node and not pod["spec"].get("nodeName") and change.type != "DELETED":
        table[uid] = Nominated(node, pod["spec"].get("priority") or 0, load_of(pod, node))
    elif table:
        table.pop(uid, None)


def drop(world: World, pod: Object) -> None:
    """A pod counts on its node from now on: its room need not be kept."""
    table = world.table(_TABLE)
    if table:
        table.pop(pod["metadata"]["uid"], None)


def any_at_all(world: World) -> bool:
    """Whether any pod waits for a promised node."""
    return bool(world.table(_TABLE))


def on(world: World, pod: Object, node: str) -> tuple[PodLoad, ...]:
    """What others of the same or a higher priority were promised on a node."""
    table = world.table(_TABLE)
    if not table:
        return ()
    uid, own = pod["metadata"]["uid"], pod["spec"].get("priority") or 0
    return tuple(
        entry.load
        for other, entry in table.items()
        if other != uid and entry.node == node and entry.priority >= own
    )

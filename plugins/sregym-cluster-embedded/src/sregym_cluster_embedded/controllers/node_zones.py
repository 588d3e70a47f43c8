"""How fast unready nodes may be emptied: by the health of their zone, as when a network is cut.

A zone where most nodes are unready points at something other than the nodes, so its pods stay; when
no node of the cluster is ready nothing is evicted at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.controllers.node_taints import (
    change_taints,
    no_execute_keys,
    readiness,
)
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_NEXT: TableKey[tuple[str, str], float] = TableKey("controllers.nodes.next_eviction")
# One node in ten seconds; in a zone that is mostly unready, one in a hundred if it is large.
_APART_S = 10.0
_SLOWLY_S = 100.0
_LARGE = 50
_UNHEALTHY_SHARE = 0.55
_FEW = 2
_REGION, _ZONE = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"


def wait_before_eviction(world: World, node: Object) -> float | None:
    """Seconds until the node may be emptied; 0 when it is its turn, None when it may not be.

    Its turn is taken by asking.
    """
    nodes = world.store.list("nodes", "")
    if not any(_is_ready(other) for other in nodes):
        for other in nodes:
            change_taints(world, other, "NoExecute", [], no_execute_keys(other))
        return None
    zone = _zone(node)
    members = [other for other in nodes if _zone(other) == zone]
    unready = sum(1 for other in members if not _is_ready(other))
    apart_s = _APART_S
    partly = unready < len(members)
    if partly and unready > _FEW and unready / len(members) >= _UNHEALTHY_SHARE:
        if len(members) <= _LARGE:
            return None
        apart_s = _SLOWLY_S
    free_at: float = world.table(_NEXT).get(zone, 0.0)
    if world.now < free_at:
        return free_at - world.now
    world.table(_NEXT)[zone] = world.now + apart_s
    return 0.0


def became_ready(world: World, handler: str) -> None:
    """A node is ready again: those that were spared because too few were may have to go now."""
    for node in world.store.list("nodes", ""):
        if not _is_ready(node) and not no_execute_keys(node):
            enqueue(world, handler, node["metadata"]["name"], 0.1)


def _is_ready(node: Object) -> bool:
    return readiness(node) == "True"


def _zone(node: Object) -> tuple[str, str]:
    labels = node["metadata"].get("labels", {})
    return labels.get(_REGION, ""), labels.get(_ZONE, "")

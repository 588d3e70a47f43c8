"""The rate at which a controller may create pods.

The controller manager's clients limit themselves: each sends 20 requests per second, after a burst
of 30. A set with very many replicas therefore grows for hours and does not fill the cluster at
once. Simplified: the limit is kept for each set instead of for each controller, and only creations
of pods count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Key
    from sregym_cluster_embedded.world import World

# Defaults of kube-controller-manager's --kube-api-qps and --kube-api-burst.
QPS = 20.0
BURST = 30
# How long after a limited creation the next one follows, in seconds.
AGAIN_S = 1.0
# Of a set that was limited: tokens left, and at which time, in seconds.
_BUCKETS: TableKey[Key, tuple[float, float]] = TableKey("controllers.client_rate")


def pods_allowed(world: World, handler: str, key: Key, wanted: int) -> int:
    """How many of `wanted` pods a set may create now; for the rest it is looked at again.

    Args:
        world: The cluster.
        handler: Of the controller, called again for the rest.
        key: The set.
        wanted: How many pods it lacks.
    """
    buckets = world.table(_BUCKETS)
    tokens, at = buckets.get(key, (float(BURST), world.now))
    tokens = min(float(BURST), tokens + (world.now - at) * QPS)
    granted = min(wanted, int(tokens))
    if granted < wanted:
        buckets[key] = (tokens - granted, world.now)
        enqueue(world, handler, key, AGAIN_S)
    else:
        buckets.pop(key, None)
    return granted

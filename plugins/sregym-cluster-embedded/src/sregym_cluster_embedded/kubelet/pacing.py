"""When a kubelet does what: the delays of its parts, in virtual seconds.

Measured on a real two-node cluster (Kubernetes 1.36): the order of things and, to within the noise
of that machine, their distance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

ADMIT_S = 0.03
SANDBOX_S = 0.4
START_S = 0.1
REPORT_S = 0.02
FIRST_RETRY_S = 0.5
KILLED_S = 0.25
RESYNC_S = 75.0
_RETRY_S = 10.0
_LOOK_S = 0.5


def schedule_sync(world: World, uid: str, delay_s: float) -> None:
    """Have a pod synced in `delay_s`, unless that happens sooner anyway."""
    enqueue(world, "kubelet.sync", uid, delay_s)


def next_relist(world: World, node: str) -> float:
    """Seconds until the node's kubelet next lists its containers, which it does every second."""
    phase = world.seed.fraction("relist", node)
    passed = (world.now - phase) % 1.0
    return 1.0 - passed + REPORT_S


def retry_delay(world: World, state: PodState) -> float:
    """Seconds until a pod whose sync failed is synced again: ten, stretched at random.

    A kubelet looks once in a second which pods are due.
    """
    return _RETRY_S * stretch(world, state) + _LOOK_S


def stretch(world: World, state: PodState) -> float:
    """The random factor by which waits are lengthened so that they do not coincide."""
    return 1.1 + 0.2 * world.seed.fraction("stretch", state.key, math.floor(world.now * 1000))

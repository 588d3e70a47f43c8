"""What kubelets ask of the API server where somebody configured admission: it may be refused.

A kubelet keeps what it could not write, and tries again at the next turn of its status loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import dynamic, writes
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.kubelet.pacing import wake

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TURN_S = 10.0


def put_status(world: World, state: PodState, status: Object) -> bool:
    """Write the status of a pod, and try again later when it is refused; whether it was not."""
    if not dynamic.configured(world):
        writes.update_status(world, state.key, status)
        return True
    try:
        with dynamic.heard(world, dynamic.kubelet_of(state.node)):
            writes.update_status(world, state.key, status)
    except ApiError:
        wake(world, state.uid, until_turn(world, state.node))
        return False
    return True


def confirm_end(world: World, state: PodState) -> bool:
    """Say that nothing of a deleted pod is left; whether the API server takes it."""
    if not dynamic.configured(world):
        writes.remove(world, state.key)
        return True
    try:
        with dynamic.heard(world, dynamic.kubelet_of(state.node)):
            writes.remove(world, state.key)
    except ApiError:
        return False
    return True


def until_turn(world: World, node: str) -> float:
    """Seconds until the kubelet of a node next looks which status it still has to write."""
    phase = world.seed.fraction("status loop", node) * _TURN_S
    return _TURN_S - (world.now - phase) % _TURN_S

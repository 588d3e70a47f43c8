"""Statuses that others wrote over a kubelet's: at its next turn it writes what it holds to be true.

The node controller says of the pods of a silent node that they are not ready, and whoever may write
the status of a pod can say anything. A kubelet that works compares every ten seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.conditions import OWN
from sregym_cluster_embedded.kubelet.requests import WRITING, until_turn
from sregym_cluster_embedded.kubelet.state import state_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "kubelet.reconcile"
_FIELDS = (
    "phase",
    "hostIP",
    "hostIPs",
    "podIP",
    "podIPs",
    "startTime",
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
)


def status_changed(world: World, uid: str, node: str, old: Object, new: Object) -> None:
    """The status of a pod was written by another client: what its kubelet did not report is reverted."""
    if uid in world.table(WRITING) or _said_by_kubelets(old) == _said_by_kubelets(new):
        return
    if state_of(world, uid) is not None:
        enqueue(world, HANDLER, uid, until_turn(world, node))


def reconcile(world: World, uid: str) -> None:
    """Handler: a kubelet compares; one that is absent does so when it comes back."""
    mark_processing(world, HANDLER, uid)
    state = state_of(world, uid)
    if state is not None and not unresponsive.absent(world, state.node):
        unresponsive.correct(world, uid)


def _said_by_kubelets(status: Object) -> tuple[object, ...]:
    conditions = [entry for entry in status.get("conditions") or () if entry["type"] in OWN]
    return (conditions, *(status.get(field) for field in _FIELDS))

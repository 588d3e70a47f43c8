"""File systems that grow with their volumes while pods use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events
from sregym_cluster_embedded.controllers.expansion import claim_resized, pending_size
from sregym_cluster_embedded.kubelet.report import record_pod_event
from sregym_cluster_embedded.kubelet.state import state_of
from sregym_cluster_embedded.kubelet.unresponsive import absent
from sregym_cluster_embedded.store import ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

HANDLER = "kubelet.grow"
_LOOK_S, _AGAIN_S = 1.0, 30.0


def claim_changed(world: World, change: Change) -> None:
    """A claim whose file system has to grow is looked at by who mounts it."""
    if change.type is not ChangeType.DELETED and pending_size(change.obj):
        enqueue(world, HANDLER, change.key, _LOOK_S)


def mounted(world: World, pod: Object, state: PodState) -> None:
    """The volumes of a pod have just been set up: those that have grown let their files grow."""
    for volume in pod["spec"].get("volumes", ()):
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            key = Key("persistentvolumeclaims", state.key.namespace, source["claimName"])
            claim = world.store.get(key)
            if claim is not None and pending_size(claim):
                enqueue(world, HANDLER, key, 0.0)


def grow(world: World, key: Key) -> None:
    """Handler: the first pod that has a claim mounted lets its file system grow."""
    mark_processing(world, HANDLER, key)
    claim = world.store.get(key)
    size = pending_size(claim) if claim is not None else ""
    if claim is None or not size:
        return
    for pod in world.store.indexed("pods", "claim", f"{key.namespace}/{key.name}"):
        state = state_of(world, pod["metadata"]["uid"])
        if state is None or state.mounts is None or state.ended:
            continue
        if absent(world, state.node):
            enqueue(world, HANDLER, key, _AGAIN_S)
            continue
        claim_resized(world, key, size)
        text = (
            "MountVolume.NodeExpandVolume succeeded for volume "
            f'"{claim["spec"]["volumeName"]}" {state.node}'
        )
        record_pod_event(world, pod, state, "Normal", "FileSystemResizeSuccessful", text)
        events.record(
            world,
            claim,
            key.resource,
            "Normal",
            "FileSystemResizeSuccessful",
            text,
            "kubelet",
            state.node,
        )
        return

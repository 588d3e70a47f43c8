"""Claims that ask for more than they have: who could give it.

No kind of volume in the cluster grows by itself: the controller says that it waits for the resizer
of the volume's driver. Where that driver runs, the resizer lets the volume grow, and leaves the
file system on it to the kubelet of a node that mounts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.claim_growth import capacity_bytes, requested_bytes
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

RESIZER = "controllers.expansion.resizer"
_TOLD: TableKey[str, float] = TableKey("controllers.expansion")
_TEXT = "waiting for an external controller to expand this PVC"
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"
_PENDING = "FileSystemResizePending"
_WAITS_FOR_NODE = (
    "Waiting for user to (re-)start a pod to finish file system resize of volume on node."
)
_BEGINS_S, _TAKES_S = 0.1, 1.5


def reconcile_claim(world: World, claim: Object) -> None:
    """Say once for each size that a bound claim wants more, and let its driver know."""
    uid, size = claim["metadata"]["uid"], requested_bytes(claim)
    told = world.table(_TOLD)
    if size <= capacity_bytes(claim):
        told.pop(uid, None)
        return
    if told.get(uid) == size:
        return
    told[uid] = size
    volume = world.store.get(Key(_VOLUMES, "", claim["spec"]["volumeName"]))
    csi = (volume or {}).get("spec", {}).get("csi")
    type_ = "Normal" if csi else "Warning"
    events.record(world, claim, _CLAIMS, type_, "ExternalExpanding", _TEXT, "volume_expand")
    driver = drivers.running(world, csi["driver"]) if csi else None
    if driver is not None and driver.expands:
        key = Key(_CLAIMS, claim["metadata"]["namespace"], claim["metadata"]["name"])
        world.after(_BEGINS_S, RESIZER, key, uid, driver.name, False)


def resize(world: World, key: Key, uid: str, driver: str, begun: bool) -> None:
    """Handler: the driver's resizer begins with a claim, or its volume has grown."""
    claim = world.store.get(key)
    if (
        claim is None
        or claim["metadata"]["uid"] != uid
        or requested_bytes(claim) <= capacity_bytes(claim)
    ):
        return
    size = claim["spec"]["resources"]["requests"]["storage"]
    if not begun:
        _write(world, key, claim, size, "ControllerResizeInProgress", "Resizing")
        text = f"External resizer is resizing volume {claim['spec']['volumeName']}"
        events.record(world, claim, _CLAIMS, "Normal", "Resizing", text, _component(driver))
        world.after(_TAKES_S, RESIZER, key, uid, driver, True)
        return
    volume = world.store.get(Key(_VOLUMES, "", claim["spec"]["volumeName"]))
    if volume is None:
        return
    capacity = {**volume["spec"]["capacity"], "storage": size}
    internal_client.update(
        world, _VOLUMES, {**volume, "spec": {**volume["spec"], "capacity": capacity}}
    )
    if volume["spec"].get("volumeMode") == "Block":
        claim_resized(world, key, size)
        text = "Resize volume succeeded"
        events.record(
            world, claim, _CLAIMS, "Normal", "VolumeResizeSuccessful", text, _component(driver)
        )
        return
    _write(world, key, claim, size, "NodeResizePending", _PENDING, _WAITS_FOR_NODE)
    text = "Require file system resize of volume on node"
    events.record(
        world, claim, _CLAIMS, "Normal", "FileSystemResizeRequired", text, _component(driver)
    )


def claim_resized(world: World, key: Key, size: str) -> None:
    """A claim has what it asked for."""
    claim = world.store.get(key)
    if claim is None:
        return
    status: Object = dict(claim.get("status", {}))
    for field in ("conditions", "allocatedResourceStatuses"):
        status.pop(field, None)
    status["allocatedResources"] = {"storage": size}
    status["capacity"] = {**status.get("capacity", {}), "storage": size}
    internal_client.update_status(world, key, status)


def pending_size(claim: Object) -> str:
    """The size to which the file system of a claim's volume is to grow; empty when it is not."""
    status: Object = claim.get("status", {})
    if any(entry["type"] == _PENDING for entry in status.get("conditions") or ()):
        return str((status.get("allocatedResources") or {}).get("storage", ""))
    return ""


def _write(
    world: World, key: Key, claim: Object, size: str, step: str, condition: str, message: str = ""
) -> None:
    entry: Object = {
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp(),
        "status": "True",
        "type": condition,
    }
    if message:
        entry["message"] = message
    status = {
        **claim.get("status", {}),
        "allocatedResourceStatuses": {"storage": step},
        "allocatedResources": {"storage": size},
        "conditions": [entry],
    }
    internal_client.update_status(world, key, status)


def _component(driver: str) -> str:
    return f"external-resizer {driver}"

"""The part of a CSI driver that attaches its volumes to nodes, and detaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Change, ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.attacher"
_NODE_ID = "csi.alpha.kubernetes.io/node-id"
_TAKES_S = 1.2


def listen(world: World, change: Change) -> None:
    """Attachments of drivers that run in the cluster are looked at."""
    if change.type is ChangeType.DELETED:
        return
    if drivers.running(world, change.obj["spec"]["attacher"]) is not None:
        enqueue(world, HANDLER, change.key.name, _TAKES_S)


def reconcile(world: World, name: str) -> None:
    """Handler: attach or detach one volume."""
    mark_processing(world, HANDLER, name)
    key = Key(drivers.ATTACHMENTS, "", name)
    attachment = world.store.get(key)
    if attachment is None:
        return
    spec, metadata = attachment["spec"], attachment["metadata"]
    mark = finalizer(spec["attacher"])
    held = metadata.get("finalizers") or []
    if "deletionTimestamp" in metadata:
        internal_client.patch_metadata(
            world, key, finalizers=[name for name in held if name != mark]
        )
        return
    if (attachment.get("status") or {}).get("attached"):
        return
    entry = drivers.registered(world, spec["nodeName"], spec["attacher"])
    if entry is None:
        why = f"CSINode {spec['nodeName']} does not contain driver {spec['attacher']}"
        old = (attachment.get("status") or {}).get("attachError") or {}
        if old.get("message") != why:
            failed = {"attached": False, "attachError": {"message": why, "time": world.timestamp()}}
            internal_client.update_status(world, key, failed)
        return
    if mark not in held:
        ids: dict[str, str | None] = {_NODE_ID: entry["nodeID"]}
        internal_client.patch_metadata(world, key, annotations=ids, finalizers=[*held, mark])
    internal_client.update_status(world, key, {"attached": True})


def finalizer(driver: str) -> str:
    """What keeps an attachment, or a volume, of a driver until its attacher has let go."""
    return f"external-attacher/{driver.replace('.', '-')}"


def lets_go(world: World, volume: Object, mark: str) -> bool:
    """Whether an attacher takes its finalizer `mark` off a volume: it is attached nowhere."""
    csi = volume["spec"].get("csi")
    if csi is None or mark != finalizer(csi["driver"]):
        return False
    if drivers.running(world, csi["driver"]) is None:
        return False
    name = volume["metadata"]["name"]
    return not any(
        (entry["spec"].get("source") or {}).get("persistentVolumeName") == name
        for entry in world.store.list(drivers.ATTACHMENTS, "")
    )

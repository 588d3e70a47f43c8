"""Volumes of CSI drivers and the nodes they are attached to: the attach-detach controller.

It makes a VolumeAttachment for each node whose pods mount a volume, and deletes it when the last of
them is gone; the driver's attacher does the work (`controllers.attacher`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.controllers import volumes
from sregym_cluster_embedded.controllers.node_taints import readiness
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.attaching"
OVERDUE = "controllers.attaching.overdue"
COMPONENT = "attachdetach-controller"
_VOLUMES = "persistentvolumes"
# Names of the volumes of CSI drivers: while there are none, nothing here costs anything.
_KNOWN: TableKey[str, bool] = TableKey("controllers.attaching.volumes")
# Who has been told that a volume is in use elsewhere; since when no pod on a node needs one.
_TOLD: TableKey[tuple[str, str], bool] = TableKey("controllers.attaching.told")
_UNUSED: TableKey[tuple[str, str], float] = TableKey("controllers.attaching.unused")
_DELAYS: TableKey[tuple[str, str], float] = TableKey("controllers.attaching.delays")
_DELAY_S = 0.1
_UNMOUNT_S = 0.5
# A node that says nothing may still be writing: it is waited for so long.
_FORCE_S = 360.0
_TIMEOUT_S = 120.0
_FIRST_RETRY_S, _LONGEST_RETRY_S = 0.5, 122.0
_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def volume_changed(world: World, change: Change) -> None:
    """Keep in mind which volumes are those of CSI drivers."""
    if "csi" not in change.obj["spec"]:
        return
    name = change.key.name
    if change.type is ChangeType.DELETED:
        world.table(_KNOWN).pop(name, None)
    else:
        world.table(_KNOWN)[name] = True
    enqueue(world, HANDLER, name, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod that came to a node, ended or went may need volumes attached or detached."""
    if not world.table(_KNOWN):
        return
    obj, old = change.obj, change.old
    came = old is None or old["spec"].get("nodeName") != obj["spec"].get("nodeName")
    if came or change.type is ChangeType.DELETED or _over(obj) != _over(old or obj):
        for name in _volume_names(world, obj):
            enqueue(world, HANDLER, name, _DELAY_S)


def attachment_changed(world: World, change: Change) -> None:
    """An attachment has come about, has failed, or is gone."""
    name = (change.obj["spec"].get("source") or {}).get("persistentVolumeName")
    if name:
        enqueue(world, HANDLER, name, _DELAY_S)
        if change.type is ChangeType.DELETED:
            # A volume that is to go waits until it is attached nowhere.
            enqueue(world, volumes.VOLUME, name, _DELAY_S)


def reconcile(world: World, name: str) -> None:
    """Handler: look at one volume."""
    mark_processing(world, HANDLER, name)
    volume = world.store.get(Key(_VOLUMES, "", name))
    wanted = {} if volume is None else _wanted(world, volume)
    present = {entry["spec"]["nodeName"]: entry for entry in _attachments(world, name)}
    for node, attachment in present.items():
        if node not in wanted:
            _detach(world, name, attachment)
    if volume is None:
        return
    for node, pods in wanted.items():
        world.table(_UNUSED).pop((name, node), None)
        found = present.get(node)
        if found is None:
            elsewhere = [entry for other, entry in present.items() if other != node]
            if not elsewhere or not _SHARED.isdisjoint(volume["spec"].get("accessModes", ())):
                present[node] = _attach(world, volume, node)
            elif all((entry.get("status") or {}).get("attached") for entry in elsewhere):
                places = [entry["spec"]["nodeName"] for entry in elsewhere]
                _deny(world, name, node, pods, [p for n in places for p in wanted.get(n, ())])
        elif (found.get("status") or {}).get("attached"):
            _attached(world, volume, node, pods)
        elif (found.get("status") or {}).get("attachError"):
            _failed(world, name, node, pods, found["status"]["attachError"].get("message", ""))


def overdue(world: World, place: tuple[str, str]) -> None:
    """Handler: a volume could not be attached for two minutes."""
    mark_processing(world, OVERDUE, place)
    name, node = place
    volume = world.store.get(Key(_VOLUMES, "", name))
    if volume is None or drivers.is_attached(world, volume, node):
        return
    pods = _wanted(world, volume).get(node)
    if not pods:
        return
    csi = volume["spec"]["csi"]
    text = (
        f"timed out waiting for external-attacher of {csi['driver']} CSI driver to attach volume "
        f"{csi['volumeHandle']}"
    )
    _say_failed(world, name, pods, text)
    enqueue(world, OVERDUE, place, _TIMEOUT_S + _next_delay(world, place))


def _wanted(world: World, volume: Object) -> dict[str, list[Object]]:
    """Nodes to which a volume should be attached, with the pods that mount it there."""
    spec = volume["spec"]
    reference = spec.get("claimRef")
    if "csi" not in spec or reference is None:
        return {}
    if not drivers.needs_attachment(world, spec["csi"]["driver"]):
        return {}
    found: dict[str, list[Object]] = {}
    place = f"{reference['namespace']}/{reference['name']}"
    for pod in world.store.indexed("pods", "claim", place):
        node = pod["spec"].get("nodeName")
        if node and not _over(pod):
            found.setdefault(node, []).append(pod)
    return found


def _attach(world: World, volume: Object, node: str) -> Object:
    name, driver = volume["metadata"]["name"], volume["spec"]["csi"]["driver"]
    attachment = {
        "metadata": {"name": drivers.attachment_key(volume, node).name},
        "spec": {
            "attacher": driver,
            "nodeName": node,
            "source": {"persistentVolumeName": name},
        },
        "status": {"attached": False},
    }
    if drivers.running(world, driver) is None:
        enqueue(world, OVERDUE, (name, node), _TIMEOUT_S)
    return internal_client.create(world, drivers.ATTACHMENTS, attachment)


def _attached(world: World, volume: Object, node: str, pods: list[Object]) -> None:
    key = Key("nodes", "", node)
    found = world.store.get(key)
    if found is None:
        return
    name, unique = volume["metadata"]["name"], drivers.unique_name(volume)
    status: Object = found.get("status", {})
    present = status.get("volumesAttached") or []
    if any(entry["name"] == unique for entry in present):
        return
    world.table(_DELAYS).pop((name, node), None)
    attached = sorted([*present, {"name": unique, "devicePath": ""}], key=lambda e: str(e["name"]))
    in_use = sorted({*(status.get("volumesInUse") or ()), unique})
    internal_client.update_status(
        world, key, {**status, "volumesAttached": attached, "volumesInUse": in_use}
    )
    for pod in pods:
        text = f'AttachVolume.Attach succeeded for volume "{name}" '
        events.record(world, pod, "pods", "Normal", "SuccessfulAttachVolume", text, COMPONENT)


def _failed(world: World, name: str, node: str, pods: list[Object], why: str) -> None:
    """The attacher could not: say so, and look again later."""
    _say_failed(world, name, pods, why)
    enqueue(world, HANDLER, name, _next_delay(world, (name, node)))


def _next_delay(world: World, place: tuple[str, str]) -> float:
    delays = world.table(_DELAYS)
    delay_s: float = delays.get(place, _FIRST_RETRY_S)
    delays[place] = min(delay_s * 2, _LONGEST_RETRY_S)
    return delay_s


def _say_failed(world: World, name: str, pods: list[Object], why: str) -> None:
    for pod in pods:
        text = f'AttachVolume.Attach failed for volume "{name}" : {why}'
        events.record(world, pod, "pods", "Warning", "FailedAttachVolume", text, COMPONENT)


def _deny(world: World, name: str, node: str, pods: list[Object], users: list[Object]) -> None:
    """The volume is attached elsewhere and can only be in one place: say so once."""
    told = world.table(_TOLD)
    if told.get((name, node)):
        return
    told[(name, node)] = True
    for pod in pods:
        namespace = pod["metadata"]["namespace"]
        near = [
            user["metadata"]["name"] for user in users if user["metadata"]["namespace"] == namespace
        ]
        far = len(users) - len(near)
        why = "Volume is already exclusively attached to one node and can't be attached to another"
        if near:
            why = f"Volume is already used by pod(s) {', '.join(near)}"
            if far:
                why = f"{why} and {far} pod(s) in different namespaces"
        elif far:
            why = f"Volume is already used by {far} pod(s) in different namespaces"
        text = f'Multi-Attach error for volume "{name}" {why}'
        events.record(world, pod, "pods", "Warning", "FailedAttachVolume", text, COMPONENT)


def _detach(world: World, name: str, attachment: Object) -> None:
    """Detach a volume that no pod on a node needs, once the node has."""
    node = attachment["spec"]["nodeName"]
    if "deletionTimestamp" in attachment["metadata"]:
        return
    unused = world.table(_UNUSED)
    since = unused.setdefault((name, node), world.now)
    wait_s = since + _patience(world, node) - world.now
    if wait_s > 1e-6:
        enqueue(world, HANDLER, name, wait_s)
        return
    unused.pop((name, node), None)
    told = world.table(_TOLD)
    for place in [place for place in told if place[0] == name]:
        told.pop(place)
    _no_longer_listed(world, name, node)
    internal_client.delete(world, Key(drivers.ATTACHMENTS, "", attachment["metadata"]["name"]))


def _patience(world: World, node: str) -> float:
    found = world.store.get(Key("nodes", "", node))
    if found is None:
        return 0.0
    taints = (found.get("spec") or {}).get("taints") or ()
    if readiness(found) == "True" or any(t.get("key") == _OUT_OF_SERVICE for t in taints):
        return _UNMOUNT_S
    return _FORCE_S


def _no_longer_listed(world: World, name: str, node: str) -> None:
    volume = world.store.get(Key(_VOLUMES, "", name))
    key = Key("nodes", "", node)
    found = world.store.get(key)
    if volume is None or found is None:
        return
    status: Object = dict(found.get("status", {}))
    unique = drivers.unique_name(volume)
    attached = [e for e in status.pop("volumesAttached", None) or () if e["name"] != unique]
    in_use = [entry for entry in status.pop("volumesInUse", None) or () if entry != unique]
    if attached:
        status["volumesAttached"] = attached
    if in_use:
        status["volumesInUse"] = in_use
    internal_client.update_status(world, key, status)


def _attachments(world: World, name: str) -> list[Object]:
    return [
        entry
        for entry in world.store.list(drivers.ATTACHMENTS, "")
        if (entry["spec"].get("source") or {}).get("persistentVolumeName") == name
        # Those that others made are left alone.
        and entry["metadata"]["name"].startswith("csi-")
    ]


def _volume_names(world: World, pod: Object) -> list[str]:
    """The volumes behind the claims of a pod."""
    metadata, found = pod["metadata"], []
    for volume in pod["spec"].get("volumes") or ():
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if "ephemeral" in volume:
            claim = f"{metadata['name']}-{volume['name']}"
        if claim:
            key = Key("persistentvolumeclaims", metadata["namespace"], claim)
            name = ((world.store.get(key) or {}).get("spec") or {}).get("volumeName")
            if name:
                found.append(name)
    return found


def _over(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")

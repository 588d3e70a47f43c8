"""Empties volumes that are released, with the policy Recycle: a pod scrubs each of them.

What the pod's kubelet and the scheduler say of it is said of the volume, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.recycling"
_COMPONENT = "persistentvolume-controller"
# By the uid of its pod: the volume that is being emptied.
_PODS: TableKey[str, str] = TableKey("controllers.recycling.pods")
_NAMESPACE = "default"
_IMAGE = "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6"
_SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'
_LEAST_S, _PER_GIB_S = 60, 30
_DELAY_S = 0.05
_RESYNC_S = 15.0


def begin(world: World, name: str) -> None:
    """Have a released volume emptied."""
    enqueue(world, HANDLER, name, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """The pod that empties a volume has ended."""
    if not world.table(_PODS):
        return
    name = world.table(_PODS).get(change.obj["metadata"]["uid"])
    if name is not None and (change.type is ChangeType.DELETED or _phase(change.obj)):
        enqueue(world, HANDLER, name, _DELAY_S)


def copy_event_to_volume(world: World, change: Change) -> None:
    """What is said of such a pod is said of its volume."""
    if change.type is ChangeType.DELETED or not world.table(_PODS):
        return
    event = change.obj
    name = world.table(_PODS).get((event.get("involvedObject") or {}).get("uid", ""))
    volume = world.store.get(Key("persistentvolumes", "", name)) if name else None
    if volume is not None:
        text = f"Recycler pod: {event.get('message', '')}"
        _say(world, volume, event.get("type", "Normal"), "RecyclerPod", text)


def reconcile(world: World, name: str) -> None:
    """Handler: look at one volume that is to be emptied."""
    mark_processing(world, HANDLER, name)
    key = Key("persistentvolumes", "", name)
    volume = world.store.get(key)
    place = Key("pods", _NAMESPACE, f"recycler-for-{name}")
    pod = world.store.get(place)
    if volume is None or volume["status"].get("phase") not in ("Released", "Failed"):
        _forget(world, place, pod)
        return
    if not {"hostPath", "nfs"} & volume["spec"].keys():
        _fail(world, key, volume, "No recycler plugin found for the volume!")
        return
    if pod is None:
        made = internal_client.create(world, "pods", _scrubber(volume))
        world.table(_PODS)[made["metadata"]["uid"]] = name
        return
    phase = _phase(pod)
    if not phase:
        return
    _forget(world, place, pod)
    if phase == "Succeeded":
        _free(world, key, volume)
    else:
        why = pod["status"].get("message") or "pod failed, pod.Status.Message unknown"
        _fail(world, key, volume, f"Recycle failed: {why}")
        enqueue(world, HANDLER, name, _RESYNC_S - world.now % _RESYNC_S)


def _scrubber(volume: Object) -> Object:
    """The pod that empties a volume."""
    spec, name = volume["spec"], volume["metadata"]["name"]
    size = float(parse(spec["capacity"]["storage"])) / 2**30
    source = {field: spec[field] for field in ("hostPath", "nfs") if field in spec}
    container = {
        "name": "pv-recycler",
        "image": _IMAGE,
        "command": ["/bin/sh"],
        "args": ["-c", _SCRUB],
        "volumeMounts": [{"name": "vol", "mountPath": "/scrub"}],
    }
    return {
        "metadata": {"name": f"recycler-for-{name}", "namespace": _NAMESPACE},
        "spec": {
            "activeDeadlineSeconds": max(int(_PER_GIB_S * size), _LEAST_S),
            "restartPolicy": "Never",
            "containers": [container],
            "volumes": [{"name": "vol", **source}],
        },
    }


def _free(world: World, key: Key, volume: Object) -> None:
    _say(world, volume, "Normal", "VolumeRecycled", "Volume recycled")
    spec = {name: value for name, value in volume["spec"].items() if name != "claimRef"}
    marks = dict(volume["metadata"].get("annotations") or {})
    marks.pop("pv.kubernetes.io/bound-by-controller", None)
    metadata = {**volume["metadata"], "annotations": marks}
    internal_client.update(world, key.resource, {**volume, "metadata": metadata, "spec": spec})


def _fail(world: World, key: Key, volume: Object, text: str) -> None:
    status: Object = volume.get("status", {})
    if status.get("phase") != "Failed":
        now = world.timestamp()
        failed = {"phase": "Failed", "message": text, "lastPhaseTransitionTime": now}
        internal_client.update_status(world, key, {**status, **failed})
    _say(world, volume, "Warning", "VolumeFailedRecycle", text)


def _forget(world: World, place: Key, pod: Object | None) -> None:
    if pod is not None and world.table(_PODS).pop(pod["metadata"]["uid"], None) is not None:
        internal_client.delete(world, place)


def _say(world: World, volume: Object, type_: str, reason: str, text: str) -> None:
    events.record(world, volume, "persistentvolumes", type_, reason, text, _COMPONENT)


def _phase(pod: Object) -> str:
    """The phase of a pod that has ended, else empty."""
    phase: str = (pod.get("status") or {}).get("phase", "")
    return phase if phase in ("Succeeded", "Failed") else ""

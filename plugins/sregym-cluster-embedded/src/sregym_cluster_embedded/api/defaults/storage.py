"""Defaults of volumes, claims, classes, and of secrets."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults.fields import filled, within

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CLASS = {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}
_VOLUME = {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}
_DRIVER = {
    "attachRequired": True,
    "fsGroupPolicy": "ReadWriteOnceWithFSType",
    "podInfoOnMount": False,
    "requiresRepublish": False,
    "seLinuxMount": False,
    "storageCapacity": False,
    "volumeLifecycleModes": ["Persistent"],
}
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


def volume(obj: Object) -> Object:
    """PersistentVolume."""

    def spec(before: Object) -> Object:
        after = filled(before, _VOLUME)
        return within(after, "hostPath", lambda source: filled(source, {"type": ""}))

    return within(obj, "spec", spec)


def claim(obj: Object) -> Object:
    """PersistentVolumeClaim."""

    def spec(before: Object) -> Object:
        after = filled(before, {"volumeMode": "Filesystem"})
        source, reference = after.get("dataSource"), after.get("dataSourceRef")
        if source is not None and reference is None:
            return {**after, "dataSourceRef": {"apiGroup": None, **source}}
        if source is None and reference is not None and not reference.get("namespace"):
            return {**after, "dataSource": {"apiGroup": None, **reference}}
        return after

    return within(obj, "spec", spec)


def new_claim(world: World, obj: Object) -> Object:
    """A new claim: the default class when it names none, and protection from early deletion."""
    spec = obj["spec"]
    if "storageClassName" not in spec:
        defaults = [
            entry
            for entry in world.store.list("storageclasses.storage.k8s.io")
            if entry["metadata"].get("annotations", {}).get(DEFAULT_CLASS) == "true"
        ]
        if defaults:
            # Of several default classes the youngest counts, then the first by name.
            newest = max(entry["metadata"]["creationTimestamp"] for entry in defaults)
            chosen = next(
                entry for entry in defaults if entry["metadata"]["creationTimestamp"] == newest
            )
            spec = {**spec, "storageClassName": chosen["metadata"]["name"]}
    return _protected({**obj, "spec": spec}, "kubernetes.io/pvc-protection")


def new_volume(world: World, obj: Object) -> Object:
    """A new volume: protection from early deletion, and since when it is in its first phase."""
    status = {**obj["status"], "lastPhaseTransitionTime": world.timestamp()}
    return _protected({**obj, "status": status}, "kubernetes.io/pv-protection")


def storage_class(obj: Object) -> Object:
    """StorageClass."""
    return filled(obj, _CLASS)


def csi_driver(obj: Object) -> Object:
    """CSIDriver."""
    return within(obj, "spec", lambda spec: filled(spec, _DRIVER))


def secret(obj: Object) -> Object:
    """Secret; `stringData` is for writing only and becomes part of `data`."""
    plain = obj.get("stringData")
    if plain is not None:
        encoded = {key: b64encode(value.encode()).decode() for key, value in plain.items()}
        obj = {key: value for key, value in obj.items() if key != "stringData"}
        if encoded:
            obj["data"] = {**(obj.get("data") or {}), **encoded}
    return filled(obj, {"type": "Opaque"})


def _protected(obj: Object, finalizer: str) -> Object:
    present = obj["metadata"].get("finalizers", [])
    if finalizer in present:
        return obj
    metadata = {**obj["metadata"], "finalizers": [*present, finalizer]}
    return {**obj, "metadata": metadata}

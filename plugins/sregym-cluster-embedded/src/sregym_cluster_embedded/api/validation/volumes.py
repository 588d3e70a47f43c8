"""Validation of volumes and of claims to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"
_POSITIVE = "must be greater than zero"
_SOURCES = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
)


def claim(obj: Object) -> list[Cause]:
    """PersistentVolumeClaim."""
    spec = obj["spec"]
    found: list[Cause] = []
    if not spec.get("accessModes"):
        found.append(causes.required("spec.accessModes", "at least 1 access mode is required"))
    found += _modes(spec.get("accessModes") or ())
    requests = spec.get("resources", {}).get("requests", {})
    if "storage" not in requests:
        return [*found, causes.required("spec.resources[storage]")]
    return found + _size("spec.resources[storage]", requests["storage"])


def volume(obj: Object) -> list[Cause]:
    """PersistentVolume."""
    spec = obj.get("spec", {})
    found: list[Cause] = []
    if not spec.get("accessModes"):
        found.append(causes.required("spec.accessModes"))
    found += _modes(spec.get("accessModes") or ())
    capacity = spec.get("capacity") or None
    if capacity is None:
        found.append(causes.required("spec.capacity"))
    if capacity is None or set(capacity) != {"storage"}:
        found.append(causes.unsupported("spec.capacity", capacity, ("storage",)))
    for name, size in sorted((capacity or {}).items()):
        found += _size(f"spec.capacity[{name}]", size)
    if not any(source in spec for source in _SOURCES):
        found.append(causes.required("spec", "must specify a volume type"))
    return found


def _modes(modes: list[str] | tuple[()]) -> list[Cause]:
    found = [
        causes.unsupported("spec.accessModes", mode, _ACCESS_MODES)
        for mode in modes
        if mode not in _ACCESS_MODES
    ]
    if _ALONE in modes and len(modes) > 1:
        detail = f"may not use {_ALONE} with other access modes"
        found.append(causes.forbidden("spec.accessModes", detail))
    return found


def _size(field: str, size: Any) -> list[Cause]:
    return [] if quantity.parse(size) > 0 else [causes.invalid(field, str(size), _POSITIVE)]

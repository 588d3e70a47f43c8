"""The rows of types that no recording has a table of: devices, storage capacities and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.printers.duration import since

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.printers.cell_texts import Cells, Printer
    from sregym_cluster_embedded.store import Object

# Columns between name and age: name and description. Capacities have no age.
_BETWEEN: Mapping[str, tuple[tuple[str, str], ...]] = {
    "deviceclasses.resource.k8s.io": (),
    "resourceclaimtemplates.resource.k8s.io": (),
    "resourceclaims.resource.k8s.io": (
        ("State", "A summary of the current state (allocated, pending, reserved, etc.)."),
    ),
    "resourceslices.resource.k8s.io": (
        ("Node", "NodeName identifies the node which provides the resources in this pool."),
        ("Driver", "Driver identifies the DRA driver providing the capacity information."),
        ("Pool", "Name is used to identify the pool."),
    ),
    "volumeattributesclasses.storage.k8s.io": (("DriverName", "Name of the CSI driver"),),
    "csistoragecapacities.storage.k8s.io": (
        ("StorageClassName", "storageClassName represents the name of the StorageClass"),
        ("Capacity", "capacity is the value reported by the CSI driver"),
    ),
}
_AGELESS = frozenset({"csistoragecapacities.storage.k8s.io"})


def columns(
    resource: str, name: dict[str, Any], age: dict[str, Any]
) -> list[dict[str, Any]] | None:
    """The columns of such a type, or None; `name` and `age` are those of other types."""
    between = _BETWEEN.get(resource)
    if between is None:
        return None
    own = [
        {"name": title, "type": "string", "format": "", "description": text, "priority": 0}
        for title, text in between
    ]
    return [name, *own, *([] if resource in _AGELESS else [age])]


def _row(obj: Object, now_s: float, *cells: Any) -> Cells:
    age = since(obj["metadata"].get("creationTimestamp"), now_s)
    return [obj["metadata"]["name"], *cells, age]


def plain(obj: Object, now_s: float) -> Cells:
    """DeviceClass and ResourceClaimTemplate."""
    return _row(obj, now_s)


def claim(obj: Object, now_s: float) -> Cells:
    """ResourceClaim."""
    status = obj.get("status") or {}
    states = ["deleted"] if "deletionTimestamp" in obj["metadata"] else []
    if status.get("allocation") is None:
        states = states or ["pending"]
    else:
        states.append("allocated")
        if status.get("reservedFor"):
            states.append("reserved")
    return _row(obj, now_s, ",".join(states))


def device_slice(obj: Object, now_s: float) -> Cells:
    """ResourceSlice."""
    spec = obj.get("spec") or {}
    pool = (spec.get("pool") or {}).get("name", "")
    return _row(obj, now_s, spec.get("nodeName", ""), spec.get("driver", ""), pool)


def attributes_class(obj: Object, now_s: float) -> Cells:
    """VolumeAttributesClass."""
    return _row(obj, now_s, obj.get("driverName", ""))


def capacity(obj: Object, _now_s: float) -> Cells:
    """CSIStorageCapacity."""
    size = obj.get("capacity", "<unset>")
    return [obj["metadata"]["name"], obj.get("storageClassName", ""), size]


PRINTERS: dict[str, Printer] = {
    "deviceclasses.resource.k8s.io": plain,
    "resourceclaimtemplates.resource.k8s.io": plain,
    "resourceclaims.resource.k8s.io": claim,
    "resourceslices.resource.k8s.io": device_slice,
    "volumeattributesclasses.storage.k8s.io": attributes_class,
    "csistoragecapacities.storage.k8s.io": capacity,
}

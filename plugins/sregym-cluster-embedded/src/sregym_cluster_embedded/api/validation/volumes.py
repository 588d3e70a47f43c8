"""Validation of volumes and of claims to them."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import amounts, causes, formats, placement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"
_RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
_MODES = ("Block", "Filesystem")
_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
# In the order in which the server looks.
_SOURCES = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)


def claim(obj: Object) -> list[Cause]:
    """PersistentVolumeClaim."""
    return claim_spec(obj["spec"], "spec")


def claim_spec(spec: Object, path: str) -> list[Cause]:
    """What is claimed."""
    found: list[Cause] = []
    if not spec.get("accessModes"):
        found.append(causes.required(f"{path}.accessModes", "at least 1 access mode is required"))
    found += _access(spec.get("accessModes") or (), path)
    requests = (spec.get("resources") or {}).get("requests") or {}
    place = f"{path}.resources[storage]"
    if "storage" not in requests:
        found.append(causes.required(place))
    else:
        found += amounts.positive(place, requests["storage"])
    if spec.get("storageClassName"):
        found += formats.subdomain(f"{path}.storageClassName", spec["storageClassName"])
    found += causes.one_of(f"{path}.volumeMode", spec.get("volumeMode"), _MODES)
    for field in ("dataSource", "dataSourceRef"):
        if spec.get(field) is not None:
            found += _data_source(spec[field], f"{path}.{field}")
    return found


def _data_source(source: Object, path: str) -> list[Cause]:
    found = [
        causes.required(f"{path}.{field}") for field in ("name", "kind") if not source.get(field)
    ]
    kind, group = source.get("kind", ""), source.get("apiGroup") or ""
    if not group and kind != "PersistentVolumeClaim":
        text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        found.append(causes.invalid(path, kind, text))
    if group:
        found += formats.subdomain(f"{path}.apiGroup", group)
    return found


def volume(obj: Object) -> list[Cause]:
    """PersistentVolume."""
    spec = obj.get("spec", {})
    found: list[Cause] = []
    if not spec.get("accessModes"):
        found.append(causes.required("spec.accessModes"))
    found += _access(spec.get("accessModes") or (), "spec")
    capacity = spec.get("capacity") or None
    if capacity is None:
        found.append(causes.required("spec.capacity"))
    if capacity is None or set(capacity) != {"storage"}:
        found.append(causes.unsupported("spec.capacity", capacity, ("storage",)))
    for name, size in sorted((capacity or {}).items()):
        found += _capacity(f"spec.capacity[{name}]", size)
    policy = spec.get("persistentVolumeReclaimPolicy")
    found += causes.one_of("spec.persistentVolumeReclaimPolicy", policy, _RECLAIM_POLICIES)
    affinity = spec.get("nodeAffinity")
    if affinity is not None:
        found += _affinity(affinity, "spec.nodeAffinity")
    found += _source(spec)
    path = (spec.get("hostPath") or {}).get("path", "")
    if path and posixpath.normpath(path) == "/" and policy == "Recycle":
        text = "may not be 'recycle' for a hostPath mount of '/'"
        found.append(causes.forbidden("spec.persistentVolumeReclaimPolicy", text))
    if spec.get("storageClassName"):
        found += formats.subdomain("spec.storageClassName", spec["storageClassName"])
    return found + causes.one_of("spec.volumeMode", spec.get("volumeMode"), _MODES)


def _source(spec: Object) -> list[Cause]:
    present = [source for source in _SOURCES if spec.get(source) is not None]
    if not present:
        return [causes.required("spec", "must specify a volume type")]
    first = present[0]
    check = _CHECKS.get(first)
    found = check(spec[first], f"spec.{first}") if check is not None else []
    if first == "local" and spec.get("nodeAffinity") is None:
        text = "Local volume requires node affinity"
        found.append(causes.required("spec.nodeAffinity", text))
    text = "may not specify more than 1 volume type"
    return found + [causes.forbidden(f"spec.{extra}", text) for extra in present[1:]]


def _affinity(affinity: Object, path: str) -> list[Cause]:
    required = affinity.get("required")
    if required is None:
        text = "must specify required node constraints"
        return [causes.required(f"{path}.required", text)]
    return placement.node_selector(required, f"{path}.required")


def _capacity(field: str, size: Any) -> list[Cause]:
    number = quantity.parse(size)
    found: list[Cause] = []
    if number < 0:
        text = "must be a valid resource quantity"
        found.append(causes.invalid(field, int(number), text))
    return found + amounts.positive(field, size)


def host_path(source: Object, path: str) -> list[Cause]:
    """A folder of the node."""
    if not source.get("path"):
        return [causes.required(f"{path}.path")]
    found = formats.path_without_dotdot(f"{path}.path", source["path"])
    return found + causes.one_of(f"{path}.type", source.get("type"), _HOST_PATH_TYPES)


def nfs(source: Object, path: str) -> list[Cause]:
    """A share of a file server."""
    found = [
        causes.required(f"{path}.{field}") for field in ("server", "path") if not source.get(field)
    ]
    if not source.get("path", "").startswith("/"):
        text = "must be an absolute path"
        found.append(causes.invalid(f"{path}.path", source.get("path", ""), text))
    return found


def _local(source: Object, path: str) -> list[Cause]:
    if not source.get("path"):
        return [causes.required(f"{path}.path")]
    return formats.path_without_dotdot(f"{path}.path", source["path"])


def _csi(source: Object, path: str) -> list[Cause]:
    found = formats.driver(f"{path}.driver", source.get("driver", ""))
    if not source.get("volumeHandle"):
        found.append(causes.required(f"{path}.volumeHandle"))
    return found


_CHECKS: Mapping[str, Callable[[Object, str], list[Cause]]] = {
    "hostPath": host_path,
    "nfs": nfs,
    "local": _local,
    "csi": _csi,
}


def _access(modes: list[str] | tuple[()], path: str) -> list[Cause]:
    found = [
        causes.unsupported(f"{path}.accessModes", mode, _ACCESS_MODES)
        for mode in modes
        if mode not in _ACCESS_MODES
    ]
    if _ALONE in modes and len({mode for mode in modes if mode in _ACCESS_MODES}) > 1:
        detail = f"may not use {_ALONE} with other access modes"
        found.append(causes.forbidden(f"{path}.accessModes", detail))
    return found

"""The rows of volumes, claims and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.printers.cell_texts import Cells, access_modes
from sregym_cluster_embedded.api.printers.duration import since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_DEFAULT_CLASS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _age(obj: Object, now_s: float) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now_s)


def _phase(obj: Object) -> str:
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str(obj.get("status", {}).get("phase", ""))


def _class_of(obj: Object) -> str:
    annotations = obj["metadata"].get("annotations", {})
    beta = annotations.get("volume.beta.kubernetes.io/storage-class")
    return str(beta if beta is not None else obj["spec"].get("storageClassName", ""))


def claim(obj: Object, now_s: float) -> Cells:
    """PersistentVolumeClaim."""
    spec, status = obj["spec"], obj.get("status", {})
    bound = bool(spec.get("volumeName"))
    return [
        obj["metadata"]["name"],
        _phase(obj),
        spec.get("volumeName", ""),
        status.get("capacity", {}).get("storage", "0") if bound else "",
        access_modes(status.get("accessModes")) if bound else "",
        _class_of(obj),
        spec.get("volumeAttributesClassName") or "<unset>",
        _age(obj, now_s),
        spec.get("volumeMode", "<unset>"),
    ]


def volume(obj: Object, now_s: float) -> Cells:
    """PersistentVolume."""
    spec, status = obj["spec"], obj.get("status", {})
    reference = spec.get("claimRef")
    return [
        obj["metadata"]["name"],
        spec.get("capacity", {}).get("storage", "0"),
        access_modes(spec.get("accessModes")),
        spec.get("persistentVolumeReclaimPolicy", ""),
        _phase(obj),
        f"{reference.get('namespace', '')}/{reference.get('name', '')}" if reference else "",
        _class_of(obj),
        spec.get("volumeAttributesClassName") or "<unset>",
        status.get("reason", ""),
        _age(obj, now_s),
        spec.get("volumeMode", "<unset>"),
    ]


def storage_class(obj: Object, now_s: float) -> Cells:
    """StorageClass."""
    annotations = obj["metadata"].get("annotations", {})
    name = obj["metadata"]["name"]
    if any(annotations.get(key) == "true" for key in _DEFAULT_CLASS):
        name = f"{name} (default)"
    return [
        name,
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy", "Delete"),
        obj.get("volumeBindingMode", "Immediate"),
        bool(obj.get("allowVolumeExpansion")),
        _age(obj, now_s),
    ]


def csi_node(obj: Object, now_s: float) -> Cells:
    """CSINode."""
    drivers = obj.get("spec", {}).get("drivers") or ()
    return [obj["metadata"]["name"], len(drivers), _age(obj, now_s)]


def csi_driver(obj: Object, now_s: float) -> Cells:
    """CSIDriver."""
    spec = obj.get("spec", {})
    audiences = [request.get("audience", "") for request in spec.get("tokenRequests", ())]
    return [
        obj["metadata"]["name"],
        bool(spec.get("attachRequired", True)),
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        ",".join(audiences) or "<unset>",
        bool(spec.get("requiresRepublish")),
        ",".join(spec.get("volumeLifecycleModes", ())) or "<none>",
        _age(obj, now_s),
    ]


def attachment(obj: Object, now_s: float) -> Cells:
    """VolumeAttachment."""
    spec = obj["spec"]
    return [
        obj["metadata"]["name"],
        spec.get("attacher", ""),
        spec.get("source", {}).get("persistentVolumeName", ""),
        spec.get("nodeName", ""),
        bool(obj.get("status", {}).get("attached")),
        _age(obj, now_s),
    ]

"""`kubectl describe` of volumes, storage classes and what nodes know of storage drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.ages import age
from sregym_cluster_embedded.kubectl.describe.claims import modes_text
from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    shortened,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_CLASS = "volume.beta.kubernetes.io/storage-class"
_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_ATTRIBUTE_LENGTH = 140


def describe_volume(session: Session, obj: Object) -> str:
    """The description of one PersistentVolume."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "Finalizers", f"[{' '.join(metadata.get('finalizers', ()))}]")
    annotated = metadata.get("annotations", {}).get(_CLASS)
    writer.field(0, "StorageClass", annotated or spec.get("storageClassName", ""))
    phase = status.get("phase", "")
    if metadata.get("deletionTimestamp"):
        since = age(metadata["deletionTimestamp"], session.access.unix_now())
        phase = f"Terminating (lasts {since})"
    writer.field(0, "Status", phase)
    claim = spec.get("claimRef")
    bound = f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""
    writer.field(0, "Claim", bound)
    writer.field(0, "Reclaim Policy", spec.get("persistentVolumeReclaimPolicy", ""))
    writer.field(0, "Access Modes", modes_text(spec.get("accessModes", ())))
    if spec.get("volumeMode"):
        writer.field(0, "VolumeMode", spec["volumeMode"])
    writer.field(0, "Capacity", spec.get("capacity", {}).get("storage", "0"))
    _affinity(writer, spec.get("nodeAffinity"))
    writer.field(0, "Message", status.get("message", ""))
    writer.line(0, "Source:")
    _source(writer, spec)
    write_events(writer, session, obj)
    return writer.text()


def _affinity(writer: Writer, affinity: Object | None) -> None:
    required = (affinity or {}).get("required")
    if required is None:
        writer.line(0, "Node Affinity:\t<none>")
        return
    writer.line(0, "Node Affinity:\t")
    terms = required.get("nodeSelectorTerms") or ()
    writer.line(1, "Required Terms:\t" if terms else "Required Terms:\t<none>")
    for at, term in enumerate(terms):
        _term(writer, 2, f"Term {at}", term.get("matchExpressions") or ())


def _term(writer: Writer, level: int, title: str, requirements: Sequence[Object]) -> None:
    if not requirements:
        writer.line(level, f"{title}:\t<none>")
    head = f"{title}:\t"
    for one in requirements:
        text = f"{one['key']} {one.get('operator', 'in').lower()}"
        if one.get("values"):
            text += f" [{', '.join(one['values'])}]"
        writer.line(level, head + text)
        head = "\t"


def _source(writer: Writer, spec: Object) -> None:
    if "hostPath" in spec:
        source = spec["hostPath"]
        writer.field(2, "Type", "HostPath (bare host directory volume)")
        writer.field(2, "Path", source["path"])
        writer.field(2, "HostPathType", source.get("type", "<none>"))
    elif "nfs" in spec:
        source = spec["nfs"]
        writer.field(2, "Type", "NFS (an NFS mount that lasts the lifetime of a pod)")
        writer.field(2, "Server", source["server"])
        writer.field(2, "Path", source["path"])
        writer.field(2, "ReadOnly", _truth(source.get("readOnly")))
    elif "local" in spec:
        kind = "LocalVolume (a persistent volume backed by local storage on a node)"
        writer.field(2, "Type", kind)
        writer.field(2, "Path", spec["local"]["path"])
    elif "csi" in spec:
        source = spec["csi"]
        writer.field(2, "Type", "CSI (a Container Storage Interface (CSI) volume source)")
        writer.field(2, "Driver", source["driver"])
        writer.field(2, "FSType", source.get("fsType", ""))
        writer.field(2, "VolumeHandle", source["volumeHandle"])
        writer.field(2, "ReadOnly", _truth(source.get("readOnly")))
        _attributes(writer, source.get("volumeAttributes") or {})
    else:
        raise NotCovered("an unusual source of a volume")


def _attributes(writer: Writer, values: Mapping[str, str]) -> None:
    if not values:
        writer.line(2, "VolumeAttributes:\t<none>")
    head = "    VolumeAttributes:\t"
    for key in sorted(values):
        writer.line(0, head + shortened(f"{key}={values[key]}", _ATTRIBUTE_LENGTH))
        head = "    \t"


def describe_storage_class(session: Session, obj: Object) -> str:
    """The description of one StorageClass."""
    writer = Writer()
    annotations = obj["metadata"].get("annotations") or {}
    writer.field(0, "Name", obj["metadata"]["name"])
    default = any(annotations.get(name) == "true" for name in _DEFAULT)
    writer.field(0, "IsDefaultClass", "Yes" if default else "No")
    writer.field(0, "Annotations", _pairs(annotations))
    writer.field(0, "Provisioner", obj["provisioner"])
    writer.field(0, "Parameters", _pairs(obj.get("parameters") or {}))
    expandable = obj.get("allowVolumeExpansion")
    writer.field(0, "AllowVolumeExpansion", "<unset>" if expandable is None else expandable)
    options = obj.get("mountOptions") or ()
    writer.line(0, "MountOptions:" if options else "MountOptions:\t<none>")
    for option in options:
        writer.line(1, option)
    for title, field in (
        ("ReclaimPolicy", "reclaimPolicy"),
        ("VolumeBindingMode", "volumeBindingMode"),
    ):
        if obj.get(field):
            writer.field(0, title, obj[field])
    topologies = obj.get("allowedTopologies")
    if topologies is not None:
        writer.line(0, "AllowedTopologies:\t" if topologies else "AllowedTopologies:\t<none>")
        for at, term in enumerate(topologies):
            _term(writer, 1, f"Term {at}", term.get("matchLabelExpressions") or ())
    write_events(writer, session, obj)
    return writer.text()


def describe_csi_node(session: Session, obj: Object) -> str:
    """The description of one CSINode."""
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "CreationTimestamp", moment(metadata["creationTimestamp"]))
    writer.line(0, "Spec:")
    drivers = obj["spec"].get("drivers")
    if drivers is not None:
        writer.line(1, "Drivers:")
    for driver in drivers or ():
        writer.line(2, f"{driver['name']}:")
        writer.field(3, "Node ID", driver["nodeID"])
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None:
            writer.line(3, "Allocatables:")
            writer.field(4, "Count", count)
        keys = driver.get("topologyKeys")
        if keys is not None:
            writer.field(3, "Topology Keys", f"[{' '.join(keys)}]")
    write_events(writer, session, obj)
    return writer.text()


def _pairs(values: Mapping[str, str]) -> str:
    return ",".join(f"{key}={values[key]}" for key in sorted(values)) or "<none>"


def _truth(value: object) -> str:
    return "true" if value else "false"

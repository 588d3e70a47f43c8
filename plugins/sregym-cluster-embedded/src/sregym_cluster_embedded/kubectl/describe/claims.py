"""`kubectl describe persistentvolumeclaim`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.ages import age
from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Collection

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_CLASS = "volume.beta.kubernetes.io/storage-class"
_MODES = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)


def modes_text(modes: Collection[str]) -> str:
    """Access modes by their letters, in the order that kubectl gives them."""
    return ",".join(short for mode, short in _MODES if mode in modes)


def describe_claim(session: Session, obj: Object) -> str:
    """The description of one PersistentVolumeClaim."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    annotated = metadata.get("annotations", {}).get(_CLASS)
    writer.field(0, "StorageClass", annotated or spec.get("storageClassName", ""))
    phase = status.get("phase", "")
    if metadata.get("deletionTimestamp"):
        since = age(metadata["deletionTimestamp"], session.access.unix_now())
        phase = f"Terminating (lasts {since})"
    writer.field(0, "Status", phase)
    writer.field(0, "Volume", spec.get("volumeName", ""))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "Finalizers", f"[{' '.join(metadata.get('finalizers', ()))}]")
    bound = bool(spec.get("volumeName"))
    modes = status.get("accessModes", ()) if bound else ()
    writer.field(0, "Capacity", status.get("capacity", {}).get("storage", "0") if bound else "")
    writer.field(0, "Access Modes", modes_text(modes))
    if spec.get("volumeMode"):
        writer.field(0, "VolumeMode", spec["volumeMode"])
    source = spec.get("dataSource")
    if source:
        writer.line(0, "DataSource:")
        if source.get("apiGroup") is not None:
            writer.field(1, "APIGroup", source["apiGroup"])
        writer.field(1, "Kind", source["kind"])
        writer.field(1, "Name", source["name"])
    _users(writer, session, obj)
    if status.get("conditions"):
        writer.line(0, "Conditions:")
        writer.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage")
        writer.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
        for one in status["conditions"]:
            times = moment(one.get("lastProbeTime")), moment(one.get("lastTransitionTime"))
            told = one.get("reason", ""), one.get("message", "")
            writer.line(1, "\t".join((f"{one['type']} ", f"{one['status']} ", *times, *told)))
    write_events(writer, session, obj)
    return writer.text()


def _users(writer: Writer, session: Session, obj: Object) -> None:
    metadata = obj["metadata"]
    pods = session.client.list(session.client.resource_type("pods"), metadata["namespace"])
    names = []
    for pod in pods:
        for volume in pod["spec"].get("volumes", ()):
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if "ephemeral" in volume:
                claim = f"{pod['metadata']['name']}-{volume['name']}"
            if claim == metadata["name"]:
                names.append(pod["metadata"]["name"])
                break
    writer.field(0, "Used By", names[0] if names else "<none>")
    for name in names[1:]:
        writer.line(0, f"\t{name}")

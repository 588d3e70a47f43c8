"""`kubectl describe statefulset` and `daemonset`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.pods import describe_template
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.workloads import pods_status
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session


def describe_stateful_set(session: Session, obj: Object) -> str:
    """The description of one StatefulSet."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "CreationTimestamp", moment(metadata["creationTimestamp"]))
    writer.field(0, "Selector", selector_text(spec["selector"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    if spec.get("serviceName"):
        writer.field(0, "Service Name", spec["serviceName"])
    if spec.get("podManagementPolicy"):
        writer.field(0, "Pod Management Policy", spec["podManagementPolicy"])
    counts = f"{spec.get('replicas', 0)} desired | {status.get('replicas', 0)} total"
    writer.field(0, "Replicas", counts)
    strategy = spec.get("updateStrategy", {})
    writer.field(0, "Update Strategy", strategy.get("type", ""))
    rolling = strategy.get("rollingUpdate")
    if rolling:
        if rolling.get("partition") is not None:
            writer.field(1, "Partition", rolling["partition"])
        if rolling.get("maxUnavailable") is not None:
            writer.field(1, "MaxUnavailable", rolling["maxUnavailable"])
    kept = spec.get("persistentVolumeClaimRetentionPolicy")
    if kept:
        writer.line(0, "Persistent Volume Claim Retention Policy:")
        writer.field(1, "WhenDeleted", kept["whenDeleted"])
        writer.field(1, "WhenScaled", kept["whenScaled"])
    writer.field(0, "Pods Status", pods_status(session, obj))
    describe_template(writer, spec["template"])
    _claims(writer, spec.get("volumeClaimTemplates", ()))
    write_events(writer, session, obj)
    return writer.text()


def _claims(writer: Writer, templates: list[Object]) -> None:
    if not templates:
        writer.line(0, "Volume Claims:\t<none>")
        return
    writer.line(0, "Volume Claims:")
    for template in templates:
        metadata, spec = template["metadata"], template["spec"]
        writer.field(1, "Name", metadata["name"])
        writer.field(1, "StorageClass", spec.get("storageClassName", ""))
        write_labels(writer, "Labels", metadata.get("labels"), "  ")
        write_annotations(writer, "Annotations", metadata.get("annotations"), "  ")
        size = spec.get("resources", {}).get("requests", {}).get("storage")
        writer.field(1, "Capacity", "<default>" if size is None else size)
        writer.field(1, "Access Modes", f"[{' '.join(spec.get('accessModes', ()))}]")


def describe_daemon_set(session: Session, obj: Object) -> str:
    """The description of one DaemonSet."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    owner = owner_of(obj)
    if owner is not None:
        writer.field(0, "Controlled By", f"{owner['kind']}/{owner['name']}")
    writer.field(0, "Selector", selector_text(spec["selector"]))
    chosen = spec["template"]["spec"].get("nodeSelector", {})
    pairs = ",".join(f"{key}={chosen[key]}" for key in sorted(chosen))
    writer.field(0, "Node-Selector", pairs or "<none>")
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    for title, field in (
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ):
        writer.line(0, f"{title}: {status.get(field, 0)}")
    writer.field(0, "Pods Status", pods_status(session, obj))
    describe_template(writer, spec["template"])
    write_events(writer, session, obj)
    return writer.text()

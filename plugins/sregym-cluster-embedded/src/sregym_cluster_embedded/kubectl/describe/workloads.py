"""`kubectl describe deployment` and `replicaset`."""

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
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session


def describe_deployment(session: Session, obj: Object) -> str:
    """The description of one Deployment."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "CreationTimestamp", moment(metadata["creationTimestamp"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "Selector", selector_text(spec["selector"]))
    counts = (
        f"{spec.get('replicas', 0)} desired | {status.get('updatedReplicas', 0)} updated | "
        f"{status.get('replicas', 0)} total | {status.get('availableReplicas', 0)} available | "
        f"{status.get('unavailableReplicas', 0)} unavailable"
    )
    writer.field(0, "Replicas", counts)
    strategy = spec.get("strategy", {})
    writer.field(0, "StrategyType", strategy.get("type", ""))
    writer.field(0, "MinReadySeconds", spec.get("minReadySeconds", 0))
    rolling = strategy.get("rollingUpdate")
    if rolling:
        limits = f"{rolling['maxUnavailable']} max unavailable, {rolling['maxSurge']} max surge"
        writer.field(0, "RollingUpdateStrategy", limits)
    describe_template(writer, spec["template"])
    _conditions(writer, status)
    old, new = _replica_sets(session, obj)
    writer.field(0, "OldReplicaSets", _listed(old))
    writer.field(0, "NewReplicaSet", _listed(new))
    write_events(writer, session, obj)
    return writer.text()


def describe_replica_set(session: Session, obj: Object) -> str:
    """The description of one ReplicaSet."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "Selector", selector_text(spec["selector"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    owner = owner_of(obj)
    if owner is not None:
        writer.field(0, "Controlled By", f"{owner['kind']}/{owner['name']}")
    present, wanted = status.get("replicas", 0), spec.get("replicas", 0)
    writer.field(0, "Replicas", f"{present} current / {wanted} desired")
    writer.field(0, "Pods Status", pods_status(session, obj))
    describe_template(writer, spec["template"])
    _conditions(writer, status)
    write_events(writer, session, obj)
    return writer.text()


def _conditions(writer: Writer, status: Object) -> None:
    if not status.get("conditions"):
        return
    writer.line(0, "Conditions:\n  Type\tStatus\tReason")
    writer.line(1, "----\t------\t------")
    for condition in status["conditions"]:
        reason = condition.get("reason", "")
        writer.line(1, f"{condition['type']} \t{condition['status']}\t{reason}")


def pods_status(session: Session, obj: Object) -> str:
    """How many pods of a workload are in which phase."""
    kind = session.client.resource_type("pods")
    selector = [("labelSelector", selector_text(obj["spec"]["selector"]))]
    counts = dict.fromkeys(("Running", "Pending", "Succeeded", "Failed"), 0)
    for pod in session.client.list(kind, obj["metadata"]["namespace"], selector):
        owner = owner_of(pod)
        phase = pod.get("status", {}).get("phase", "")
        if owner is not None and owner["uid"] == obj["metadata"]["uid"] and phase in counts:
            counts[phase] += 1
    return (
        f"{counts['Running']} Running / {counts['Pending']} Waiting / "
        f"{counts['Succeeded']} Succeeded / {counts['Failed']} Failed"
    )


def _replica_sets(session: Session, obj: Object) -> tuple[list[Object], list[Object]]:
    """The old ReplicaSets of a Deployment and the one of its present template."""
    kind = session.client.resource_type("replicasets.apps")
    selector = [("labelSelector", selector_text(obj["spec"]["selector"]))]
    old: list[Object] = []
    new: list[Object] = []
    for replica_set in session.client.list(kind, obj["metadata"]["namespace"], selector):
        owner = owner_of(replica_set)
        if owner is None or owner["uid"] != obj["metadata"]["uid"]:
            continue
        same = _plain(replica_set["spec"]["template"]) == _plain(obj["spec"]["template"])
        (new if same and not new else old).append(replica_set)
    return old, new


def _plain(template: Object) -> tuple[object, ...]:
    metadata = template.get("metadata", {})
    labels_ = {k: v for k, v in metadata.get("labels", {}).items() if k != "pod-template-hash"}
    return labels_, metadata.get("annotations", {}), template["spec"]


def _listed(replica_sets: Sequence[Object]) -> str:
    return (
        ", ".join(
            f"{one['metadata']['name']} ({one.get('status', {}).get('replicas', 0)}"
            f"/{one['spec'].get('replicas', 0)} replicas created)"
            for one in replica_sets
        )
        or "<none>"
    )


def describe_replication_controller(session: Session, obj: Object) -> str:
    """The description of one ReplicationController."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    chosen = {"matchLabels": spec.get("selector") or {}}
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    writer.field(0, "Selector", selector_text(chosen))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    present, wanted = status.get("replicas", 0), spec.get("replicas", 0)
    writer.field(0, "Replicas", f"{present} current / {wanted} desired")
    counted = {**obj, "spec": {**spec, "selector": chosen}}
    writer.field(0, "Pods Status", pods_status(session, counted))
    describe_template(writer, spec["template"])
    _conditions(writer, status)
    write_events(writer, session, obj)
    return writer.text()

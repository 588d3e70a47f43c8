"""`kubectl describe pod`, and the pod template of workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.ages import age
from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
    write_tolerations,
)
from sregym_cluster_embedded.kubectl.describe.containers import (
    describe_containers,
    describe_resources,
    write_seccomp,
)
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.volumes import describe_volumes
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.go_sort import go_sorted
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session


def describe_pod(session: Session, pod: Object) -> str:
    """The description of one pod."""
    writer = Writer()
    spec, status = pod["spec"], pod.get("status", {})
    _head(writer, session, pod)
    writer.field(0, "IP", status.get("podIP", ""))
    addresses = status.get("podIPs", ())
    writer.line(0, "IPs:" if addresses else "IPs:\t<none>")
    for address in addresses:
        writer.field(1, "IP", address["ip"])
    owner = owner_of(pod)
    if owner is not None:
        writer.field(0, "Controlled By", f"{owner['kind']}/{owner['name']}")
    if status.get("nominatedNodeName"):
        writer.field(0, "NominatedNodeName", status["nominatedNodeName"])
    if spec.get("resources"):
        writer.line(0, "Resources:")
        describe_resources(writer, spec["resources"], 1)
    for title, field, statuses in (
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        if spec.get(field):
            describe_containers(writer, title, spec[field], pod, status.get(statuses, ()))
    if spec.get("readinessGates"):
        writer.line(0, "Readiness Gates:\n  Type\tStatus")
        told = {one["type"]: one["status"] for one in status.get("conditions", ())}
        for gate in spec["readinessGates"]:
            kind = gate["conditionType"]
            writer.line(1, f"{kind} \t{told.get(kind, '<none>')} ")
    if status.get("conditions"):
        writer.line(0, "Conditions:\n  Type\tStatus")
        for condition in status["conditions"]:
            writer.line(1, f"{condition['type']} \t{condition['status']} ")
    describe_volumes(writer, spec.get("volumes", ()))
    writer.field(0, "QoS Class", status.get("qosClass", ""))
    _placement(writer, spec)
    write_events(writer, session, pod)
    return writer.text()


def _head(writer: Writer, session: Session, pod: Object) -> None:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    if spec.get("priority") is not None:
        writer.field(0, "Priority", spec["priority"])
    for title, field in (
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ):
        if spec.get(field):
            writer.field(0, title, spec[field])
    node = spec.get("nodeName")
    writer.field(0, "Node", f"{node}/{status.get('hostIP', '')}" if node else "<none>")
    if status.get("startTime"):
        writer.field(0, "Start Time", moment(status["startTime"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    phase = status.get("phase", "")
    if metadata.get("deletionTimestamp") and phase not in ("Failed", "Succeeded"):
        lasts = age(metadata["deletionTimestamp"], session.access.unix_now())
        writer.field(0, "Status", f"Terminating (lasts {lasts})")
        grace = metadata.get("deletionGracePeriodSeconds", 0)
        writer.field(0, "Termination Grace Period", f"{grace}s")
    else:
        writer.field(0, "Status", phase)
    for title, field in (("Reason", "reason"), ("Message", "message")):
        if status.get(field):
            writer.field(0, title, status[field])
    write_seccomp(writer, 0, spec)


def describe_template(writer: Writer, template: Object) -> None:
    """The `Pod Template` of a workload."""
    metadata, spec = template.get("metadata", {}), template["spec"]
    writer.line(0, "Pod Template:")
    write_labels(writer, "Labels", metadata.get("labels"), lead="  ")
    if metadata.get("annotations"):
        write_annotations(writer, "Annotations", metadata["annotations"], lead="  ")
    if spec.get("serviceAccountName"):
        writer.field(1, "Service Account", spec["serviceAccountName"])
    for title, field in (("Init Containers", "initContainers"), ("Containers", "containers")):
        if spec.get(field):
            describe_containers(writer, title, spec[field], None, space="  ")
    describe_volumes(writer, spec.get("volumes", ()), "  ")
    if spec.get("priorityClassName"):
        writer.field(1, "Priority Class Name", spec["priorityClassName"])
    _placement(writer, spec, "  ")


def _placement(writer: Writer, spec: Object, lead: str = "") -> None:
    write_labels(writer, "Node-Selectors", spec.get("nodeSelector"), lead)
    write_tolerations(writer, spec.get("tolerations"), lead)
    head = f"{lead}Topology Spread Constraints:\t"
    constraints = spec.get("topologySpreadConstraints") or ()
    for one in go_sorted(constraints, lambda entry: entry["topologyKey"]):
        text = f"{one['topologyKey']}:{one['whenUnsatisfiable']} when max skew {one['maxSkew']} is exceeded"
        if one.get("labelSelector") is not None:
            text += f" for selector {selector_text(one['labelSelector'])}"
        writer.line(0, head + text)
        head = "\t"

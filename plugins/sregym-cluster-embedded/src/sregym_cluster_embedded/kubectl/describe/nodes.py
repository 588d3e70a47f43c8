"""`kubectl describe node`: conditions, capacity, and what its pods ask for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.kubectl.ages import age
from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_event_table,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.errors import NotCovered, ServerError
from sregym_cluster_embedded.kubectl.go_sort import go_sorted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_ROLE = "node-role.kubernetes.io/"
_INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
)
_STANDARD = ("cpu", "memory", "ephemeral-storage")


def describe_node(session: Session, obj: Object) -> str:
    """The description of one Node."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    labels = metadata.get("labels", {})
    writer.field(0, "Name", metadata["name"])
    roles = sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE))
    if "kubernetes.io/role" in labels or "" in roles:
        raise NotCovered("the roles of a node")
    writer.field(0, "Roles", ",".join(roles) or "<none>")
    write_labels(writer, "Labels", labels)
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "CreationTimestamp", moment(metadata["creationTimestamp"]))
    _taints(writer, spec.get("taints") or ())
    writer.field(0, "Unschedulable", "true" if spec.get("unschedulable") else "false")
    _lease(writer, session, metadata["name"])
    if status.get("conditions"):
        writer.line(0, "Conditions:")
        titles = ("Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message")
        writer.line(1, "\t".join(titles))
        writer.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
        for one in status["conditions"]:
            times = moment(one.get("lastHeartbeatTime")), moment(one.get("lastTransitionTime"))
            cells = (one["type"], one["status"], *times, one.get("reason", ""))
            writer.line(1, "".join(f"{cell} \t" for cell in cells) + one.get("message", ""))
    writer.line(0, "Addresses:")
    for address in status.get("addresses", ()):
        writer.field(1, address["type"], address["address"])
    for title, field in (("Capacity", "capacity"), ("Allocatable", "allocatable")):
        if status.get(field):
            writer.line(0, f"{title}:")
            for name in sorted(status[field]):
                writer.field(1, name, status[field][name])
    writer.line(0, "System Info:")
    for title, field in _INFO:
        writer.field(1, title, status.get("nodeInfo", {}).get(field, ""))
    if status.get("nodeInfo", {}).get("swap") or spec.get("providerID"):
        raise NotCovered("swap or the provider of a node")
    if spec.get("podCIDR"):
        writer.field(0, "PodCIDR", spec["podCIDR"])
        writer.field(0, "PodCIDRs", ",".join(spec.get("podCIDRs", ())))
    _pods(writer, session, obj)
    if session.arguments.on("show-events", default=True):
        write_event_table(writer, session, _events(session, obj))
    return writer.text()


def _taints(writer: Writer, taints: Sequence[Object]) -> None:
    if not taints:
        writer.field(0, "Taints", "<none>")
        return
    head = "Taints:\t"
    for taint in sorted(taints, key=lambda one: (one["effect"], one["key"])):
        value = f"={taint['value']}" if taint.get("value") else ""
        writer.line(0, f"{head}{taint['key']}{value}:{taint['effect']}")
        head = "\t"


def _lease(writer: Writer, session: Session, name: str) -> None:
    kind = session.client.resource_type("leases.coordination.k8s.io")
    try:
        spec = session.client.get(kind, "kube-node-lease", name).get("spec", {})
    except ServerError as error:
        raise NotCovered("a node without a lease") from error
    writer.line(0, "Lease:")
    writer.field(1, "HolderIdentity", spec.get("holderIdentity") or "<unset>")
    for title, field in (("AcquireTime", "acquireTime"), ("RenewTime", "renewTime")):
        writer.field(1, title, moment(spec[field]) if spec.get(field) else "<unset>")


class _Sum:
    """Quantities added as Go adds them: written in the form of the first that is not zero."""

    def __init__(self) -> None:
        self.value = Decimal(0)
        self._binary: bool | None = None

    def add(self, text: str | float | None) -> None:
        value = quantity.parse(text) if text else Decimal(0)
        if value and self._binary is None:
            self._binary = str(text).endswith("i")
        self.value += value

    def over(self, whole: str | None) -> str:
        """The sum and its share of `whole`, in whole percents."""
        total = quantity.parse(whole) if whole else Decimal(0)
        percent = int(self.value / total * 100) if total else 0
        return f"{self} ({percent}%)"

    def __str__(self) -> str:
        if self._binary and self.value % 1024 == 0:
            return quantity.canonical(f"{int(self.value) // 1024}Ki")
        return quantity.canonical(format(self.value.normalize(), "f"))


def _asked(pod: Object, field: str, name: str) -> _Sum:
    """What a pod requests (or is limited to) of one resource."""
    spec, asked = pod["spec"], _Sum()
    if spec.get("resources") or spec.get("overhead"):
        raise NotCovered("resources of a pod or its overhead")
    for container in spec["containers"]:
        asked.add(container.get("resources", {}).get(field, {}).get(name))
    sidecars, starting = _Sum(), []
    for container in spec.get("initContainers", ()):
        value = container.get("resources", {}).get(field, {}).get(name)
        if container.get("restartPolicy") == "Always":
            asked.add(value)
            sidecars.add(value)
            starting.append(sidecars)
        else:
            alone = _Sum()
            alone.add(str(sidecars))
            alone.add(value)
            starting.append(alone)
    return max((asked, *starting), key=lambda one: one.value)


def _pods(writer: Writer, session: Session, node: Object) -> None:
    allocatable = node.get("status", {}).get("allocatable", {})
    selector = (
        f"spec.nodeName={node['metadata']['name']},status.phase!=Failed,status.phase!=Succeeded"
    )
    kind = session.client.resource_type("pods")
    pods = session.client.list(kind, None, [("fieldSelector", selector)])
    now = session.access.unix_now()
    writer.field(0, "Non-terminated Pods", f"({len(pods)} in total)")
    titles = ("CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age")
    writer.line(1, "Namespace\tName\t\t" + "\t".join(titles))
    writer.line(1, "---------\t----\t\t" + "\t".join("-" * len(title) for title in titles))
    for pod in pods:
        metadata = pod["metadata"]
        cells = [
            _asked(pod, field, name).over(allocatable.get(name))
            for name in ("cpu", "memory")
            for field in ("requests", "limits")
        ]
        cells.append(age(metadata["creationTimestamp"], now))
        writer.line(1, f"{metadata['namespace']}\t{metadata['name']}\t\t" + "\t".join(cells))
    writer.line(0, "Allocated resources:")
    writer.line(0, "  (Total limits may be over 100 percent, i.e., overcommitted.)")
    writer.line(1, "Resource\tRequests\tLimits\n  --------\t--------\t------")
    others = sorted(name for name in allocatable if name not in (*_STANDARD, "pods"))
    for name in (*_STANDARD, *others):
        totals = []
        for field in ("requests", "limits"):
            total = _Sum()
            for pod in pods:
                total.add(str(_asked(pod, field, name)))
            plain = name in others and not name.startswith("hugepages-")
            totals.append(str(total) if plain else total.over(allocatable.get(name)))
        writer.line(1, "\t".join((name, *totals)))


def _events(session: Session, node: Object) -> list[Object]:
    """Events of controllers name the uid of a node, those of its kubelet its name."""
    kind = session.client.resource_type("events")
    metadata = node["metadata"]
    found: list[Object] = []
    for uid in (metadata["uid"], metadata["name"]):
        found += session.client.list(kind, None, [("fieldSelector", f"involvedObject.uid={uid}")])
    return go_sorted(found, lambda event: event.get("lastTimestamp") or "")

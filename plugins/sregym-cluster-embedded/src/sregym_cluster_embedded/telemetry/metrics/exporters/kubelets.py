"""The kubelets as targets, and their own metrics: volumes, pods, containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.telemetry.metrics.exporters.volumes import FAMILIES as VOLUMES
from sregym_cluster_embedded.telemetry.metrics.exporters.volumes import volume_rows
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    FOREVER,
    Exporter,
    Family,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.view import DISKS, INSTANCES
from sregym_cluster_embedded.telemetry.metrics.work import end_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.object_history import Lifeline


def kubelet_targets(view: View, path: str) -> list[Target]:
    """The kubelet of each node at one of its paths."""
    found = []
    for line in view.nodes:
        for since, until in _presence(line):
            node = line.key.name
            address = address_of(line)
            labels = (
                ("job", "kubelet"),
                ("instance", f"{address}:10250"),
                ("node", node),
                ("namespace", "kube-system"),
                ("service", "kubelet"),
                ("endpoint", "https-metrics"),
                ("metrics_path", path),
            )
            url = f"https://{address}:10250{path}"
            target = Target("kubelet", url, labels, node, since, until, True, answering(line))
            found.append(target)
    return found


def _presence(line: Lifeline) -> list[tuple[float, float]]:
    """The stretches in which a node was registered."""
    found: list[tuple[float, float]] = []
    for since, until, _ in line.spans(FOREVER):
        if found and found[-1][1] == since:
            found[-1] = (found[-1][0], until)
        else:
            found.append((since, until))
    return found


def node_targets(view: View, pool: str, port: int) -> list[Target]:
    """An agent on each node, known by the node's name."""
    return [
        Target(
            pool,
            f"http://{address_of(line)}:{port}/metrics",
            (("job", pool), ("instance", line.key.name)),
            line.key.name,
            since,
            until,
            answers=answering(line),
        )
        for line in view.nodes
        for since, until in _presence(line)
    ]


def address_of(line: Lifeline) -> str:
    """The InternalIP of a node."""
    for version in reversed(line.versions):
        if version.obj is not None:
            for entry in version.obj.get("status", {}).get("addresses", ()):
                if entry["type"] == "InternalIP":
                    return str(entry["address"])
    return ""


def answering(line: Lifeline) -> tuple[tuple[float, float], ...]:
    """When a node was there to answer: not while nothing had been heard of it."""
    spans: list[tuple[float, float]] = []
    for since, until, node in line.spans(FOREVER):
        if _silent(node):
            continue
        if spans and spans[-1][1] == since:
            spans[-1] = (spans[-1][0], until)
        else:
            spans.append((since, until))
    return tuple(spans)


def _silent(node: Object) -> bool:
    said = node.get("status", {}).get("conditions", ())
    return any(entry["type"] == "Ready" and entry["status"] == "Unknown" for entry in said)


def cores_of(view: View, node: str) -> float:
    """How many cores a node has."""
    for line in view.nodes:
        if line.key.name == node:
            for version in reversed(line.versions):
                if version.obj is not None:
                    return float(parse(str(version.obj["status"]["capacity"]["cpu"])))
    return 0.0


_PODS = Family("kubelet_running_pods", "gauge", "Number of pods that have a running pod sandbox")
_CONTAINERS = Family(
    "kubelet_running_containers", "gauge", "Number of containers currently running"
)
_NAME = Family("kubelet_node_name", "gauge", "The node's name. The count is always 1.")
_STARTED = Family(
    "kubelet_started_containers_total", "counter", "Cumulative number of containers started"
)


class Kubelets(Exporter):
    """The kubelets' own metrics."""

    families: Sequence[Family] = (_NAME, _PODS, _CONTAINERS, _STARTED, *VOLUMES.values())
    reads = ("nodes", "pods", "persistentvolumeclaims", INSTANCES, DISKS)
    found_by = ("nodes",)

    def targets(self, view: View) -> Sequence[Target]:
        """The kubelets."""
        return kubelet_targets(view, "/metrics")

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one node."""
        node = str(target.subject)
        if sample == _NAME.name:
            yield Row((("node", node),), 1.0)
        elif sample in VOLUMES:
            yield from volume_rows(view, node, sample)
        else:
            yield from _running(view, node, sample)


def _running(view: View, node: str, sample: str) -> Iterator[Row]:
    changes: list[tuple[float, int, str]] = []
    for instance in view.instances:
        if instance.process.config.node == node:
            changes.append((instance.process.started_at, 1, instance.ref.pod_uid))
            if instance.process.ended_at is not None and sample != _STARTED.name:
                changes.append((end_of(instance), -1, instance.ref.pod_uid))
    times, values, count = [float("-inf")], [0.0], 0
    pods: dict[str, int] = {}
    for at, change, uid in sorted(changes):
        before = sum(1 for number in pods.values() if number > 0)
        pods[uid] = pods.get(uid, 0) + change
        count += change
        times.append(at)
        if sample == _PODS.name:
            values.append(before + ((pods[uid] > 0) - (pods[uid] - change > 0)))
        else:
            values.append(float(count))
    yield Row(
        (("container_state", "running"),) if sample == _CONTAINERS.name else (),
        Steps(times, values),
    )

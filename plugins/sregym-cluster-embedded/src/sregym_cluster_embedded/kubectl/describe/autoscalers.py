"""`kubectl describe horizontalpodautoscaler`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_UNKNOWN = "<unknown>"


def describe_autoscaler(session: Session, obj: Object) -> str:
    """The description of one HorizontalPodAutoscaler."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    target = spec["scaleTargetRef"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "CreationTimestamp", moment(metadata["creationTimestamp"]))
    writer.field(0, "Reference", f"{target['kind']}/{target['name']}")
    writer.line(0, "Metrics:\t( current / target )")
    seen = status.get("currentMetrics") or []
    for at, metric in enumerate(spec.get("metrics", ())):
        _metric(writer, metric, seen[at] if at < len(seen) else {})
    writer.field(0, "Min replicas", spec.get("minReplicas", "<unset>"))
    writer.field(0, "Max replicas", spec["maxReplicas"])
    behavior = spec.get("behavior")
    if behavior is not None:
        writer.line(0, "Behavior:")
        _direction(writer, "Scale Up", behavior.get("scaleUp"))
        _direction(writer, "Scale Down", behavior.get("scaleDown"))
    present, wanted = status.get("currentReplicas", 0), status.get("desiredReplicas", 0)
    writer.field(0, f"{target['kind']} pods", f"{present} current / {wanted} desired")
    if status.get("conditions"):
        writer.line(0, "Conditions:")
        writer.line(1, "Type\tStatus\tReason\tMessage")
        writer.line(1, "----\t------\t------\t-------")
        for one in status["conditions"]:
            told = one.get("reason", ""), one.get("message", "")
            writer.line(1, "\t".join((one["type"], one["status"], *told)))
    write_events(writer, session, obj)
    return writer.text()


def _metric(writer: Writer, metric: Object, seen: Object) -> None:
    if metric["type"] not in ("Resource", "ContainerResource"):
        raise NotCovered(f"a metric of {metric['type']}")
    field = metric["type"][0].lower() + metric["type"][1:]
    source, current = metric[field], seen.get(field, {}).get("current")
    target = source["target"]
    head = f"resource {source['name']}"
    if field == "containerResource":
        head += f' of container "{source["container"]}"'
    if target.get("averageValue") is not None:
        value = _UNKNOWN if current is None else current.get("averageValue", "<nil>")
        writer.line(1, f"{head} on pods:\t{value} / {target['averageValue']}")
        return
    value = _UNKNOWN
    if current is not None and current.get("averageUtilization") is not None:
        value = f"{current['averageUtilization']}% ({current['averageValue']})"
    wanted = target.get("averageUtilization")
    aim = "<auto>" if wanted is None else f"{wanted}%"
    # The binary indents what stands behind the head as if it began a line.
    writer.line(1, f"{head} on pods  (as a percentage of request):\t{value} / {aim}")


def _direction(writer: Writer, title: str, rules: Object | None) -> None:
    if rules is None:
        return
    writer.line(1, f"{title}:")
    if rules.get("stabilizationWindowSeconds") is not None:
        seconds = rules["stabilizationWindowSeconds"]
        writer.line(2, f"Stabilization Window: {seconds} seconds")
    if rules.get("policies"):
        writer.line(2, f"Select Policy: {rules.get('selectPolicy', 'Max')}")
        writer.line(2, "Policies:")
        for one in rules["policies"]:
            period = f"Period: {one['periodSeconds']} seconds"
            writer.line(3, f"- Type: {one['type']}\tValue: {one['value']}\t{period}")

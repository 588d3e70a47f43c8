"""The metrics of an autoscaler one by one: proposals, statuses, and error texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.controllers.autoscaling.replicas import (
    MetricError,
    Tolerances,
    resource_replicas,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.controllers.autoscaling.targets import Scale
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_NO_CUSTOM = (
    "unable to fetch metrics from custom metrics API: "
    "no custom metrics API (custom.metrics.k8s.io) registered"
)


class Failed(NamedTuple):
    """A metric that cannot be had.

    Attributes:
        reason: Of the event and the condition.
        why: Message of the event.
        error: What the controller makes of it in its summary.
    """

    reason: str
    why: str
    error: str


class Valid(NamedTuple):
    """A metric that proposes something: its name in messages, and its entry in the status."""

    replicas: int
    name: str
    status: Object


def evaluate(
    world: World, scale: Scale, metric: Object, namespace: str, tolerances: Tolerances
) -> Valid | Failed:
    """Ask for one entry of spec.metrics."""
    kind = metric["type"]
    if kind in ("Resource", "ContainerResource"):
        return _resource(world, scale, metric, tolerances)
    if kind == "Pods":
        name = metric["pods"]["metric"]["name"]
        why = f"unable to get metric {name}: {_NO_CUSTOM}"
        return Failed("FailedGetPodsMetric", why, f"failed to get pods metric value: {why}")
    if kind == "Object":
        given = metric["object"]
        about = given["describedObject"]
        name = given["metric"]["name"]
        place = f"{about['kind']} on {namespace} {about['name']}"
        why = f"unable to get metric {name}: {place}/{_NO_CUSTOM}"
        return Failed("FailedGetObjectMetric", why, f"failed to get object metric value: {why}")
    name = metric["external"]["metric"]["name"]
    selector = _go_selector(metric["external"]["metric"].get("selector"))
    why = (
        f"unable to get external metric {namespace}/{name}/{selector}: unable to fetch metrics "
        "from external metrics API: the server could not find the requested resource "
        f"(get {name}.external.metrics.k8s.io)"
    )
    error = f"failed to get external metric {name}: {why}"
    return Failed("FailedGetExternalMetric", why, error)


def _resource(world: World, scale: Scale, metric: Object, tolerances: Tolerances) -> Valid | Failed:
    one_container = metric["type"] == "ContainerResource"
    field = "containerResource" if one_container else "resource"
    given = metric[field]
    resource, target = given["name"], given["target"]
    container = given.get("container", "") if one_container else ""
    percent = target.get("averageUtilization") if target["type"] == "Utilization" else None
    milli = int(parse(target.get("averageValue", "0")) * 1000)
    try:
        found = resource_replicas(world, scale, resource, container, percent, milli, tolerances)
    except MetricError as error:
        what = "utilization" if percent is not None else "usage"
        why = f"failed to get {resource} {what}: {error}"
        reason = "FailedGetContainerResourceMetric" if one_container else "FailedGetResourceMetric"
        word = "container" if one_container else "resource"
        return Failed(reason, why, f"failed to get {resource} {word} metric value: {why}")
    current: Object = {"averageValue": _quantity(resource, found.average)}
    if found.utilization is not None:
        current = {"averageUtilization": found.utilization, **current}
    status: Object = {"name": resource, "current": current}
    if one_container:
        status = {"container": container, **status}
    word = f"{resource} container resource" if one_container else f"{resource} resource"
    name = f"{word} utilization (percentage of request)" if percent is not None else word
    return Valid(found.replicas, name, {"type": metric["type"], field: status})


def _quantity(resource: str, milli: int) -> str:
    if resource == "cpu":
        return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def _go_selector(selector: Object | None) -> str:
    """A label selector as Go prints it."""
    if selector is None:
        return "nil"
    labels = selector.get("matchLabels") or {}
    listed = "".join(f"{key}: {labels[key]}," for key in sorted(labels))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{entry['key']},Operator:{entry['operator']},"
        f"Values:[{' '.join(entry.get('values') or ())}],}},"
        for entry in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{listed}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )

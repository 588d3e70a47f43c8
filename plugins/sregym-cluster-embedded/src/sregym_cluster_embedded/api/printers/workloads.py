"""The rows of what creates pods, and of what scales and guards them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.printers.cell_texts import (
    NONE,
    Cells,
    containers,
    is_true,
    labels,
    selector,
)
from sregym_cluster_embedded.api.printers.duration import human, seconds_of, since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_SHOWN_METRICS = 2


def _age(obj: Object, now_s: float) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now_s)


def deployment(obj: Object, now_s: float) -> Cells:
    """Deployment."""
    spec, status = obj["spec"], obj.get("status", {})
    return [
        obj["metadata"]["name"],
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        _age(obj, now_s),
        *containers(spec["template"]["spec"]),
        selector(spec.get("selector")),
    ]


def replica_set(obj: Object, now_s: float) -> Cells:
    """ReplicaSet."""
    spec, status = obj["spec"], obj.get("status", {})
    return [
        obj["metadata"]["name"],
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        _age(obj, now_s),
        *containers(spec.get("template", {}).get("spec", {})),
        selector(spec.get("selector")),
    ]


def replication_controller(obj: Object, now_s: float) -> Cells:
    """ReplicationController."""
    cells = replica_set(obj, now_s)
    return [*cells[:-1], labels(obj["spec"].get("selector"))]


def stateful_set(obj: Object, now_s: float) -> Cells:
    """StatefulSet."""
    spec, status = obj["spec"], obj.get("status", {})
    return [
        obj["metadata"]["name"],
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}",
        _age(obj, now_s),
        *containers(spec["template"]["spec"]),
    ]


def daemon_set(obj: Object, now_s: float) -> Cells:
    """DaemonSet."""
    spec, status = obj["spec"], obj.get("status", {})
    return [
        obj["metadata"]["name"],
        status.get("desiredNumberScheduled", 0),
        status.get("currentNumberScheduled", 0),
        status.get("numberReady", 0),
        status.get("updatedNumberScheduled", 0),
        status.get("numberAvailable", 0),
        labels(spec["template"]["spec"].get("nodeSelector")),
        _age(obj, now_s),
        *containers(spec["template"]["spec"]),
        selector(spec.get("selector")),
    ]


def job(obj: Object, now_s: float) -> Cells:
    """Job."""
    spec, status = obj["spec"], obj.get("status", {})
    done = status.get("succeeded", 0)
    completions, parallelism = spec.get("completions"), spec.get("parallelism", 0)
    if completions is not None:
        finished = f"{done}/{completions}"
    else:
        finished = f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"
    start, end = status.get("startTime"), status.get("completionTime")
    duration = ""
    if start:
        duration = human((seconds_of(end) if end else int(now_s)) - seconds_of(start))
    return [
        obj["metadata"]["name"],
        _job_status(obj),
        finished,
        duration,
        _age(obj, now_s),
        *containers(spec["template"]["spec"]),
        selector(spec.get("selector")),
    ]


def _job_status(obj: Object) -> str:
    for type_, word in (("Complete", "Complete"), ("Failed", "Failed")):
        if is_true(obj, type_):
            return word
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    for type_, word in (
        ("Suspended", "Suspended"),
        ("FailureTarget", "FailureTarget"),
        ("SuccessCriteriaMet", "SuccessCriteriaMet"),
    ):
        if is_true(obj, type_):
            return word
    return "Running"


def cron_job(obj: Object, now_s: float) -> Cells:
    """CronJob."""
    spec, status = obj["spec"], obj.get("status", {})
    last = status.get("lastScheduleTime")
    template = spec["jobTemplate"]["spec"]
    return [
        obj["metadata"]["name"],
        spec["schedule"],
        spec.get("timeZone") or NONE,
        str(bool(spec.get("suspend"))),
        len(status.get("active", ())),
        since(last, now_s) if last else NONE,
        _age(obj, now_s),
        *containers(template["template"]["spec"]),
        selector(template.get("selector")),
    ]


def controller_revision(obj: Object, now_s: float) -> Cells:
    """ControllerRevision."""
    owner = next(iter(obj["metadata"].get("ownerReferences", ())), None)
    controller = NONE
    if owner is not None:
        group = owner["apiVersion"].rpartition("/")[0]
        kind = owner["kind"].lower()
        controller = f"{kind}.{group}/{owner['name']}" if group else f"{kind}/{owner['name']}"
    return [obj["metadata"]["name"], controller, obj.get("revision", 0), _age(obj, now_s)]


def pod_template(obj: Object, _now_s: float) -> Cells:
    """PodTemplate."""
    template = obj.get("template", {})
    return [
        obj["metadata"]["name"],
        *containers(template.get("spec", {})),
        labels(template.get("metadata", {}).get("labels")),
    ]


def disruption_budget(obj: Object, now_s: float) -> Cells:
    """PodDisruptionBudget."""
    spec = obj.get("spec", {})
    return [
        obj["metadata"]["name"],
        str(spec["minAvailable"]) if "minAvailable" in spec else "N/A",
        str(spec["maxUnavailable"]) if "maxUnavailable" in spec else "N/A",
        obj.get("status", {}).get("disruptionsAllowed", 0),
        _age(obj, now_s),
    ]


def autoscaler(obj: Object, now_s: float) -> Cells:
    """HorizontalPodAutoscaler."""
    spec, status = obj["spec"], obj.get("status", {})
    target = spec["scaleTargetRef"]
    minimum = spec.get("minReplicas")
    return [
        obj["metadata"]["name"],
        f"{target['kind']}/{target['name']}",
        _targets(spec.get("metrics") or [], status.get("currentMetrics") or []),
        "<unset>" if minimum is None else str(minimum),
        spec["maxReplicas"],
        status.get("currentReplicas", 0),
        _age(obj, now_s),
    ]


def _targets(metrics: list[Object], current: list[Object]) -> str:
    if not metrics:
        return NONE
    texts = [
        _target(metric, current[index] if index < len(current) else {})
        for index, metric in enumerate(metrics)
    ]
    more = len(texts) - _SHOWN_METRICS
    shown = ", ".join(texts[:_SHOWN_METRICS])
    return f"{shown} + {more} more..." if more > 0 else shown


def _target(metric: Object, status: Object) -> str:
    type_ = metric["type"]
    field = {
        "Resource": "resource",
        "ContainerResource": "containerResource",
        "Pods": "pods",
        "Object": "object",
        "External": "external",
    }[type_]
    wanted = metric.get(field, {}).get("target", {})
    now = status.get(field, {}).get("current", {}) if status else {}
    name = metric.get(field, {}).get("name", "")
    prefix = f"{name}: " if type_ in ("Resource", "ContainerResource") else ""
    if wanted.get("averageUtilization") is not None:
        have = now.get("averageUtilization")
        known = "<unknown>" if have is None else f"{have}%"
        return f"{prefix}{known}/{wanted['averageUtilization']}%"
    if wanted.get("averageValue") is not None:
        suffix = " (avg)" if type_ in ("External", "Object") else ""
        return f"{prefix}{now.get('averageValue', '<unknown>')}/{wanted['averageValue']}{suffix}"
    return f"{prefix}{now.get('value', '<unknown>')}/{wanted.get('value', '<auto>')}"

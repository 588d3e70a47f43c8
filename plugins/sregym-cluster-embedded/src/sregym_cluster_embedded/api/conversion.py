"""Objects that are served in another version than they are stored in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

# What the older version cannot say stands in annotations, as JSON of its own forms.
_V2 = "autoscaling.alpha.kubernetes.io/"
_CONDITION = ("type", "status", "lastTransitionTime", "reason", "message")
# (core v1, events.k8s.io/v1)
_EVENT_FIELDS = (
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
)


def to_served(resource: Resource, obj: Object) -> Object:
    """A stored object in the version of `resource`; itself when it is stored in that version."""
    if obj.get("apiVersion") == resource.api_version:
        return obj
    if resource.plural == "events":
        renamed = _rename(obj, dict(_EVENT_FIELDS))
        # The newer version leaves out what was not set.
        if not renamed.get("reportingInstance"):
            renamed.pop("reportingInstance", None)
        return {**renamed, "apiVersion": resource.api_version}
    if resource.plural == "horizontalpodautoscalers":
        return _autoscaler_v1(obj)
    return {**obj, "apiVersion": resource.api_version}


def to_stored(resource: Resource, obj: Object) -> Object:
    """An object as sent in the version of `resource`, in the version of storage."""
    if resource.plural == "events" and resource.group:
        renamed = _rename(obj, {new: old for old, new in _EVENT_FIELDS})
        return {**renamed, "apiVersion": "v1"}
    if resource.plural == "horizontalpodautoscalers" and resource.version == "v1":
        return _autoscaler_v2(obj)
    return obj


def _rename(obj: Object, names: dict[str, str]) -> Object:
    return {names.get(field, field): value for field, value in obj.items()}


def _autoscaler_v2(obj: Object) -> Object:
    spec = dict(obj.get("spec", {}))
    target = spec.pop("targetCPUUtilizationPercentage", None)
    if target is not None:
        spec["metrics"] = [_cpu(target)]
    result = {**obj, "apiVersion": "autoscaling/v2", "spec": spec}
    metadata = obj.get("metadata", {})
    annotations = metadata.get("annotations") or {}
    derived = [f"{_V2}conditions", f"{_V2}current-metrics"]
    if any(name in annotations for name in derived):
        # Told by the server when it was read: not to be kept.
        kept = {name: text for name, text in annotations.items() if name not in derived}
        result["metadata"] = {k: v for k, v in metadata.items() if k != "annotations"}
        if kept:
            result["metadata"]["annotations"] = kept
    status = obj.get("status")
    if status is not None:
        left = {k: v for k, v in status.items() if k != "currentCPUUtilizationPercentage"}
        result["status"] = {"currentMetrics": None, **left}
    return result


def _autoscaler_v1(obj: Object) -> Object:
    spec = {key: value for key, value in obj["spec"].items() if key not in ("metrics", "behavior")}
    others: list[Any] = []
    for metric in obj["spec"].get("metrics") or ():
        resource = metric.get("resource", {})
        target = resource.get("target", {}).get("averageUtilization")
        if resource.get("name") == "cpu" and target is not None:
            spec["targetCPUUtilizationPercentage"] = target
        else:
            others.append(metric)
    old = obj.get("status", {})
    status = {"currentReplicas": 0, **{k: v for k, v in old.items() if k in _V1_STATUS}}
    notes = {}
    if others:
        notes[f"{_V2}metrics"] = [_old_metric(metric) for metric in others]
    measured = [_old_status(entry) for entry in old.get("currentMetrics") or ()]
    if measured:
        notes[f"{_V2}current-metrics"] = measured
        for entry in measured:
            resource = entry.get("resource", {})
            if resource.get("name") == "cpu" and "currentAverageUtilization" in resource:
                status["currentCPUUtilizationPercentage"] = resource["currentAverageUtilization"]
    if old.get("conditions"):
        notes[f"{_V2}conditions"] = [
            {field: entry[field] for field in _CONDITION if field in entry}
            for entry in old["conditions"]
        ]
    metadata = obj["metadata"]
    if notes:
        written = {name: orjson.dumps(value).decode() for name, value in notes.items()}
        metadata = {**metadata, "annotations": {**metadata.get("annotations", {}), **written}}
    return {
        **obj,
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def _old_metric(metric: Object) -> Object:
    """A metric of resources as `autoscaling/v1` wrote it; others as they are."""
    given = metric.get("resource")
    if given is None:
        return metric
    target = given.get("target", {})
    old: Object = {"name": given["name"]}
    for new, name in (
        ("averageUtilization", "targetAverageUtilization"),
        ("averageValue", "targetAverageValue"),
    ):
        if new in target:
            old[name] = target[new]
    return {"type": metric["type"], "resource": old}


def _old_status(status: Object) -> Object:
    given = status.get("resource")
    if given is None:
        return status
    current = given.get("current", {})
    old: Object = {"name": given["name"]}
    if "averageUtilization" in current:
        old["currentAverageUtilization"] = current["averageUtilization"]
    old["currentAverageValue"] = current.get("averageValue", "0")
    return {"type": status["type"], "resource": old}


_V1_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")


def _cpu(target: int) -> Object:
    return {
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": target},
        },
    }

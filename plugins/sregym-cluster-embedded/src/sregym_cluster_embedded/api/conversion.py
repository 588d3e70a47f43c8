"""Objects that are served in another version than they are stored in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

_V2_METRICS = "autoscaling.alpha.kubernetes.io/metrics"
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
        # The newer version leaves out what nobody said.
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
    status = obj.get("status")
    if status is not None:
        kept = {k: v for k, v in status.items() if k != "currentCPUUtilizationPercentage"}
        result["status"] = {"currentMetrics": None, **kept}
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
    status = {
        "currentReplicas": 0,
        **{k: v for k, v in obj.get("status", {}).items() if k in _V1_STATUS},
    }
    metadata = obj["metadata"]
    if others:
        annotations = {
            **metadata.get("annotations", {}),
            _V2_METRICS: orjson.dumps(others).decode(),
        }
        metadata = {**metadata, "annotations": annotations}
    return {
        **obj,
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


_V1_STATUS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")


def _cpu(target: int) -> Object:
    return {
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": target},
        },
    }

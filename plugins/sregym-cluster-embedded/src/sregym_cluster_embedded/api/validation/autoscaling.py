"""Validation of HorizontalPodAutoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import amounts, causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_LONGEST_WINDOW_S, _LONGEST_PERIOD_S = 3600, 1800
_SELECTIONS = ("Disabled", "Max", "Min")
_POLICIES = ("Percent", "Pods")
_SOURCES = ("ContainerResource", "External", "Object", "Pods", "Resource")
_FIELDS = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TARGETS = ("Utilization", "Value", "AverageValue")
_MISSING = "must populate information for the given metric source"
_POSITIVE = "must be positive"


def autoscaler(obj: Object) -> list[Cause]:
    """HorizontalPodAutoscaler."""
    spec = obj["spec"]
    found: list[Cause] = []
    low, high = spec.get("minReplicas", 1), spec.get("maxReplicas", 0)
    if low < 1:
        text = "must be greater than or equal to 1"
        found.append(causes.invalid("spec.minReplicas", low, text))
    if high == 0:
        found.append(causes.required("spec.maxReplicas", "must be set and greater than 0"))
    elif high < 1:
        text = "must be greater than or equal to 1"
        found.append(causes.invalid("spec.maxReplicas", high, text))
    if high < low:
        text = "must be greater than or equal to `minReplicas`"
        found.append(causes.invalid("spec.maxReplicas", high, text))
    found += _reference(spec.get("scaleTargetRef") or {}, "spec.scaleTargetRef")
    for index, metric in enumerate(spec.get("metrics") or ()):
        found += _metric(metric, f"spec.metrics[{index}]")
    if low == 0 and not any(
        metric.get("type") in ("Object", "External") for metric in spec.get("metrics") or ()
    ):
        text = "must specify at least one Object or External metric to support scaling to zero replicas"
        found.append(causes.forbidden("spec.metrics", text))
    behavior = spec.get("behavior") or {}
    for field in ("scaleUp", "scaleDown"):
        if behavior.get(field) is not None:
            found += _rules(behavior[field], f"spec.behavior.{field}")
    return found


def _reference(target: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for field in ("kind", "name"):
        if target.get(field):
            found += formats.path_segment(f"{path}.{field}", target[field])
        else:
            found.append(causes.required(f"{path}.{field}"))
    version = target.get("apiVersion", "")
    core = target.get("kind") == "ReplicationController" or path != "spec.scaleTargetRef"
    if version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        found.append(causes.invalid(f"{path}.apiVersion", version, text))
    elif "/" not in version and not core:
        text = "apiVersion must specify API group"
        found.append(causes.invalid(f"{path}.apiVersion", version, text))
    return found


def _rules(rules: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    seconds = rules.get("stabilizationWindowSeconds")
    field = f"{path}.stabilizationWindowSeconds"
    if seconds is not None and seconds < 0:
        text = "must be greater than or equal to zero"
        found.append(causes.invalid(field, seconds, text))
    if seconds is not None and seconds > _LONGEST_WINDOW_S:
        text = f"must be less than or equal to {_LONGEST_WINDOW_S}"
        found.append(causes.invalid(field, seconds, text))
    found += causes.one_of(f"{path}.selectPolicy", rules.get("selectPolicy"), _SELECTIONS)
    policies = rules.get("policies") or ()
    if not policies:
        found.append(causes.required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        place = f"{path}.policies[{index}]"
        found += causes.one_of(f"{place}.type", policy.get("type", ""), _POLICIES)
        for name in ("value", "periodSeconds"):
            if policy.get(name, 0) <= 0:
                found.append(
                    causes.invalid(f"{place}.{name}", policy.get(name, 0), causes.POSITIVE)
                )
        if policy.get("periodSeconds", 0) > _LONGEST_PERIOD_S:
            text = f"must be less than or equal to {_LONGEST_PERIOD_S}"
            found.append(causes.invalid(f"{place}.periodSeconds", policy["periodSeconds"], text))
    return found


def _metric(metric: Object, path: str) -> list[Cause]:
    kind = metric.get("type", "")
    found: list[Cause] = []
    if not kind:
        found.append(causes.required(f"{path}.type", "must specify a metric source type"))
    found += causes.one_of(f"{path}.type", kind, _SOURCES)
    present = [(name, field) for name, field in _FIELDS.items() if metric.get(field) is not None]
    if present:
        found += _source(*present[0], metric, path)
    if kind not in _FIELDS:
        found.append(causes.unsupported(f"{path}.type", kind, _SOURCES))
    elif metric.get(_FIELDS[kind]) is None:
        found.append(causes.required(f"{path}.{_FIELDS[kind]}", _MISSING))
    if len(present) != 1:
        text = "must populate the given metric source only"
        found += [
            causes.forbidden(f"{path}.{field}", text) for name, field in present if name != kind
        ]
    return found


def _source(kind: str, field: str, metric: Object, path: str) -> list[Cause]:
    source, place = metric[field], f"{path}.{field}"
    target = source.get("target") or {}
    found: list[Cause] = []
    if kind == "Object":
        found += _reference(source.get("describedObject") or {}, f"{place}.describedObject")
    if kind in ("Object", "External", "Pods"):
        name = (source.get("metric") or {}).get("name", "")
        if name:
            found += formats.path_segment(f"{place}.metric.name", name)
        else:
            found.append(causes.required(f"{place}.metric.name", "must specify a metric name"))
    else:
        name = source.get("name", "")
        if not name:
            found.append(causes.required(f"{place}.name", "must specify a resource name"))
        if kind == "ContainerResource":
            found += _container(source, place)
    found += _target(target, f"{place}.target")
    return found + _chosen(kind, target, f"{place}.target")


def _container(source: Object, place: str) -> list[Cause]:
    found: list[Cause] = []
    if source.get("name"):
        found += amounts.container_name(f"{place}.name", source["name"])
    if not source.get("container"):
        return [*found, causes.required(f"{place}.container", "must specify a container")]
    return found + formats.label(f"{place}.container", source["container"])


def _chosen(kind: str, target: Object, place: str) -> list[Cause]:
    value, average = target.get("value"), target.get("averageValue")
    share = target.get("averageUtilization")
    if kind in ("Resource", "ContainerResource"):
        if share is None and average is None:
            text = "must set either a target raw value or a target utilization"
            return [causes.required(f"{place}.averageUtilization", text)]
        if share is not None and average is not None:
            text = "may not set both a target raw value and a target utilization"
            return [causes.forbidden(f"{place}.averageValue", text)]
        return []
    if kind == "Pods":
        text = "must specify a positive target averageValue"
        return [causes.required(f"{place}.averageValue", text)] if average is None else []
    if value is None and average is None:
        text = (
            "must set either a target value for metric or a per-pod target"
            if kind == "External"
            else "must set either a target value or averageValue"
        )
        return [causes.required(f"{place}.averageValue", text)]
    if kind == "External" and value is not None and average is not None:
        text = "may not set both a target value for metric and a per-pod target"
        return [causes.forbidden(f"{place}.value", text)]
    return []


def _target(target: Object, path: str) -> list[Cause]:
    kind = target.get("type", "")
    found: list[Cause] = []
    if not kind:
        found.append(causes.required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGETS:
        text = "must be either Utilization, Value, or AverageValue"
        found.append(causes.invalid(f"{path}.type", kind, text))
    for field in ("value", "averageValue"):
        if target.get(field) is not None and quantity.parse(target[field]) <= 0:
            shown: Any = quantity.canonical(target[field])
            found.append(causes.invalid(f"{path}.{field}", shown, _POSITIVE))
    share = target.get("averageUtilization")
    if share is not None and share < 1:
        text = "must be greater than 0"
        found.append(causes.invalid(f"{path}.averageUtilization", share, text))
    return found

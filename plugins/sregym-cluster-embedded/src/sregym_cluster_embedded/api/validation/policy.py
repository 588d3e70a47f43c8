"""Validation of policies, classes, nodes and what else has a few rules of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import (
    amounts,
    causes,
    formats,
    label_selectors,
    placement,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_HIGHEST_PRIORITY = 1_000_000_000
_SYSTEM_CLASSES = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}
_EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_RECLAIM_POLICIES = ("Delete", "Retain")
_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")


def disruption_budget(obj: Object) -> list[Cause]:
    """PodDisruptionBudget."""
    spec = obj.get("spec") or {}
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    found: list[Cause] = []
    if least is not None and most is not None:
        value = {
            "MinAvailable": least,
            "Selector": spec.get("selector"),
            "MaxUnavailable": most,
            "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
        }
        text = "minAvailable and maxUnavailable cannot be both set"
        found.append(causes.invalid("spec", value, text))
    found += label_selectors.share("spec.minAvailable", least, at_most_all=True)
    found += label_selectors.share("spec.maxUnavailable", most, at_most_all=True)
    policy = spec.get("unhealthyPodEvictionPolicy")
    return found + causes.one_of("spec.unhealthyPodEvictionPolicy", policy, _EVICTION_POLICIES)


def priority_class(obj: Object) -> list[Cause]:
    """PriorityClass."""
    name, value = obj["metadata"].get("name", ""), obj.get("value", 0)
    found: list[Cause] = []
    if name.startswith("system-"):
        found += _system_class(name, value, bool(obj.get("globalDefault")))
    elif value > _HIGHEST_PRIORITY:
        text = f"maximum allowed value of a user defined priority is {_HIGHEST_PRIORITY}"
        found.append(causes.forbidden("value", text))
    policy = obj.get("preemptionPolicy")
    return found + causes.one_of("preemptionPolicy", policy, _PREEMPTION_POLICIES)


def _system_class(name: str, value: int, default: bool) -> list[Cause]:
    known = _SYSTEM_CLASSES.get(name)
    if known is None:
        why = f"{name} is not a known system priority class"
    elif value != known:
        why = f"value of {name} PriorityClass must be {known}"
    elif default:
        why = f"globalDefault of {name} PriorityClass must be false"
    else:
        return []
    text = (
        f"priority class names with 'system-' prefix are reserved for system use only. error: {why}"
    )
    return [causes.forbidden("metadata.name", text)]


def node(obj: Object) -> list[Cause]:
    """Node."""
    spec = obj.get("spec") or {}
    found = placement.taints(spec.get("taints") or (), "metadata.taints")
    for index, block in enumerate(spec.get("podCIDRs") or ()):
        found += formats.network(f"spec.podCIDRs[{index}]", block)[1]
    return found


def namespace(obj: Object) -> list[Cause]:
    """Namespace."""
    found: list[Cause] = []
    for name in (obj.get("spec") or {}).get("finalizers") or ():
        found += formats.qualified("spec.finalizers", name)
        if "/" not in name and name not in ("kubernetes", "orphan", "foregroundDeletion"):
            text = "name is neither a standard finalizer name nor is it fully qualified"
            found.append(causes.invalid("spec.finalizers", name, text))
    return found


def event(obj: Object) -> list[Cause]:
    """Event: it stands in the namespace of what it is about."""
    own = obj["metadata"].get("namespace", "")
    named = (obj.get("involvedObject") or {}).get("namespace", "")
    if named == own or (not named and own in ("", "default")):
        return []
    text = "does not match event.namespace"
    return [causes.invalid("involvedObject.namespace", named, text)]


def lease(obj: Object) -> list[Cause]:
    """Lease."""
    spec = obj.get("spec") or {}
    seconds = spec.get("leaseDurationSeconds")
    found: list[Cause] = []
    if seconds is not None and seconds <= 0:
        text = "must be greater than 0"
        found.append(causes.invalid("spec.leaseDurationSeconds", seconds, text))
    return found + causes.not_negative("spec.leaseTransitions", spec.get("leaseTransitions"))


def runtime_class(obj: Object) -> list[Cause]:
    """RuntimeClass."""
    handler = obj.get("handler", "")
    found = formats.label("handler", handler) if handler else [causes.required("handler")]
    overhead = (obj.get("overhead") or {}).get("podFixed") or {}
    found += amounts.requirements({"limits": overhead}, "overhead", ())
    scheduling = obj.get("scheduling") or {}
    found += formats.labels("scheduling.nodeSelector", scheduling.get("nodeSelector") or {})
    tolerations = scheduling.get("tolerations") or ()
    return found + placement.tolerations(tolerations, "scheduling.tolerations")


def controller_revision(obj: Object) -> list[Cause]:
    """ControllerRevision."""
    found = [] if obj.get("data") is not None else [causes.required("data", "data is mandatory")]
    return found + causes.not_negative("revision", obj.get("revision"))


def storage_class(obj: Object) -> list[Cause]:
    """StorageClass."""
    provisioner = obj.get("provisioner", "")
    if not provisioner:
        found = [causes.required("provisioner")]
    else:
        found = [
            causes.invalid("provisioner", provisioner, cause.message.partition('": ')[2])
            for cause in formats.qualified("provisioner", provisioner.lower())
        ]
    for key in obj.get("parameters") or {}:
        if not key:
            found.append(causes.invalid("parameters", key, "field can not be empty."))
    found += causes.one_of("reclaimPolicy", obj.get("reclaimPolicy"), _RECLAIM_POLICIES)
    found += causes.one_of("volumeBindingMode", obj.get("volumeBindingMode"), _BINDING_MODES)
    for index, term in enumerate(obj.get("allowedTopologies") or ()):
        for number, rule in enumerate(term.get("matchLabelExpressions") or ()):
            place = f"allowedTopologies[{index}].matchLabelExpressions[{number}]"
            values = rule.get("values") or []
            if not values:
                found.append(causes.required(f"{place}.values"))
            found += [
                causes.duplicate(f"{place}.values[{position}]", value)
                for position, value in enumerate(values)
                if value in values[:position]
            ]
            found += formats.qualified(f"{place}.key", rule.get("key", ""))
    return found


_MOST_PARAMETERS, _PARAMETERS_BYTES = 512, 256 * 1024


def attributes_class(obj: Object) -> list[Cause]:
    """VolumeAttributesClass."""
    name = obj.get("driverName", "")
    found = formats.driver("driverName", name) if name else [causes.required("driverName")]
    parameters = obj.get("parameters") or {}
    if not parameters:
        text = "must contain at least one key/value pair"
        return [*found, causes.required("parameters", text)]
    if len(parameters) > _MOST_PARAMETERS:
        text = f"Too long: may not be more than {_MOST_PARAMETERS} bytes"
        return [*found, causes.counted("parameters", text)]
    if "" in parameters:
        found.append(causes.invalid("parameters", "", "field can not be empty."))
    size = sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items())
    if size > _PARAMETERS_BYTES:
        found.append(causes.too_long("parameters", _PARAMETERS_BYTES))
    return found


_MOST_PRIORITY = 20_000


def api_service(obj: Object) -> list[Cause]:
    """APIService."""
    spec = obj.get("spec", {})
    name = obj["metadata"].get("name", "")
    wanted = f"{spec.get('version', '')}.{spec.get('group', '')}"
    found: list[Cause] = []
    if name != wanted:
        text = f'must be `spec.version+"."+spec.group`: "{wanted}"'
        found.append(causes.invalid("metadata.name", name, text))
    if not spec.get("version"):
        found.append(causes.required("spec.version"))
    service = spec.get("service")
    if service is not None:
        found.extend(
            causes.required(f"spec.service.{field}")
            for field in ("namespace", "name")
            if not service.get(field)
        )
        if service.get("port") is not None:
            found += causes.port("spec.service.port", service["port"])
    for field in ("groupPriorityMinimum", "versionPriority"):
        value, most = spec.get(field, 0), _MOST_PRIORITY if field.startswith("g") else 1000
        if not 0 < value <= most:
            text = f"must be positive and less than {most}"
            found.append(causes.invalid(f"spec.{field}", value, text))
    return found

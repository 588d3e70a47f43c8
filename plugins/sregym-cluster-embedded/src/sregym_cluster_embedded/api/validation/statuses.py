"""What a status must not be: the checks of writes to `status`, in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import causes, conditions, formats, pod_statuses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_MORE = "cannot be greater than status.replicas"


def of(name: str, old: Object, new: Object) -> list[Cause]:
    """The causes in the status of an object; `name` is that of its resource: `jobs.batch`."""
    check = _CHECKS.get(name)
    return [] if check is None else check(old, new)


def _counts(status: Object, *fields: str) -> list[Cause]:
    return [
        cause
        for field in fields
        for cause in causes.not_negative(f"status.{field}", status.get(field))
    ]


def _at_most(status: Object, all_: int, text: str, *fields: str) -> list[Cause]:
    return [
        causes.invalid(f"status.{field}", status.get(field, 0), text)
        for field in fields
        if status.get(field, 0) > all_
    ]


def _collisions(old: Object, new: Object) -> list[Cause]:
    before, after = (obj.get("status", {}).get("collisionCount") or 0 for obj in (old, new))
    if after >= before:
        return []
    return [causes.invalid("status.collisionCount", after, "cannot be decremented")]


def _deployment(old: Object, new: Object) -> list[Cause]:
    status = new.get("status", {})
    found = _counts(
        status,
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    )
    all_, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
    found += _at_most(status, all_, _MORE, "updatedReplicas", "readyReplicas", "availableReplicas")
    found += _at_most(status, ready, "cannot be greater than readyReplicas", "availableReplicas")
    return found + _collisions(old, new)


def _replica_set(_: Object, new: Object) -> list[Cause]:
    status = new.get("status", {})
    found = _counts(
        status,
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "terminatingReplicas",
        "observedGeneration",
    )
    all_, ready = status.get("replicas", 0), status.get("readyReplicas", 0)
    fields = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    found += _at_most(status, all_, _MORE, *fields)
    return found + _at_most(
        status, ready, "cannot be greater than readyReplicas", "availableReplicas"
    )


def _stateful_set(old: Object, new: Object) -> list[Cause]:
    status = new.get("status", {})
    parts = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    found = _counts(status, "replicas", *parts, "observedGeneration", "collisionCount")
    found += _at_most(status, status.get("replicas", 0), _MORE, *parts)
    text = "cannot be greater than status.readyReplicas"
    found += _at_most(status, status.get("readyReplicas", 0), text, "availableReplicas")
    return found + _collisions(old, new)


def _daemon_set(old: Object, new: Object) -> list[Cause]:
    found = _counts(
        new.get("status", {}),
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    )
    return found + _collisions(old, new)


def _autoscaler(_: Object, new: Object) -> list[Cause]:
    return _counts(new.get("status", {}), "currentReplicas", "desiredReplicas")


def _disruption_budget(_: Object, new: Object) -> list[Cause]:
    fields = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    return conditions.of(new) + _counts(new.get("status", {}), *fields)


def _namespace(_: Object, new: Object) -> list[Cause]:
    phase = new.get("status", {}).get("phase", "")
    going = "deletionTimestamp" in new["metadata"]
    wanted = "Terminating" if going else "Active"
    if phase == wanted:
        return []
    text = f"may only be '{wanted}' if `deletionTimestamp` is {'not ' if going else ''}empty"
    return [causes.invalid("status.Phase", phase, text)]


def _node(_: Object, new: Object) -> list[Cause]:
    status = new.get("status", {})
    found: list[Cause] = []
    for field in ("capacity", "allocatable"):
        for name, value in sorted((status.get(field) or {}).items()):
            if quantity.parse(value) < 0:
                at = f"status.{field}.{name}"
                found.append(causes.invalid(at, value, causes.NOT_NEGATIVE))
    addresses = status.get("addresses") or []
    found += [
        causes.duplicate(
            f"status.addresses[{index}]",
            {"Type": entry.get("type", ""), "Address": entry.get("address", "")},
        )
        for index, entry in enumerate(addresses)
        if entry in addresses[:index]
    ]
    return found


def _claim(_: Object, new: Object) -> list[Cause]:
    found: list[Cause] = []
    for name, value in sorted((new.get("status", {}).get("capacity") or {}).items()):
        if quantity.parse(value) < 0:
            text = "must be a valid resource quantity"
            shown = int(quantity.parse(value))
            found.append(causes.invalid(f"status.capacity[{name}]", shown, text))
    return found


def _service(_: Object, new: Object) -> list[Cause]:
    ingress = (new.get("status", {}).get("loadBalancer") or {}).get("ingress") or ()
    place = "status.loadBalancer.ingress"
    if ingress and new["spec"].get("type") != "LoadBalancer":
        text = "may only be used when `spec.type` is 'LoadBalancer'"
        return [causes.forbidden(place, text)]
    found: list[Cause] = []
    for index, entry in enumerate(ingress):
        at = f"{place}[{index}]"
        ip, mode = entry.get("ip", ""), entry.get("ipMode")
        found += formats.address(f"{at}.ip", ip) if ip else []
        if mode is None and ip:
            found.append(causes.required(f"{at}.ipMode", "must be specified when `ip` is set"))
        elif mode is not None and not ip:
            text = "may not be specified when `ip` is not set"
            found.append(causes.forbidden(f"{at}.ipMode", text))
        else:
            found += causes.one_of(f"{at}.ipMode", mode, ("Proxy", "VIP"))
        found += _hostname(entry, at)
    return found


def _ingress(_: Object, new: Object) -> list[Cause]:
    ingress = (new.get("status", {}).get("loadBalancer") or {}).get("ingress") or ()
    found: list[Cause] = []
    for index, entry in enumerate(ingress):
        at = f"status.loadBalancer.ingress[{index}]"
        found += formats.address(f"{at}.ip", entry["ip"]) if entry.get("ip") else []
        found += _hostname(entry, at)
    return found


def _hostname(entry: Object, at: str) -> list[Cause]:
    name = entry.get("hostname", "")
    if not name:
        return []
    found = formats.subdomain(f"{at}.hostname", name)
    if not formats.address("", name):
        text = "must be a DNS name, not an IP address"
        found.append(causes.invalid(f"{at}.hostname", name, text))
    return found


def _standard_conditions(_: Object, new: Object) -> list[Cause]:
    return conditions.of(new)


def _conditions(_: Object, new: Object) -> list[Cause]:
    """Conditions whose type has to be named."""
    return [
        causes.required(f"status.conditions[{index}].type")
        for index, entry in enumerate(new.get("status", {}).get("conditions") or ())
        if not entry.get("type")
    ]


_CHECKS: Mapping[str, Callable[[Any, Any], list[Cause]]] = {
    "pods": pod_statuses.changed,
    "nodes": _node,
    "namespaces": _namespace,
    "services": _service,
    "persistentvolumeclaims": _claim,
    "replicationcontrollers": _replica_set,
    "deployments.apps": _deployment,
    "replicasets.apps": _replica_set,
    "statefulsets.apps": _stateful_set,
    "daemonsets.apps": _daemon_set,
    "jobs.batch": pod_statuses.job,
    "horizontalpodautoscalers.autoscaling": _autoscaler,
    "poddisruptionbudgets.policy": _disruption_budget,
    "ingresses.networking.k8s.io": _ingress,
    "validatingadmissionpolicies.admissionregistration.k8s.io": _standard_conditions,
    "flowschemas.flowcontrol.apiserver.k8s.io": _conditions,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": _conditions,
}

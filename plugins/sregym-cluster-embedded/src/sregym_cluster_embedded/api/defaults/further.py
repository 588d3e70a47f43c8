"""Defaults of events, of the fairness of requests, and of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults.fields import each, filled, within
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Fields of an event that are written even when they were not given.
_EVENT: Object = {
    "eventTime": None,
    "firstTimestamp": None,
    "lastTimestamp": None,
    "reportingComponent": "",
    "reportingInstance": "",
    "source": {},
}
_NODE_STATUS: Object = {
    "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
    "nodeInfo": dict.fromkeys(
        (
            "architecture",
            "bootID",
            "containerRuntimeVersion",
            "kernelVersion",
            "kubeProxyVersion",
            "kubeletVersion",
            "machineID",
            "operatingSystem",
            "osImage",
            "systemUUID",
        ),
        "",
    ),
}
_LEVELS = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io"
_PRECEDENCE = {"matchingPrecedence": 1000}
_SHARES = {"nominalConcurrencyShares": 30, "lendablePercent": 0}
_QUEUES = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}
_EXACTLY = {"allocationMode": "ExactCount"}


def event(obj: Object) -> Object:
    """Event."""
    return filled(obj, _EVENT)


def flow_schema(obj: Object) -> Object:
    """FlowSchema."""
    return within(obj, "spec", lambda spec: filled(spec, _PRECEDENCE))


def new_flow_schema(world: World, obj: Object) -> Object:
    """A new FlowSchema: whether its level exists is said at once."""
    name = obj["spec"].get("priorityLevelConfiguration", {}).get("name", "")
    there = world.store.get(Key(_LEVELS, "", name)) is not None
    text = f'This FlowSchema references the PriorityLevelConfiguration object named "{name}"'
    condition = {
        "type": "Dangling",
        "status": "False" if there else "True",
        "lastTransitionTime": world.timestamp(),
        "reason": "Found" if there else "NotFound",
        "message": f"{text} and it exists" if there else f"{text} but there is no such object",
    }
    return {**obj, "status": {"conditions": [condition]}}


def new_service_cidr(world: World, obj: Object) -> Object:
    """A new ServiceCIDR is ready at once."""
    condition = {
        "lastTransitionTime": world.timestamp(),
        "message": "Kubernetes Service CIDR is ready",
        "reason": "",
        "status": "True",
        "type": "Ready",
    }
    return {**obj, "status": {"conditions": [condition]}}


def node(obj: Object) -> Object:
    """A node may be registered without its specification; the API gives back an empty one."""
    return obj if obj.get("spec") is not None else {**obj, "spec": {}}


def new_node(_world: World, obj: Object) -> Object:
    """A new Node: what its kubelet has not said is empty."""
    status = filled(obj.get("status") or {}, _NODE_STATUS)
    return obj if status is obj.get("status") else {**obj, "status": status}


def priority_level(obj: Object) -> Object:
    """PriorityLevelConfiguration."""
    return within(obj, "spec", lambda spec: within(spec, "limited", _limited))


def _limited(given: Object) -> Object:
    def response(answer: Object) -> Object:
        if answer.get("type") != "Queue":
            return answer
        return {**answer, "queuing": filled(answer.get("queuing") or {}, _QUEUES)}

    limited = within(filled(given, _SHARES), "limitResponse", response)
    # Written again each time: equal when nothing was missing.
    return given if limited == given else limited


def resource_claim(obj: Object) -> Object:
    """ResourceClaim."""
    return within(obj, "spec", _claimed)


def resource_claim_template(obj: Object) -> Object:
    """ResourceClaimTemplate."""
    return within(obj, "spec", lambda spec: within(spec, "spec", _claimed))


def _claimed(spec: Object) -> Object:
    def request(given: Object) -> Object:
        given = within(given, "exactly", _counted)
        return within(given, "firstAvailable", each(_counted))

    return within(spec, "devices", lambda devices: within(devices, "requests", each(request)))


def _counted(given: Object) -> Object:
    given = filled(given, _EXACTLY)
    return filled(given, {"count": 1}) if given["allocationMode"] == "ExactCount" else given

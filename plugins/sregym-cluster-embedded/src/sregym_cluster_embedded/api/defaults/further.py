"""Defaults of events, of the fairness of requests, and of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults.fields import each, filled, within

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

# Fields of an event that are written even when nobody said anything.
_EVENT: Object = {
    "eventTime": None,
    "firstTimestamp": None,
    "lastTimestamp": None,
    "reportingComponent": "",
    "reportingInstance": "",
    "source": {},
}
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

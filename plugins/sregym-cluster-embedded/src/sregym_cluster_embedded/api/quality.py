"""The quality-of-service class of a pod, from its requests and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_COMPUTE = ("cpu", "memory")


def qos_class(spec: Object) -> str:
    """`Guaranteed`, `Burstable` or `BestEffort`; what a pod itself asks for stands for the whole."""
    containers = [*spec.get("initContainers", ()), *spec.get("containers", ())]
    whole = spec.get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        containers = [spec]
    asks = False
    guaranteed = True
    for container in containers:
        resources = container.get("resources", {})
        limits, requests = resources.get("limits", {}), resources.get("requests", {})
        for name in _COMPUTE:
            limit, request = parse(limits.get(name, "0")), parse(requests.get(name, "0"))
            asks = asks or limit > 0 or request > 0
            guaranteed = guaranteed and limit > 0 and (request == 0 or request == limit)
    if not asks:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"

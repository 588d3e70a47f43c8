"""The parts of pod status that only depend on the resources in the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pod_requests import counted

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_GROUPED = frozenset({"cpu", "memory"})
# Stands for the pod itself where resources are kept by the names of containers.
WHOLE_POD = ""


def granted(spec: Object, allotted: dict[str, Object]) -> Object:
    """A pod spec with the resources that its containers have now, where it asks for others."""
    if not allotted:
        return spec
    found = dict(spec)
    if WHOLE_POD in allotted:
        found["resources"] = allotted[WHOLE_POD]
    for group in ("initContainers", "containers"):
        if group in found:
            found[group] = [
                {**item, "resources": allotted[item["name"]]} if item["name"] in allotted else item
                for item in found[group]
            ]
    return found


def container_resources(spec: Object, never_ran: bool) -> Object:
    """`resources` and `allocatedResources` of one container's status.

    They are told of what the runtime knows: not of a container that waits to be made.
    """
    if never_ran:
        return {}
    resources: Object = spec.get("resources") or {}
    status: Object = {
        "resources": {
            name: resources[name] for name in ("limits", "requests") if resources.get(name)
        }
    }
    if resources.get("requests"):
        status["allocatedResources"] = resources["requests"]
    return status


def pod_allocated(spec: Object) -> Object:
    """status.allocatedResources: what the pod asks for, itself or by its containers."""
    return _sum(spec, "requests")


def pod_resources(spec: Object) -> Object:
    """status.resources: the sums of limits and requests.

    Of processors and memory alone: they are what the pod's own control group holds. That has no
    limit of memory where one of the containers has none.
    """
    found: Object = {}
    for name in ("limits", "requests"):
        total = _sum(spec, name)
        if total and not total.keys() <= _GROUPED:
            total = {key: value for key, value in total.items() if key in _GROUPED}
        if name == "limits" and "memory" in total and not bounded(spec):
            total = {key: value for key, value in total.items() if key != "memory"}
        if total:
            found[name] = total
    return found


def bounded(spec: Object) -> bool:
    """Whether the memory of the pod as a whole is limited."""
    groups = (spec, *spec["containers"], *spec.get("initContainers", ()))
    own, *others = (
        "memory" in ((one.get("resources") or {}).get("limits") or ()) for one in groups
    )
    return own or all(others)


def limits_of(spec: Object, container: Object) -> Object:
    """What a container may use: of what it does not limit itself, as much as its pod."""
    own = (container.get("resources") or {}).get("limits") or {}
    if "resources" not in spec:
        return own
    return {**((spec["resources"] or {}).get("limits") or {}), **own}


def _sum(spec: Object, which: str) -> Object:
    """The sum over the containers; what the pod itself says stands before it."""
    total = _of_containers(spec, which)
    whole = (spec.get("resources") or {}).get(which)
    return dict(sorted({**total, **whole}.items())) if whole else total


def _of_containers(spec: Object, which: str) -> Object:
    parts = [
        value
        for container in spec["containers"]
        if (value := (container.get("resources") or {}).get(which))
    ]
    if not parts:
        return {}
    if len(parts) == 1:
        only: Object = parts[0]
        return only
    totals: dict[str, int] = {}
    for part in parts:
        for name, text in part.items():
            totals[name] = totals.get(name, 0) + counted(name, text)
    return {name: _text(name, total) for name, total in sorted(totals.items())}


def _text(name: str, total: int) -> str:
    """The canonical text of a sum in the unit of its resource."""
    if name == "cpu":
        return f"{total}m" if total % 1000 else str(total // 1000)
    for suffix, factor in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if total and total % factor == 0:
            return f"{total // factor}{suffix}"
    return str(total)

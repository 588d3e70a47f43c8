"""Resource quantities as numbers, and what a pod asks for in all."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.quantity import parse

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object


@lru_cache(maxsize=4096)
def milli(quantity: str | float) -> int:
    """The value in thousandths, rounded up: how processors are counted."""
    return ceil(parse(quantity) * 1000)


@lru_cache(maxsize=4096)
def whole(quantity: str | float) -> int:
    """The value in whole units, rounded up: how bytes and pieces are counted."""
    return ceil(parse(quantity))


def counted(resource: str, quantity: str | float) -> int:
    """A quantity in the unit of its resource: millicores for `cpu`, units for all others."""
    return milli(quantity) if resource == "cpu" else whole(quantity)


def requests_of(spec: Object) -> dict[str, int]:
    """What a pod asks its node for, by resource, in the units of `counted`.

    Containers and native sidecars run together; of the other init containers only the greediest
    counts, together with the sidecars that were started before it. What the pod itself asks for
    (`spec.resources`) stands before its containers.
    """
    total: dict[str, int] = {}
    for container in spec["containers"]:
        _add(total, _requests(container))
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.get("initContainers", ()):
        asked = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(sidecars, asked)
            _add(total, asked)
            _raise(peak, sidecars)
        else:
            _raise(peak, {name: asked.get(name, 0) + sidecars.get(name, 0) for name in asked})
    _raise(total, peak)
    whole_pod = _requests(spec)
    total.update({name: value for name, value in whole_pod.items() if _pod_level(name)})
    _add(total, {name: counted(name, text) for name, text in spec.get("overhead", {}).items()})
    return total


def _requests(container: Object) -> dict[str, int]:
    resources: dict[str, Any] = container.get("resources") or {}
    # A limit without a request is a request: the API server fills it in, hand-made specs may not.
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {name: counted(name, text) for name, text in asked.items()} if asked else {}


def _pod_level(resource: str) -> bool:
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def _add(total: dict[str, int], more: dict[str, int]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise(total: dict[str, int], floor: dict[str, int]) -> None:
    for name, value in floor.items():
        total[name] = max(total.get(name, 0), value)

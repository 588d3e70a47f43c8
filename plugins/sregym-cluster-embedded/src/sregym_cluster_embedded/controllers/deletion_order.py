"""Which pods go first when a workload has too many."""

from __future__ import annotations

import math
from functools import cmp_to_key
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.controllers.pods import condition, is_active
from sregym_cluster_embedded.controllers.times import seconds_since

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_NANOSECONDS = 1e9


class _Worth(NamedTuple):
    """What counts of a pod; the lower the first field, the sooner it goes."""

    standing: tuple[bool, int, bool, int, int]
    ready_s: float | None
    restarts: int
    age_s: float
    name: str


def least_worth(
    world: World, pods: list[Object], count: int, related: Iterable[Object] = ()
) -> list[Object]:
    """The pods of a ReplicaSet to delete.

    Args:
        world: Where they live.
        pods: All that are active.
        count: How many are too many.
        related: The pods of all ReplicaSets with the same controller: of two nodes with equal
            pods, the one with more of these loses one first.
    """
    if count >= len(pods):
        return pods
    crowd: dict[str, int] = {}
    for pod in related:
        if is_active(pod):
            node = pod["spec"].get("nodeName", "")
            crowd[node] = crowd.get(node, 0) + 1

    def compare(one: tuple[_Worth, Object], other: tuple[_Worth, Object]) -> int:
        return _compare(one[0], other[0], by_magnitude=True)

    worths = [(_worth(world, pod, crowd, costs=True), pod) for pod in pods]
    return [pod for _, pod in sorted(worths, key=cmp_to_key(compare))[:count]]


def newest_first(world: World, pods: list[Object]) -> list[Object]:
    """The pods of a Job in the order in which they go: of equal ones the newer first."""

    def compare(one: tuple[_Worth, Object], other: tuple[_Worth, Object]) -> int:
        return _compare(one[0], other[0], by_magnitude=False)

    worths = [(_worth(world, pod, {}, costs=False), pod) for pod in pods]
    return [pod for _, pod in sorted(worths, key=cmp_to_key(compare))]


def _worth(world: World, pod: Object, crowd: dict[str, int], *, costs: bool) -> _Worth:
    metadata, node = pod["metadata"], pod["spec"].get("nodeName", "")
    ready = condition(pod, "Ready")
    is_ready = ready is not None and ready["status"] == "True"
    cost = int((metadata.get("annotations") or {}).get(_COST, "0")) if costs else 0
    phase = _PHASES.get(pod["status"].get("phase", "Pending"), 2)
    statuses = pod["status"].get("containerStatuses", ())
    return _Worth(
        (bool(node), phase, is_ready, cost, -crowd.get(node, 0)),
        seconds_since(world, ready.get("lastTransitionTime")) if ready and is_ready else None,
        max((entry.get("restartCount", 0) for entry in statuses), default=0),
        seconds_since(world, metadata["creationTimestamp"]),
        metadata["name"],
    )


def _compare(one: _Worth, other: _Worth, *, by_magnitude: bool) -> int:
    """Below 0 when the first goes before the other.

    By magnitude, ages only differ when they are of another power of two, and chance decides between
    those of the same, so that no place keeps all the old pods: the ends of names, which follow from
    the seed alone, where a real controller compares uids.
    """
    if one.standing != other.standing:
        return -1 if one.standing < other.standing else 1
    chance = -1 if one.name < other.name else 1
    if one.ready_s is not None and other.ready_s is not None and one.ready_s != other.ready_s:
        return _sooner(one.ready_s, other.ready_s, by_magnitude) or chance
    if one.restarts != other.restarts:
        return other.restarts - one.restarts
    if one.age_s != other.age_s:
        return _sooner(one.age_s, other.age_s, by_magnitude) or chance
    return chance


def _sooner(one_s: float, other_s: float, by_magnitude: bool) -> int:
    if by_magnitude:
        return _magnitude(one_s) - _magnitude(other_s)
    return -1 if one_s < other_s else 1


def _magnitude(age_s: float) -> int:
    return math.floor(math.log2(age_s * _NANOSECONDS)) if age_s > 0 else -1

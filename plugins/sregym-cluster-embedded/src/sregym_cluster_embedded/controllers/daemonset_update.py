"""Rolling updates of DaemonSets: which pods go, which nodes get a second pod for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.controllers.claiming import available
from sregym_cluster_embedded.controllers.daemonset_pods import is_updated
from sregym_cluster_embedded.controllers.deployment_status import share
from sregym_cluster_embedded.controllers.pods import is_ready

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class Step(NamedTuple):
    """Pods to delete, nodes that get a pod."""

    surplus: tuple[Object, ...] = ()
    needing: tuple[str, ...] = ()


def surge_of(daemon_set: Object, desired: int) -> int:
    """How many nodes may have an old and a new pod at once."""
    rolling = _rolling(daemon_set)
    return 0 if rolling is None else share(rolling.get("maxSurge", 0), desired, up=True)


def next_step(
    world: World,
    daemon_set: Object,
    by_node: Mapping[str, list[Object]],
    revision_hash: str,
    desired: int,
) -> Step:
    """What a rolling update does next; nothing with another strategy."""
    rolling = _rolling(daemon_set)
    if rolling is None:
        return Step()
    surge = surge_of(daemon_set, desired)
    pairs = {node: _pair(daemon_set, pods, revision_hash) for node, pods in by_node.items()}
    minimum_s = daemon_set["spec"].get("minReadySeconds", 0)
    if surge:
        return _with_surge(world, pairs, surge, minimum_s)
    allowed = share(rolling.get("maxUnavailable", 1), desired, up=True)
    return _without_surge(world, pairs, max(allowed, 1), minimum_s)


def is_available(world: World, pod: Object, minimum_s: float) -> bool:
    """Ready for as long as the DaemonSet asks."""
    return is_ready(pod) and available(world, pod, minimum_s)


def _rolling(daemon_set: Object) -> Object | None:
    strategy = daemon_set["spec"].get("updateStrategy", {})
    if strategy.get("type") != "RollingUpdate":
        return None
    rolling: Object = strategy.get("rollingUpdate") or {}
    return rolling


def _pair(
    daemon_set: Object, pods: list[Object], revision_hash: str
) -> tuple[Object | None, Object | None] | None:
    """The old and the new pod of a node; None when there are several of a kind."""
    old: Object | None = None
    new: Object | None = None
    for pod in pods:
        if "deletionTimestamp" in pod["metadata"]:
            continue
        if is_updated(daemon_set, pod, revision_hash):
            if new is not None:
                return None
            new = pod
        elif old is not None:
            return None
        else:
            old = pod
    return old, new


def _without_surge(
    world: World,
    pairs: Mapping[str, tuple[Object | None, Object | None] | None],
    allowed: int,
    minimum_s: float,
) -> Step:
    """Old pods that are not available go at once, others as far as the limit lets them."""
    unavailable = 0
    broken: list[Object] = []
    candidates: list[Object] = []
    for pair in pairs.values():
        if pair is None or (pair[0] is None) == (pair[1] is None):
            unavailable += 1
            continue
        old, new = pair
        if old is None:
            unavailable += not (new is not None and is_available(world, new, minimum_s))
        elif is_available(world, old, minimum_s):
            candidates.append(old)
        else:
            broken.append(old)
            unavailable += 1
    room = max(allowed - unavailable, 0)
    return Step(surplus=(*broken, *candidates[:room]))


def _with_surge(
    world: World,
    pairs: Mapping[str, tuple[Object | None, Object | None] | None],
    surge: int,
    minimum_s: float,
) -> Step:
    """New pods come beside the old ones, which go when the new ones are available."""
    surging = 0
    done: list[Object] = []
    urgent: list[str] = []
    candidates: list[str] = []
    for node, pair in pairs.items():
        if pair is None:
            surging += 1
            continue
        old, new = pair
        if old is None:
            continue
        if new is not None:
            if is_available(world, new, minimum_s):
                done.append(old)
            else:
                surging += 1
        elif is_available(world, old, minimum_s):
            candidates.append(node)
        else:
            urgent.append(node)
    room = max(surge - surging, 0)
    return Step(tuple(done), (*urgent, *candidates[:room]))

"""Pods that fit nowhere, and which writes let them be looked at again.

As with the scheduler's queueing hints, a write wakes a pod only when it could remove what one of the
filters said against the pod. Whoever nothing wakes is tried again after five minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.placement import matches_affinity
from sregym_cluster_embedded.scheduler.claims import SELECTED_NODE, claim_names
from sregym_cluster_embedded.scheduler.filters import insufficient, tolerated
from sregym_cluster_embedded.scheduler.load import IDLE, PodLoad, load_of
from sregym_cluster_embedded.scheduler.nodes import NodeFacts, facts_of
from sregym_cluster_embedded.scheduler.spread import constraints_of
from sregym_cluster_embedded.scheduler.terms import FORBIDDEN, REQUIRED, means
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.store import Change, Key, Object
    from sregym_cluster_embedded.world import World

HANDLER = "scheduler.schedule"
_TABLE = "scheduler.pending"
# Pods that could be helped are taken at once, even out of their back-off.
_RETRY_S = 0.05
_VOLUME_RETRY_S = 0.2
_LONGEST_S = 300.0
_FLUSH_EVERY_S = 30.0
_FREED_BY_A_POD = ("NodeResourcesFit", "NodePorts", "VolumeRestrictions", "NodeVolumeLimits")
_ABOUT_VOLUMES = ("VolumeBinding", "VolumeZone", "VolumeRestrictions")


class Waiting(NamedTuple):
    """A pod that has no node yet.

    Attributes:
        plugins: The filters that refused it, sorted.
        priority: Who is looked at first.
    """

    plugins: tuple[str, ...]
    priority: int


def note(world: World, key: Key, pod: Object, plugins: Iterable[str]) -> None:
    """The pod fits nowhere: these filters say so."""
    names = tuple(sorted(set(plugins)))
    world.table(_TABLE)[key] = Waiting(names, pod["spec"].get("priority") or 0)
    # The scheduler looks every half minute for pods that have waited for five.
    due = world.now + _LONGEST_S
    enqueue(world, HANDLER, key, _LONGEST_S + _FLUSH_EVERY_S - due % _FLUSH_EVERY_S)


def drop(world: World, key: Key) -> None:
    """The pod is gone or has a node."""
    world.table(_TABLE).pop(key, None)


def pod_came(world: World, pod: Object) -> None:
    """A pod has got a node: whoever wants its company may fit now."""

    def helped(other: Object, waiting: Waiting) -> bool:
        if not _looks_for_company(waiting):
            return False
        return _is_company(world, other, waiting, load_of(pod, pod["spec"]["nodeName"]))

    if world.table(_TABLE):
        _wake(world, _RETRY_S, helped)


def pod_left(world: World, gone: PodLoad) -> None:
    """A pod gave its room free, or changed its labels."""

    def helped(other: Object, waiting: Waiting) -> bool:
        if any(plugin in _FREED_BY_A_POD for plugin in waiting.plugins):
            return True
        return _is_company(world, other, waiting, gone)

    if world.table(_TABLE):
        _wake(world, _RETRY_S, helped)


def devices_changed(world: World) -> None:
    """A claim of devices, a class or a slice of them came, went or changed."""
    if world.table(_TABLE):
        _wake(world, _RETRY_S, lambda _, waiting: "DynamicResources" in waiting.plugins)


def node_changed(world: World, change: Change) -> None:
    """A node came, or changed in what matters to placement."""
    if not world.table(_TABLE):
        return
    facts = facts_of(world, change.key.name)

    def helped(other: Object, waiting: Waiting) -> bool:
        return facts is not None and _node_helps(other, waiting, facts)

    _wake(world, _RETRY_S, helped)


def volumes_changed(world: World, change: Change) -> None:
    """A claim, a volume or a class came, went or changed."""
    if not world.table(_TABLE):
        return
    whose = _claim_helped(change)
    if whose is None:
        return

    def helped(other: Object, waiting: Waiting) -> bool:
        return _any(waiting, _ABOUT_VOLUMES) and (not whose or _mounts(other, whose))

    _wake(world, _VOLUME_RETRY_S, helped)


def _wake(world: World, delay_s: float, helped: Callable[[Object, Waiting], bool]) -> None:
    table: dict[Key, Waiting] = world.table(_TABLE)
    entries = list(table.items())
    if len({waiting.priority for _, waiting in entries}) > 1:
        entries.sort(key=lambda item: -item[1].priority)
    for key, waiting in entries:
        pod = world.store.get(key)
        if pod is not None and helped(pod, waiting):
            enqueue(world, HANDLER, key, delay_s)


def _claim_helped(change: Change) -> tuple[str, ...] | None:
    """Namespace and name of the claim whose pods a write may help: empty for all, None for nobody."""
    obj, old = change.obj, change.old
    if change.key.resource == "persistentvolumes":
        reference = obj["spec"].get("claimRef")
        return (reference["namespace"], reference["name"]) if reference else ()
    if change.key.resource != "persistentvolumeclaims":
        return ()
    same = (
        old is not None
        and old["spec"] is obj["spec"]
        and old.get("status", {}).get("phase") == obj.get("status", {}).get("phase")
        and _selected(old) in (None, _selected(obj))
    )
    return None if same else (change.key.namespace, change.key.name)


def _selected(claim: Object) -> str | None:
    """The node for which a claim waits to be provided."""
    node: str | None = (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE)
    return node


def _mounts(pod: Object, claim: tuple[str, ...]) -> bool:
    return claim[0] == pod["metadata"]["namespace"] and any(
        claim[1] == name for name, _ in claim_names(pod)
    )


def _any(waiting: Waiting, plugins: tuple[str, ...]) -> bool:
    return not set(plugins).isdisjoint(waiting.plugins)


def _node_helps(pod: Object, waiting: Waiting, facts: NodeFacts) -> bool:
    """Whether the node could now pass one of the filters that refused the pod."""
    for plugin in waiting.plugins:
        if plugin == "NodeUnschedulable":
            helps = not facts.unschedulable
        elif plugin == "TaintToleration":
            helps = tolerated(pod["spec"], facts)
        elif plugin == "NodeAffinity":
            helps = matches_affinity(pod, facts.node)
        elif plugin == "NodeResourcesFit":
            helps = insufficient(load_of(pod, ""), facts, IDLE) is None
        else:
            helps = True
        if helps:
            return True
    return False


def _looks_for_company(waiting: Waiting) -> bool:
    return "InterPodAffinity" in waiting.plugins or "PodTopologySpread" in waiting.plugins


def _is_company(world: World, pod: Object, waiting: Waiting, other: PodLoad) -> bool:
    if "InterPodAffinity" in waiting.plugins:
        wanted = load_of(pod, "")
        for term in wanted.terms:
            if term.kind in (REQUIRED, FORBIDDEN) and means(
                world, term, other.namespace, other.labels
            ):
                return True
        for term in other.terms:
            if term.kind == FORBIDDEN and means(world, term, wanted.namespace, wanted.labels):
                return True
    if "PodTopologySpread" in waiting.plugins:
        wanted = load_of(pod, "")
        return any(
            constraint.selector.matches(other.namespace, other.labels)
            for constraint in constraints_of(pod, wanted, "DoNotSchedule")
        )
    return False

"""Pods that fit nowhere, and which writes let them be looked at again.

As with the scheduler's queueing hints, a write wakes a pod only when it could remove what one of the
filters said against the pod. A pod that no event wakes is tried again after five minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.placement import matches_affinity
from sregym_cluster_embedded.scheduler.claims import SELECTED_NODE, claim_names
from sregym_cluster_embedded.scheduler.filters import insufficient, ports_free, tolerated
from sregym_cluster_embedded.scheduler.load import IDLE, PodLoad, load_of
from sregym_cluster_embedded.scheduler.nodes import NodeFacts, facts_in, facts_of
from sregym_cluster_embedded.scheduler.spread import constraints_of
from sregym_cluster_embedded.scheduler.terms import FORBIDDEN, REQUIRED, means
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.store import Change, Key, Object
    from sregym_cluster_embedded.world import World

HANDLER = "scheduler.schedule"
_TABLE: TableKey[Key, Waiting] = TableKey("scheduler.pending")
# Pods that could be helped are taken at once, even out of their back-off.
_RETRY_S = 0.05
_VOLUME_RETRY_S = 0.2
_LONGEST_S = 300.0
_FLUSH_EVERY_S = 30.0
_BY_LABELS = ("VolumeBinding", "VolumeZone", "DynamicResources")
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


def relabelled(world: World, key: Key) -> None:
    """A pod without a node got other labels: they may say whose company it keeps."""
    known: Waiting | None = world.table(_TABLE).get(key)
    if known is not None and _looks_for_company(known):
        enqueue(world, HANDLER, key, _RETRY_S)


def pod_bound(world: World, pod: Object) -> None:
    """A pod has got a node: pods with affinity to it may fit now."""

    def helped(other: Object, waiting: Waiting) -> bool:
        if not _looks_for_company(waiting):
            return False
        return _is_company(world, other, waiting, load_of(pod, pod["spec"]["nodeName"]))

    if world.table(_TABLE):
        _wake(world, _RETRY_S, helped)


def pod_removed(world: World, gone: PodLoad, now: PodLoad | None) -> None:
    """A pod gave its place free or, with `now`, takes less or is labelled otherwise."""

    def helped(other: Object, waiting: Waiting) -> bool:
        wanted = load_of(other, "")
        if any(_room_helps(plugin, wanted, gone, now) for plugin in waiting.plugins):
            return True
        moved = (gone,) if now is None else (gone, now) if gone.labels != now.labels else ()
        return any(_is_company(world, other, waiting, pod) for pod in moved)

    if world.table(_TABLE):
        _wake(world, _RETRY_S, helped)


def _room_helps(plugin: str, wanted: PodLoad, gone: PodLoad, now: PodLoad | None) -> bool:
    """Whether what a pod gave free is what a filter found missing for another one."""
    if plugin == "NodeResourcesFit":
        left = dict(now.requests) if now is not None else {}
        asked = {name for name, amount in wanted.requests if amount}
        return now is None or any(
            name in asked and amount > left.get(name, 0) for name, amount in gone.requests
        )
    if now is not None:
        return False
    if plugin == "NodePorts":
        return not ports_free(wanted, gone.ports)
    if plugin == "VolumeRestrictions":
        return wanted.namespace == gone.namespace
    return plugin == "NodeVolumeLimits"


def devices_changed(world: World) -> None:
    """A claim of devices, a class or a slice of them came, went or changed."""
    if world.table(_TABLE):
        _wake(world, _RETRY_S, lambda _, waiting: "DynamicResources" in waiting.plugins)


def node_changed(world: World, change: Change) -> None:
    """A node came, went, or changed in what matters to placement."""
    if not world.table(_TABLE):
        return
    facts = facts_of(world, change.key.name)
    old = change.obj if facts is None else change.old
    before = None if old is None else facts_in(old)

    def helped(other: Object, waiting: Waiting) -> bool:
        if facts is None:
            return "PodTopologySpread" in waiting.plugins and _respreads(other, before, None)
        return any(_node_helps(plugin, other, before, facts) for plugin in waiting.plugins)

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


def _node_helps(plugin: str, pod: Object, before: NodeFacts | None, facts: NodeFacts) -> bool:
    """Whether a filter that refused the pod may pass the node now and did not before.

    Args:
        plugin: The filter.
        pod: The pod.
        before: The node as it was; None for a new one.
        facts: The node as it is.
    """
    if plugin == "NodeUnschedulable":
        return not facts.unschedulable and (before is None or before.unschedulable)
    if plugin == "TaintToleration":
        return _newly(before, facts, lambda node: tolerated(pod["spec"], node))
    if plugin == "NodeAffinity":
        return _newly(before, facts, lambda node: matches_affinity(pod, node.node))
    if plugin == "NodeResourcesFit":
        wanted = load_of(pod, "")
        room = insufficient(wanted, facts, IDLE) is None
        return room and (before is None or _grew(wanted, before, facts))
    if plugin == "PodTopologySpread":
        return _respreads(pod, before, facts)
    if plugin == "InterPodAffinity":
        keys = (term.topology_key for term in load_of(pod, "").terms)
        return before is None or any(before.labels.get(k) != facts.labels.get(k) for k in keys)
    # Volumes and devices are where labels say; nothing else of a node matters to the others.
    return before is None or (plugin in _BY_LABELS and before.labels != facts.labels)


def _newly(before: NodeFacts | None, facts: NodeFacts, passes: Callable[[NodeFacts], bool]) -> bool:
    return passes(facts) and (before is None or not passes(before))


def _grew(wanted: PodLoad, before: NodeFacts, facts: NodeFacts) -> bool:
    """Whether a node offers more of something that a pod asks for."""
    return facts.pods > before.pods or any(
        facts.allocatable.get(name, 0) > before.allocatable.get(name, 0)
        for name, amount in wanted.requests
        if amount
    )


def _respreads(pod: Object, before: NodeFacts | None, facts: NodeFacts | None) -> bool:
    """Whether a node enters, leaves or changes one of the topologies over which a pod is spread."""
    wanted = load_of(pod, "")
    keys = [entry.key for entry in constraints_of(pod, wanted, "DoNotSchedule")]
    places = [
        None if node is None or not all(key in node.labels for key in keys) else node.labels
        for node in (before, facts)
    ]
    if places[0] is None or places[1] is None:
        return places[0] is not places[1]
    return any(places[0][key] != places[1][key] for key in keys)


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

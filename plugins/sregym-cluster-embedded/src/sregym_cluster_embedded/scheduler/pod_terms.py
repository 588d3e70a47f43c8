"""Affinity and spread terms over other pods, and the number of matching pods on each node.

Counting goes on from pod to pod: a selector is counted once over the pods that there are, and from then
on kept up to date by the writes of pods in its namespaces. Selectors that are not used cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.scheduler.load import PodLoad
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

PODS: TableKey[str, PodLoad] = TableKey("scheduler.pods")
_COUNTS: TableKey[Selector, dict[str, int]] = TableKey("scheduler.selected")
_BY_NAMESPACE: TableKey[str, tuple[Selector, ...]] = TableKey("scheduler.selectors")
# Selectors of workloads that are gone are forgotten when there are more than this.
_LIMIT = 4096


class Selector(NamedTuple):
    """Which pods are meant.

    Attributes:
        namespaces: Names, sorted.
        requirements: (key, operator, values) of which all must hold.
        live: Leave out pods that are being deleted, as topology spread does.
        never: A missing selector, which finds nothing (an empty one finds all).
    """

    namespaces: tuple[str, ...]
    requirements: tuple[tuple[str, str, tuple[str, ...]], ...]
    live: bool = False
    never: bool = False

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether a pod with these labels is meant."""
        if self.never or namespace not in self.namespaces:
            return False
        return all(_holds(entry, labels) for entry in self.requirements)


def requirements_of(selector: Object | None) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """A LabelSelector as requirements."""
    given = selector or {}
    found = [(key, "In", (value,)) for key, value in (given.get("matchLabels") or {}).items()]
    for entry in given.get("matchExpressions") or ():
        found.append((entry["key"], entry["operator"], tuple(entry.get("values") or ())))
    return tuple(found)


def labels_match(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector fits; an empty one fits everything, a missing one nothing."""
    if selector is None:
        return False
    return all(_holds(entry, labels) for entry in requirements_of(selector))


def counts(world: World, selector: Selector) -> Mapping[str, int]:
    """By node, how many of its pods are meant."""
    table = world.table(_COUNTS)
    known: Mapping[str, int] | None = table.get(selector)
    if known is None:
        if len(table) >= _LIMIT:
            table.clear()
            world.table(_BY_NAMESPACE).clear()
        known = table[selector] = _counted(world, selector)
        by_namespace = world.table(_BY_NAMESPACE)
        for namespace in selector.namespaces:
            by_namespace[namespace] = (*by_namespace.get(namespace, ()), selector)
    return known


def account(world: World, load: PodLoad, sign: int) -> None:
    """Take over that a pod came to its node, or left it."""
    table = world.table(_COUNTS)
    if not table:
        return
    for selector in world.table(_BY_NAMESPACE).get(load.namespace, ()):
        if selector.live and load.terminating:
            continue
        if selector.matches(load.namespace, load.labels):
            present = dict(table[selector])
            present[load.node] = present.get(load.node, 0) + sign
            if not present[load.node]:
                del present[load.node]
            table[selector] = present


def _counted(world: World, selector: Selector) -> dict[str, int]:
    found: dict[str, int] = {}
    for load in _loads(world, selector):
        if selector.live and load.terminating:
            continue
        if selector.matches(load.namespace, load.labels):
            found[load.node] = found.get(load.node, 0) + 1
    return found


def _loads(world: World, selector: Selector) -> Iterator[PodLoad]:
    if selector.never:
        return
    known = world.table(PODS)
    exact = next((entry for entry in selector.requirements if entry[1] == "In"), None)
    for namespace in selector.namespaces:
        if exact is not None:
            for value in exact[2]:
                for pod in world.store.indexed("pods", "label", f"{namespace}/{exact[0]}={value}"):
                    load = known.get(pod["metadata"]["uid"])
                    if load is not None:
                        yield load
        else:
            for pod in world.store.list("pods", namespace):
                load = known.get(pod["metadata"]["uid"])
                if load is not None:
                    yield load


def _holds(entry: tuple[str, str, tuple[str, ...]], labels: Mapping[str, str]) -> bool:
    key, operator, values = entry
    value = labels.get(key)
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    return (value is not None) == (operator == "Exists")

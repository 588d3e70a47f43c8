"""Affinity and anti-affinity between pods, required and preferred, in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.scheduler.load import PodLoad, neighbour_terms
from sregym_cluster_embedded.scheduler.pod_terms import counts
from sregym_cluster_embedded.scheduler.terms import (
    AVOIDED,
    FORBIDDEN,
    PREFERRED,
    REQUIRED,
    Term,
    means,
    selector_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.world import World

_PLUGIN = "InterPodAffinity"
NO_NEIGHBOUR = Verdict(_PLUGIN, ("node(s) didn't match pod affinity rules",))
OWN_ANTI = Verdict(_PLUGIN, ("node(s) didn't match pod anti-affinity rules",), True)
OTHERS_ANTI = Verdict(_PLUGIN, ("node(s) didn't satisfy existing pods anti-affinity rules",), True)
# What a required affinity of a running pod adds to the score of a node for the pod it asks for.
_HARD_WEIGHT = 1

Domains = dict[tuple[str, str], int]


class Neighbours:
    """How one pod to be scheduled and the pods that have nodes want to live together.

    Lives for one attempt; made only when a pod has terms.
    """

    def __init__(self, world: World, wanted: PodLoad, nodes: Iterable[NodeFacts]) -> None:
        self._wanted = wanted
        self._nodes = {facts.name: facts for facts in nodes}
        self._world = world
        self._required = [term for term in wanted.terms if term.kind == REQUIRED]
        self._own_anti = [
            (term, self._domains(term, counts(world, selector_of(world, term))))
            for term in wanted.terms
            if term.kind == FORBIDDEN
        ]
        self._others_anti: Domains = {}
        self._scored: list[tuple[Term, Mapping[str, int], int]] = []
        for term, present in neighbour_terms(world).items():
            if not means(world, term, wanted.namespace, wanted.labels):
                continue
            if term.kind == FORBIDDEN:
                _merge(self._others_anti, self._domains(term, present))
            else:
                weight = _HARD_WEIGHT if term.kind == REQUIRED else term.weight
                sign = -1 if term.kind == AVOIDED else 1
                self._scored.append((term, present, sign * weight))
        self._near = self._all_near()

    def refusal(self, facts: NodeFacts, gone: tuple[PodLoad, ...] = ()) -> Verdict | None:
        """Why the pods around keep this pod from the node, `gone` pods left out."""
        for term in self._required:
            if term.topology_key not in facts.labels:
                return NO_NEIGHBOUR
        if self._required and not self._has_company(facts):
            return NO_NEIGHBOUR
        for term, domains in self._own_anti:
            value = facts.labels.get(term.topology_key)
            if value is None:
                continue
            there = domains.get((term.topology_key, value), 0)
            if there and there > sum(self._is_meant(term, pod) for pod in gone):
                return OWN_ANTI
        if self._others_anti and self._kept_out(facts, gone):
            return OTHERS_ANTI
        return None

    def scores(self, names: Iterable[str]) -> dict[str, int]:
        """The sum of weights for each node; empty when there are no preferences."""
        weighted = list(self._scored)
        for term in self._wanted.terms:
            if term.kind in (PREFERRED, AVOIDED):
                sign = 1 if term.kind == PREFERRED else -1
                found = counts(self._world, selector_of(self._world, term))
                weighted.append((term, found, sign * term.weight))
        if not weighted:
            return {}
        domains: Domains = {}
        for term, present, weight in weighted:
            for place, count in self._domains(term, present).items():
                domains[place] = domains.get(place, 0) + weight * count
        keys = sorted({term.topology_key for term, _, _ in weighted})
        return {name: self._score(self._nodes[name], keys, domains) for name in names}

    def _score(self, facts: NodeFacts, keys: list[str], domains: Domains) -> int:
        return sum(domains.get((key, facts.labels[key]), 0) for key in keys if key in facts.labels)

    def _domains(self, term: Term, present: Mapping[str, int]) -> Domains:
        found: Domains = {}
        for name, count in present.items():
            facts = self._nodes.get(name)
            value = facts.labels.get(term.topology_key) if facts is not None else None
            if value is not None:
                place = (term.topology_key, value)
                found[place] = found.get(place, 0) + count
        return found

    def _all_near(self) -> list[tuple[Term, Domains]]:
        """Where the pods are that meet all required terms at once, by term."""
        if not self._required:
            return []
        selectors = [selector_of(self._world, term) for term in self._required]
        joint = selectors[0]
        for other in selectors[1:]:
            joint = joint._replace(
                namespaces=tuple(n for n in joint.namespaces if n in other.namespaces),
                requirements=(*joint.requirements, *other.requirements),
                never=joint.never or other.never,
            )
        present = counts(self._world, joint)
        return [(term, self._domains(term, present)) for term in self._required]

    def _has_company(self, facts: NodeFacts) -> bool:
        if all(
            domains.get((term.topology_key, facts.labels[term.topology_key]))
            for term, domains in self._near
        ):
            return True
        # The first pod of a group that asks for itself may go anywhere.
        return not any(domains for _, domains in self._near) and all(
            self._is_meant(term, self._wanted) for term in self._required
        )

    def _is_meant(self, term: Term, pod: PodLoad) -> bool:
        return means(self._world, term, pod.namespace, pod.labels)

    def _kept_out(self, facts: NodeFacts, gone: tuple[PodLoad, ...]) -> bool:
        left = dict(self._others_anti)
        for pod in gone:
            for term in pod.terms:
                place = (term.topology_key, facts.labels.get(term.topology_key, ""))
                if term.kind == FORBIDDEN and self._is_meant(term, self._wanted) and place in left:
                    left[place] -= 1
        return any(left.get((key, value), 0) > 0 for key, value in facts.labels.items())


def needed(world: World, wanted: PodLoad) -> bool:
    """Whether anybody has terms at all."""
    return bool(wanted.terms or neighbour_terms(world))


def refused_by(world: World, wanted: PodLoad, coming: Iterable[PodLoad]) -> Verdict | None:
    """Why pods that were promised a node, and have none yet, keep another pod from it."""
    for other in coming:
        for term in other.terms:
            if term.kind == FORBIDDEN and means(world, term, wanted.namespace, wanted.labels):
                return OTHERS_ANTI
        for term in wanted.terms:
            if term.kind == FORBIDDEN and means(world, term, other.namespace, other.labels):
                return OWN_ANTI
    return None


def _merge(into: Domains, more: Domains) -> None:
    for place, count in more.items():
        into[place] = into.get(place, 0) + count

"""Topology spread: over how many pods the domains of a topology may differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.placement import matches_affinity, tolerates
from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.scheduler.nodes import facts_of
from sregym_cluster_embedded.scheduler.pod_terms import Selector, counts, requirements_of
from sregym_cluster_embedded.scheduler.terms import with_own_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.scheduler.load import PodLoad
    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_PLUGIN = "PodTopologySpread"
_SKEWED = "node(s) didn't match pod topology spread constraints"
SKEWED = Verdict(_PLUGIN, (_SKEWED,), True)
UNLABELLED = Verdict(_PLUGIN, (f"{_SKEWED} (missing required label)",))


class Constraint(NamedTuple):
    """One entry of topologySpreadConstraints.

    Attributes:
        key: topologyKey.
        max_skew: How much fuller than the emptiest domain one may become.
        min_domains: With fewer domains the emptiest counts as empty.
        selector: The pods that are counted.
        own: 1 when the pod counts itself, else 0.
        affinity: Count only nodes that the pod's affinity admits.
        taints: Count only nodes whose taints the pod tolerates.
    """

    key: str
    max_skew: int
    min_domains: int
    selector: Selector
    own: int
    affinity: bool
    taints: bool


def constraints_of(pod: Object, wanted: PodLoad, when: str) -> list[Constraint]:
    """The constraints of a pod that are `DoNotSchedule` or `ScheduleAnyway`."""
    found = []
    for entry in pod["spec"].get("topologySpreadConstraints") or ():
        if entry["whenUnsatisfiable"] != when:
            continue
        given = entry.get("labelSelector")
        requirements = with_own_labels(requirements_of(given), pod, entry.get("matchLabelKeys"))
        selector = Selector((wanted.namespace,), requirements, live=True, never=given is None)
        found.append(
            Constraint(
                entry["topologyKey"],
                entry["maxSkew"],
                entry.get("minDomains") or 1,
                selector,
                int(selector.matches(wanted.namespace, wanted.labels)),
                entry.get("nodeAffinityPolicy", "Honor") == "Honor",
                entry.get("nodeTaintsPolicy", "Ignore") == "Honor",
            )
        )
    return found


class Spread:
    """The hard constraints of one pod, counted over the nodes. Lives for one attempt."""

    def __init__(
        self, world: World, pod: Object, wanted: PodLoad, nodes: Iterable[NodeFacts]
    ) -> None:
        self._constraints = constraints_of(pod, wanted, "DoNotSchedule")
        self._domains: list[dict[str, int]] = [{} for _ in self._constraints]
        keys = [constraint.key for constraint in self._constraints]
        parts = [
            (constraint, domains, counts(world, constraint.selector))
            for constraint, domains in zip(self._constraints, self._domains, strict=True)
        ]
        for facts in nodes:
            labels = facts.labels
            if not all(key in labels for key in keys):
                continue
            for constraint, domains, present in parts:
                if _counts(constraint, pod, facts):
                    value = labels[constraint.key]
                    domains[value] = domains.get(value, 0) + present.get(facts.name, 0)
        self._least = [
            _least(constraint, domains)
            for constraint, domains in zip(self._constraints, self._domains, strict=True)
        ]

    def refusal(self, facts: NodeFacts, gone: tuple[PodLoad, ...] = ()) -> Verdict | None:
        """Why the node would unbalance the spread, `gone` pods of the node left out."""
        for index, constraint in enumerate(self._constraints):
            value = facts.labels.get(constraint.key)
            if value is None:
                return UNLABELLED
            domains, least = self._domains[index], self._least[index]
            left = sum(
                not pod.terminating and constraint.selector.matches(pod.namespace, pod.labels)
                for pod in gone
            )
            if left and value in domains:
                domains = {**domains, value: domains[value] - left}
                least = _least(constraint, domains)
            if domains.get(value, 0) + constraint.own - least > constraint.max_skew:
                return SKEWED
        return None


def spread_scores(
    world: World, pod: Object, wanted: PodLoad, feasible: list[NodeFacts]
) -> dict[str, int]:
    """By node, 0 to 100 for the `ScheduleAnyway` constraints; empty when there are none."""
    soft = constraints_of(pod, wanted, "ScheduleAnyway")
    if not soft:
        return {}
    keys = [constraint.key for constraint in soft]
    labelled = [facts for facts in feasible if all(key in facts.labels for key in keys)]
    raw = dict.fromkeys((facts.name for facts in labelled), 0.0)
    for constraint in soft:
        found = counts(world, constraint.selector)
        domains = dict.fromkeys((facts.labels[constraint.key] for facts in labelled), 0)
        for name, count in found.items():
            # Pods on nodes that are full count in their domain, too.
            node = facts_of(world, name)
            value = node.labels.get(constraint.key) if node is not None else None
            if value in domains:
                domains[value] += count
        weight = math.log(len(domains) + 2)
        for facts in labelled:
            there = domains[facts.labels[constraint.key]]
            raw[facts.name] += there * weight + constraint.max_skew - 1
    scores = dict.fromkeys((facts.name for facts in feasible), 0)
    if raw:
        whole = {name: round(value) for name, value in raw.items()}
        highest, lowest = max(whole.values()), min(whole.values())
        for name, cost in whole.items():
            scores[name] = 100 * (highest + lowest - cost) // highest if highest else 100
    return scores


def _least(constraint: Constraint, domains: dict[str, int]) -> int:
    """How many pods the emptiest domain has."""
    few = len(domains) < constraint.min_domains
    return 0 if few or not domains else min(domains.values())


def _counts(constraint: Constraint, pod: Object, facts: NodeFacts) -> bool:
    if constraint.affinity and not matches_affinity(pod, facts.node):
        return False
    if constraint.taints:
        tolerations = pod["spec"].get("tolerations") or ()
        return all(any(tolerates(entry, taint) for entry in tolerations) for taint in facts.taints)
    return True

"""How well the nodes that can take a pod suit it: the scores and weights of the default profile."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.placement import term_matches, tolerates
from sregym_cluster_embedded.scheduler.load import siblings_of
from sregym_cluster_embedded.scheduler.spread import spread_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.scheduler.inter_pod_affinity import Neighbours
    from sregym_cluster_embedded.scheduler.load import NodeLoad, PodLoad
    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TAINT_WEIGHT = 3
_AFFINITY_WEIGHT = 2
_SPREAD_WEIGHT = 2
_NEIGHBOUR_WEIGHT = 2
_BEST = 100
# The skew that the built-in constraint on host names allows.
_DEFAULT_HOST_SKEW = 3


class Fitness(NamedTuple):
    """What a node by itself is worth to a pod, before other nodes are compared with it.

    Attributes:
        resources: Free room (`LeastAllocated`) plus balance of processors and memory, 0 to 200.
        use: How much of the node would be used; tells equally good nodes apart.
        wishes: `PreferNoSchedule` taints that the pod does not tolerate.
        preference: Weights of preferred node affinity that the node meets.
    """

    resources: int
    use: float
    wishes: int
    preference: int


def fitness(pod: Object, wanted: PodLoad, facts: NodeFacts, load: NodeLoad) -> Fitness:
    """Look at one node."""
    spec = pod["spec"]
    sizes = (facts.allocatable.get("cpu") or 1, facts.allocatable.get("memory") or 1)
    cpu = (load.assumed[0] + wanted.assumed[0]) / sizes[0]
    memory = (load.assumed[1] + wanted.assumed[1]) / sizes[1]
    free = (max(0, int(_BEST * (1 - cpu))) + max(0, int(_BEST * (1 - memory)))) // 2
    apart = abs(min(cpu, 1.0) - min(memory, 1.0)) / 2
    wishes = 0
    if facts.wishes:
        tolerations = spec.get("tolerations") or ()
        wishes = sum(
            not any(tolerates(entry, taint) for entry in tolerations) for taint in facts.wishes
        )
    preference = _preference(spec, facts) if "affinity" in spec else 0
    return Fitness(free + int((1 - apart) * _BEST), round(cpu + memory, 9), wishes, preference)


def best(
    world: World,
    pod: Object,
    wanted: PodLoad,
    feasible: list[tuple[NodeFacts, Fitness]],
    neighbours: Neighbours | None,
) -> NodeFacts:
    """The node with the highest score; of several the least used, then the first by name."""
    if len(feasible) == 1:
        return feasible[0][0]
    taints = max(fit.wishes for _, fit in feasible)
    preferences = max(fit.preference for _, fit in feasible)
    spread = _spread_scores(world, pod, wanted, feasible)
    near = _neighbour_scores(neighbours, feasible)
    chosen: NodeFacts | None = None
    rank: tuple[int, float] | None = None
    for facts, fit in feasible:
        score = fit.resources
        if taints:
            score += _TAINT_WEIGHT * (_BEST - _BEST * fit.wishes // taints)
        if preferences:
            score += _AFFINITY_WEIGHT * (_BEST * fit.preference // preferences)
        if spread:
            score += _SPREAD_WEIGHT * spread[facts.name]
        if near:
            score += _NEIGHBOUR_WEIGHT * near[facts.name]
        key = (-score, fit.use)
        if rank is None or key < rank:
            chosen, rank = facts, key
    if chosen is None:
        raise ValueError("no node to choose from: ask only when some are feasible")
    return chosen


def _spread_scores(
    world: World, pod: Object, wanted: PodLoad, feasible: list[tuple[NodeFacts, Fitness]]
) -> Mapping[str, int]:
    if pod["spec"].get("topologySpreadConstraints"):
        return spread_scores(world, pod, wanted, [facts for facts, _ in feasible])
    siblings = siblings_of(world, wanted.owner) if wanted.owner else {}
    if not siblings:
        return {}
    # The built-in constraints: the pods of one controller, spread over hosts.
    weight = math.log(len(feasible) + 2)
    extra = _DEFAULT_HOST_SKEW - 1
    raw = {facts.name: round(siblings.get(facts.name, 0) * weight + extra) for facts, _ in feasible}
    highest, lowest = max(raw.values()), min(raw.values())
    return {name: _BEST * (highest + lowest - value) // highest for name, value in raw.items()}


def _neighbour_scores(
    neighbours: Neighbours | None, feasible: list[tuple[NodeFacts, Fitness]]
) -> Mapping[str, int]:
    if neighbours is None:
        return {}
    raw = neighbours.scores([facts.name for facts, _ in feasible])
    if not raw:
        return {}
    lowest, highest = min(raw.values()), max(raw.values())
    if lowest == highest:
        return {}
    return {name: _BEST * (value - lowest) // (highest - lowest) for name, value in raw.items()}


def _preference(spec: Object, facts: NodeFacts) -> int:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    total = 0
    for entry in affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
        if term_matches(entry["preference"], facts.node):
            total += entry["weight"]
    return total

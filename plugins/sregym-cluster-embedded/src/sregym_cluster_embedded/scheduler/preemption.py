"""Preemption: evicting pods of lower priority so that one of higher priority finds a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.scheduler import reservations
from sregym_cluster_embedded.scheduler.filter_status import (
    NO_VICTIMS,
    NOT_HELPFUL,
    Verdict,
    summary,
)
from sregym_cluster_embedded.scheduler.pod_terms import labels_match
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.world import World

    # Why a node cannot take the pod when the given pods are gone; None when it can.
    Check = Callable[[NodeFacts, tuple[Object, ...]], Verdict | None]

NAME = "default-scheduler"
_NEVER = "not eligible due to preemptionPolicy=Never."
_UNDER_WAY = "not eligible due to a terminating pod on the nominated node."
_BUDGETS = "poddisruptionbudgets.policy"
_REASON = "PreemptionByScheduler"


class Candidate(NamedTuple):
    """A node that would take the pod, and the pods that would have to go."""

    node: str
    victims: tuple[Object, ...]
    violations: int


class Outcome(NamedTuple):
    """What came of looking for victims: a node, or why there is none."""

    candidate: Candidate | None
    message: str = ""


def priority(pod: Object) -> int:
    """The pod's resolved priority."""
    value: int = pod["spec"].get("priority") or 0
    return value


def find_preemption_candidate(
    world: World,
    pod: Object,
    nodes: list[NodeFacts],
    verdicts: Mapping[str, Verdict],
    check: Check,
) -> Outcome:
    """Find the node where the least harm makes room for the pod."""
    if pod["spec"].get("preemptionPolicy") == "Never":
        return Outcome(None, _NEVER)
    if _under_way(world, pod, verdicts):
        return Outcome(None, _UNDER_WAY)
    refusals: list[Verdict] = []
    candidates: list[Candidate] = []
    budgets = world.store.list(_BUDGETS)
    for facts in nodes:
        if not verdicts[facts.name].remediable:
            refusals.append(Verdict("", (NOT_HELPFUL,)))
            continue
        found = _victims_on(world, pod, facts, check, budgets)
        if isinstance(found, Candidate):
            candidates.append(found)
        else:
            refusals.append(found)
    if not candidates:
        return Outcome(None, summary(len(nodes), refusals))
    return Outcome(min(candidates, key=_harm))


def evict(world: World, pod: Object, candidate: Candidate) -> None:
    """Ask the victims on the node for which the pod was nominated to go."""
    for victim in candidate.victims:
        _evict_one(world, victim, pod["metadata"]["uid"], candidate.node)


def _evict_one(world: World, victim: Object, preemptor: str, node: str) -> None:
    metadata = victim["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    condition = {
        "type": "DisruptionTarget",
        "observedGeneration": metadata.get("generation", 1),
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp(),
        "reason": _REASON,
        "message": f"{NAME}: preempting to accommodate a higher priority pod",
    }
    status = victim["status"]
    others = [e for e in status.get("conditions", ()) if e["type"] != "DisruptionTarget"]
    marked = internal_client.update_status(
        world, key, {**status, "conditions": [*others, condition]}
    )
    internal_client.delete(world, key)
    message = f"Preempted by pod {preemptor} on node {node}"
    events.record(world, marked or victim, "pods", "Normal", "Preempted", message, NAME)


def _victims_on(
    world: World, pod: Object, facts: NodeFacts, check: Check, budgets: list[Object]
) -> Candidate | Verdict:
    own = priority(pod)
    bound = world.store.indexed("pods", "node", facts.name)
    lower = [
        other
        for other in (*bound, *reservations.promised(world, facts.name))
        if priority(other) < own and other["status"].get("phase") not in ("Succeeded", "Failed")
    ]
    if not lower:
        return Verdict("", (NO_VICTIMS,))
    refused = check(facts, tuple(lower))
    if refused is not None:
        return refused
    lower.sort(key=_importance)
    violating, others = _by_budget(lower, budgets)
    victims: list[Object] = []
    violations = 0
    left = list(lower)
    # Those that it would hurt most are put back first, as long as the pod still finds room.
    for other, hurts in [(e, 1) for e in violating] + [(e, 0) for e in others]:
        without = [entry for entry in left if entry is not other]
        if check(facts, tuple(without)) is None:
            left = without
        else:
            victims.append(other)
            violations += hurts
    return Candidate(facts.name, tuple(victims), violations)


def _by_budget(pods: list[Object], budgets: list[Object]) -> tuple[list[Object], list[Object]]:
    """(pods whose eviction a PodDisruptionBudget forbids, the others), in their order."""
    left = [budget.get("status", {}).get("disruptionsAllowed", 0) for budget in budgets]
    violating: list[Object] = []
    others: list[Object] = []
    for pod in pods:
        labels = pod["metadata"].get("labels") or {}
        hurts = False
        for index, budget in enumerate(budgets):
            selector = budget["spec"].get("selector")
            if budget["metadata"]["namespace"] != pod["metadata"]["namespace"] or not labels:
                continue
            if labels_match(selector, labels):
                left[index] -= 1
                hurts = hurts or left[index] < 0
        (violating if hurts else others).append(pod)
    return violating, others


def _harm(candidate: Candidate) -> tuple[object, ...]:
    """What makes one node a better choice than another, the weightiest first."""
    priorities = [priority(pod) for pod in candidate.victims]
    highest = max(priorities, default=0)
    starts = [
        pod["status"].get("startTime", "") for pod in candidate.victims if priority(pod) == highest
    ]
    # Of otherwise equal nodes the one whose most important pods have run for the shortest time.
    youngest = tuple(-ord(char) for char in min(starts, default=""))
    offset = 2**31
    return (
        candidate.violations,
        highest,
        sum(value + offset for value in priorities),
        len(priorities),
        youngest,
        candidate.node,
    )


def _importance(pod: Object) -> tuple[int, str]:
    return (-priority(pod), pod["status"].get("startTime", ""))


def _under_way(world: World, pod: Object, verdicts: Mapping[str, Verdict]) -> bool:
    node = pod["status"].get("nominatedNodeName")
    if not node:
        return False
    verdict = verdicts.get(node)
    if verdict is None or not verdict.remediable:
        return False
    own = priority(pod)
    return any(
        "deletionTimestamp" in other["metadata"]
        and priority(other) < own
        and any(
            entry["type"] == "DisruptionTarget" and entry.get("reason") == _REASON
            for entry in other["status"].get("conditions", ())
        )
        for other in world.store.indexed("pods", "node", node)
    )

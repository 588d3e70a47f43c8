"""The disruption controller: how many pods of a PodDisruptionBudget may go now."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import events, internal_client, resources
from sregym_cluster_embedded.api.eviction import budgets_of, disruption_allowed
from sregym_cluster_embedded.api.selectors import labels_match, of_object
from sregym_cluster_embedded.controllers.pods import is_ready
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.disruption"
RESOURCE = "poddisruptionbudgets.policy"
_COMPONENT = "controllermanager"
_DELAY_S = 0.02
# A pod whose eviction was granted counts as gone for so long at most.
_EVICTION_S = 120.0


class _CannotCountError(Exception):
    """The number of pods that there should be cannot be found out; the text says why."""


class _Expected(NamedTuple):
    """How many pods there should be, and how many of them healthy."""

    pods: int
    healthy: int


def listen(world: World, change: Change) -> None:
    """Budgets are looked at when their spec changes, or their status by an eviction."""
    old, new = change.old, change.obj
    if change.type is ChangeType.DELETED:
        return
    if old is None or old["spec"] != new["spec"] or _disrupted(old) != _disrupted(new):
        enqueue(world, HANDLER, change.key, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that matters: its budget is looked at, of several the first."""
    if not world.store.has_any(RESOURCE, change.key.namespace):
        return
    pod = change.obj
    found = budgets_of(world, pod)
    if len(found) > 1 and change.type is not ChangeType.DELETED:
        metadata, chosen = pod["metadata"], found[0]["metadata"]["name"]
        text = (
            f'Pod "{metadata["namespace"]}"/"{metadata["name"]}" matches multiple '
            f'PodDisruptionBudgets.  Chose "{chosen}" arbitrarily.'
        )
        reason = "MultiplePodDisruptionBudgets"
        events.record(world, pod, "pods", "Warning", reason, text, _COMPONENT)
    if found:
        enqueue(world, HANDLER, key_of(RESOURCE, found[0]), _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: count the pods of one budget and write what that allows."""
    mark_processing(world, HANDLER, key)
    budget = world.store.get(key)
    if budget is None:
        return
    pods = _selected(world, budget)
    if not pods:
        _say(world, budget, "Normal", "NoPods", "No matching pods found")
    generation = budget["metadata"]["generation"]
    status: Object = budget.get("status", {})
    try:
        expected = _expected(world, budget, pods)
    except _CannotCountError as problem:
        text = f"Failed to calculate the number of expected pods: {problem}"
        _say(world, budget, "Warning", "CalculateExpectedPodCountFailed", text)
        conditions = disruption_allowed(world, status, generation, "SyncFailed", str(problem))
        failed = {
            **_counts(status),
            "disruptionsAllowed": 0,
            "observedGeneration": generation,
            "conditions": conditions,
        }
        internal_client.update_status(world, key, failed)
        return
    disrupted = _still_disrupted(world, key, status, pods)
    healthy = sum(
        1
        for pod in pods
        if "deletionTimestamp" not in pod["metadata"]
        and pod["metadata"]["name"] not in disrupted
        and is_ready(pod)
    )
    allowed = max(healthy - expected.healthy, 0) if expected.pods > 0 else 0
    reason = "SufficientPods" if allowed else "InsufficientPods"
    new: Object = {
        "conditions": disruption_allowed(world, status, generation, reason),
        "currentHealthy": healthy,
        "desiredHealthy": expected.healthy,
        "disruptionsAllowed": allowed,
        "expectedPods": expected.pods,
        "observedGeneration": generation,
    }
    if disrupted:
        new["disruptedPods"] = disrupted
    internal_client.update_status(world, key, new)


def _counts(status: Object) -> Object:
    names = ("currentHealthy", "desiredHealthy", "expectedPods")
    kept = {name: status.get(name, 0) for name in names}
    if status.get("disruptedPods"):
        kept["disruptedPods"] = status["disruptedPods"]
    return kept


def _selected(world: World, budget: Object) -> list[Object]:
    selector = of_object(budget["spec"].get("selector"))
    if selector is None:
        return []
    return [
        pod
        for pod in world.store.list("pods", budget["metadata"]["namespace"])
        if labels_match(selector, pod["metadata"].get("labels", {}))
    ]


def _expected(world: World, budget: Object, pods: list[Object]) -> _Expected:
    """How many pods there should be.

    Raises:
        _CannotCountError: A pod's controller says no number of replicas.
    """
    spec = budget["spec"]
    maximum, minimum = spec.get("maxUnavailable"), spec.get("minAvailable")
    if maximum is not None:
        count = _scale(world, budget, pods)
        return _Expected(count, max(count - _share(maximum, count), 0))
    if isinstance(minimum, str):
        count = _scale(world, budget, pods)
        return _Expected(count, _share(minimum, count))
    return _Expected(len(pods), int(minimum or 0))


def _share(value: int | str, total: int) -> int:
    """An absolute number, or a percentage of a total, rounded up."""
    if isinstance(value, str):
        return math.ceil(int(value.removesuffix("%")) * total / 100)
    return value


def _scale(world: World, budget: Object, pods: list[Object]) -> int:
    """The replicas that the controllers of the pods want."""
    wanted: dict[str, int] = {}
    asked: dict[str, str] = {}
    unmanaged = False
    for pod in pods:
        owner = owner_of(pod)
        if owner is None:
            unmanaged = True
        elif owner["uid"] not in asked:
            uid, replicas = _controller(world, pod, owner)
            asked[owner["uid"]] = uid
            wanted[uid] = replicas
    if unmanaged:
        text = _UNMANAGED.format(_go_text(budget["spec"].get("selector") or {}))
        _say(world, budget, "Warning", "UnmanagedPods", text)
    return sum(wanted.values())


def _controller(world: World, pod: Object, owner: Object) -> tuple[str, int]:
    """Uid and replicas of the topmost controller that has a scale."""
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    kind = resources.of_kind(owner["apiVersion"], owner["kind"])
    if kind is None:
        message = f'found no controllers for pod "{name}"'
        raise _CannotCountError(message)
    if not any(sub.name == "scale" for sub in kind.subresources):
        message = f"{kind.name} does not implement the scale subresource"
        raise _CannotCountError(message)
    obj = world.store.get(Key(kind.name, namespace, owner["name"]))
    if obj is None or obj["metadata"]["uid"] != owner["uid"]:
        message = f'found no controllers for pod "{name}"'
        raise _CannotCountError(message)
    above = owner_of(obj)
    if kind.name == "replicasets.apps" and above is not None and above["kind"] == "Deployment":
        deployment = world.store.get(Key("deployments.apps", namespace, above["name"]))
        if deployment is not None and deployment["metadata"]["uid"] == above["uid"]:
            return above["uid"], deployment["spec"].get("replicas", 1)
    return owner["uid"], obj["spec"].get("replicas", 1)


def _still_disrupted(world: World, key: Key, status: Object, pods: list[Object]) -> Object:
    """The pods whose eviction was granted and that are still to go."""
    present = {pod["metadata"]["name"]: pod for pod in pods}
    left: Object = {}
    for name, since in (status.get("disruptedPods") or {}).items():
        pod = present.get(name)
        if pod is None or "deletionTimestamp" in pod["metadata"]:
            continue
        remaining_s = _EVICTION_S - seconds_since(world, since)
        if remaining_s <= 0:
            text = f"Pod was expected by PDB {key.namespace}/{key.name} to be deleted but it wasn't"
            events.record(world, pod, "pods", "Warning", "NotDeleted", text, _COMPONENT)
            continue
        left[name] = since
        enqueue(world, HANDLER, key, remaining_s)
    return left


def _disrupted(budget: Object) -> object:
    return budget.get("status", {}).get("disruptedPods")


_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a "
    "result, the status of the PDB cannot be calculated correctly, which may result in undefined "
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
    "integer value."
)


def _go_text(selector: Object) -> str:
    """A label selector as Go prints the struct."""
    labels = "".join(
        f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items())
    )
    rules = "".join(
        f"LabelSelectorRequirement{{Key:{rule['key']},Operator:{rule['operator']},"
        f"Values:[{' '.join(rule.get('values') or ())}],}},"
        for rule in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{rules}}},}}"
    )


def _say(world: World, budget: Object, type_: str, reason: str, text: str) -> None:
    events.record(world, budget, RESOURCE, type_, reason, text, _COMPONENT)

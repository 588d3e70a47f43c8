"""The eviction subresource of pods: a delete that PodDisruptionBudgets may refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import (
    body,
    dynamic,
    errors,
    internal_client,
    read_requests,
    rest_mutations,
    selectors,
)
from sregym_cluster_embedded.api.access import node_restriction
from sregym_cluster_embedded.api.disruption_target import mark_disrupted
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.store import Key, key_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_BUDGETS = "poddisruptionbudgets.policy"
_CREATED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL = (
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
    "support."
)
_MOST_DISRUPTED = 2000


def eviction(world: World, request: Request, target: Target) -> Response:
    """POST to pods/NAME/eviction.

    Raises:
        errors.ApiError: TooManyRequests when a budget does not allow it now.
    """
    sent = body.typed(
        request, body.parsed(request, "Eviction"), "policy", "v1", "Eviction", body.Warnings()
    )
    if dynamic.configured(world):
        sent = dynamic_writes.posted_below(world, request, target, sent)
    name = (sent.get("metadata") or {}).get("name")
    if name and name != target.name:
        raise errors.bad_request("name in URL does not match name in Eviction object")
    pod = read_requests.existing(world, target)
    node_restriction.check_removal(request.user, target.resource, pod, "evict")
    options = sent.get("deleteOptions") or {}
    _check_preconditions(pod, options.get("preconditions") or {})
    dry = rest_mutations.dry_run(request) or bool(options.get("dryRun"))
    budget = None if _ends_anyway(pod) else _budget_of(world, pod)
    if budget is not None and not _free_to_go(budget, pod):
        _spend(world, budget, pod, dry)
    if not dry:
        key = key_of("pods", pod)
        mark_disrupted(world, key, "EvictionByEvictionAPI", "Eviction API: evicting")
        propagation = options.get("propagationPolicy") or "Background"
        internal_client.delete(world, key, propagation, options.get("gracePeriodSeconds"))
    return encode(_CREATED, status=201)


def budgets_of(world: World, pod: Object) -> list[Object]:
    """The PodDisruptionBudgets that select a pod, in no meaningful but a fixed order."""
    metadata = pod["metadata"]
    listed = world.store.list(_BUDGETS, metadata["namespace"])
    if not listed:
        return []
    labels = metadata.get("labels", {})
    found = []
    for budget in listed:
        wanted = selectors.of_object(budget["spec"].get("selector"))
        if wanted is not None and selectors.labels_match(wanted, labels):
            found.append(budget)
    return found[::-1]


def _ends_anyway(pod: Object) -> bool:
    return "deletionTimestamp" in pod["metadata"] or pod.get("status", {}).get("phase") in (
        "Succeeded",
        "Failed",
        "Pending",
    )


def _budget_of(world: World, pod: Object) -> Object | None:
    found = budgets_of(world, pod)
    if len(found) > 1:
        raise errors.ApiError(500, "", _SEVERAL)
    return found[0] if found else None


def _free_to_go(budget: Object, pod: Object) -> bool:
    """Whether a pod that is not ready may go without being counted."""
    for entry in pod["status"].get("conditions", ()):
        if entry["type"] == "Ready" and entry["status"] == "True":
            return False
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status", {})
    desired = status.get("desiredHealthy", 0)
    return bool(status.get("currentHealthy", 0) >= desired > 0)


def _spend(world: World, budget: Object, pod: Object, dry: bool) -> None:
    """Take one disruption from a budget.

    Raises:
        errors.ApiError: There is none left.
    """
    metadata, status = budget["metadata"], budget.get("status", {})
    name = metadata["name"]
    if status.get("observedGeneration", 0) < metadata.get("generation", 1):
        text = f"The disruption budget {name} is still being processed by the server."
        raise errors.too_many_requests(_REFUSED, [_cause(text)], 10)
    allowed, disrupted = status.get("disruptionsAllowed", 0), status.get("disruptedPods", {})
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(disrupted) > _MOST_DISRUPTED:
        text = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, text)
    if not allowed:
        raise errors.too_many_requests(_REFUSED, [_cause(_why_none(name, status))])
    if dry:
        return
    spent = {
        **status,
        "disruptionsAllowed": allowed - 1,
        "disruptedPods": {**disrupted, pod["metadata"]["name"]: world.timestamp()},
    }
    if allowed == 1:
        spent["conditions"] = disruption_allowed(
            world, status, metadata.get("generation", 1), "InsufficientPods"
        )
    internal_client.update_status(world, Key(_BUDGETS, metadata["namespace"], name), spent)


def disruption_allowed(
    world: World, status: Object, generation: int, reason: str, message: str = ""
) -> list[Object]:
    """The conditions of a budget; `SufficientPods` stands for True, other reasons for False."""
    value = "True" if reason == "SufficientPods" else "False"
    old = next(
        (entry for entry in status.get("conditions", ()) if entry["type"] == "DisruptionAllowed"),
        None,
    )
    same = old is not None and old["status"] == value
    since = world.timestamp()
    if old is not None and same:
        since = old.get("lastTransitionTime", since)
    condition = {
        "type": "DisruptionAllowed",
        "status": value,
        "observedGeneration": generation,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
    return [condition if entry is old else entry for entry in status.get("conditions", ())] or [
        condition
    ]


def _why_none(name: str, status: Object) -> str:
    for entry in status.get("conditions", ()):
        if entry["type"] == "DisruptionAllowed" and entry.get("reason") == "SyncFailed":
            return (
                f"The disruption budget {name} does not allow evicting pods currently because it "
                f"failed sync: {entry.get('message', '')}"
            )
    needs, has = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    return f"The disruption budget {name} needs {needs} healthy pods and has {has} currently"


def _cause(message: str) -> errors.Cause:
    return errors.Cause("", message, "DisruptionBudget")


def _forbidden(name: str, why: str) -> errors.ApiError:
    details = {"name": name, "group": "policy", "kind": "poddisruptionbudget"}
    head = f'poddisruptionbudget.policy "{name}" is forbidden: '
    return errors.ApiError(403, "Forbidden", head + why, details)


def _check_preconditions(pod: Object, wanted: Object) -> None:
    metadata = pod["metadata"]
    uid = wanted.get("uid")
    if uid and uid != metadata["uid"]:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record "
            f"({metadata['uid']}). The object might have been deleted and then recreated"
        )
        head = f'Operation cannot be fulfilled on Pod "{metadata["name"]}": '
        details = {"name": metadata["name"], "kind": "Pod"}
        raise errors.ApiError(409, "Conflict", head + why, details)

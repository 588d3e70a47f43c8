"""StatefulSets: numbered pods that come and go in order, each with its own claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.claiming import (
    available,
    claimed,
    offer_orphan,
    plan_availability,
)
from sregym_cluster_embedded.controllers.client_rate import pods_allowed
from sregym_cluster_embedded.controllers.controller_revisions import (
    POD_LABEL,
    History,
    history_of,
    prune,
)
from sregym_cluster_embedded.controllers.deployment_status import share
from sregym_cluster_embedded.controllers.pods import is_ready
from sregym_cluster_embedded.controllers.statefulset_pods import (
    RESOURCE,
    create_pod,
    delete_pod,
    first_ordinal,
    keep_identity,
    ordinal,
    set_claim_owners,
)
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

HANDLER = "controllers.statefulset"
_HASH_LABEL = "controller.kubernetes.io/hash"
_DELAY_S = 0.01


def listen(world: World, change: Change) -> None:
    """StatefulSets are looked at when they change."""
    old, new = change.old, change.obj
    if change.type is not ChangeType.DELETED and (
        old is None or old["spec"] is not new["spec"] or old["metadata"] is not new["metadata"]
    ):
        enqueue(world, HANDLER, change.key, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that matters: its StatefulSet is looked at."""
    owner = _owner_key(change.obj)
    before = _owner_key(change.old) if change.old is not None else None
    for key in (owner, before):
        if key is not None:
            enqueue(world, HANDLER, key, _DELAY_S)
    if owner is None and change.type is not ChangeType.DELETED:
        offer_orphan(world, HANDLER, RESOURCE, change.obj, _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one StatefulSet.

    Raises:
        ApiError: A pod or claim was refused; the status is written all the same.
    """
    mark_processing(world, HANDLER, key)
    stateful_set = world.store.get(key)
    if stateful_set is None:
        return
    pods = _members(world, stateful_set)
    history = history_of(world, stateful_set, _HASH_LABEL)
    if history is None:
        return
    current = _current(stateful_set, history)
    refusal: ApiError | None = None
    leaving = 0
    if "deletionTimestamp" not in stateful_set["metadata"]:
        try:
            leaving = _act(world, stateful_set, pods, current, history.newest)
        except ApiError as error:
            refusal = error
    status = _status(world, stateful_set, pods, current, history)
    _complete(stateful_set, status, leaving)
    internal_client.update_status(world, key, status)
    live = {status["currentRevision"], status["updateRevision"]}
    prune(world, stateful_set, history, live | {_revision(pod) for pod in pods.values()})
    minimum_s = stateful_set["spec"].get("minReadySeconds", 0)
    plan_availability(world, HANDLER, key, minimum_s, pods.values())
    if refusal is not None:
        raise refusal


def _owner_key(pod: Object) -> Key | None:
    owner = owner_of(pod)
    if owner is None or owner["kind"] != "StatefulSet":
        return None
    return Key(RESOURCE, pod["metadata"]["namespace"], owner["name"])


def _members(world: World, stateful_set: Object) -> Mapping[int, Object]:
    """The set's pods by their ordinal."""
    base = f"{stateful_set['metadata']['name']}-"
    members: dict[int, Object] = {}
    for pod in claimed(world, stateful_set, base):
        number = ordinal(stateful_set, pod)
        if number is not None:
            members[number] = pod
    return dict(sorted(members.items()))


def _current(stateful_set: Object, history: History) -> Object:
    """The revision that the set was on before the present rollout."""
    name = stateful_set.get("status", {}).get("currentRevision")
    for entry in history.revisions:
        if entry["metadata"]["name"] == name:
            return entry
    return history.newest


def _act(
    world: World,
    stateful_set: Object,
    pods: Mapping[int, Object],
    current: Object,
    newest: Object,
) -> int:
    """Take the next step; returns how many pods of the current revision were deleted for a newer.

    Raises:
        ApiError: A pod or claim was refused.
    """
    if not _fill(world, stateful_set, pods, current, newest):
        return 0
    if not _shrink(world, stateful_set, pods):
        return 0
    return _replace(world, stateful_set, pods, newest)


def _fill(
    world: World,
    stateful_set: Object,
    pods: Mapping[int, Object],
    current: Object,
    newest: Object,
) -> bool:
    """Create missing pods, in order or all at once; whether the next step may follow."""
    ordered = _ordered(stateful_set)
    places = _range(stateful_set)
    there = sum(number in places for number in pods)
    missing = 1 if ordered else len(places) - there
    left = pods_allowed(world, HANDLER, key_of(RESOURCE, stateful_set), missing)
    for number in places:
        pod = pods.get(number)
        if pod is None:
            if left == 0:
                return False
            left -= 1
            old = number < _first_updated(stateful_set)
            create_pod(world, stateful_set, number, current if old else newest)
            if ordered:
                return False
            continue
        ended = pod["status"].get("phase") in ("Succeeded", "Failed")
        if ended and not _terminating(pod):
            delete_pod(world, stateful_set, pod)
        if ordered and (ended or not _healthy(world, stateful_set, pod)):
            _keep(world, stateful_set, number, pod)
            return False
        _keep(world, stateful_set, number, pod)
    return True


def _keep(world: World, stateful_set: Object, number: int, pod: Object) -> None:
    if not _terminating(pod):
        keep_identity(world, stateful_set, number, pod)
        set_claim_owners(world, stateful_set, number, None)


def _shrink(world: World, stateful_set: Object, pods: Mapping[int, Object]) -> bool:
    """Delete pods beyond the wanted number, the highest first; whether none is left waiting."""
    ordered = _ordered(stateful_set)
    wanted = _range(stateful_set)
    condemned = [(number, pod) for number, pod in pods.items() if number not in wanted]
    ill = [number for number, pod in condemned if not _healthy(world, stateful_set, pod)]
    for number, pod in reversed(condemned):
        set_claim_owners(world, stateful_set, number, pod)
        if _terminating(pod):
            if ordered:
                return False
            continue
        if ordered and number in ill and number != ill[0]:
            return False
        delete_pod(world, stateful_set, pod)
        if ordered:
            return False
    return True


def _replace(world: World, stateful_set: Object, pods: Mapping[int, Object], newest: Object) -> int:
    """Delete the highest pods of another revision, once those above them are well.

    As many as `maxUnavailable` may be missing at once: one, unless the set says more.
    """
    strategy = stateful_set["spec"].get("updateStrategy", {})
    if strategy.get("type") == "OnDelete":
        return 0
    lowest = _first_updated(stateful_set)
    wanted = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", 1)
    allowed = max(share(wanted, stateful_set["spec"].get("replicas", 1), up=True), 1)
    missing = deleted = 0
    for number in reversed(_range(stateful_set)):
        pod = pods.get(number)
        if number < lowest or pod is None or missing >= allowed:
            return deleted
        if _revision(pod) != newest["metadata"]["name"] and not _terminating(pod):
            delete_pod(world, stateful_set, pod)
            deleted += 1
            missing += 1
        elif not _healthy(world, stateful_set, pod):
            missing += 1
    return deleted


def _status(
    world: World,
    stateful_set: Object,
    pods: Mapping[int, Object],
    current: Object,
    history: History,
) -> Object:
    """The counts of the pods as they were before this look."""
    minimum_s = stateful_set["spec"].get("minReadySeconds", 0)
    staying = [pod for pod in pods.values() if not _terminating(pod)]
    ready = [pod for pod in pods.values() if _running_and_ready(pod)]
    names = current["metadata"]["name"], history.newest["metadata"]["name"]
    return {
        "observedGeneration": stateful_set["metadata"]["generation"],
        "replicas": len(pods),
        "readyReplicas": len(ready),
        "currentReplicas": sum(1 for pod in staying if _revision(pod) == names[0]),
        "updatedReplicas": sum(1 for pod in staying if _revision(pod) == names[1]),
        "currentRevision": names[0],
        "updateRevision": names[1],
        "collisionCount": history.collisions,
        "availableReplicas": sum(1 for pod in ready if available(world, pod, minimum_s)),
    }


def _complete(stateful_set: Object, status: Object, leaving: int) -> None:
    """A finished rollout makes the new revision the current one; counts of zero are left out."""
    status["currentReplicas"] = max(status["currentReplicas"] - leaving, 0)
    wanted = stateful_set["spec"].get("replicas", 1)
    counts = ("updatedReplicas", "readyReplicas", "replicas")
    rolling = stateful_set["spec"].get("updateStrategy", {}).get("type") == "RollingUpdate"
    if rolling and all(status[name] == wanted for name in counts):
        status["currentReplicas"] = status["updatedReplicas"]
        status["currentRevision"] = status["updateRevision"]
    for name in ("readyReplicas", "currentReplicas", "updatedReplicas"):
        if not status[name]:
            del status[name]


def _ordered(stateful_set: Object) -> bool:
    return bool(stateful_set["spec"].get("podManagementPolicy") != "Parallel")


def _range(stateful_set: Object) -> range:
    start = first_ordinal(stateful_set)
    return range(start, start + stateful_set["spec"].get("replicas", 1))


def _first_updated(stateful_set: Object) -> int:
    """The lowest ordinal that a rolling update reaches."""
    strategy = stateful_set["spec"].get("updateStrategy", {})
    partition: int = (strategy.get("rollingUpdate") or {}).get("partition", 0)
    if strategy.get("type") == "OnDelete":
        partition = 0
    return first_ordinal(stateful_set) + partition


def _revision(pod: Object) -> str:
    name: str = (pod["metadata"].get("labels") or {}).get(POD_LABEL, "")
    return name


def _terminating(pod: Object) -> bool:
    """Being deleted, finished or not: its name is taken until it is gone."""
    return "deletionTimestamp" in pod["metadata"]


def _running_and_ready(pod: Object) -> bool:
    return pod["status"].get("phase") == "Running" and is_ready(pod)


def _healthy(world: World, stateful_set: Object, pod: Object) -> bool:
    """Ready for as long as the set asks, and staying."""
    minimum_s = stateful_set["spec"].get("minReadySeconds", 0)
    return _running_and_ready(pod) and not _terminating(pod) and available(world, pod, minimum_s)

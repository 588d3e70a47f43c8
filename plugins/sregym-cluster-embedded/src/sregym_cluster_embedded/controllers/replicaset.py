"""ReplicaSets: as many pods as wanted, the right ones deleted first, and the counts in status.

ReplicationControllers are the same thing with an older selector, and are looked at here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.dynamic import elapsed
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.claiming import (
    available,
    claimed,
    offer_orphan,
    plan_availability,
)
from sregym_cluster_embedded.controllers.client_rate import pods_allowed
from sregym_cluster_embedded.controllers.deletion_order import least_worth
from sregym_cluster_embedded.controllers.pods import (
    from_template,
    is_active,
    is_ready,
    is_terminating,
)
from sregym_cluster_embedded.controllers.slow_start import create_in_batches
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_RETRIES: TableKey[Key, float] = TableKey("controllers.replicaset.retries")
HANDLER = "controllers.replicaset"
RESOURCE = "replicasets.apps"
CONTROLLERS = "replicationcontrollers"
_COMPONENTS = {RESOURCE: "replicaset-controller", CONTROLLERS: "replication-controller"}
_RESOURCES = {"ReplicaSet": RESOURCE, "ReplicationController": CONTROLLERS}
_DELAY_S = 0.02
_FIRST_RETRY_S = 0.005
_LONGEST_RETRY_S = 1000.0


def listen(world: World, change: Change) -> None:
    """ReplicaSets are looked at when they change, or are to go."""
    if change.type is not ChangeType.DELETED and (
        change.old is None
        or change.old["spec"] is not change.obj["spec"]
        or "deletionTimestamp" in change.obj["metadata"]
    ):
        enqueue(world, HANDLER, change.key, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that counts: its ReplicaSet is looked at."""
    owner = _owner_key(change.obj)
    if owner is not None:
        enqueue(world, HANDLER, owner, _DELAY_S)
    before = _owner_key(change.old) if change.old is not None else None
    if before is not None and before != owner:
        enqueue(world, HANDLER, before, _DELAY_S)
    if owner is None and change.type is not ChangeType.DELETED:
        offer_orphan(world, HANDLER, RESOURCE, change.obj, _DELAY_S)
        offer_orphan(world, HANDLER, CONTROLLERS, change.obj, _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one ReplicaSet."""
    mark_processing(world, HANDLER, key)
    replica_set = world.store.get(key)
    if replica_set is None:
        return
    pods = claimed(world, replica_set)
    active = [pod for pod in pods if is_active(pod)]
    failure = ""
    if "deletionTimestamp" not in replica_set["metadata"]:
        failure = _adjust(world, key.resource, replica_set, active)
    status = _status(world, replica_set, active, pods, failure)
    if key.resource == CONTROLLERS:
        del status["terminatingReplicas"]
    internal_client.update_status(world, key, status)
    _plan_retry(world, key, failure)
    minimum = replica_set["spec"].get("minReadySeconds", 0)
    plan_availability(world, HANDLER, key, minimum, active)


def _owner_key(pod: Object) -> Key | None:
    owner = owner_of(pod)
    if owner is None or owner["kind"] not in _RESOURCES:
        return None
    return Key(_RESOURCES[owner["kind"]], pod["metadata"]["namespace"], owner["name"])


def _adjust(world: World, resource: str, replica_set: Object, active: list[Object]) -> str:
    """Create or delete pods; returns why that failed, or an empty text."""
    wanted = replica_set["spec"].get("replicas", 1)
    if len(active) < wanted:
        count = pods_allowed(world, HANDLER, key_of(resource, replica_set), wanted - len(active))
        return _create(world, resource, replica_set, count)
    surplus = len(active) - wanted
    if surplus:
        component = _COMPONENTS[resource]
        for pod in least_worth(world, active, surplus, _related(world, replica_set)):
            try:
                internal_client.delete(world, _key(pod))
            except ApiError as error:
                text = f"Error deleting: {error.message}"
                events.record(
                    world, replica_set, resource, "Warning", "FailedDelete", text, component
                )
                return error.message
            text = f"Deleted pod: {pod['metadata']['name']}"
            events.record(
                world, replica_set, resource, "Normal", "SuccessfulDelete", text, component
            )
    return ""


def _create(world: World, resource: str, replica_set: Object, count: int) -> str:
    """Create pods; returns why that failed, or an empty text."""
    component = _COMPONENTS[resource]
    base = f"{replica_set['metadata']['name']}-"

    def create(_: int) -> None:
        try:
            pod = internal_client.create(world, "pods", from_template(replica_set, base))
        except ApiError as error:
            text = f"Error creating: {error.message}"
            events.record(world, replica_set, resource, "Warning", "FailedCreate", text, component)
            raise
        text = f"Created pod: {pod['metadata']['name']}"
        events.record(world, replica_set, resource, "Normal", "SuccessfulCreate", text, component)

    refusal = create_in_batches(range(count), create)
    return "" if refusal is None else refusal.message


def _related(world: World, replica_set: Object) -> list[Object]:
    """The pods of all ReplicaSets of the same controller: during a rollout, of both revisions."""
    owner = owner_of(replica_set)
    if owner is None:
        return list(world.store.owned("pods", replica_set["metadata"]["uid"]))
    return [
        pod
        for sibling in world.store.owned(RESOURCE, owner["uid"])
        for pod in world.store.owned("pods", sibling["metadata"]["uid"])
    ]


def _status(
    world: World, replica_set: Object, active: list[Object], pods: list[Object], failure: str
) -> Object:
    old = replica_set.get("status", {})
    labels = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
    minimum = replica_set["spec"].get("minReadySeconds", 0)
    ready = [pod for pod in active if is_ready(pod)]
    counts = {
        "fullyLabeledReplicas": sum(
            1 for pod in active if labels.items() <= (pod["metadata"].get("labels") or {}).items()
        ),
        "readyReplicas": len(ready),
        "availableReplicas": sum(1 for pod in ready if available(world, pod, minimum)),
    }
    status: Object = {"replicas": len(active)}
    status.update({name: count for name, count in counts.items() if count})
    status["terminatingReplicas"] = sum(1 for pod in pods if is_terminating(pod))
    status["observedGeneration"] = replica_set["metadata"]["generation"]
    conditions = [e for e in old.get("conditions", ()) if e["type"] != "ReplicaFailure"]
    if failure:
        surplus = len(active) > replica_set["spec"].get("replicas", 1)
        known = next((e for e in old.get("conditions", ()) if e["type"] == "ReplicaFailure"), None)
        fresh = {
            "type": "ReplicaFailure",
            "status": "True",
            "reason": "FailedDelete" if surplus else "FailedCreate",
            "message": failure,
            "lastTransitionTime": world.timestamp(),
        }
        conditions.append(known if known is not None else fresh)
    if conditions:
        status["conditions"] = conditions
    return status


def _plan_retry(world: World, key: Key, failure: str) -> None:
    """Failed creations are tried again, each time after twice the wait."""
    delays = world.table(_RETRIES)
    if failure:
        delay_s = delays.get(key, _FIRST_RETRY_S)
        delays[key] = min(delay_s * 2, _LONGEST_RETRY_S)
        enqueue(world, HANDLER, key, delay_s + elapsed.took(world))
    else:
        delays.pop(key, None)


def _key(pod: Object) -> Key:
    return Key("pods", pod["metadata"]["namespace"], pod["metadata"]["name"])

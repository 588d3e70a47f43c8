"""The pod garbage collector: ends pods on nodes that no longer exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.disruption_target import disrupted
from sregym_cluster_embedded.controllers.node_taints import readiness
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.pod_gc"
FINISHED: TableKey[str, int] = TableKey("controllers.pod_gc.finished")
# It looks every 20 s; a node that is missing is looked for once more after 40 s.
_PERIOD_S = 20.0
_QUARANTINE_S = 40.0
# So many finished pods may be there before the oldest go.
FINISHED_LIMIT = 12_500
_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_OVER = ("Succeeded", "Failed")


def node_changed(world: World, change: Change) -> None:
    """The pods of a deleted node, or of one that was declared out of service, are orphans."""
    name = change.key.name
    if change.type is ChangeType.DELETED:
        _look(world, name, _QUARANTINE_S)
    elif _out_of_service(change.obj):
        _look(world, name, 0.0)


def pod_changed(world: World, change: Change) -> None:
    """Notice pods of nodes that do not exist, unscheduled ones to be deleted, and finished ones."""
    pod, old = change.obj, change.old
    if change.type is ChangeType.DELETED:
        return
    node = pod["spec"].get("nodeName", "")
    if node:
        fresh = old is None or not old.get("spec", {}).get("nodeName")
        if fresh and world.store.get(Key("nodes", "", node)) is None:
            _look(world, node, _QUARANTINE_S)
    elif "deletionTimestamp" in pod["metadata"]:
        _look(world, "", 0.0)
    phase = pod["status"].get("phase")
    if phase in _OVER and (old is None or old["status"].get("phase") != phase):
        finished = world.table(FINISHED)
        finished[""] = finished.get("", 0) + 1
        if finished[""] > FINISHED_LIMIT:
            _look(world, "", 0.0)


def collect(world: World, node: str) -> None:
    """Handler: delete the orphans of one node; with an empty name, what belongs to no node."""
    mark_processing(world, HANDLER, node)
    if not node:
        _collect_unscheduled(world)
        _collect_finished(world)
        return
    obj = world.store.get(Key("nodes", "", node))
    if obj is None:
        for pod in list(world.store.indexed("pods", "node", node)):
            _end(world, pod, "PodGC: node no longer exists")
    elif _out_of_service(obj) and not _is_ready(obj):
        for pod in list(world.store.indexed("pods", "node", node)):
            if "deletionTimestamp" in pod["metadata"]:
                _end(world, pod, None)


def _look(world: World, node: str, after_s: float) -> None:
    phase = world.seed.fraction("pod garbage") * _PERIOD_S
    wait_s = _PERIOD_S - (world.now + after_s - phase) % _PERIOD_S
    enqueue(world, HANDLER, node, after_s + wait_s)


def _collect_unscheduled(world: World) -> None:
    for pod in world.store.list("pods"):
        if not pod["spec"].get("nodeName") and "deletionTimestamp" in pod["metadata"]:
            _end(world, pod, None)


def _collect_finished(world: World) -> None:
    """The oldest of too many finished pods go."""
    over = [pod for pod in world.store.list("pods") if pod["status"].get("phase") in _OVER]
    over.sort(key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))
    for pod in over[: max(len(over) - FINISHED_LIMIT, 0)]:
        internal_client.delete(world, key_of("pods", pod), grace_s=0)
    world.table(FINISHED)[""] = min(len(over), FINISHED_LIMIT)


def _end(world: World, pod: Object, why: str | None) -> None:
    """Let a pod fail and delete it at once; `why` says so in its conditions."""
    key = key_of("pods", pod)
    if pod["status"].get("phase") not in _OVER:
        status = pod["status"] if why is None else disrupted(world, pod, "DeletionByPodGC", why)
        internal_client.update_status(world, key, {**status, "phase": "Failed"})
    internal_client.delete(world, key, grace_s=0)


def _out_of_service(node: Object) -> bool:
    return any(
        taint.get("key") == _OUT_OF_SERVICE
        for taint in (node.get("spec") or {}).get("taints") or ()
    )


def _is_ready(node: Object) -> bool:
    return readiness(node) == "True"

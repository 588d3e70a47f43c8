"""DaemonSets: one pod on each node that admits it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.claiming import claimed, offer_orphan, plan_availability
from sregym_cluster_embedded.controllers.controller_revisions import (
    POD_LABEL,
    history_of,
    prune,
)
from sregym_cluster_embedded.controllers.daemonset_pods import (
    fits,
    is_updated,
    new_pod,
    node_of,
    tolerant,
)
from sregym_cluster_embedded.controllers.daemonset_update import (
    Step,
    is_available,
    next_step,
    surge_of,
)
from sregym_cluster_embedded.controllers.pods import is_ready
from sregym_cluster_embedded.controllers.slow_start import create_in_batches
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.world import World

HANDLER = "controllers.daemonset"
RESOURCE = "daemonsets.apps"
_COMPONENT = "daemonset-controller"
_DELAY_S = 0.01
_BACK_OFF: TableKey[tuple[Key, str], tuple[float, float]] = TableKey("controllers.daemonset.failed")
_FIRST_BACK_OFF_S = 1.0
_LONGEST_BACK_OFF_S = 900.0


def listen(world: World, change: Change) -> None:
    """DaemonSets are looked at when they change."""
    old, new = change.old, change.obj
    if change.type is not ChangeType.DELETED and (
        old is None or old["spec"] is not new["spec"] or old["metadata"] is not new["metadata"]
    ):
        enqueue(world, HANDLER, change.key, _DELAY_S)


def node_changed(world: World, change: Change) -> None:
    """All DaemonSets are looked at when a node comes, goes, or gets other labels or taints."""
    old, new = change.old, change.obj
    if old is not None and change.type is not ChangeType.DELETED:
        labels = old["metadata"].get("labels"), new["metadata"].get("labels")
        if old["spec"] == new["spec"] and labels[0] == labels[1]:
            return
    for daemon_set in world.store.list(RESOURCE):
        enqueue(world, HANDLER, key_of(RESOURCE, daemon_set), _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that matters: its DaemonSet is looked at."""
    owner = _owner_key(change.obj)
    before = _owner_key(change.old) if change.old is not None else None
    for key in (owner, before):
        if key is not None:
            enqueue(world, HANDLER, key, _DELAY_S)
    if owner is None and change.type is not ChangeType.DELETED:
        offer_orphan(world, HANDLER, RESOURCE, change.obj, _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one DaemonSet.

    Raises:
        ApiError: A pod was refused; the status is written all the same.
    """
    mark_processing(world, HANDLER, key)
    daemon_set = world.store.get(key)
    if daemon_set is None or "deletionTimestamp" in daemon_set["metadata"]:
        return
    history = history_of(world, daemon_set, POD_LABEL)
    if history is None:
        return
    revision_hash = history.newest["metadata"]["labels"][POD_LABEL]
    template = {"spec": tolerant(daemon_set["spec"]["template"]["spec"])}
    nodes = {node["metadata"]["name"]: fits(template, node) for node in world.store.list("nodes")}
    by_node = _by_node(claimed(world, daemon_set))
    desired = sum(1 for wanted, _ in nodes.values() if wanted)
    step = _manage(world, key, daemon_set, nodes, by_node, revision_hash)
    if step == Step():
        step = next_step(world, daemon_set, by_node, revision_hash, desired)
    refusal = _carry_out(world, daemon_set, step, revision_hash)
    by_node = _by_node(world.store.owned("pods", daemon_set["metadata"]["uid"]))
    status = _status(world, daemon_set, nodes, by_node, revision_hash)
    if history.collisions:
        status["collisionCount"] = history.collisions
    internal_client.update_status(world, key, status)
    pods = [pod for listed in by_node.values() for pod in listed]
    used = {(pod["metadata"].get("labels") or {}).get(POD_LABEL) for pod in pods}
    live = {
        entry["metadata"]["name"]
        for entry in history.revisions
        if entry is history.newest or entry["metadata"]["labels"].get(POD_LABEL) in used
    }
    prune(world, daemon_set, history, live)
    plan_availability(world, HANDLER, key, daemon_set["spec"].get("minReadySeconds", 0), pods)
    if refusal is not None:
        raise refusal


def _owner_key(pod: Object) -> Key | None:
    owner = owner_of(pod)
    if owner is None or owner["kind"] != "DaemonSet":
        return None
    return Key(RESOURCE, pod["metadata"]["namespace"], owner["name"])


def _by_node(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Pods by the node they are for, the oldest first; what has ended and is deleted is no more."""
    by_node: dict[str, list[Object]] = {}
    for pod in sorted(
        pods, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"])
    ):
        ended = pod["status"].get("phase") in ("Succeeded", "Failed")
        if not (ended and "deletionTimestamp" in pod["metadata"]):
            by_node.setdefault(node_of(pod), []).append(pod)
    return dict(sorted(by_node.items()))


def _manage(
    world: World,
    key: Key,
    daemon_set: Object,
    nodes: Mapping[str, tuple[bool, bool]],
    by_node: Mapping[str, list[Object]],
    revision_hash: str,
) -> Step:
    """Which nodes lack a pod, and which pods are on a node that does not admit them."""
    surge = bool(surge_of(daemon_set, len(nodes)))
    surplus: list[Object] = []
    needing: list[str] = []
    for node, (wanted, may_stay) in nodes.items():
        pods = by_node.get(node, [])
        running = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        if not may_stay:
            surplus += running
            continue
        if wanted and (not pods or (surge and not running)):
            needing.append(node)
        ended = [pod for pod in running if pod["status"].get("phase") in ("Succeeded", "Failed")]
        alive = [pod for pod in running if pod not in ended]
        surplus += [pod for pod in ended if _may_replace(world, key, daemon_set, node, pod)]
        if not surge:
            surplus += alive[1:]
        elif len(alive) > 1:
            surplus += _beyond_pair(world, daemon_set, alive, revision_hash)
    for node, pods in by_node.items():
        if node not in nodes:
            surplus += [
                pod
                for pod in pods
                if not pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]
            ]
    return Step(tuple(surplus), tuple(needing))


def _beyond_pair(
    world: World, daemon_set: Object, alive: list[Object], revision_hash: str
) -> list[Object]:
    """While surging, a node keeps its oldest pod of each kind, the old one until the new is up."""
    new = [pod for pod in alive if is_updated(daemon_set, pod, revision_hash)]
    old = [pod for pod in alive if pod not in new]
    surplus = [*new[1:], *old[1:]]
    minimum_s = daemon_set["spec"].get("minReadySeconds", 0)
    if new and old and (not is_ready(old[0]) or is_available(world, new[0], minimum_s)):
        surplus.append(old[0])
    return surplus


def _may_replace(world: World, key: Key, daemon_set: Object, node: str, pod: Object) -> bool:
    """Say that a pod has ended; failed ones are replaced after ever longer waits."""
    metadata = pod["metadata"]
    where = f"{metadata['namespace']}/{metadata['name']} on node {node}"
    if pod["status"]["phase"] == "Succeeded":
        text = f"Found succeeded daemon pod {where}, will try to delete it"
        _say(world, daemon_set, "Normal", "SucceededDaemonPod", text)
        return True
    waits = world.table(_BACK_OFF)
    place = (key, node)
    delay_s, since = waits.get(place, (0.0, world.now))
    left_s = since + delay_s - world.now
    if left_s > 0:
        enqueue(world, HANDLER, key, left_s)
        return False
    forgotten = world.now - since > 2 * _LONGEST_BACK_OFF_S
    doubled = _FIRST_BACK_OFF_S if forgotten else max(delay_s * 2, _FIRST_BACK_OFF_S)
    waits[place] = (min(doubled, _LONGEST_BACK_OFF_S), world.now)
    text = f"Found failed daemon pod {where}, will try to kill it"
    _say(world, daemon_set, "Warning", "FailedDaemonPod", text)
    return True


def _carry_out(world: World, daemon_set: Object, step: Step, revision_hash: str) -> ApiError | None:
    """Create and delete; the refusal of a creation, when there was one."""

    def create(node: str) -> None:
        try:
            pod = internal_client.create(world, "pods", new_pod(daemon_set, node, revision_hash))
        except ApiError as error:
            text = f"Error creating: {error.message}"
            _say(world, daemon_set, "Warning", "FailedCreate", text)
            raise
        text = f"Created pod: {pod['metadata']['name']}"
        _say(world, daemon_set, "Normal", "SuccessfulCreate", text)

    refusal = create_in_batches(step.needing, create)
    for pod in step.surplus:
        internal_client.delete(world, key_of("pods", pod))
        text = f"Deleted pod: {pod['metadata']['name']}"
        _say(world, daemon_set, "Normal", "SuccessfulDelete", text)
    return refusal


def _status(
    world: World,
    daemon_set: Object,
    nodes: Mapping[str, tuple[bool, bool]],
    by_node: Mapping[str, list[Object]],
    revision_hash: str,
) -> Object:
    """The counts; a node with several pods is judged by the oldest."""
    minimum_s = daemon_set["spec"].get("minReadySeconds", 0)
    wanted = [node for node, (here, _) in nodes.items() if here]
    first = [by_node[node][0] for node in wanted if node in by_node]
    ready = [pod for pod in first if is_ready(pod)]
    strays = [node for node, (here, _) in nodes.items() if not here and node in by_node]
    free = sum(1 for pod in ready if is_available(world, pod, minimum_s))
    status: Object = {
        "currentNumberScheduled": len(first),
        "numberMisscheduled": len(strays),
        "desiredNumberScheduled": len(wanted),
        "numberReady": len(ready),
        "observedGeneration": daemon_set["metadata"]["generation"],
    }
    counts = {
        "updatedNumberScheduled": sum(
            1 for pod in first if is_updated(daemon_set, pod, revision_hash)
        ),
        "numberAvailable": free,
        "numberUnavailable": len(wanted) - free,
    }
    return status | {name: count for name, count in counts.items() if count}


def _say(world: World, daemon_set: Object, type_: str, reason: str, text: str) -> None:
    events.record(world, daemon_set, RESOURCE, type_, reason, text, _COMPONENT)

"""The node life cycle controller: silent nodes become Unknown, unready ones drive pods away.

A real one looks at all nodes every five seconds. Here a node is looked at, at the next moment of
that rhythm, when its readiness has changed or its kubelet fell silent; healthy nodes cost nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import HEARTBEATS
from sregym_cluster_embedded.controllers import node_zones
from sregym_cluster_embedded.controllers.node_taints import (
    NOT_READY,
    UNREACHABLE,
    change_taints,
    conditions_of,
    follow_conditions,
    no_execute_keys,
    readiness,
)
from sregym_cluster_embedded.controllers.pods import is_ready
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

MONITOR = "controllers.nodes.monitor"
TAINTS = "controllers.nodes.taints"
EVICT = "controllers.nodes.evict"
MARK = "controllers.nodes.mark"
# Nodes whose kubelet renews its lease no longer: the virtual second of the last renewal.
_SILENT: TableKey[str, float] = TableKey("controllers.nodes.silent")
# How the monitor last saw the nodes that it has seen otherwise than ready.
_SEEN: TableKey[str, str] = TableKey("controllers.nodes.seen")
COMPONENT = "node-controller"
MONITOR_PERIOD_S = 5.0
GRACE_S = 50.0
_TAINT_S = 0.015
_EVICT_S = 0.1
_CLOSE_S = 1e-6
_MARK_APART_S = 0.045
_MARKED_APART = 5
_REPORTED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
_STOPPED = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
_NEVER = ("NodeStatusNeverUpdated", "Kubelet never posted node status.")


def lease_expired(world: World, node: str, renewed_at: float) -> None:
    """The kubelet of a node renews its lease no longer; the last time was at `renewed_at`."""
    world.table(_SILENT)[node] = renewed_at
    enqueue(world, MONITOR, node, max(_left(world, renewed_at), 0.0))


def lease_renewed(world: World, node: str) -> None:
    """The kubelet of a node renews its lease again."""
    world.table(_SILENT).pop(node, None)


def listen(world: World, change: Change) -> None:
    """A node whose readiness, pressure or schedulability changed is looked at."""
    name, old, new = change.key.name, change.old, change.obj
    if change.type is ChangeType.DELETED:
        for handler in (MONITOR, TAINTS, EVICT):
            forget(world, handler, name)
        world.table(_SEEN).pop(name, None)
        return
    if old is None or _taint_matter(old) != _taint_matter(new):
        enqueue(world, TAINTS, name, _TAINT_S)
    if old is None or readiness(old) != readiness(new):
        # What the monitor writes itself it has dealt with already.
        if world.table(_SEEN).get(name, "True") != readiness(new):
            enqueue(world, MONITOR, name, _until_tick(world, world.now))
    elif readiness(new) != "True" and old.get("spec") is not new.get("spec"):
        enqueue(world, EVICT, name, _EVICT_S)


def taint(world: World, name: str) -> None:
    """Handler: let the NoSchedule taints of a node follow its conditions."""
    mark_processing(world, TAINTS, name)
    follow_conditions(world, name)


def monitor(world: World, name: str) -> None:
    """Handler: look at the readiness of a node as the monitor of a real controller does."""
    mark_processing(world, MONITOR, name)
    node = world.store.get(Key("nodes", "", name))
    if node is None:
        return
    before = world.table(_SEEN).get(name, "True")
    if _is_silent(world, name) and readiness(node) != "Unknown":
        world.table(_SEEN)[name] = "Unknown"
        try:
            node = _declare_unknown(world, name, node)
        except ApiError:
            # As if there had been no check: nothing follows from what cannot be written.
            world.table(_SEEN).pop(name)
            if before != "True":
                world.table(_SEEN)[name] = before
            raise
    now = readiness(node)
    if now == "True":
        if world.table(_SEEN).pop(name, None) is not None:
            change_taints(world, node, "NoExecute", [], no_execute_keys(node))
            node_zones.became_ready(world, EVICT)
        return
    if not now:
        # Its kubelet has not reported yet: it has time to do so.
        return
    world.table(_SEEN)[name] = now
    if before == "True":
        text = f"Node {name} status is now: NodeNotReady"
        events.record(world, node, "nodes", "Normal", "NodeNotReady", text, COMPONENT)
        _mark_pods(world, name)
    if no_execute_keys(node) - {_eviction_key(now)}:
        _drive_away(world, node, now)
    else:
        enqueue(world, EVICT, name, _EVICT_S)


def evict(world: World, name: str) -> None:
    """Handler: taint an unready node so that its pods leave, as fast as its zone allows."""
    mark_processing(world, EVICT, name)
    node = world.store.get(Key("nodes", "", name))
    if node is None or readiness(node) == "True" or no_execute_keys(node):
        return
    if world.table(_SEEN).get(name, "True") == "True":
        return
    wait_s = node_zones.wait_before_eviction(world, node)
    if wait_s is None:
        return
    if wait_s > 0:
        enqueue(world, EVICT, name, wait_s)
        return
    _drive_away(world, node, readiness(node))


def _drive_away(world: World, node: Object, ready: str) -> None:
    key = _eviction_key(ready)
    present = no_execute_keys(node)
    change_taints(world, node, "NoExecute", {key} - present, present - {key})


def _eviction_key(ready: str) -> str:
    return UNREACHABLE if ready == "Unknown" else NOT_READY


def _declare_unknown(world: World, name: str, node: Object) -> Object:
    """The state of the node is unknown."""
    fresh = world.service_or_none(HEARTBEATS)
    known = fresh(world, "nodes", node) if fresh is not None else node
    conditions = list(conditions_of(known))
    for type_ in _REPORTED:
        place = next((i for i, entry in enumerate(conditions) if entry.get("type") == type_), None)
        reason, message = _NEVER if place is None else _STOPPED
        old: Object = {} if place is None else conditions[place]
        entry = {
            "type": type_,
            "status": "Unknown",
            "lastHeartbeatTime": old.get(
                "lastHeartbeatTime", node["metadata"]["creationTimestamp"]
            ),
            "lastTransitionTime": world.timestamp(),
            "reason": reason,
            "message": message,
        }
        if place is None:
            conditions.append(entry)
        elif old.get("status") != "Unknown":
            conditions[place] = entry
    status = {**(node.get("status") or {}), "conditions": conditions}
    return internal_client.update_status(world, Key("nodes", "", name), status) or node


def _mark_pods(world: World, name: str) -> None:
    """The pods of a node that is not ready are not ready either; one after another they are told."""
    ready = [pod for pod in world.store.indexed("pods", "node", name) if is_ready(pod)]
    for number, pod in enumerate(ready):
        delay_s = _MARK_APART_S * min(number, _MARKED_APART)
        world.after(delay_s, MARK, key_of("pods", pod), pod["metadata"]["uid"])


def mark(world: World, key: Key, uid: str) -> None:
    """Handler: say of a pod that it is not ready because its node is not."""
    pod = world.store.get(key)
    if pod is None or pod["metadata"]["uid"] != uid or not is_ready(pod):
        return
    now = world.timestamp()
    conditions = [
        {**entry, "status": "False", "lastTransitionTime": now}
        if entry["type"] == "Ready"
        else entry
        for entry in pod["status"]["conditions"]
    ]
    events.record(world, pod, "pods", "Warning", "NodeNotReady", "Node is not ready", COMPONENT)
    internal_client.update_status(world, key, {**pod["status"], "conditions": conditions})


def _is_silent(world: World, name: str) -> bool:
    """Whether a node has been silent for too long; if it may be so later, it is looked at then."""
    renewed_at: float | None = world.table(_SILENT).get(name)
    if renewed_at is None:
        return False
    left_s = _left(world, renewed_at)
    if left_s <= _CLOSE_S:
        return True
    enqueue(world, MONITOR, name, left_s)
    return False


def _left(world: World, renewed_at: float) -> float:
    """Seconds until a node is given up that renewed its lease last at `renewed_at`."""
    return renewed_at + _until_tick(world, renewed_at) + GRACE_S - world.now


def _until_tick(world: World, at: float) -> float:
    """Seconds from `at` to the next look at all nodes."""
    phase = world.seed.fraction("node monitor") * MONITOR_PERIOD_S
    passed = math.fmod(at - phase + MONITOR_PERIOD_S, MONITOR_PERIOD_S)
    return MONITOR_PERIOD_S - passed


def _taint_matter(node: Object) -> tuple[object, ...]:
    spec = node.get("spec") or {}
    return (
        spec.get("unschedulable"),
        spec.get("taints"),
        *((entry.get("type"), entry.get("status")) for entry in conditions_of(node)),
    )

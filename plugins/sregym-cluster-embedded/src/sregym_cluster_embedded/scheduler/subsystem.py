"""The scheduler: pods without a node get one, or hear why not."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sregym_cluster_embedded import device_pools
from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler import (
    devices,
    nodes,
    nominations,
    preemption,
    reservations,
    unschedulable,
)
from sregym_cluster_embedded.scheduler.attempt import Attempt
from sregym_cluster_embedded.scheduler.claims import Volumes, settle, volumes_of
from sregym_cluster_embedded.scheduler.filter_status import NO_NODES, Verdict, summary
from sregym_cluster_embedded.scheduler.load import follow, present
from sregym_cluster_embedded.scheduler.requests import back_off, speaking, stop_waiting
from sregym_cluster_embedded.scheduler.scoring import best
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_BURST: TableKey[str, tuple[float, int]] = TableKey("scheduler.burst")
NAME = "default-scheduler"
_HANDLER = unschedulable.HANDLER
_VOLUMES = (
    "persistentvolumeclaims",
    "persistentvolumes",
    "storageclasses.storage.k8s.io",
)
_DEVICES = (device_pools.CLAIMS, device_pools.CLASSES, device_pools.SLICES)
_FOLLOWED = ("pods", "nodes", *_VOLUMES, *_DEVICES)
_DELAY_S = 0.015
_APART_S = 0.1
_KEPT_APART = 5
_BURST_S = 0.5


def listen(world: World, change: Change) -> None:
    """Note new pods, and whatever may give a waiting pod its place."""
    resource = change.key.resource
    if resource == "pods":
        _pod_changed(world, change)
    elif resource == "nodes":
        if nodes.follow(world, change):
            unschedulable.node_changed(world, change)
    elif resource in _DEVICES:
        unschedulable.devices_changed(world)
    elif resource in _VOLUMES:
        unschedulable.volumes_changed(world, change)


def _pod_changed(world: World, change: Change) -> None:
    freed = follow(world, change)
    obj, old = change.obj, change.old
    placed = bool(obj["spec"].get("nodeName"))
    if (
        not placed or (old is not None and not old["spec"].get("nodeName"))
    ) and not reservations.is_reserved(world, change.key):
        nominations.follow(world, change)
    if change.type is ChangeType.DELETED:
        unschedulable.drop(world, change.key)
        stop_waiting(world, change.key)
        reservations.drop(world, change.key)
        if not placed:
            forget(world, _HANDLER, change.key)
    elif not placed:
        if old is None or old["spec"] != obj["spec"]:
            enqueue(world, _HANDLER, change.key, _queueing(world))
        elif old["metadata"].get("labels") != obj["metadata"].get("labels"):
            unschedulable.relabelled(world, change.key)
    elif old is not None and not old["spec"].get("nodeName"):
        unschedulable.pod_bound(world, obj)
    if freed is not None:
        unschedulable.pod_removed(world, freed, present(world, obj))


def _queueing(world: World) -> float:
    """How long a new pod waits for its turn.

    Pods that come together are bound one after another. The first of a burst are kept apart, so
    that their consequences come in order; the rest of a large burst shares one moment.
    """
    table = world.table(_BURST)
    last_at, count = table.get("", (-_BURST_S, 0))
    count = count + 1 if world.now - last_at < _BURST_S else 0
    table[""] = (world.now, count)
    return _DELAY_S + _APART_S * min(count, _KEPT_APART)


def schedule(world: World, key: Key) -> None:
    """Handler: find a node for one pod."""
    mark_processing(world, _HANDLER, key)
    pod = world.store.get(key)
    if pod is None or pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
        unschedulable.drop(world, key)
        return
    if pod["spec"].get("schedulerName", NAME) != NAME:
        return
    if pod["spec"].get("schedulingGates"):
        return
    wanted = devices.claims_of(world, pod)
    if wanted.held:
        unschedulable.note(world, key, pod, (devices.PLUGIN,))
        return
    volumes = volumes_of(world, pod)
    if volumes.problem:
        _release(world, key)
        total = len(world.store.list("nodes", ""))
        text = f"0/{total} nodes are available: {volumes.problem}. not found"
        unschedulable.note(world, key, pod, (volumes.plugin,))
        _refuse(world, pod, text if total else NO_NODES)
        return
    chosen = reservations.reserved_node(world, key)
    if chosen is None:
        attempt = Attempt(world, pod, volumes, wanted)
        if wanted.problem:
            refused = Verdict(devices.PLUGIN, (wanted.problem,))
            attempt.verdicts = {facts.name: refused for facts in attempt.nodes}
            _give_up(world, key, attempt)
            return
        attempt.look()
        if not attempt.feasible:
            _give_up(world, key, attempt)
            return
        chosen = best(world, pod, attempt.wanted, attempt.feasible, attempt.neighbours)
    _place(world, key, pod, volumes, wanted, chosen)


def _place(
    world: World,
    key: Key,
    pod: Object,
    volumes: Volumes,
    wanted: devices.DeviceRequirements,
    chosen: nodes.NodeFacts,
) -> None:
    """Bind a pod to a node, or let its volumes be bound first."""
    if volumes.waiting:
        unschedulable.note(world, key, pod, ("VolumeBinding",))
    else:
        unschedulable.drop(world, key)
    plugin = 'Bind plugin "DefaultBinder"'
    try:
        with speaking(world):
            if volumes.waiting:
                plugin = 'PreBind plugin "VolumeBinding"'
                if reservations.give(world, key, pod, chosen.name):
                    nominations.drop(world, pod)
                    with suppress(ApiError):
                        status = {**pod["status"], "nominatedNodeName": chosen.name}
                        internal_client.update_status(world, key, status)
                settle(world, volumes, chosen)
                return
            if wanted.claims:
                plugin = 'PreBind plugin "DynamicResources"'
                devices.settle(world, pod, wanted, chosen)
                plugin = 'Bind plugin "DefaultBinder"'
            _bind(world, pod, chosen.name)
    except ApiError as error:
        _stumble(world, key, f"running {plugin}: {error.message}")


def _stumble(world: World, key: Key, message: str) -> None:
    """Binding failed: say so, and try the whole again after the pod's back-off."""
    unschedulable.drop(world, key)
    _release(world, key)
    pod = world.store.get(key)
    if pod is None:
        return
    kept = {name: value for name, value in pod["status"].items() if name != "nominatedNodeName"}
    _refuse(world, {**pod, "status": kept}, message, reason="SchedulerError")
    enqueue(world, _HANDLER, key, back_off(world, key))


def overdue(world: World, key: Key) -> None:
    """Handler: a pod has waited for its volumes for long enough."""
    mark_processing(world, reservations.OVERDUE, key)
    why = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    _stumble(world, key, why)


def _give_up(world: World, key: Key, attempt: Attempt) -> None:
    """No node can take the pod: make room by preemption, or let it wait."""
    pod, verdicts = attempt.pod, attempt.verdicts
    text = summary(len(attempt.nodes), verdicts.values())
    if attempt.devices.problem:
        # Said once, not of each node.
        text = f"0/{len(attempt.nodes)} nodes are available: {attempt.devices.problem}."
    if not attempt.nodes:
        unschedulable.note(world, key, pod, ("NodeAdded",))
        _refuse(world, pod, text)
        return
    unschedulable.note(world, key, pod, [verdict.plugin for verdict in verdicts.values()])
    outcome = preemption.find_preemption_candidate(
        world, pod, attempt.nodes, verdicts, attempt.check
    )
    if outcome.candidate is None:
        hint = devices.STUCK if attempt.devices.claims else devices.IDLE
        text = f"{text} {hint}, preemption: {outcome.message}"
    _refuse(world, pod, text, "" if outcome.candidate is None else outcome.candidate.node)
    if outcome.candidate is not None:
        try:
            with speaking(world):
                preemption.evict(world, pod, outcome.candidate)
        except ApiError:
            enqueue(world, _HANDLER, key, back_off(world, key))


def _release(world: World, key: Key) -> None:
    """A pod keeps no node: others may have what was promised to it."""
    freed = reservations.drop(world, key)
    if freed is not None:
        unschedulable.pod_removed(world, freed, None)


def _bind(world: World, pod: Object, node: str) -> None:
    metadata = pod["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    bound = internal_client.bind(world, key, node)
    stop_waiting(world, key)
    reservations.drop(world, key)
    message = f"Successfully assigned {key.namespace}/{key.name} to {node}"
    events.record(world, bound, "pods", "Normal", "Scheduled", message, NAME)


def _refuse(
    world: World, pod: Object, message: str, nominated: str = "", reason: str = "Unschedulable"
) -> None:
    """Say that no node can take a pod now, and which one is being cleared for it."""
    events.record(world, pod, "pods", "Warning", "FailedScheduling", message, NAME)
    promise = {"nominatedNodeName": nominated} if nominated else {}
    pod = {**pod, "status": {**pod.get("status", {}), **promise}}
    _set_unscheduled(world, pod, reason, message)


def _set_unscheduled(world: World, pod: Object, reason: str, message: str) -> None:
    status = pod.get("status", {})
    old = next((e for e in status.get("conditions", ()) if e["type"] == "PodScheduled"), None)
    since = old["lastTransitionTime"] if old is not None else world.timestamp()
    condition = {
        "type": "PodScheduled",
        "observedGeneration": pod["metadata"].get("generation", 1),
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
    others = [entry for entry in status.get("conditions", ()) if entry["type"] != "PodScheduled"]
    metadata = pod["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    # Where it is refused, the scheduler goes on without it.
    with suppress(ApiError), speaking(world):
        internal_client.update_status(world, key, {**status, "conditions": [*others, condition]})


def subsystem() -> Subsystem:
    """What this layer adds to a cluster."""
    return Subsystem(
        name="scheduler",
        handlers={_HANDLER: schedule, reservations.OVERDUE: overdue},
        followers=dict.fromkeys(_FOLLOWED, (listen,)),
    )

"""The scheduler: pods without a node get one, or hear why not.

A pod that fits nowhere is looked at again when a node, a pod or a claim changes, never by a clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, writes
from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.scheduler.claims import SELECTED_NODE, volumes_of
from sregym_cluster_embedded.scheduler.filters import helped_by_preemption, reasons
from sregym_cluster_embedded.scheduler.load import (
    IDLE,
    follow,
    load_of,
    node_loads,
    siblings_of,
)
from sregym_cluster_embedded.scheduler.quantities import counted
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, taken

if TYPE_CHECKING:
    from sregym_cluster_embedded.scheduler.load import NodeLoad, PodLoad
    from sregym_cluster_embedded.world import World

NAME = "default-scheduler"
_HANDLER = "scheduler.schedule"
_PENDING = "scheduler.pending"
_FOLLOWED = ("pods", "nodes", "persistentvolumeclaims", "persistentvolumes")
_DELAY_S = 0.015
_APART_S = 0.06
_KEPT_APART = 5
_BURST_S = 0.5
_RETRY_S = 0.5
_VOLUME_RETRY_S = 0.2


def listen(world: World, change: Change) -> None:
    """Note new pods, and whatever may give a waiting pod its place."""
    resource = change.key.resource
    if resource == "pods":
        freed = follow(world, change)
        if change.type is ChangeType.DELETED:
            world.table(_PENDING).pop(change.key, None)
        elif not change.obj["spec"].get("nodeName") and (
            change.old is None or change.old["spec"] != change.obj["spec"]
        ):
            enqueue(world, _HANDLER, change.key, _queueing(world))
        if freed:
            _look_again(world, _RETRY_S)
    elif resource == "nodes":
        if change.old is None or _placement(change.old) != _placement(change.obj):
            _look_again(world, _RETRY_S)
    elif resource in ("persistentvolumeclaims", "persistentvolumes"):
        _look_again(world, _VOLUME_RETRY_S)


def _queueing(world: World) -> float:
    """How long a new pod waits for its turn.

    Pods that come together are bound one after another. The first of a burst are kept apart, so
    that their consequences come in order; the rest of a large burst shares one moment.
    """
    table = world.table("scheduler.burst")
    last_at, count = table.get("", (-_BURST_S, 0))
    count = count + 1 if world.now - last_at < _BURST_S else 0
    table[""] = (world.now, count)
    return _DELAY_S + _APART_S * min(count, _KEPT_APART)


def schedule(world: World, key: Key) -> None:
    """Handler: find a node for one pod."""
    taken(world, _HANDLER, key)
    pending = world.table(_PENDING)
    pod = world.store.get(key)
    if pod is None or pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
        pending.pop(key, None)
        return
    if pod["spec"].get("schedulerName", NAME) != NAME:
        return
    if pod["spec"].get("schedulingGates"):
        _gated(world, pod)
        return
    nodes = world.store.list("nodes", "")
    volumes, waiting, problem = volumes_of(world, pod)
    if problem:
        pending[key] = True
        _refuse(world, pod, f"0/{len(nodes)} nodes are available: {problem}. not found")
        return
    wanted = load_of(pod, "")
    refusals = {}
    best: tuple[int, float, str] | None = None
    loads, siblings = node_loads(world), siblings_of(world, wanted.owner)
    for node in nodes:
        name = node["metadata"]["name"]
        load = loads.get(name, IDLE)
        why = reasons(pod, wanted, node, load, volumes)
        if why:
            refusals[name] = why
            continue
        cost = (siblings.get(name, 0), _use(node, load, wanted), name)
        if best is None or cost < best:
            best = cost
    if best is None:
        pending[key] = True
        _refuse(world, pod, _explanation(wanted, nodes, refusals))
        return
    pending.pop(key, None)
    chosen = best[2]
    if waiting:
        _select_node(world, waiting, chosen)
        pending[key] = True
        return
    _bind(world, pod, chosen)


def _use(node: Object, load: NodeLoad, wanted: PodLoad) -> float:
    """How much of a node would be used with the pod: the share of cores plus that of memory."""
    allocatable = node.get("status", {}).get("allocatable", {})
    cpu = counted("cpu", allocatable.get("cpu", "1")) or 1
    memory = counted("memory", allocatable.get("memory", "1")) or 1
    used: float = (load.assumed[0] + wanted.assumed[0]) / cpu + (
        load.assumed[1] + wanted.assumed[1]
    ) / memory
    return round(used, 9)


def _bind(world: World, pod: Object, node: str) -> None:
    metadata = pod["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    bound = writes.bind(world, key, node)
    message = f"Successfully assigned {key.namespace}/{key.name} to {node}"
    events.record(world, bound, "pods", "Normal", "Scheduled", message, NAME)


def _select_node(world: World, claims: list[Object], node: str) -> None:
    for claim in claims:
        metadata = claim["metadata"]
        key = Key("persistentvolumeclaims", metadata["namespace"], metadata["name"])
        writes.annotate(world, key, {SELECTED_NODE: node})


def _gated(world: World, pod: Object) -> None:
    message = "Scheduling is blocked due to non-empty scheduling gates"
    # This condition is the API server's, which does not say of which generation.
    _set_unscheduled(world, pod, "SchedulingGated", message, observed=False)


def _refuse(world: World, pod: Object, message: str) -> None:
    events.record(world, pod, "pods", "Warning", "FailedScheduling", message, NAME)
    _set_unscheduled(world, pod, "Unschedulable", message)


def _set_unscheduled(
    world: World, pod: Object, reason: str, message: str, observed: bool = True
) -> None:
    status = pod.get("status", {})
    old = next((e for e in status.get("conditions", ()) if e["type"] == "PodScheduled"), None)
    since = old["lastTransitionTime"] if old is not None else world.timestamp()
    condition = {
        "type": "PodScheduled",
        **({"observedGeneration": pod["metadata"].get("generation", 1)} if observed else {}),
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
    others = [entry for entry in status.get("conditions", ()) if entry["type"] != "PodScheduled"]
    metadata = pod["metadata"]
    key = Key("pods", metadata["namespace"], metadata["name"])
    writes.update_status(world, key, {**status, "conditions": [*others, condition]})


def _explanation(wanted: PodLoad, nodes: list[Object], refusals: dict[str, list[str]]) -> str:
    """`0/2 nodes are available: 2 Insufficient cpu. ...`, as the scheduler puts it."""
    total = len(nodes)
    if not nodes:
        return "no nodes available to schedule pods"
    counts: dict[str, int] = {}
    for why in refusals.values():
        for reason in why:
            counts[reason] = counts.get(reason, 0) + 1
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    by_name = {node["metadata"]["name"]: node for node in nodes}
    hopeful = sum(
        1 for name, why in refusals.items() if helped_by_preemption(wanted, by_name[name], why)
    )
    verdicts = []
    if hopeful:
        verdicts.append(f"{hopeful} No preemption victims found for incoming pod")
    if total - hopeful:
        verdicts.append(f"{total - hopeful} Preemption is not helpful for scheduling")
    preemption = ", ".join(sorted(verdicts))
    return (
        f"0/{total} nodes are available: {listed}. no new claims to deallocate, "
        f"preemption: 0/{total} nodes are available: {preemption}."
    )


def _placement(node: Object) -> tuple[object, ...]:
    """What of a node decides whether pods fit."""
    return (
        node["spec"],
        node["metadata"].get("labels"),
        node.get("status", {}).get("allocatable"),
    )


def _look_again(world: World, delay_s: float) -> None:
    for key in world.table(_PENDING):
        enqueue(world, _HANDLER, key, delay_s)


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(
        name="scheduler",
        handlers={_HANDLER: schedule},
        followers=dict.fromkeys(_FOLLOWED, (listen,)),
    )

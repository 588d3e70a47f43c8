"""Kubelets as processes of their nodes: they freeze, stop, go on, and report how the node is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import events
from sregym_cluster_embedded.controllers import node_lifecycle
from sregym_cluster_embedded.controllers.node_taints import conditions_of
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet import thresholds, unresponsive
from sregym_cluster_embedded.kubelet.broken_parts import (
    NETWORK,
    NETWORK_DOWN,
    PLEG,
    RUNTIME,
    RUNTIME_DOWN,
    set_node_problem,
)
from sregym_cluster_embedded.node import conditions, heartbeats, rejected_heartbeats
from sregym_cluster_embedded.store import ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

REPORT = "node.report"
# A kubelet writes its node's status every ten seconds when something changed.
_REPORT_S = 10.0
# What it knows of its runtime is too old to be believed after so long.
_STALE_S = 30.0
_STARTED_S = 0.4
MISSED = "node.missed"
_SILENT = (unresponsive.FROZEN, unresponsive.STOPPED, unresponsive.OFF)
_RUNTIME_LOST: TableKey[str, float] = TableKey("node.runtime_lost")
# Without news of its containers for so long, a kubelet does not call its node ready.
_PLEG_S = 183.0
_CGROUP_V1 = (
    "cgroup v1 detected. cgroup v1 support is deprecated and will be removed in a future release. "
    "Please migrate to cgroup v2. More information at https://git.k8s.io/enhancements/keps/"
    "sig-node/5573-remove-cgroup-v1"
)
_SCHEDULABLE: TableKey[str, bool] = TableKey("node.schedulable")
# How many pods a kubelet took before its file said otherwise.
_MAX_PODS: TableKey[str, str] = TableKey("node.max_pods")


def freeze_kubelet(world: World, node: str, frozen: bool) -> None:
    """Stop the kubelet of a node by a signal (SIGSTOP), or let it go on (SIGCONT).

    Containers run on. Nothing happens when it is in that state already.

    Raises:
        LookupError: There is no such node.
    """
    _check(world, node)
    if frozen:
        _leave(world, node, unresponsive.FROZEN)
    elif unresponsive.absent(world, node) == unresponsive.FROZEN:
        since = heartbeats.silent_since(world, node)
        _come_back(world, node)
        if since is not None and world.now - since > _STALE_S:
            # The first look finds a runtime that was not heard of for too long.
            record_node_event(world, node, "NodeNotReady")
        enqueue(world, REPORT, node, _REPORT_S)


def stop_kubelet(world: World, node: str) -> None:
    """End the kubelet's process on a node; containers run on.

    Raises:
        LookupError: There is no such node.
    """
    _check(world, node)
    _leave(world, node, unresponsive.STOPPED)


def start_kubelet(world: World, node: str) -> None:
    """Start the kubelet of a node whose kubelet was stopped.

    Raises:
        LookupError: There is no such node.
    """
    _check(world, node)
    if unresponsive.absent(world, node) != unresponsive.STOPPED:
        return
    _come_back(world, node)
    announce_start(world, node)
    enqueue(world, REPORT, node, _STARTED_S)


def go_dark(world: World, node: str) -> None:
    """The machine of a node is off, and its kubelet with it."""
    if unresponsive.absent(world, node) != unresponsive.OFF:
        _leave(world, node, unresponsive.OFF)
        unresponsive.leave(world, node, unresponsive.OFF)


def come_up(world: World, node: str) -> None:
    """The machine of a node has booted: its kubelet starts."""
    if unresponsive.absent(world, node) == unresponsive.OFF:
        _come_back(world, node)
        announce_start(world, node)
        enqueue(world, REPORT, node, _STARTED_S)


def set_network_plugin(world: World, node: str, ready: bool) -> None:
    """Break or mend the network plugin of a node: new pods get no network, the others keep theirs.

    Raises:
        LookupError: There is no such node.
    """
    _check(world, node)
    set_node_problem(world, node, NETWORK, "" if ready else NETWORK_DOWN)
    enqueue(world, REPORT, node, heartbeats.until_report(world, node))


def set_container_runtime(world: World, node: str, running: bool) -> None:
    """Stop or start the container runtime of a node; containers run on without it.

    Its kubelet can start, stop and look at nothing meanwhile, but goes on to report.

    Raises:
        LookupError: There is no such node.
    """
    _check(world, node)
    present = unresponsive.absent(world, node)
    if running and present == unresponsive.NO_RUNTIME:
        unresponsive.come_back(world, node)
        for part in (RUNTIME, PLEG):
            set_node_problem(world, node, part, "")
        enqueue(world, REPORT, node, heartbeats.until_report(world, node))
    elif not running and not present:
        unresponsive.leave(world, node, unresponsive.NO_RUNTIME)
        world.table(_RUNTIME_LOST)[node] = world.now
        world.after(_STALE_S, MISSED, node, world.now)
        world.after(_PLEG_S, MISSED, node, world.now)


def missed(world: World, node: str, since: float) -> None:
    """Handler: the kubelet has not heard of its runtime since then."""
    lost = world.table(_RUNTIME_LOST).get(node)
    if unresponsive.absent(world, node) != unresponsive.NO_RUNTIME or lost != since:
        return
    set_node_problem(world, node, RUNTIME, RUNTIME_DOWN)
    passed = world.now - since
    if passed >= _PLEG_S:
        text = f"pleg was last seen active {int(passed // 60)}m{passed % 60:.0f}s ago"
        set_node_problem(world, node, PLEG, f"PLEG is not healthy: {text}; threshold is 3m0s")
    enqueue(world, REPORT, node, heartbeats.until_report(world, node))


def announce_start(world: World, node: str, cgroup_version: int = 2) -> None:
    """The events of a kubelet that has just started."""
    record(world, node, "Normal", "Starting", "Starting kubelet.")
    if cgroup_version == 1:
        record(world, node, "Warning", "CgroupV1", _CGROUP_V1)
    enforced = "Updated Node Allocatable limit across pods"
    record(world, node, "Normal", "NodeAllocatableEnforced", enforced)


def announce_boot(world: World, node: str, cgroup_version: int) -> None:
    """The events of a node that has just been set up: its kubelet's and its proxy's."""
    announce_start(world, node, cgroup_version)
    for entry in conditions.conditions(world, node):
        record_node_event(world, node, conditions.EVENTS[(entry["type"], entry["status"])])
    record(world, node, "Normal", "Starting", "", "kube-proxy")


def record_node_event(world: World, node: str, status: str, type_: str = "Normal") -> None:
    """A kubelet's event about its node: `NodeReady`, `NodeHasDiskPressure`, ..."""
    record(world, node, type_, status, f"Node {node} status is now: {status}")


def report_due(world: World, node: str) -> None:
    """Handler: the moment has come at which a kubelet was to report."""
    mark_processing(world, REPORT, node)
    report(world, node)


def _room_for_pods(world: World, node: str, status: Object) -> Object:
    """Capacity and what may be asked of it, with the number of pods that the kubelet takes."""
    machine = machines.machine(world, node)
    if machine is None:
        return {}
    own, installed = world.table(_MAX_PODS), status.get("capacity", {}).get("pods", "110")
    wanted = thresholds.configured(machine).get(thresholds.MAX_PODS)
    if wanted is None and node not in own:
        return {}
    if node not in own:
        own[node] = installed
    pods = own[node] if wanted is None else str(wanted)
    return {name: {**status.get(name, {}), "pods": pods} for name in ("capacity", "allocatable")}


def report(world: World, node: str) -> None:
    """The kubelet writes how its node is, and says what changed; what was planned is done by that."""
    forget(world, REPORT, node)
    key = Key("nodes", "", node)
    obj = world.store.get(key)
    if obj is None or unresponsive.absent(world, node) in _SILENT:
        return
    status = obj.get("status") or {}
    old = {entry.get("type", ""): entry for entry in status.get("conditions") or ()}
    fresh = conditions.conditions(world, node)
    merged = [conditions.succeed(old.get(entry["type"]), entry) for entry in fresh]
    known = {entry["type"] for entry in fresh}
    others = [entry for name, entry in old.items() if name not in known]
    room = _room_for_pods(world, node, status)
    changed = [
        entry for entry in fresh if old.get(entry["type"], {}).get("status") != entry["status"]
    ]
    for entry in changed:
        record_node_event(world, node, conditions.EVENTS[(entry["type"], entry["status"])])
    differs = (
        changed
        or room != {name: status.get(name) for name in room}
        or any(old[entry["type"]].get("message") != entry.get("message") for entry in fresh)
    )
    if differs and not rejected_heartbeats.report(
        world, key, {**status, **room, "conditions": [*others, *merged]}
    ):
        enqueue(world, REPORT, node, _REPORT_S)
        return
    _say_schedulable(world, node, obj)


def node_changed(world: World, change: Change) -> None:
    """A kubelet notices at its next report that its node was cordoned, or that others wrote for it."""
    old, new, name = change.old, change.obj, change.key.name
    if old is None or change.type is ChangeType.DELETED or machines.machine(world, name) is None:
        return
    cordoned = [(obj.get("spec") or {}).get("unschedulable") for obj in (old, new)]
    if cordoned[0] != cordoned[1] or conditions_of(old) != conditions_of(new):
        enqueue(world, REPORT, name, heartbeats.until_report(world, name))


def _say_schedulable(world: World, node: str, obj: Object) -> None:
    table = world.table(_SCHEDULABLE)
    closed = bool((obj.get("spec") or {}).get("unschedulable"))
    if closed == table.get(node, False):
        return
    table[node] = closed
    record_node_event(world, node, "NodeNotSchedulable" if closed else "NodeSchedulable")


def _leave(world: World, node: str, how: str) -> None:
    if unresponsive.absent(world, node):
        return
    renewed_at = heartbeats.last_renewal(world, node)
    unresponsive.leave(world, node, how)
    heartbeats.fall_silent(world, node)
    node_lifecycle.lease_expired(world, node, renewed_at)


def _come_back(world: World, node: str) -> None:
    heartbeats.speak_again(world, node)
    node_lifecycle.lease_renewed(world, node)
    unresponsive.come_back(world, node)


def _check(world: World, node: str) -> None:
    if world.store.get(Key("nodes", "", node)) is None:
        message = f"the cluster has no node {node!r}"
        raise LookupError(message)


def record(
    world: World, node: str, type_: str, reason: str, message: str, component: str = "kubelet"
) -> None:
    """An event of a kubelet, or of another component on the node, about the node."""
    # What runs on a node does not know the uid of its object.
    about = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
    events.record(world, about, "nodes", type_, reason, message, component, node)

"""Nodes that run short of memory, disk or process ids: conditions, reclaiming, eviction by rank.

What is looked at is derived: what pods use and what is gone besides (`machines`). A look happens
when a machine was changed, and every ten seconds as long as the node is short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.disruption_target import mark_disrupted
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet import unresponsive, usage
from sregym_cluster_embedded.kubelet.eviction import fail, seconds_until_check
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.thresholds import threshold
from sregym_cluster_embedded.network import cache
from sregym_cluster_embedded.node import conditions, image_garbage, kubelets
from sregym_cluster_embedded.node.keys import DISKS_CHANGED
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "node.pressure"
_PERIOD_S = 10.0
# A condition stands for so long after the last time it was found.
_TRANSITION_S = 300.0
_FOUND: TableKey[tuple[str, str], float] = TableKey("node.pressure.found")
_MESSAGE = "The node was low on resource: {}. Threshold quantity: {}, available: {}. "
_CONSUMER = "Container {} was using {}, request is {}, has larger consumption of {}. "
_CRITICAL_PRIORITY = 2_000_000_000


class _Shortage(NamedTuple):
    """Something that a node has too little of."""

    condition: str
    resource: str
    threshold: str
    available_bytes: int


def machine_changed(world: World, node: str) -> None:
    """Have the kubelet of a node look at what it has, at its next turn, and others at once."""
    cache.clear(world)
    disks_changed = world.service_or_none(DISKS_CHANGED)
    if disks_changed is not None:
        disks_changed(world, node)
    if node:
        enqueue(world, HANDLER, node, seconds_until_check(world, node))


def check_pressure(world: World, node: str) -> None:
    """Handler: find out what the node is short of, say so, and make room."""
    mark_processing(world, HANDLER, node)
    machine = machines.machine(world, node)
    if machine is None or not machine.powered or unresponsive.absent(world, node):
        return
    pods = _pods(world, node)
    image_garbage.collect(world, machine, usage.available_disk(world, machine, pods))
    shortages = _shortages(world, machine, pods)
    found = world.table(_FOUND)
    for shortage in shortages:
        found[(node, shortage.condition)] = world.now
    for type_ in ("MemoryPressure", "DiskPressure", "PIDPressure"):
        since = found.get((node, type_))
        under = since is not None and world.now - since < _TRANSITION_S
        conditions.set_pressure(world, node, type_, under)
        if since is not None:
            if not under:
                del found[(node, type_)]
            enqueue(world, HANDLER, node, _PERIOD_S)
    kubelets.report(world, node)
    for shortage in shortages:
        if shortage.condition != "PIDPressure" and _reclaim(world, node, shortage, pods):
            return


def _shortages(
    world: World, machine: machines.Machine, pods: list[tuple[Object, PodState]]
) -> list[_Shortage]:
    """What the node is short of, memory first."""
    found = []
    memory = usage.available_memory(world, machine, [state for _, state in pods])
    text, least = threshold(machine, "memory.available", machine.memory_kib * 1024)
    if memory < least:
        text = str(least) if text.endswith("%") else text
        found.append(_Shortage("MemoryPressure", "memory", text, memory))
    disk = usage.available_disk(world, machine, pods)
    size = machine.root.size_bytes
    _, least = threshold(machine, "nodefs.available", size)
    if disk >= least:
        _, least = threshold(machine, "imagefs.available", size)
    if disk < least:
        found.append(_Shortage("DiskPressure", "ephemeral-storage", str(least), disk))
    limit = int(machine.sysctl("kernel.pid_max") or 0)
    processes = machine.other_processes + sum(2 * len(state.containers) for _, state in pods)
    # The share of process ids that has to stay free is not set by default; none left is noticed.
    if processes >= limit:
        found.append(_Shortage("PIDPressure", "pids", "0", 0))
    return found


def _reclaim(
    world: World, node: str, shortage: _Shortage, pods: list[tuple[Object, PodState]]
) -> bool:
    """Evict the pod that stands first; whether there was one."""
    text = f"Attempting to reclaim {shortage.resource}"
    kubelets.record(world, node, "Warning", "EvictionThresholdMet", text)
    able = [
        (pod, state)
        for pod, state in pods
        if not state.ending
        and "deletionTimestamp" not in pod["metadata"]
        and pod["spec"].get("priority", 0) < _CRITICAL_PRIORITY
    ]
    able.sort(key=lambda entry: _rank(world, shortage.resource, *entry))
    if not able:
        return False
    pod, state = able[0]
    message = _MESSAGE.format(
        shortage.resource, _quantity(shortage.threshold), _kib(shortage.available_bytes)
    )
    for container in pod["spec"]["containers"]:
        used = _used(world, shortage.resource, state, container["name"])
        wanted = _request(container, shortage.resource)
        if used > int(parse(wanted)):
            message += _CONSUMER.format(container["name"], _kib(used), wanted, shortage.resource)
    fail(world, pod, state, "Evicted", message)
    mark_disrupted(world, state.key, "TerminationByKubelet", message)
    return True


def _rank(world: World, resource: str, pod: Object, state: PodState) -> tuple[object, ...]:
    """Pods over their request first, then by priority, then by how much they are over it."""
    used = sum(_used(world, resource, state, name) for name in state.containers)
    if resource != "memory":
        used = usage.disk_bytes(world, pod, state)
    wanted = sum(int(parse(_request(entry, resource))) for entry in pod["spec"]["containers"])
    return (used <= wanted, pod["spec"].get("priority", 0), wanted - used, state.key)


def _used(world: World, resource: str, state: PodState, name: str) -> int:
    if resource == "memory":
        return usage.memory_bytes(world, state, name)
    return usage.container_bytes(world, state, name)


def _request(container: Object, resource: str) -> str:
    requests = (container.get("resources") or {}).get("requests") or {}
    return str(requests.get(resource, "0"))


def _pods(world: World, node: str) -> list[tuple[Object, PodState]]:
    found = ((pod_of(world, state), state) for state in usage.pods_on(world, node))
    return [(pod, state) for pod, state in found if pod is not None and not state.ended]


def _quantity(threshold: str) -> str:
    return _kib(int(threshold)) if threshold.isdecimal() else threshold


def _kib(amount: int) -> str:
    return f"{amount // 1024}Ki" if amount else "0"

"""Machines that lose their power, and come back with nothing of what ran on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet import unresponsive, usage
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.report import pod_of, record_pod_event
from sregym_cluster_embedded.kubelet.restarting import record_exit
from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
from sregym_cluster_embedded.kubelet.state import RUNNING, state_of
from sregym_cluster_embedded.node import kubelets, rejected_heartbeats
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# How the runtime finds a container that it did not see end.
_LOST = ExitState(255, "Unknown")
_CHANGED = "Pod sandbox changed, it will be killed and re-created."


def power_off(world: World, node: str) -> None:
    """Let a machine go dark: all its processes end without notice, packets to it are lost.

    Raises:
        LookupError: There is no such machine.
    """
    present = machines.machine(world, node)
    if present is not None and not present.powered:
        return
    machines.change(world, node, powered=False)
    runtime: ContainerRuntime = world.service(RUNTIME)
    for state in usage.pods_on(world, node):
        for container in state.containers.values():
            if container.phase == RUNNING:
                runtime.kill(world, state.ref(container.name))
    kubelets.go_dark(world, node)


def power_on(world: World, node: str) -> None:
    """Boot a machine that is off: its kubelet starts the containers of its pods again.

    Raises:
        LookupError: There is no such machine.
    """
    present = machines.machine(world, node)
    if present is not None and present.powered:
        return
    machines.change(world, node, powered=True)
    for state in usage.pods_on(world, node):
        running = [entry.name for entry in state.containers.values() if entry.phase == RUNNING]
        for name in running:
            record_exit(world, state_of(world, state.uid) or state, name, _LOST)
        pod = pod_of(world, state)
        if running and pod is not None:
            record_pod_event(world, pod, state, "Normal", "SandboxChanged", _CHANGED)
    _new_boot(world, node)
    kubelets.come_up(world, node)


def _new_boot(world: World, node: str) -> None:
    key = Key("nodes", "", node)
    obj = world.store.get(key)
    if obj is None or unresponsive.absent(world, node) != unresponsive.OFF:
        return
    boot = world.seed.uid()
    info = {**obj["status"].get("nodeInfo", {}), "bootID": boot}
    rejected_heartbeats.report(world, key, {**obj["status"], "nodeInfo": info})
    text = f"Node {node} has been rebooted, boot id: {boot}"
    kubelets.record(world, node, "Warning", "Rebooted", text)

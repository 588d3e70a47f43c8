"""What a pod needs before its first container: volumes and an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubelet import growth
from sregym_cluster_embedded.kubelet.backends import WITH_POD
from sregym_cluster_embedded.kubelet.pacing import retry_delay
from sregym_cluster_embedded.kubelet.report import host_ip, record_pod_event
from sregym_cluster_embedded.kubelet.state import MOUNT_DELAYS, PodState, save
from sregym_cluster_embedded.kubelet.volumes import set_up
from sregym_cluster_embedded.network.addresses import assign, release, usable_range
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# The runtime handler of the nodes.
_RUNTIME = "runc"
# A pod whose memory is limited to less cannot even begin.
_LEAST_MEMORY_BYTES = 2**20
_FIRST_MOUNT_RETRY_S = 0.5
_LONGEST_MOUNT_RETRY_S = 122.0


def mount_volumes(world: World, pod: Object, state: PodState) -> PodState | None:
    """Set up all volumes; None when some cannot be, after saying so and planning another try."""
    mounts, failures = set_up(world, pod, state, host_ip(world, state.node))
    delays = world.table(MOUNT_DELAYS)
    if not failures:
        delays.pop(state.uid, None)
        state = save(world, state._replace(mounts=mounts))
        growth.mounted(world, pod, state)
        return state
    for failure in sorted(failures, key=lambda entry: entry.message, reverse=True):
        if failure.reason:
            record_pod_event(world, pod, state, "Warning", failure.reason, failure.message)
    if all(failure.again == WITH_POD for failure in failures):
        enqueue(world, "kubelet.sync", state.uid, retry_delay(world, state))
        return None
    delay_s = delays.get(state.uid, _FIRST_MOUNT_RETRY_S)
    delays[state.uid] = min(delay_s * 2, _LONGEST_MOUNT_RETRY_S)
    enqueue(world, "kubelet.sync", state.uid, delay_s)
    return None


def has_runtime(world: World, pod: Object, state: PodState) -> bool:
    """Whether the node has the runtime that the pod's RuntimeClass asks for; else it says so."""
    name = pod["spec"].get("runtimeClassName")
    found = world.store.get(Key("runtimeclasses.node.k8s.io", "", name)) if name else None
    handler = found["handler"] if found is not None else _RUNTIME
    if handler == _RUNTIME:
        return True
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox "
        f'runtime: no runtime for "{handler}" is configured'
    )
    record_pod_event(world, pod, state, "Warning", "FailedCreatePodSandBox", message)
    return False


def has_memory(world: World, pod: Object, state: PodState) -> bool:
    """Whether the first process of a pod can begin within its memory limit; else it says so.

    Such limits are mistakes: `128m` is less than a byte. The pod as a whole has a limit only where
    each of its containers has one.
    """
    limits = [
        ((entry.get("resources") or {}).get("limits") or {}).get("memory")
        for entry in pod["spec"]["containers"]
    ]
    if None in limits or sum(map(parse, limits)) >= _LEAST_MEMORY_BYTES:
        return True
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd "
        "task: failed to create shim task: OCI runtime create failed: runc create failed: unable to "
        "start container process: container init was OOM-killed (memory limit too low?): unknown"
    )
    record_pod_event(world, pod, state, "Warning", "FailedCreatePodSandBox", message)
    return False


def allocate_address(world: World, pod: Object, state: PodState) -> str | None:
    """An address for the pod from its node's range; None, with an event, when all are taken."""
    if pod["spec"].get("hostNetwork"):
        return host_ip(world, state.node)
    address = assign(world, state.node, state.key)
    if address is not None:
        return address
    first, last = usable_range(world, state.node)
    sandbox_id = world.seed.hexadecimal(64)
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for "
        f'sandbox "{sandbox_id}": plugin type="bridge" failed (add): failed to allocate for range '
        f"0: no IP addresses available in range set: {first}-{last}"
    )
    record_pod_event(world, pod, state, "Warning", "FailedCreatePodSandBox", message)
    return None


def release_address(world: World, state: PodState) -> None:
    """Give a pod's address back to its node."""
    if state.ip:
        release(world, state.ip, state.key)

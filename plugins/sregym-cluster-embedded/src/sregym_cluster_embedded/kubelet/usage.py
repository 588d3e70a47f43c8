"""What pods use of their node: memory, and what they wrote to its disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sregym_cluster_embedded.kubelet.images import IMAGES
from sregym_cluster_embedded.kubelet.keys import RUNTIME, STORAGE
from sregym_cluster_embedded.kubelet.runtime import host_ref
from sregym_cluster_embedded.kubelet.state import RUNNING, PodState, pod_states

if TYPE_CHECKING:
    from sregym_cluster_embedded import machines
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class Storage(Protocol):
    """What the kubelet asks about files, `world.service(STORAGE)`; without it nothing is written."""

    def layer_bytes(self, world: World, ref: ContainerRef) -> int:
        """What a container wrote beside its volumes."""

    def volume_bytes(self, world: World, volume: str) -> int:
        """What stands in a volume, by the identity of its `Mount`."""


@runtime_checkable
class Memory(Protocol):
    """What a runtime offers besides when its processes use memory."""

    def memory_bytes(self, world: World, ref: ContainerRef) -> int:
        """Working set of a container now."""


def empty_dirs(pod: Object) -> list[Object]:
    """The emptyDir volumes of a pod."""
    return [entry for entry in pod["spec"].get("volumes") or () if "emptyDir" in entry]


def empty_dir_bytes(world: World, state: PodState, volume: Object) -> int:
    """What stands in one emptyDir."""
    storage = world.service_or_none(STORAGE)
    mount = (state.mounts or {}).get(volume["name"])
    if storage is None or mount is None:
        return 0
    return storage.volume_bytes(world, mount.volume)


def container_bytes(world: World, state: PodState, name: str) -> int:
    """What the present life of a container wrote to the node's disk beside its volumes."""
    storage = world.service_or_none(STORAGE)
    container = state.containers.get(name)
    if storage is None or container is None or container.attempt < 0:
        return 0
    return storage.layer_bytes(world, state.ref(name))


def disk_bytes(world: World, pod: Object, state: PodState) -> int:
    """All that a pod keeps on the node's disk."""
    written = sum(container_bytes(world, state, name) for name in state.containers)
    return written + sum(
        empty_dir_bytes(world, state, volume)
        for volume in empty_dirs(pod)
        if volume["emptyDir"].get("medium") != "Memory"
    )


def memory_bytes(world: World, state: PodState, name: str) -> int:
    """What a container uses of the node's memory; 0 while it does not run."""
    runtime = world.service(RUNTIME)
    container = state.containers.get(name)
    if container is None or container.phase != RUNNING or not isinstance(runtime, Memory):
        return 0
    return runtime.memory_bytes(world, state.ref(name))


def pods_on(world: World, node: str) -> list[PodState]:
    """The pods that the kubelet of a node knows, in order of arrival."""
    return [state for state in pod_states(world).values() if state.node == node]


def available_memory(world: World, machine: machines.Machine, pods: list[PodState]) -> int:
    """Bytes of a node's memory that are unused."""
    used = sum(memory_bytes(world, state, name) for state in pods for name in state.containers)
    return max((machine.memory_kib - machine.other_memory_kib) * 1024 - used, 0)


def available_disk(
    world: World, machine: machines.Machine, pods: list[tuple[Object, PodState]]
) -> int:
    """Bytes of a node's root disk that are free."""
    written = sum(disk_bytes(world, pod, state) for pod, state in pods)
    written += host_bytes(world, machine.name)
    root = machine.root
    return max(root.size_bytes - root.other_bytes - images_bytes(world, machine.name) - written, 0)


def host_bytes(world: World, node: str) -> int:
    """What was written to a node's disk beside its pods: by hand, or through their hostPath volumes."""
    storage = world.service_or_none(STORAGE)
    return 0 if storage is None else storage.layer_bytes(world, host_ref(node))


def images_bytes(world: World, node: str) -> int:
    """What the images on a node take of its disk."""
    images = world.table(IMAGES)
    return sum(size for (place, _), (_, size) in images.items() if place == node)

"""The machine below a container: processors, memory, disks, kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.usage import available_disk, pods_on
from sregym_cluster_embedded.machines import KERNEL
from sregym_cluster_embedded.userland.computing import computing
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.container import Container
    from sregym_cluster_embedded.world import World

_KIB = 1024
# Kubernetes' names of architectures -> the kernel's.
_HARDWARE = {"386": "i686", "amd64": "x86_64", "arm": "armv7l", "arm64": "aarch64"}
# What the operating system and its images occupy of a node's disk.
_DISK_USED_SHARE = 0.19


def kernel(container: Container) -> str:
    """Release of the node's kernel."""
    info = container.node.get("status", {}).get("nodeInfo", {})
    return str(info.get("kernelVersion") or KERNEL)


def hardware(container: Container) -> str:
    """The node's architecture, as its kernel calls it."""
    info = container.node.get("status", {}).get("nodeInfo", {})
    architecture = str(info.get("architecture") or "amd64")
    return _HARDWARE.get(architecture, architecture)


def cpus(container: Container) -> int:
    """Processors of the node."""
    return max(1, int(_capacity(container, "cpu", 2)))


def memory_kib(container: Container) -> int:
    """Memory of the node."""
    return int(_capacity(container, "memory", 8 << 30)) // _KIB


def used_memory_kib(container: Container) -> int:
    """Memory that all containers of the node use, and the system."""
    world, node = container.world, container.config.node
    runtime = world.service(RUNTIME)
    used: int = sum(
        runtime.memory_bytes(world, process.ref)
        for process in runtime.running(world)
        if process.config.node == node
    )
    return min(memory_kib(container), used // _KIB + 400 * _KIB)


def disk_kib(container: Container) -> tuple[int, int]:
    """Size of the node's disk, and what is used of it."""
    world = container.world
    machine = machines.machine(world, container.config.node)
    if machine is None:
        total = int(_capacity(container, "ephemeral-storage", 100 << 30)) // _KIB
        return total, int(total * _DISK_USED_SHARE)
    known = ((pod_of(world, state), state) for state in pods_on(world, machine.name))
    pods = [(pod, state) for pod, state in known if pod is not None]
    size = machine.root.size_bytes
    return size // _KIB, (size - available_disk(world, machine, pods)) // _KIB


def busy_cores(world: World, node: str) -> float:
    """How many processors of a node are busy now."""
    service, machine = world.service_or_none(USAGE), machines.machine(world, node)
    others = machine.other_cores if machine is not None else 0.0
    if service is None:
        return others
    running = world.service(RUNTIME).running(world)
    uids = {one.ref.pod_uid for one in running if one.config.node == node}
    shares = [one for uid in sorted(uids) for one in service.containers(world, uid)]
    return others + float(sum(one.cpu_nanocores for one in shares)) / 1e9


def load_averages(container: Container) -> tuple[str, str, str]:
    """How many processors of the node are busy, and how many threads wait for one."""
    world, node = container.world, container.config.node
    used = busy_cores(world, node)
    wanted = 0.0
    for ref, threads in computing(world):
        process = process_of(world, ref)
        if process is not None and process.running and process.config.node == node:
            wanted += min(threads, process.config.cpu_limit_cores or threads)
    load = used + max(0.0, wanted - cpus(container))
    return f"{load * 1.02 + 0.05:.2f}", f"{load + 0.06:.2f}", f"{load * 0.97 + 0.05:.2f}"


def idle_percent(container: Container) -> float:
    """How much of the node's processors is idle."""
    busy = busy_cores(container.world, container.config.node)
    return max(0.0, 100 * (1 - busy / cpus(container)))


def memory_info(container: Container) -> str:
    """/proc/meminfo."""
    total, used = memory_kib(container), used_memory_kib(container)
    cached = (total - used) // 4
    rows = {
        "MemTotal": total,
        "MemFree": total - used - cached,
        "MemAvailable": total - used,
        "Buffers": cached // 20,
        "Cached": cached - cached // 20,
        "SwapCached": 0,
        "Active": used // 2,
        "Inactive": used // 3,
        "SwapTotal": 0,
        "SwapFree": 0,
        "Dirty": 112,
        "Shmem": 2048,
        "Slab": total // 60,
    }
    return "".join(f"{name + ':':<15} {value:>8} kB\n" for name, value in rows.items())


def _capacity(container: Container, name: str, otherwise: int) -> float:
    text = container.node.get("status", {}).get("capacity", {}).get(name)
    return float(parse(text)) if text else float(otherwise)

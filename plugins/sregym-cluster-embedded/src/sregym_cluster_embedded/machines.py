"""Nodes as machines: clocks, disks, tables of the kernel, limits. Plain state, one value a node.

Below all layers, because all of them consult it: the kubelet for its node's disks, the network for
room in the connection table, processes for what their system calls meet. This module does not know why a
value is what it is. A change takes effect at the next look; who changes something that others wait
for tells them (`MACHINE_CHANGED`).
"""

from __future__ import annotations

from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.keys import ServiceKey, TableKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, Machine] = TableKey("machines")
_PAST: TableKey[str, tuple[tuple[float, Machine], ...]] = TableKey("machines.past")
_MADE: TableKey[str, Machine] = TableKey("machines.made")
# (world, node): what a machine is like has changed; of all machines where none is named.
MACHINE_CHANGED: ServiceKey[Callable[[World, str], None]] = ServiceKey("machine_changed")
BLOCK = 4096
# What the card of a machine carries.
CARD_MBIT = 1000.0
_FIRST_ADDRESS = "10.77.0.2"
CONTROL_PLANE = "control-plane"
# Release and build of the kernel that nodes boot.
KERNEL = "6.12.41"
KERNEL_BUILD = "#1 SMP PREEMPT_DYNAMIC Fri Aug  1 10:02:11 UTC 2025"
# What runs on a node beside its pods is named as a pod with this before the node's name as its uid.
HOST = "host/"
# Whether packets that connection tracking takes for invalid are let through all the same.
_LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal"
SYSCTLS: Mapping[str, str] = MappingProxyType(
    {
        "fs.file-max": "9223372036854775807",
        "fs.inotify.max_user_instances": "128",
        "fs.inotify.max_user_watches": "65536",
        "fs.nr_open": "1048576",
        "kernel.hostname": "",
        "kernel.msgmax": "8192",
        "kernel.pid_max": "4194304",
        "kernel.shmall": "18446744073692774399",
        "kernel.shmmax": "18446744073692774399",
        "kernel.threads-max": "62406",
        "net.core.somaxconn": "4096",
        "net.ipv4.ip_forward": "1",
        "net.ipv4.ip_local_port_range": "32768\t60999",
        "net.ipv4.tcp_fin_timeout": "60",
        "net.ipv4.tcp_keepalive_time": "7200",
        "net.ipv4.tcp_max_syn_backlog": "1024",
        "net.ipv4.tcp_tw_reuse": "2",
        "net.netfilter.nf_conntrack_max": "262144",
        _LIBERAL: "0",
        "vm.max_map_count": "262144",
        "vm.overcommit_memory": "1",
        "vm.panic_on_oom": "0",
        "vm.swappiness": "60",
    }
)


class Disk(NamedTuple):
    """A disk of a node.

    Attributes:
        name: `root` for the one on which images, logs, emptyDirs and writable layers are.
        size_bytes: Its size.
        other_bytes: Filled by what is not simulated: the system, other tenants.
        bad_blocks: (first, last) blocks of 4 KiB, both included, that cannot be read.
        altered_blocks: Likewise, that give back other bytes than were written, without an error.
        read_only: Mounted read-only, as a file system is after an error.
        latency_ms: What each access takes besides, on a disk that is slow.
        failing: Share of the accesses that fail.
        queued: Requests of 1 MiB that what is not in pods keeps waiting in its queue.
        displaced: Share of the node's page cache that holds what these requests read.
    """

    name: str
    size_bytes: int
    other_bytes: int = 0
    bad_blocks: tuple[tuple[int, int], ...] = ()
    altered_blocks: tuple[tuple[int, int], ...] = ()
    read_only: bool = False
    latency_ms: float = 0.0
    failing: float = 0.0
    queued: int = 0
    displaced: float = 0.0


class Machine(NamedTuple):
    """One node as a machine.

    Attributes:
        name: Of the node.
        number: In order of arrival, from 0; decides the range of its pods.
        memory_kib: Memory.
        disks: The root disk first.
        clock_offset_s: What its clock is ahead of true time.
        other_memory_kib: Memory in use by what is not simulated.
        other_processes: Processes besides those in containers.
        other_connections: Entries of the connection table that are not the pods'.
        other_ports: Ephemeral ports that are taken besides.
        open_files: Limit of open files of one process (soft), as containers inherit it.
        sysctls: What differs from `SYSCTLS`.
        powered: Whether it runs at all.
        other_cores: Processors that are busy with what is not in pods.
        other_mbit: Megabits a second that what is not in pods sends through its card.
        kubelet_configuration: Fields of its file by which the kubelet goes since its last start, as
            JSON; empty for the defaults. See `kubelet.thresholds`.
        address: In the network of the nodes.
        role: `CONTROL_PLANE` of one that kubeadm has made for the control plane alone.
        invalid_share: Of the requests that its pods send over connections that stand, the fraction
            with a packet that connection tracking takes for invalid: the answer is a reset.
    """

    name: str
    number: int
    memory_kib: int
    disks: tuple[Disk, ...]
    clock_offset_s: float = 0.0
    other_memory_kib: int = 700 * 1024
    other_processes: int = 120
    other_connections: int = 300
    other_ports: int = 20
    open_files: int = 1_048_576
    sysctls: tuple[tuple[str, str], ...] = ()
    powered: bool = True
    other_cores: float = 0.0
    other_mbit: float = 0.0
    kubelet_configuration: str = ""
    address: str = ""
    role: str = ""
    invalid_share: float = 0.0

    def sysctl(self, name: str) -> str | None:
        """A kernel parameter, None when there is none of that name."""
        own = dict(self.sysctls).get(name) if self.sysctls else None
        if own is None and name == "kernel.hostname":
            return self.name
        return SYSCTLS.get(name) if own is None else own

    @property
    def root(self) -> Disk:
        """The disk with images, logs and what containers write."""
        return self.disks[0]

    @property
    def resets(self) -> float:
        """Fraction of the requests over connections that stand which end with a reset."""
        return 0.0 if self.sysctl(_LIBERAL) == "1" else self.invalid_share

    @property
    def crowded(self) -> float:
        """Fraction of the packets that its card cannot carry, and so loses."""
        return max(0.0, 1 - CARD_MBIT / self.other_mbit) if self.other_mbit else 0.0

    @property
    def connection_limit(self) -> int:
        """Size of the connection table."""
        return int(self.sysctl("net.netfilter.nf_conntrack_max") or 0)

    @property
    def ephemeral_ports(self) -> int:
        """How many local ports outgoing connections may use in all."""
        low, high = (self.sysctl("net.ipv4.ip_local_port_range") or "32768 60999").split()
        return max(int(high) - int(low) + 1, 0)


def machine(world: World, node: str) -> Machine | None:
    """The machine behind a node; None for a Node object that has none."""
    found: Machine | None = world.table(_TABLE).get(node)
    return found


def machines(world: World) -> list[Machine]:
    """All machines in order of arrival."""
    found: Iterable[Machine] = world.table(_TABLE).values()
    return sorted(found, key=lambda entry: entry.number)


def control_plane_address(world: World) -> str:
    """The address of the first machine, on which the control plane runs; the usual one without any."""
    found: Iterable[Machine] = world.table(_TABLE).values()
    return next((entry.address for entry in found if not entry.number), _FIRST_ADDRESS)


def of_kubeadm(world: World) -> bool:
    """Whether the control plane, kube-proxy and the pod network are pods, as kubeadm has them."""
    found: Iterable[Machine] = world.table(_TABLE).values()
    return any(entry.role == CONTROL_PLANE for entry in found)


def add(world: World, new: Machine) -> None:
    """A machine that was not there before."""
    world.table(_TABLE)[new.name] = world.table(_MADE)[new.name] = new
    _remember(world, new)


def initial_machine(world: World, node: str) -> Machine | None:
    """A machine as it was when it came; None for a Node object that has none."""
    found: Machine | None = world.table(_MADE).get(node)
    return found


def past(world: World, node: str) -> tuple[tuple[float, Machine], ...]:
    """How a machine was, and from which virtual second on; oldest first."""
    known: tuple[tuple[float, Machine], ...] = world.table(_PAST).get(node, ())
    return known


def pasts(world: World) -> Mapping[str, tuple[tuple[float, Machine], ...]]:
    """The past of each machine, by the name of its node."""
    found: Mapping[str, tuple[tuple[float, Machine], ...]] = world.table(_PAST)
    return found


def _remember(world: World, present: Machine) -> None:
    known = past(world, present.name)
    if known and known[-1][0] == world.now:
        # Of several changes at one moment only the last lasted.
        known = known[:-1]
    world.table(_PAST)[present.name] = (*known, (world.now, present))


def change(world: World, node: str, **fields: Any) -> Machine:
    """Replace attributes of a machine, and let its kubelet notice what that means.

    Raises:
        LookupError: There is no such machine.
    """
    present = machine(world, node)
    if present is None:
        message = f"the cluster has no machine {node!r}"
        raise LookupError(message)
    new = present._replace(**fields)
    world.table(_TABLE)[node] = new
    _remember(world, new)
    notice = world.service_or_none(MACHINE_CHANGED)
    if notice is not None:
        notice(world, node)
    return new


def change_root(world: World, node: str, **fields: Any) -> Machine:
    """Replace attributes of a machine's root disk.

    Raises:
        LookupError: There is no such machine.
    """
    present = machine(world, node)
    disks = present.disks if present is not None else ()
    return change(world, node, disks=(disks[0]._replace(**fields), *disks[1:]) if disks else ())


def set_sysctl(world: World, node: str, name: str, value: str) -> Machine:
    """Write a kernel parameter of a node.

    Raises:
        LookupError: There is no such machine, or no such parameter.
    """
    present = machine(world, node)
    if present is not None and present.sysctl(name) is None:
        message = f"the kernel of node {node!r} has no parameter {name!r}"
        raise LookupError(message)
    others = present.sysctls if present is not None else ()
    kept = tuple(entry for entry in others if entry[0] != name)
    return change(world, node, sysctls=(*kept, (name, value)))


def clock(world: World, node: str) -> float:
    """What the clock of a node shows now, in Unix seconds."""
    present = machine(world, node)
    return world.epoch + world.now + (present.clock_offset_s if present is not None else 0.0)


def blocks_of(disk: Disk, file: str, size: int) -> tuple[int, int]:
    """The blocks of 4 KiB on which a file lies, the first and the last.

    A file lies where its name puts it, in one piece. What injects bad blocks asks here, with
    `VOLUME:PATH`: identity of the volume (see `kubelet.runtime.Mount`) and the path in it.
    """
    blocks = max(disk.size_bytes // BLOCK, 1)
    needed = max(-(-size // BLOCK), 1)
    key = blake2b(file.encode(), digest_size=8).digest()
    first = int.from_bytes(key, "big") % max(blocks - needed, 1)
    return first, first + needed - 1


def connection_refused_by_kernel(world: World, node: str, connections: int = 0) -> str:
    """Why the kernel of a node makes no new outgoing connection; empty when it does.

    Args:
        world: The cluster.
        node: Where the connection begins.
        connections: How many the processes on the node hold.

    Returns:
        `ETIMEDOUT` when the connection table is full and packets are dropped, `EADDRNOTAVAIL` when
        there is no ephemeral port left.
    """
    present = machine(world, node)
    if present is None:
        return ""
    if present.other_ports + connections >= present.ephemeral_ports:
        return "EADDRNOTAVAIL"
    if present.other_connections + connections >= present.connection_limit:
        return "ETIMEDOUT"
    return ""

"""Settings of the kernel of nodes: parameters, tables, limits, memory, system calls that fail."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from pydantic import Field
from sregym_core.model.node_setting import Capability, NodeSetting

if TYPE_CHECKING:
    from collections.abc import Mapping


class Sysctl(NodeSetting):
    """A parameter of the kernel, under the name that `sysctl` shows.

    Attributes:
        node: Where.
        name: `net.netfilter.nf_conntrack_max`.
        value: As `sysctl` prints it; empty for what the node was set up with.
    """

    capability: ClassVar[Capability] = Capability.SYSCTLS
    identity: ClassVar[tuple[str, ...]] = ("node", "name")
    what: Literal["sysctl"] = "sysctl"
    node: str
    name: str
    value: str = ""


TableName: TypeAlias = Literal[
    "conntrack", "neighbours", "processes", "open-files", "inotify", "ports"
]


class KernelTable(NodeSetting):
    """Entries of a table of the kernel that are taken besides those of pods and the system.

    The size of a table is a `Sysctl`: `net.netfilter.nf_conntrack_max`, `kernel.pid_max`,
    `fs.file-max`, `net.ipv4.neigh.default.gc_thresh3`, `fs.inotify.max_user_instances`,
    `net.ipv4.ip_local_port_range`.
    """

    capability: ClassVar[Capability] = Capability.KERNEL_TABLES
    identity: ClassVar[tuple[str, ...]] = ("node", "table")
    what: Literal["kernel-table"] = "kernel-table"
    node: str
    table: TableName
    taken: int = Field(default=0, ge=0)


class MemoryUse(NodeSetting):
    """Bytes of memory that processes outside of pods hold, besides those of the system."""

    capability: ClassVar[Capability] = Capability.MEMORY
    what: Literal["memory"] = "memory"
    node: str
    taken_bytes: int = Field(default=0, ge=0)


class CpuUse(NodeSetting):
    """Cores that processes outside of pods, or neighbours of a virtual machine, keep busy."""

    capability: ClassVar[Capability] = Capability.CPU
    what: Literal["cpu"] = "cpu"
    node: str
    cores: float = Field(default=0.0, ge=0)


class NetworkUse(NodeSetting):
    """Megabits a second that processes outside of pods send through the node's card, heeding no loss.

    What is more than the card carries is lost, of any sender.
    """

    capability: ClassVar[Capability] = Capability.NETWORK_USE
    what: Literal["network-use"] = "network-use"
    node: str
    mbit: float = Field(default=0.0, ge=0)


class ProcessLimit(NodeSetting):
    """A resource limit of processes that start from now on, as containers inherit it (soft).

    Attributes:
        node: Where.
        resource: As `setrlimit` words it: `nofile`, `nproc` ...
        limit: The limit; None for what the node was set up with.
    """

    capability: ClassVar[Capability] = Capability.LIMITS
    identity: ClassVar[tuple[str, ...]] = ("node", "resource")
    what: Literal["limit"] = "limit"
    node: str
    resource: str = "nofile"
    limit: int | None = None


# System calls that are equivalent to others for their callers.
SAME_CALLS: Mapping[str, str] = MappingProxyType(
    {
        **{"openat": "open", "pread64": "read", "readv": "read", "pwrite64": "write"},
        **{"writev": "write", "fdatasync": "fsync", "socket": "connect", "clone3": "clone"},
        **{"fork": "clone", "vfork": "clone", "gettimeofday": "clock_gettime"},
    }
)


class SystemCall(NodeSetting):
    """System calls of some processes that fail or take longer.

    Attributes:
        node: Where; empty for every node.
        namespace: Namespace of the pod whose processes are meant; empty for all processes.
        pod: Its name.
        labels: All pods of the namespace with these labels, also those that come later.
        container: In which container; empty for all of the pod.
        call: `read`, `write`, `open`, `connect`, `fork`, `fsync`, `mmap`, `socket` ...
        path: Pattern of the files, for calls that have one; empty for all.
        error: Name of the error number, `EIO`; empty when the calls do not fail.
        share: Share of the calls that fail, 0 to 1.
        delay_ms: How long each takes besides.
    """

    capability: ClassVar[Capability] = Capability.SYSCALLS
    identity: ClassVar[tuple[str, ...]] = (
        *("node", "namespace", "pod", "labels", "container", "call", "path"),
    )
    what: Literal["system-call"] = "system-call"
    node: str = ""
    namespace: str = ""
    pod: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    container: str = ""
    call: str
    path: str = ""
    error: str = ""
    share: float = Field(default=1.0, ge=0, le=1)
    delay_ms: float = Field(default=0.0, ge=0)


class ProcessStop(NodeSetting):
    """Whether the main process of a container stands still (SIGSTOP): it is there and does nothing.

    Attributes:
        node: Where.
        namespace: Of the pod.
        pod: Its name.
        container: The container whose process is meant.
        stopped: Whether it is.
    """

    capability: ClassVar[Capability] = Capability.PROCESS_STOPS
    identity: ClassVar[tuple[str, ...]] = ("node", "namespace", "pod", "container")
    what: Literal["process-stop"] = "process-stop"
    node: str
    namespace: str
    pod: str
    container: str
    stopped: bool = False


class ProcessTrouble(NodeSetting):
    """An effect of a driver below on processes other than a call that fails.

    Attributes:
        node: Where.
        namespace: Namespace of the pods whose processes are meant; empty for all processes.
        labels: Only pods of the namespace with these labels, also those that come later.
        trouble: What, as the driver words it: `memory-leak`, `heap-fragmented`.
        active: Whether it does so.
    """

    capability: ClassVar[Capability] = Capability.PROCESS_TROUBLES
    identity: ClassVar[tuple[str, ...]] = ("node", "namespace", "labels", "trouble")
    what: Literal["process-trouble"] = "process-trouble"
    node: str
    namespace: str = ""
    labels: dict[str, str] = Field(default_factory=dict)
    trouble: str
    active: bool = False

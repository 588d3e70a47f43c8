"""What the disk below a datastore does to it: reads and writes that fail or take longer.

The state is the node's (`machines`, `syscalls`); what a server makes of it is its kind's affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.usage import available_disk, host_bytes, pods_on

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Below this share of a disk that others fill what containers wrote need not be counted.
_ROOMY = 0.5
# A server that finds less room than this cannot extend its files.
_ROOM_BYTES = 1 << 20
# What a data file of an empty server takes.
FILE_BYTES = 32 << 20
# What a disk of a virtual machine needs for a request of 1 MiB: 256 MiB/s.
REQUEST_MS = 4.0
# Stands for the error of a read that goes well and brings other bytes than were written.
ALTERED = ""
_READS, _WRITES = ("open", "read"), ("open", "write", "fsync")


class DataFile(NamedTuple):
    """The file whose reads and writes stand for all of a server's.

    Attributes:
        kept: Identity of the storage it is on.
        folder: Where the server sees that.
        name: The file's place in there.
    """

    kept: str
    folder: str
    name: str

    @property
    def path(self) -> str:
        """Where the server sees it."""
        return f"{self.folder.rstrip('/')}/{self.name}"


class DiskProblem(NamedTuple):
    """What accesses meet.

    Attributes:
        error: Name of the error number: `ENOSPC`; `ALTERED` where there is none, and other bytes
            come than were written.
        share: The part of the accesses that do.
        offset: The first byte of the file that cannot be read, or is wrong.
        call: The one call that meets it, `fsync`; empty where all do that reach the disk.
    """

    error: str
    share: float = 1.0
    offset: int = 0
    call: str = ""

    @property
    def words(self) -> str:
        """As programs print the error."""
        return "" if self.error == ALTERED else syscalls.strerror(self.error)


def write_problem(world: World, process: Process, file: DataFile) -> DiskProblem | None:
    """What writes to a data file meet, or None."""
    machine = machines.machine(world, process.config.node)
    if machine is not None:
        if machine.root.read_only:
            return DiskProblem("EROFS")
        if lacks_space(world, machine, _ROOM_BYTES):
            return DiskProblem("ENOSPC")
        if machine.root.failing:
            return DiskProblem("EIO", machine.root.failing)
    return _failing(world, process, file, _WRITES)


def read_problem(world: World, process: Process, file: DataFile) -> DiskProblem | None:
    """What reads of a data file meet, or None."""
    machine = machines.machine(world, process.config.node)
    if machine is not None:
        offset = _offset(machine.root, file, machine.root.bad_blocks)
        if offset is not None:
            return DiskProblem("EIO", offset=offset)
        if machine.root.failing:
            return DiskProblem("EIO", machine.root.failing)
    failing = _failing(world, process, file, _READS)
    if failing is not None or machine is None:
        return failing
    offset = _offset(machine.root, file, machine.root.altered_blocks)
    return None if offset is None else DiskProblem(ALTERED, offset=offset)


def _offset(disk: machines.Disk, file: DataFile, blocks: tuple[tuple[int, int], ...]) -> int | None:
    """The first byte of a file that lies on some blocks; None when none does."""
    if not blocks:
        return None
    first, last = machines.blocks_of(disk, f"{file.kept}:{file.name}", FILE_BYTES)
    met = [max(low, first) for low, high in blocks if low <= last and first <= high]
    return (min(met) - first) * machines.BLOCK if met else None


def slowness_ms(world: World, process: Process, file: DataFile) -> float:
    """What each access takes more than it should."""
    machine = machines.machine(world, process.config.node)
    calls = 0.0
    if world.table(syscalls.RULES):
        caller, path = _caller(process), file.path
        calls = sum(syscalls.delay_s(world, caller, call, path) for call in ("read", *_WRITES[1:]))
    return calls * 1000 + (0.0 if machine is None else machine.root.latency_ms)


def waiting_ms(world: World, process: Process, *, write: bool, cold: float) -> float:
    """How long a command waits behind what others ask of the disk.

    Args:
        world: The cluster.
        process: The server.
        write: Whether it changes something, and so is answered when that stands on the disk.
        cold: The part of its reads for which a server has nothing in memory of its own. Those it finds
            in the page cache, as far as that still holds them.
    """
    machine = machines.machine(world, process.config.node)
    if machine is None or not machine.root.queued:
        return 0.0
    root = machine.root
    return root.queued * REQUEST_MS * (1.0 if write else cold * root.displaced)


def lacks_space(world: World, machine: machines.Machine, wanted_bytes: int) -> bool:
    """Whether a node's disk has less room than is wanted."""
    root = machine.root
    if root.other_bytes + host_bytes(world, machine.name) <= _ROOMY * root.size_bytes:
        return False
    known = ((pod_of(world, state), state) for state in pods_on(world, machine.name))
    pods = [(pod, state) for pod, state in known if pod is not None]
    return available_disk(world, machine, pods) < wanted_bytes


def _failing(
    world: World, process: Process, file: DataFile, calls: tuple[str, ...]
) -> DiskProblem | None:
    for call in calls if world.table(syscalls.RULES) else ():
        error, share = syscalls.risk(world, _caller(process), call, file.path)
        if error and share > 0:
            return DiskProblem(error, share, call=call)
    return None


def _caller(process: Process) -> syscalls.Caller:
    ref = process.config.ref
    return syscalls.Caller(process.config.node, ref.pod_uid, ref.name)

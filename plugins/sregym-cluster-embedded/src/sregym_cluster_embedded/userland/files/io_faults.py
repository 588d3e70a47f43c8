"""What the machine below a container does to reads and writes: bad blocks, full disks, failing calls.

All of it is state of the node (`machines`, `syscalls`); an untouched machine costs two look-ups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.userland.disk import lacks_space
from sregym_cluster_embedded.userland.files.inode import FileError, FullError, ReadOnlyError

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.container import Container


def demand_readable(container: Container, place: str, kept: str, size: int) -> None:
    """Refuse a read that the disk or the kernel lets fail.

    Args:
        container: The container whose process reads.
        place: The path of the file, without links.
        kept: Identity of what keeps it, and the path in there.
        size: Its bytes.

    Raises:
        FileError: With the error text.
    """
    _demand_call(container, "open", place)
    _demand_call(container, "read", place)
    machine = machines.machine(container.world, container.config.node)
    if machine is not None and machine.root.bad_blocks:
        first, last = machines.blocks_of(machine.root, kept, size)
        if any(low <= last and first <= high for low, high in machine.root.bad_blocks):
            raise _failed("EIO", place)


def demand_writable(container: Container, place: str, added_bytes: int) -> None:
    """Refuse a write for which the node's disk has no room, or that the kernel lets fail.

    Raises:
        FileError: With the error text.
    """
    _demand_call(container, "open", place)
    _demand_call(container, "write", place)
    world = container.world
    machine = machines.machine(world, container.config.node)
    if machine is None:
        return
    if machine.root.read_only:
        raise ReadOnlyError(place)
    if added_bytes > 0 and lacks_space(world, machine, added_bytes):
        raise FullError(place)


def _demand_call(container: Container, call: str, place: str) -> None:
    config = container.config
    caller = syscalls.Caller(config.node, config.ref.pod_uid, config.ref.name)
    error = syscalls.failure(container.world, caller, call, place)
    if error:
        raise _failed(error, place)


def _failed(error: str, place: str) -> FileError:
    failed = FileError(place)
    failed.words = syscalls.strerror(error)
    return failed

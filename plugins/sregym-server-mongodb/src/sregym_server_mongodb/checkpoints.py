"""When the checkpoints of the storage engine meet a disk that fails, and what it says of that."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import ALTERED, lost_files, read_problem, write_problem

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import DataFile, DiskProblem, Process, World

# Seconds between two checkpoints.
CHECKPOINT_S = 60.0
# A checkpoint reads the pages into which it merges what has changed: no page stays unread for more
# checkpoints than these.
_UNREAD_CHECKPOINTS = 3
# What it reads at a time.
_PAGE_BYTES = 4096
# What a file system without room, and one that is mounted read-only, make of the lock file.
UNWRITABLE = (
    "DBPathInUse: Unable to create/open the lock file: {folder}/mongod.lock ({words}). "
    "Ensure the user executing mongod is the owner of the lock file and has the appropriate "
    "permissions. Also make sure that another mongod instance is not already running on the "
    "{folder} directory",
    "IllegalOperation: Attempted to create a lock file on a read-only directory: {folder}",
)
# What the engine says when it cannot read the clock, before the error text.
UNREADABLE_CLOCK = "__wt_epoch_raw: clock_gettime: "
# The engine's own number of an error that is none of the system's.
_WT_ERROR = -31_802


def checkpoint_due_s(world: World, process: Process, file: DataFile) -> float | None:
    """Seconds until a checkpoint of a running server meets trouble; None where there is none.

    Every checkpoint writes; which one is the first to read a page is a matter of chance.
    """
    if process.served_at is None:
        return None
    reads, writes = read_problem(world, process, file), write_problem(world, process, file)
    if reads is None and writes is None and not _without_journal(world, file):
        return None
    due_s = CHECKPOINT_S - (world.now - process.served_at) % CHECKPOINT_S
    if reads is not None and writes is None:
        drawn = world.seed.fraction("mongod", "unread", process.ref)
        due_s += CHECKPOINT_S * int(drawn * _UNREAD_CHECKPOINTS / reads.share)
    return due_s


def met_by_checkpoint(world: World, process: Process, file: DataFile) -> tuple[int, str] | None:
    """The number of the error that a checkpoint meets now, and what the engine says; or None."""
    found = read_problem(world, process, file)
    if found is not None and found.error == ALTERED:
        return _wrong_checksum(world, process, file, found)
    trouble, text = write_problem(world, process, file), f"__posix_file_io: {file.name}: "
    if trouble is None and _without_journal(world, file):
        # What it has open it goes on with; that a new file finds no folder it does not survive.
        return errno.ENOENT, _unopened(f"{file.folder}/journal/WiredTigerTmplog.0000000001")
    if trouble is None:
        trouble = read_problem(world, process, file)
        offset = 0 if trouble is None else trouble.offset
        text = (
            f"__posix_file_read: {file.path}: handle-read: pread: failed to read "
            f"{_PAGE_BYTES} bytes at offset {offset}: "
        )
    return None if trouble is None else (getattr(errno, trouble.error), f"{text}{trouble.words}")


def met_by_start(
    world: World, process: Process, file: DataFile, met: DiskProblem
) -> tuple[int, str]:
    """The number of the error that a start meets, and what the engine says."""
    if met.error == ALTERED:
        return _wrong_checksum(world, process, file, met)
    return getattr(errno, met.error), f"__posix_file_io: {file.name}: {met.words}"


def met_by_start_without(file: DataFile, name: str) -> tuple[int, str]:
    """The same of a start that misses a file of its folder."""
    return errno.ENOENT, _unopened(f"{file.folder}/{name}")


def _unopened(path: str) -> str:
    return f"__posix_open_file: {path}: handle-open: open: No such file or directory"


def _without_journal(world: World, file: DataFile) -> bool:
    """Whether the journal of a running server was removed."""
    return any(name.startswith("journal/") for name in lost_files(world, file.kept))


def _wrong_checksum(
    world: World, process: Process, file: DataFile, met: DiskProblem
) -> tuple[int, str]:
    """The number of the engine's own error about a page with other bytes, and what it says."""
    sums = [
        f"0x{int(world.seed.fraction('wiredtiger', what, process.ref, met.offset) * 2**32):08x}"
        for what in ("found", "expected")
    ]
    return _WT_ERROR, (
        f"__wt_block_read_off: {file.name}: potential hardware corruption, read checksum error for "
        f"{_PAGE_BYTES}B block at offset {met.offset}: calculated block checksum of {sums[0]} "
        f"doesn't match expected checksum of {sums[1]}"
    )

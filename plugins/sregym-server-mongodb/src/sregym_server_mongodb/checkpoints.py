"""When the checkpoints of the storage engine meet a disk that fails, and what it says of that."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import read_trouble, write_trouble

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import DataFile, Process, World

# Seconds between two checkpoints.
CHECKPOINT_S = 60.0
# A checkpoint reads the pages into which it merges what has changed: no page stays unread for more
# checkpoints than these.
_UNREAD_CHECKPOINTS = 3
# What it reads at a time.
_PAGE_BYTES = 4096


def checkpoint_due_s(world: World, process: Process, file: DataFile) -> float | None:
    """Seconds until a checkpoint of a running server meets trouble; None where there is none.

    Every checkpoint writes; which one is the first to read a page is a matter of chance.
    """
    if process.served_at is None:
        return None
    reads, writes = read_trouble(world, process, file), write_trouble(world, process, file)
    if reads is None and writes is None:
        return None
    due_s = CHECKPOINT_S - (world.now - process.served_at) % CHECKPOINT_S
    if reads is not None and writes is None:
        drawn = world.seed.fraction("mongod", "unread", process.ref)
        due_s += CHECKPOINT_S * int(drawn * _UNREAD_CHECKPOINTS / reads.share)
    return due_s


def met_by_checkpoint(world: World, process: Process, file: DataFile) -> tuple[int, str] | None:
    """The number of the error that a checkpoint meets now, and what the engine says; or None."""
    trouble, text = write_trouble(world, process, file), f"__posix_file_io: {file.name}: "
    if trouble is None:
        trouble = read_trouble(world, process, file)
        offset = 0 if trouble is None else trouble.offset
        text = (
            f"__posix_file_read: {file.path}: handle-read: pread: failed to read "
            f"{_PAGE_BYTES} bytes at offset {offset}: "
        )
    return None if trouble is None else (getattr(errno, trouble.error), f"{text}{trouble.words}")

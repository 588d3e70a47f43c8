"""Settings of disks of nodes: what is taken, what cannot be read, how slow they are."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field
from sregym_core.model.node_setting import Capability, NodeSetting


class _OfDisk(NodeSetting):
    identity: ClassVar[tuple[str, ...]] = ("node", "disk")
    node: str
    disk: str = "root"


class DiskFill(_OfDisk):
    """Bytes of a disk that are taken besides what the system and the cluster put there.

    Attributes:
        node: Where.
        disk: `root` holds images, logs and writable layers.
        taken_bytes: Taken since the node came.
    """

    capability: ClassVar[Capability] = Capability.DISK_FILL
    what: Literal["disk-fill"] = "disk-fill"
    taken_bytes: int = Field(default=0, ge=0)


class DiskReadOnly(_OfDisk):
    """Whether a disk is mounted read-only, as file systems do after an error."""

    capability: ClassVar[Capability] = Capability.DISK_READ_ONLY
    what: Literal["disk-read-only"] = "disk-read-only"
    read_only: bool = False


Blocks: TypeAlias = tuple[tuple[int, int], ...]


class DiskBadBlocks(_OfDisk):
    """Blocks of 4 KiB that cannot be read, as (first, last) with both included."""

    capability: ClassVar[Capability] = Capability.DISK_BAD_BLOCKS
    what: Literal["disk-bad-blocks"] = "disk-bad-blocks"
    blocks: Blocks = ()


class DiskCorruption(_OfDisk):
    """Blocks of 4 KiB that give back other bytes than were written, without an error."""

    capability: ClassVar[Capability] = Capability.DISK_CORRUPTION
    what: Literal["disk-corruption"] = "disk-corruption"
    blocks: Blocks = ()


class DiskDelay(_OfDisk):
    """Milliseconds that each access takes besides."""

    capability: ClassVar[Capability] = Capability.DISK_DELAY
    what: Literal["disk-delay"] = "disk-delay"
    delay_ms: float = Field(default=0.0, ge=0)


class DiskErrors(_OfDisk):
    """Share of the accesses that fail with an input/output error, wherever they go."""

    capability: ClassVar[Capability] = Capability.DISK_ERRORS
    what: Literal["disk-errors"] = "disk-errors"
    share: float = Field(default=0.0, ge=0, le=1)


class DiskUse(_OfDisk):
    """Load of processes outside of pods on a disk.

    Attributes:
        node: Where.
        disk: Which.
        queued: Requests of 1 MiB that always wait in the disk's queue; a request that comes waits behind them.
        displaced: Share of the page cache that holds what these requests read, 0 to 1: what others had
            there they read from the disk again.
    """

    capability: ClassVar[Capability] = Capability.DISK_USE
    what: Literal["disk-use"] = "disk-use"
    queued: int = Field(default=0, ge=0)
    displaced: float = Field(default=0.0, ge=0, le=1)

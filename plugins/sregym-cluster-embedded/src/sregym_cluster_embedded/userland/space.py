"""What was written to disks, and when: how much containers and volumes held at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.world import World

_SPACE: TableKey[ContainerRef | str, tuple[HeldSpace, ...]] = TableKey("userland.space")


class HeldSpace(NamedTuple):
    """What was held from a moment on.

    Attributes:
        since: Virtual second.
        size_bytes: Of whole blocks, as `du` counts.
        inodes: Files and folders.
        written_bytes: All that was ever added up to then.
    """

    since: float
    size_bytes: int
    inodes: int
    written_bytes: int


def space_history(world: World) -> Mapping[ContainerRef | str, tuple[HeldSpace, ...]]:
    """By container life, or by identity of a volume: what it held, oldest first."""
    found: Mapping[ContainerRef | str, tuple[HeldSpace, ...]] = world.table(_SPACE)
    return found


def note(
    world: World, owner: ContainerRef | str, before: Inode | None, after: Inode | None
) -> None:
    """Remember that one inode was made, removed or written.

    Args:
        world: The cluster.
        owner: The container life or the volume it stands in.
        before: The inode as it was there; None when it was not.
        after: As it is.
    """
    grown = _bytes(after) - _bytes(before)
    more = (after is not None) - (before is not None)
    if not grown and not more:
        return
    table = world.table(_SPACE)
    known: tuple[HeldSpace, ...] = table.get(owner, ())
    last = known[-1] if known else HeldSpace(0.0, 0, 0, 0)
    if known and last.since == world.now:
        known = known[:-1]
    present = HeldSpace(
        world.now,
        max(0, last.size_bytes + grown),
        max(0, last.inodes + more),
        last.written_bytes + max(0, grown),
    )
    table[owner] = (*known, present)


def _bytes(inode: Inode | None) -> int:
    return 0 if inode is None else inode.blocks_kib * 1024

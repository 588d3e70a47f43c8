"""Room on file systems: what is there, what is used, and when there is no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.files.inode import FullError
from sregym_cluster_embedded.userland.files.machine import disk_kib

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.volumes import MountPoint
    from sregym_cluster_embedded.userland.filesystem import Files

_PAGE = 4096


class FilesystemUsage(NamedTuple):
    """A file system in KiB."""

    total_kib: int
    used_kib: int
    free_kib: int

    @property
    def percent(self) -> int:
        """Share in use as `df` rounds it: up."""
        all_of_it = self.used_kib + self.free_kib
        return -(-self.used_kib * 100 // all_of_it) if all_of_it else 0


def filesystem_usage(files: Files, point: MountPoint) -> FilesystemUsage:
    """What a mounted file system holds."""
    if point.fstype == "tmpfs":
        total = (point.limit_bytes or 64 << 20) // 1024
        used = _pages_kib(files, point)
        return FilesystemUsage(total, used, total - used)
    total, used = disk_kib(files.container)
    if point.mount is not None and point.mount.volume.startswith("pv/"):
        # A kubelet does not count these with what its pods write.
        held = (inode for inode in files.stored(point).values() if inode is not None)
        used += sum(inode.blocks_kib for inode in held)
    return FilesystemUsage(total, used, max(0, total - used))


def _pages_kib(files: Files, point: MountPoint) -> int:
    inside = point.place + "/" if point.mount is None else ""
    held = sum(
        -(-inode.size // _PAGE) * 4
        for path, inode in files.stored(point).items()
        if inode is not None and inode.kind == "file" and path.startswith(inside)
    )
    texts = () if point.mount is None else point.mount.files.values()
    return held + sum(-(-len(text.encode(errors="replace")) // _PAGE) * 4 for text in texts)


def in_memory(files: Files, place: str) -> MountPoint | None:
    """What keeps a path in memory and has a size; None when it stands on a disk."""
    point = files.mount_of(place)
    if point is None and place.startswith("/dev/shm/"):  # noqa: S108 - of the container
        point = files.container.shared_memory
    return point if point is not None and point.limit_bytes is not None else None


def memory_bytes(files: Files) -> int:
    """What the files of a container hold in memory."""
    points = {**files.container.points, "shm": files.container.shared_memory}
    sized = {point.place: point for point in points.values() if point.limit_bytes is not None}
    return sum(_pages_kib(files, point) for point in sized.values()) * 1024


def require_space(files: Files, place: str, added_bytes: int) -> None:
    """Refuse a write for which there is no room; a negative number is a device without any.

    Raises:
        FullError: There is none.
    """
    if place == "/dev/full":
        raise FullError(place)
    if added_bytes <= 0:
        return
    point = in_memory(files, place)
    if point is None:
        return
    free_bytes = filesystem_usage(files, point).free_kib * 1024
    if files.charge is not None:
        files.charge(min(added_bytes, free_bytes))
    if added_bytes > free_bytes:
        raise FullError(place)

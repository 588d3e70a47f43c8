"""Where files lie on a disk, and the page cache before them."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from . import facts
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 4096
_FIEMAP = 0xC020660B
_HEAD, _EXTENT = struct.Struct("=QQLLLL"), struct.Struct("=QQQQQLLLL")
_MOST = 512
_SYNC, _UNKNOWN = 1, 0x2 | 0x4  # FIEMAP_FLAG_SYNC; unknown or delayed
_DROPPED_FILES = 20_000
# What keeps files of its own: a volume.
_DISKS = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "nfs", "nfs4", "zfs", "hostfs"})


def extents(path: Path) -> list[tuple[int, int]]:
    """Blocks of the disk below a file, as (first, last) with both included.

    Raises:
        Refusal: The file system does not report it, or nothing is written yet.
    """
    whole = bytearray(_HEAD.pack(0, 2**63, _SYNC, 0, _MOST, 0)) + bytearray(_EXTENT.size * _MOST)
    try:
        with path.open("rb") as file:
            fcntl.ioctl(file, _FIEMAP, whole)
    except OSError as error:
        msg = f"the file system below {path} does not tell where it lies: {error.strerror}"
        raise Refusal(msg) from error
    count = _HEAD.unpack_from(whole)[3]
    found = []
    for number in range(count):
        fields = _EXTENT.unpack_from(whole, _HEAD.size + number * _EXTENT.size)
        physical, length, flags = fields[1], fields[2], fields[5]
        if not flags & _UNKNOWN and length >= BLOCK:
            found.append((physical // BLOCK, (physical + length) // BLOCK - 1))
    if not found:
        msg = f"no block of the disk is below {path}: it is empty, or all of it lies elsewhere"
        raise Refusal(msg)
    return found


def file_seen_by_process(pid: int, path: str) -> Path:
    """A file that a process sees under a path; without one the largest on a volume of it.

    Raises:
        Refusal: There is none.
    """
    root = Path(f"/proc/{pid}/root") if pid else Path("/")
    found = (
        [root / path.lstrip("/")] if path else [root / name.lstrip("/") for name in on_volumes(pid)]
    )
    sizes = {file.stat().st_size: file for file in found if file.is_file()}
    if not sizes:
        what = f"no file {path}" if path else "no file on a volume"
        msg = f"process {pid or 1} has {what}; name one that it sees"
        raise Refusal(msg)
    return sizes[max(sizes)]


def volumes(pid: int) -> list[str]:
    """Where volumes of a process are, as it sees them: what is mounted below its root from a disk."""
    found = []
    for line in facts.read(Path(f"/proc/{pid}/mountinfo")).splitlines():
        left, _, right = line.partition(" - ")
        place, kind = left.split()[4], right.split()[0]
        if place != "/" and kind in _DISKS and not place.startswith("/etc/"):
            found.append(place)
    return found


def below(root: str, place: str, most: int = 256) -> set[str]:
    """Files below a folder, without the name of the root under which they are looked for."""
    found: set[str] = set()
    for folder, _, names in os.walk(root + place):
        found |= {str(Path(folder, name))[len(root) :] for name in names}
        if len(found) >= most:
            break
    return found


def on_volumes(pid: int, most: int = 256) -> set[str]:
    """Files of the volumes of a process, as it sees them."""
    found: set[str] = set()
    for place in volumes(pid):
        found |= below(f"/proc/{pid}/root", place, most)
        if len(found) >= most:
            break
    return found


def mapped_device(path: Path) -> str:
    """The device on which a file or a mounted volume lies: of the device mapper, or a prepared disk.

    Raises:
        Refusal: It lies on another kind of device.
    """
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    name = facts.read(Path(f"/sys/dev/block/{number}/dm/name")).strip()
    if name:
        return name
    loop = Path(f"/sys/dev/block/{number}").resolve().name
    behind = facts.read(Path("/sys/block", loop, "loop/backing_file")).strip()
    if behind.endswith("/disk") and "/disks/" in behind:
        return loop  # that of a disk which was prepared
    uevent = facts.read(Path(f"/sys/dev/block/{number}/uevent"))
    what = uevent.partition("DEVNAME=")[2].partition("\n")[0] or f"device {number}"
    msg = (
        f"{path} lies on {what} itself, not on a device of the device mapper, so nothing can be put "
        "below it while it is in use; put its volume on one before (LVM, or a linear table over it)"
    )
    raise Refusal(msg)


def mount_points(device: str) -> list[Path]:
    """Where a device is mounted, in the view of any process."""
    number = facts.read(Path("/sys/block", _kernel_name(device), "dev")).strip()
    found = {}
    # Its own view first: others may not be looked through.
    for info in (Path("/proc/self/mountinfo"), *Path("/proc").glob("[0-9]*/mountinfo")):
        for line in facts.read(info).splitlines():
            words = line.split()
            if len(words) > 4 and words[2] == number and words[4] not in found:
                found[words[4]] = info.parent / "root" / words[4].lstrip("/")
    return list(found.values())


def drop_pages(device: str) -> int:
    """Drop what the page cache holds of the files on a device; gives how many were looked at.

    What is not written yet is written before. The rest of the machine keeps its cache.
    """
    count = 0
    for point in mount_points(device)[:1]:
        _write_all(point)
        for path in _regular(point):
            if count >= _DROPPED_FILES:
                break
            _drop(path)
            count += 1
    return count


def _write_all(point: Path) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(point, os.O_RDONLY)
        ctypes.CDLL(None).syncfs(fd)
        os.close(fd)


def _drop(path: Path) -> None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOATIME)
    except OSError:
        return
    try:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError:
        return
    finally:
        os.close(fd)


def _regular(point: Path) -> Iterator[Path]:
    device = point.stat().st_dev
    for folder, inner, names in os.walk(point):
        here = Path(folder)
        inner[:] = [name for name in inner if _device_of(here / name) == device]
        yield from (
            here / name
            for name in names
            if (here / name).is_file() and not (here / name).is_symlink()
        )


def _device_of(path: Path) -> int:
    try:
        return path.lstat().st_dev
    except OSError:
        return -1


def _kernel_name(device: str) -> str:
    for path in Path("/sys/block").glob("dm-*/dm/name"):
        if facts.read(path).strip() == device:
            return path.parts[3]
    return device if Path("/sys/block", device, "loop").is_dir() else ""

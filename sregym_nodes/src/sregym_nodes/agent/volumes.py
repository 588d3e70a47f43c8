"""Which disks a file lies on, through all that is stacked between."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from .facts import read

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCK = Path("/sys/dev/block")
_MOUNTS = Path("/proc/self/mountinfo")


def carriers(path: Path, block: Path = _BLOCK, mounts: Path = _MOUNTS) -> frozenset[str]:
    """The block devices that a file lies on, as `MAJOR:MINOR`, those below others included.

    Args:
        path: The file, or the nearest folder that is there.
        block: Where the kernel lists block devices.
        mounts: Where it lists mounts.

    Returns:
        Nothing for a file that lies in memory or on another machine.
    """
    here = next(one for one in (path, *path.parents) if one.exists())
    return _whole(_numbers(here, mounts), block)


def _whole(numbers: Iterable[str], block: Path) -> frozenset[str]:
    found: set[str] = set()
    left = [number for number in numbers if (block / number).exists()]
    while left:
        number = left.pop()
        if number in found:
            continue
        found.add(number)
        place = (block / number).resolve()
        left += [read(below / "dev").strip() for below in place.glob("slaves/*")]
        if (place / "partition").exists():  # a part of a disk
            left.append(read(place.parent / "dev").strip())
    return frozenset(found)


def _numbers(path: Path, mounts: Path) -> Iterable[str]:
    """Of the file system itself, and of what its mount says that it was made from."""
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    yield number
    for line in read(mounts).splitlines():
        fields, _, rest = line.partition(" - ")
        if fields.split()[2] != number:
            continue
        source, options = rest.split()[1:3]
        if source.startswith("/dev/") and Path(source).exists():
            node = Path(source).stat().st_rdev
            yield f"{os.major(node)}:{os.minor(node)}"
        # An overlay writes into a folder elsewhere.
        for folder in map(Path, re.findall(r"(?:upper|lower)dir=([^,:]+)", options)):
            if folder.exists() and folder.stat().st_dev != device:
                yield from _numbers(folder, mounts)

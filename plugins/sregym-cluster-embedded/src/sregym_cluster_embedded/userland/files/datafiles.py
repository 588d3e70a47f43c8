"""Files of a running datastore: what stands in its folder follows from what it keeps.

To remove one of them or write over it changes nothing that the server has open, and takes
away what its next start would read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.files.container import Container
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Official images run their servers as a user of this number.
_SERVER_UID = 999
# By the identity of a storage: files in it that a server kept there and that are not as it left them.
_LOST: TableKey[str, frozenset[str]] = TableKey("userland.lost-files")


class LostFiles(NamedTuple):
    """What a start misses in its data directory.

    Attributes:
        names: Files that are gone or were written over, relative to the directory, sorted.
        whole: Whether no file of the data is left: the directory is as good as new.
    """

    names: tuple[str, ...]
    whole: bool


def lost_files(world: World, storage: str) -> frozenset[str]:
    """Files of a storage that hold data and were removed or written over; empty for none."""
    found: frozenset[str] = world.table(_LOST).get(storage, frozenset())
    return found


def lost_at_start(world: World, process: Process, storage: str) -> LostFiles:
    """What a server misses that starts with a storage."""
    lost = lost_files(world, storage)
    kind = world.service(RUNTIME).kind_of(process)
    _, sizes = kind.data_files(world, process, process.behaviour)
    held = {name for name in sizes if not _made_anew(kind.made_anew, name)}
    return LostFiles(tuple(sorted(lost)), bool(lost) and held <= lost)


def forget_lost(world: World, storage: str) -> None:
    """A server fills its empty directory anew."""
    world.table(_LOST).pop(storage, None)


def note_change(container: Container, place: str, inode: Inode | None) -> None:
    """An inode was put at a path of a container, or removed there: notify its server."""
    base, files = container.kept
    kept = files.get(place) if base else None
    process = process_of(container.world, container.config.ref)
    if kept is None or kept.kind != FILE or process is None:
        return
    world, name = container.world, place.removeprefix(f"{base}/")
    kind = world.service(RUNTIME).kind_of(process)
    file = kind.data_file(process, process.behaviour)
    if file is None:
        return
    whole = inode is not None and (inode.kind, inode.content, inode.zeros) == (FILE, "", kept.zeros)
    if not _made_anew(kind.made_anew, name):
        lost = lost_files(world, file.kept) - {name} if whole else lost_files(world, file.kept) | {name}  # fmt: skip
        forget_lost(world, file.kept)
        if lost:
            world.table(_LOST)[file.kept] = lost
    if not whole:
        kind.file_lost(world, process, process.behaviour, name)


def _made_anew(patterns: tuple[str, ...], name: str) -> bool:
    """Whether a name is one of these; one `*` in a pattern stands for anything."""
    for pattern in patterns:
        head, star, tail = pattern.partition("*")
        if name == pattern or (star and name.startswith(head) and name.endswith(tail)):
            return True
    return False


def data_files(world: World, ref: ContainerRef) -> tuple[str, Mapping[str, Inode]]:
    """The folder of a server that has begun to serve, and path -> inode of what it keeps there.

    An empty folder for every other process.
    """
    process = process_of(world, ref)
    if process is None or process.behaviour is None or process.served_at is None:
        return "", {}
    kind = world.service(RUNTIME).kind_of(process)
    directory, sizes = kind.data_files(world, process, process.behaviour)
    place = directory.rstrip("/")
    return place, _inodes(world, process, place, sizes) if place else {}


def _inodes(
    world: World, process: Process, place: str, sizes: Mapping[str, int]
) -> Mapping[str, Inode]:
    made = world.epoch + (process.served_at or 0.0)
    found = {place: folder(0o700, _SERVER_UID, _SERVER_UID, made)}
    for name, size in sizes.items():
        above = name.rpartition("/")[0]
        while above:
            path = f"{place}/{above}"
            found[path] = folder(0o700, _SERVER_UID, _SERVER_UID, made)
            above = above.rpartition("/")[0]
        found[f"{place}/{name}"] = Inode(
            FILE, "", 0o600, _SERVER_UID, _SERVER_UID, made, zeros=size
        )
    return found

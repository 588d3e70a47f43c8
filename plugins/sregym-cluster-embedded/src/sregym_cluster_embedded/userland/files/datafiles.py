"""Files of a running datastore: what stands in its folder follows from what it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Official images run their servers as a user of this number.
_SERVER_UID = 999


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

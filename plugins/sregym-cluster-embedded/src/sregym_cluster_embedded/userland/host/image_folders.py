"""The images of a node on its disk: what the container runtime keeps below /var/lib/containerd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.images import IMAGES
from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

RUNTIME_FOLDER = "/var/lib/containerd"
_BLOBS = f"{RUNTIME_FOLDER}/io.containerd.content.v1.content/blobs/sha256"
_FOLDERS = (
    f"{RUNTIME_FOLDER}/io.containerd.metadata.v1.bolt",
    f"{RUNTIME_FOLDER}/io.containerd.snapshotter.v1.overlayfs/snapshots",
)


def image_folders(world: World, node: str, began: float) -> dict[str, Inode]:
    """Absolute path -> inode; the blobs together take what the images take of the disk."""
    tree: dict[str, Inode] = {}
    for (place, _), (image_id, size) in world.table(IMAGES).items():
        if place == node:
            path = f"{_BLOBS}/{image_id.rpartition(':')[2]}"
            tree[path] = Inode(FILE, "", 0o444, mtime=began, shown_bytes=size)
    for path in (*_FOLDERS, *tuple(tree)):
        above = path if path in _FOLDERS else path.rpartition("/")[0]
        while above != RUNTIME_FOLDER:
            tree.setdefault(above, folder(0o711, mtime=began))
            above = above.rpartition("/")[0]
    return tree

"""Volumes as the kubelet lays them out: modes, owners, `..data` links, file systems."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zlib import crc32

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.userland.files.inode import FILE, FOLDER, Inode, folder, link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import Mount

DISK = "/dev/vda"
DISK_OPTIONS = "relatime,discard,resv_strict,resuid=65534,resgid=65534"
_SETGID = 0o2000
# What setting the ownership of a volume adds, by kind of entry.
_FOLDER_MASK, _READ_WRITE_MASK, _READ_ONLY_MASK = 0o2770, 0o660, 0o440


@dataclass(frozen=True)
class MountPoint:
    """One mounted volume, file or pseudo file system.

    Attributes:
        place: Absolute path.
        source: First column of /proc/mounts.
        fstype: `ext4`, `tmpfs`, `proc` ...
        options: After `rw` or `ro`.
        read_only: Whether writes are refused.
        limit_bytes: Size of a tmpfs; None for a disk.
        root: The inode at the mount point.
        mount: The volume; None for what the runtime mounts by itself.
    """

    place: str
    source: str
    fstype: str
    options: str
    read_only: bool = False
    limit_bytes: int | None = None
    root: Inode | None = None
    mount: Mount | None = None

    def line(self) -> str:
        """As `mount` prints it."""
        flags = ",".join(filter(None, ("ro" if self.read_only else "rw", self.options)))
        return f"{self.source} on {self.place} type {self.fstype} ({flags})\n"


def volume_point(
    place: str,
    mount: Mount,
    volume: Mapping[str, Any],
    fs_group: int | None,
    memory_bytes: int,
    made_at: float,
) -> MountPoint:
    """How a volume stands at a path.

    Args:
        place: Where.
        mount: What the kubelet mounted.
        volume: The volume of the pod spec; empty when unknown.
        fs_group: Of the pod's security context.
        memory_bytes: Size of a tmpfs without a limit of its own.
        made_at: Unix seconds of its set-up.
    """
    empty = volume.get("emptyDir") or {}
    in_memory = bool({"secret", "projected", "downwardAPI"} & set(volume))
    in_memory = in_memory or empty.get("medium") == "Memory"
    root = _root(mount, volume, in_memory, fs_group, made_at)
    if not in_memory:
        return MountPoint(place, DISK, "ext4", DISK_OPTIONS, mount.read_only, None, root, mount)
    size = memory_bytes
    if empty.get("sizeLimit"):
        size = min(size, int(parse(str(empty["sizeLimit"]))))
    options = f"relatime,size={size // 1024}k,noswap"
    return MountPoint(place, "tmpfs", "tmpfs", options, mount.read_only, size, root, mount)


def _root(
    mount: Mount, volume: Mapping[str, Any], in_memory: bool, fs_group: int | None, made_at: float
) -> Inode:
    shared = mount.kind == "files" or "emptyDir" in volume
    mode = 0o777 if shared else 0o755
    root = folder(mode | (0o1000 if in_memory else 0), mtime=made_at)
    if fs_group is not None and ("hostPath" not in volume):
        mode = root.mode | _FOLDER_MASK
        root = root._replace(gid=fs_group, mode=mode & ~0o1000 | (root.mode & 0o1000))
    if in_memory:
        root = root._replace(shown_bytes=40, on_disk=False)
    return root


def modes_of(volume: Mapping[str, Any], fs_group: int | None) -> tuple[int, dict[str, int]]:
    """The default mode of the files of a volume, and the modes of single ones by path."""
    for field in ("configMap", "secret", "downwardAPI", "projected"):
        if field in volume:
            source = volume[field]
            break
    else:
        return 0o644, {}
    found: dict[str, int] = {}
    for part in (source, *_projected(source)):
        for item in part.get("items") or ():
            if item.get("mode") is not None:
                found[item["path"]] = int(item["mode"])
        if "expirationSeconds" in part and fs_group is not None:
            found[part["path"]] = 0o600
    return int(source.get("defaultMode") or 0o644), found


def _projected(source: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        {"items": part.get("items"), **part}
        for wrapper in source.get("sources") or ()
        for part in wrapper.values()
    ]


def files_tree(
    point: MountPoint, volume: Mapping[str, Any], fs_group: int | None
) -> dict[str, Inode]:
    """Relative path -> inode of a volume that the kubelet fills; `` is its root."""
    mount, root = point.mount, point.root
    if mount is None or root is None:
        return {}
    on_disk = root.on_disk
    default, single = modes_of(volume, fs_group)
    when = datetime.fromtimestamp(root.mtime, UTC)
    nanos = crc32(repr((mount.volume, sorted(mount.files.items()))).encode(errors="replace"))
    data = f"..{when:%Y_%m_%d_%H_%M_%S}.{nanos}"
    made = folder(0o755, mtime=root.mtime)
    if fs_group is not None:
        made = made._replace(gid=fs_group, mode=made.mode | _SETGID | 0o070)
    tree = {data: made, "..data": link(data, root.mtime)}
    for path, text in mount.files.items():
        top = path.partition("/")[0]
        tree.setdefault(top, link(f"..data/{top}", root.mtime))
        for parent in _parents(path):
            tree.setdefault(f"{data}/{parent}", made)
        mode, gid = single.get(path, default), 0
        if fs_group is not None:
            mode, gid = mode | _READ_ONLY_MASK, fs_group
        tree[f"{data}/{path}"] = Inode(FILE, text, mode, 0, gid, root.mtime)
    tree[""] = root
    return {path: _counted(tree, path, inode, on_disk) for path, inode in tree.items()}


def _parents(path: str) -> list[str]:
    found = []
    while path := posixpath.dirname(path):
        found.append(path)
    return found[::-1]


def _counted(tree: Mapping[str, Inode], path: str, inode: Inode, on_disk: bool) -> Inode:
    if inode.kind != FOLDER:
        return inode
    inside = [
        other for name, other in tree.items() if name and posixpath.dirname(name) == path != name
    ]
    links = 2 + sum(other.kind == FOLDER for other in inside)
    if on_disk:
        return inode._replace(links=links)
    return inode._replace(links=links, shown_bytes=40 + 20 * len(inside), on_disk=False)


def owned(inode: Inode, fs_group: int | None) -> Inode:
    """What a file of a volume looks like once the kubelet has set the volume's ownership."""
    if fs_group is None or inode.kind == "link":
        return inode
    mask = _FOLDER_MASK if inode.kind == FOLDER else _READ_WRITE_MASK
    return inode._replace(gid=fs_group, mode=inode.mode | mask)

"""What stands where in a container: image, volumes, kernel and what was written, as one tree."""

from __future__ import annotations

import posixpath
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_regex.budget import spend

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.runtime import folder_of_host
from sregym_cluster_embedded.userland.etc import ETC
from sregym_cluster_embedded.userland.files.elsewhere import ProcFileOwner
from sregym_cluster_embedded.userland.files.inode import (
    FILE,
    FOLDER,
    LINK,
    Inode,
    LoopError,
    folder,
)
from sregym_cluster_embedded.userland.files.kernel import kernel_inode, kernel_paths
from sregym_cluster_embedded.userland.files.volumes import MountPoint, owned
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef, Mount
    from sregym_cluster_embedded.userland.files.container import Container
    from sregym_cluster_embedded.userland.filesystem import Files

LAYERS: TableKey[ContainerRef, dict[str, Inode | None]] = TableKey("userland.layers")
VOLUMES: TableKey[str, dict[str, Inode | None]] = TableKey("userland.volumes")
_LINKS_FOLLOWED = 40
_KERNEL = ("/proc", "/sys", "/dev")
_NOTHING: Mapping[str, Inode | None] = MappingProxyType({})
# What the kubelet mounts over files of the image, and the mode it gives them.
_ETC_MODES = {"/dev/termination-log": 0o666}

# What it takes to make up a file of the kernel.
_KERNEL_STEPS = 60


class View:
    """Looks at one container's files, without asking who may; paths are absolute.

    Args:
        container: The container that is meant.

    Attributes:
        elsewhere: What is seen of others' files through their processes.
    """

    def __init__(self, container: Container) -> None:
        self.container = container
        self._world = container.world
        self._ref = container.config.ref
        self._image = container.known.files
        self._host: Files | None = None
        # The folders above what is in a layer, with that layer.
        self._touched_by: tuple[Mapping[str, Inode | None] | None, set[str]] = (None, set())
        self.elsewhere = ProcFileOwner(container)

    def look_anew(self) -> None:
        """Another command begins: what is looked at from now on may have changed."""
        self.container.look_anew()
        self._host = None
        self.elsewhere.look_anew()

    def read(self, path: str) -> str | None:
        """Content of a file, or None when there is none."""
        content = self._content(path)
        if content is not None:
            return content
        if self._is_image_folder(path):
            return None
        inode = self.stat(path)
        return inode.text if inode is not None and inode.kind == FILE else None

    def stat(self, path: str, *, follow: bool = True) -> Inode | None:
        """What stands at a path, or None; `follow` says whether a last link is followed."""
        try:
            return self._inode(self.resolve(path, follow=follow))
        except LoopError:
            return None

    def listing(self, path: str) -> list[str] | None:
        """Names in a folder, sorted; None when there is no such folder."""
        place = self.resolve(path)
        inode = self._inode(place)
        if inode is None or inode.kind != FOLDER:
            return None
        return sorted(self._names(place))

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands at the path."""
        inode = self.stat(path)
        return inode is not None and inode.kind == FOLDER

    def storage(self, path: str) -> str:
        """Identity of what keeps a folder: its volume, or this life of the container."""
        if (elsewhere := self.elsewhere.of(path)) is not None:
            return elsewhere[0].storage(elsewhere[1])
        point = self.mount_of(path)
        if point is None or point.mount is None or point.mount.kind == "files":
            return f"layer of {self._ref.pod_uid} {self._ref.name} {self._ref.attempt}"
        return f"{point.mount.volume}:{self._inner(point, path)}"

    def resolve(self, path: str, *, follow: bool = True) -> str:
        """The path without links in it.

        Raises:
            LoopError: Links lead to each other.
        """
        parts = [part for part in path.split("/") if part]
        place, followed = "", 0
        while parts:
            part = parts.pop(0)
            if part == "..":
                place = posixpath.dirname(place).rstrip("/")
                continue
            here = f"{place}/{part}"
            led = self.elsewhere.led(here)
            if led is not None and (parts or follow):
                other, begin = led
                inner = other.resolve(posixpath.join(begin, *parts), follow=follow)
                # Its own root has a slash at the end; without one it is the link.
                return f"{here.rpartition('/')[0]}/root{inner}"
            inode = self._link(here) if parts or follow else None
            if inode is None:
                place = here
                continue
            followed += 1
            if followed > _LINKS_FOLLOWED:
                raise LoopError(path)
            if inode.content.startswith("/"):
                place = ""
            parts = [word for word in inode.content.split("/") if word not in ("", ".")] + parts
        return place or "/"

    def mount_of(self, path: str) -> MountPoint | None:
        """The volume that holds a path; None for the container's own layer."""
        if (elsewhere := self.elsewhere.of(path)) is not None:
            return elsewhere[0].mount_of(elsewhere[1])
        # The volumes themselves are looked at only when one of them holds the path.
        if self._mount_place(path) is None:
            return None
        for place, point in self.container.points.items():
            if path == place or path.startswith(place.rstrip("/") + "/"):
                return point
        return None

    def _mount_place(self, path: str) -> tuple[str, Mount] | None:
        """Where the volume that holds a path is mounted, and what of it; the volume unseen."""
        best: tuple[str, Mount] | None = None
        for place, mount in self.container.config.mounts.items():
            bare = place.rstrip("/")
            holds = path.startswith(bare) and (path == bare or path[len(bare)] == "/")
            if holds and (best is None or len(bare) > len(best[0])):
                best = (bare or "/", mount)
        return best

    def stored(self, point: MountPoint | None) -> Mapping[str, Inode | None]:
        """What was written to a volume, or to the container's own layer."""
        if point is None or point.mount is None:
            found: Mapping[str, Inode | None] = self._world.table(LAYERS).get(self._ref, _NOTHING)
            return found
        beneath = self._beneath(point, "")
        if beneath is not None:
            host, base = beneath
            prefix = base.rstrip("/") + "/"
            return {
                path.removeprefix(prefix): inode
                for path, inode in host.stored(None).items()
                if path.startswith(prefix)
            }
        kept: Mapping[str, Inode | None] = self._world.table(VOLUMES).get(point.mount.volume, {})
        return kept

    def _beneath(self, point: MountPoint, inner: str) -> tuple[Files, str] | None:
        """The files of the node, and the path there of a path in a volume that is a folder of it."""
        found = None if point.mount is None else folder_of_host(point.mount.volume)
        if found is None:
            return None
        node, base = found
        if self._host is None:
            self._host = self._world.service(RUNTIME).host_files(self._world, node)
        host: Files = self._host
        return host, posixpath.join(host.resolve(base), inner)

    def _content(self, path: str) -> str | None:
        """Content of a file whose path has no links: the short way for programs."""
        held = self._mount_place(path)
        if held is None:
            layer = self.stored(None)
            if path in layer:
                inode = layer[path]
                return inode.text if inode is not None and inode.kind == FILE else None
            return self.container.etc[path] if path in ETC else self._image.get(path)
        place, mount = held
        if mount.kind == "files":
            inner = _inner_path(place, mount, path)
            return mount.files.get(inner, mount.files.get("") if mount.sub_path else None)
        return None

    def _is_image_folder(self, path: str) -> bool:
        """Whether a folder of the image stands at a path, as far as that is known at once."""
        inode = self.container.known.tree.get(path)
        if inode is None or inode.kind != FOLDER or path in self.stored(None):
            return False
        return self.mount_of(path) is None

    def _link(self, place: str) -> Inode | None:
        inode = self._inode(place)
        return inode if inode is not None and inode.kind == LINK else None

    def _inode(self, place: str) -> Inode | None:
        if (elsewhere := self.elsewhere.of(place)) is not None:
            return elsewhere[0]._inode(elsewhere[1])
        point = self.mount_of(place)
        if point is not None:
            return self._mounted(point, place)
        layer = self.stored(None)
        if place in layer:
            return layer[place]
        etc = self.container.etc
        if place in etc:
            mode = _ETC_MODES.get(place, 0o644)
            return Inode(FILE, etc[place], mode, mtime=self.container.began)
        if place.startswith(_KERNEL):
            spend(_KERNEL_STEPS)
            found = kernel_inode(self.container, place)
            if found is not None:
                return found
        inode = self.container.known.tree.get(place)
        if inode is None and (kept := self._kept(place)) is not None:
            return kept
        if inode is not None and inode.kind == FOLDER and place in self._touched:
            return inode._replace(links=1, mtime=self.container.began)
        if inode is None and place in self._touched:
            names = {name for name in self._touched if posixpath.dirname(name) == place}
            names |= {name for name in self.container.points if posixpath.dirname(name) == place}
            return folder(mtime=self.container.began)._replace(links=2 + len(names))
        return inode

    @property
    def _touched(self) -> set[str]:
        """Folders of the image that also stand in the writable layer; a layer is never changed in place."""
        layer = self.stored(None)
        if self._touched_by[0] is layer:
            return self._touched_by[1]
        found: set[str] = set()
        spend(len(layer) << 2)
        for path in (*self.container.points, *self.container.etc, *layer):
            above = posixpath.dirname(path)
            while above not in found:
                found.add(above)
                above = posixpath.dirname(above)
        self._touched_by = layer, found
        return found

    def _mounted(self, point: MountPoint, place: str) -> Inode | None:
        mount, root = point.mount, point.root
        if mount is None or root is None:
            return None
        inner = self._inner(point, place)
        if mount.kind == "files":
            tree = self.container.tree_of(point)
            if mount.sub_path is not None:
                content = mount.files.get(inner, mount.files.get("") if inner == "" else None)
                if content is not None:
                    held = tree.get(f"{tree['..data'].content}/{inner}")
                    return held or Inode(FILE, content, mtime=root.mtime)
            return tree.get(inner)
        beneath = self._beneath(point, inner)
        if beneath is not None:
            host, path = beneath
            own = None if path in host.stored(None) else self._kept(place)
            return own or host.stat(path, follow=False) or (root if inner == "" else None)
        stored = self.stored(point)
        if inner in stored:
            return stored[inner]
        if inner == "" or (inner == mount.sub_path and inner not in mount.files):
            return self._root_of_volume(point, inner)
        kept = self._kept(place)
        if kept is not None:
            return kept
        if inner in mount.files:
            return owned(Inode(FILE, mount.files[inner], mtime=root.mtime), self.container.fs_group)
        if any(name.startswith(f"{inner}/") for name in mount.files):
            return root
        return None

    def _root_of_volume(self, point: MountPoint, inner: str) -> Inode:
        root = point.root or folder()
        names = self._names_in(point, inner)
        subfolders = sum(
            child is not None and child.kind == FOLDER
            for child in (self._mounted(point, f"{point.place}/{name}") for name in names)
        )
        size = root.shown_bytes if root.on_disk else 40 + 20 * len(names)
        return root._replace(links=2 + subfolders, shown_bytes=size)

    def _inner(self, point: MountPoint, path: str) -> str:
        return _inner_path(point.place, point.mount, path)

    def _kept(self, place: str) -> Inode | None:
        """What the container's own server keeps at a path, where nothing was written."""
        base, files = self.container.kept
        return files.get(place) if base and place.startswith(base) else None

    def _names_kept(self, place: str) -> list[str]:
        base, files = self.container.kept
        prefix = place.rstrip("/") + "/"
        if not base or not (place.startswith(base) or base.startswith(prefix)):
            return []
        names = (path[len(prefix) :] for path in files if path.startswith(prefix))
        point = self.mount_of(place)
        stored = self.stored(point)
        inner = "" if point is None else self._inner(point, place)
        head = prefix if point is None else f"{inner}/" if inner else ""
        return [name for name in names if "/" not in name and f"{head}{name}" not in stored]

    def _names(self, place: str) -> list[str]:
        if (elsewhere := self.elsewhere.of(place)) is not None:
            return elsewhere[0]._names(elsewhere[1])
        point = self.mount_of(place)
        if point is not None:
            found = self._names_in(point, self._inner(point, place))
        else:
            found = self._own_names(place)
        found = [*found, *self._names_kept(place)]
        prefix = place.rstrip("/") + "/"
        for other in self.container.points:
            if other.startswith(prefix):
                found.append(other[len(prefix) :].split("/", 1)[0])
        return list(dict.fromkeys(name for name in found if name))

    def _names_in(self, point: MountPoint, inner: str) -> list[str]:
        mount = point.mount
        if mount is None:
            return []
        beneath = self._beneath(point, inner)
        if beneath is not None:
            host, path = beneath
            return host.listing(path) or []
        prefix = f"{inner}/" if inner else ""
        if mount.kind == "files":
            paths = list(self.container.tree_of(point))
        else:
            stored = self.stored(point)
            paths = [*(path for path in mount.files if path not in stored)]
            paths += [path for path, inode in stored.items() if inode is not None]
        return [
            path[len(prefix) :].split("/", 1)[0]
            for path in paths
            if path.startswith(prefix) and path != inner
        ]

    def _own_names(self, place: str) -> list[str]:
        prefix = place.rstrip("/") + "/"
        layer = self.stored(None)
        paths = [path for path in self.container.known.tree if path not in layer]
        paths += [path for path, inode in layer.items() if inode is not None]
        paths += list(self.container.etc)
        if place.startswith(_KERNEL):
            paths += kernel_paths(self.container)
        return [path[len(prefix) :].split("/", 1)[0] for path in paths if path.startswith(prefix)]


def _inner_path(place: str, mount: Mount | None, path: str) -> str:
    """A path inside the volume that is mounted at `place` and holds it."""
    inner = path[len(place) :].strip("/")
    sub_path = mount.sub_path if mount is not None else None
    return posixpath.join(sub_path, inner).strip("/") if sub_path else inner

"""The files a container sees: its image, what is mounted over it, and what it wrote itself."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.files.capacity import require_space
from sregym_cluster_embedded.userland.files.datafiles import note_change
from sregym_cluster_embedded.userland.files.inode import (
    DEVICE,
    FILE,
    FOLDER,
    LINK,
    BusyError,
    DeniedError,
    ExistsError,
    FileError,
    Inode,
    IsFolderError,
    MissingError,
    NameTooLongError,
    NotEmptyError,
    NotFolderError,
    NotPermittedError,
    ReadOnlyError,
    folder,
)
from sregym_cluster_embedded.userland.files.io_faults import demand_readable, demand_writable
from sregym_cluster_embedded.userland.files.view import LAYERS, VOLUMES, View
from sregym_cluster_embedded.userland.space import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.files.volumes import MountPoint

__all__ = ["FileError", "Files", "ReadOnlyError"]

_READ, _WRITE, _SEARCH = 4, 2, 1

# Limits of Linux, in characters.
_LONGEST_PATH, _LONGEST_NAME = 4095, 255
# A table is copied when it changes: so many entries (as a power of two) in a step.
_COPIED_PER_STEP = 4


class Files(View):
    """A view of one container's files at the moment of use, with the rights of its user.

    Attributes:
        charge: Told of bytes that a write is about to hold in memory; None: not counted.
    """

    charge: Callable[[int], None] | None = None
    _pipes: dict[str, str] | None = None

    def pipe(self, text: str) -> str:
        """A pipe out of which a command reads a text, for this command line; its path."""
        pipes = {} if self._pipes is None else self._pipes
        path = f"/dev/fd/{63 - len(pipes)}"
        self._pipes = {**pipes, path: text}
        return path

    def open(self, path: str) -> Inode:
        """A file that the user reads.

        Raises:
            FileError: There is none, or it may not be read.
        """
        if self._pipes is not None and path in self._pipes:
            return Inode(FILE, content=self._pipes[path], mode=0o600)
        place = self._searched(path)
        inode = self._inode(place)
        if inode is None:
            raise MissingError(path)
        if inode.kind == FOLDER:
            raise IsFolderError(path)
        self._demand(inode, _READ, path)
        if inode.kind == FILE:
            demand_readable(self.container, place, self.storage(place), inode.size)
        return inode

    def names(self, path: str) -> list[str]:
        """Names in a folder that the user lists.

        Raises:
            FileError: There is no folder, or it may not be read.
        """
        place = self._searched(path)
        inode = self._inode(place)
        if inode is None:
            raise MissingError(path)
        if inode.kind != FOLDER:
            raise NotFolderError(path)
        self._demand(inode, _READ, path)
        return sorted(self._names(place))

    def write(self, path: str, content: str | None, *, zeros: int = 0) -> None:
        """Set the content of a file, or remove what stands there with None.

        Raises:
            FileError: It cannot be written: read-only, no right, no room, no such folder.
        """
        if content is None:
            self.remove(path)
            return
        allocate(len(content))
        spend(20)
        place = self._searched(path)
        present = self._inode(place)
        if present is not None and present.kind == DEVICE:
            if place == "/dev/full" and (content or zeros):
                require_space(self, place, -1)
            return
        if present is not None and present.kind == FOLDER:
            raise IsFolderError(path)
        self._demand_writable(place, path)
        if present is not None:
            self._demand(present, _WRITE, path)
            inode = present._replace(content=content, zeros=zeros, mtime=self.now, shown_bytes=-1)
        else:
            inode = self._made(FILE, place, path, 0o644)._replace(content=content, zeros=zeros)
        added = inode.size - (present.size if present is not None else 0)
        require_space(self, place, added)
        demand_writable(self.container, place, added)
        self._keep(place, inode)

    def make_folder(self, path: str, *, parents: bool = False, mode: int = 0o755) -> None:
        """Make a folder.

        Raises:
            FileError: It stands there already (unless `parents`), or cannot be made.
        """
        place = self._searched(path)
        present = self._inode(place)
        if present is not None:
            if parents and present.kind == FOLDER:
                return
            raise ExistsError(path)
        above = posixpath.dirname(place)
        if parents and self._inode(above) is None:
            self.make_folder(above, parents=True)
        self._demand_writable(place, path)
        self._keep(place, self._made(FOLDER, place, path, mode))

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link.

        Raises:
            FileError: It cannot be made.
        """
        place = self._searched(path, follow=False)
        if self._inode(place) is not None:
            raise ExistsError(path)
        self._demand_writable(place, path)
        self._keep(place, self._made(LINK, place, path, 0o777)._replace(content=target))

    def put(self, path: str, inode: Inode) -> None:
        """Let an inode stand at a path as it is, with the folders above it: copies, archives.

        Raises:
            FileError: It cannot be written.
        """
        place = self._searched(path, follow=False)
        above = posixpath.dirname(place)
        if self._inode(above) is None:
            self.make_folder(above, parents=True)
        present = self._inode(place)
        self._demand_writable(place, path)
        made = self._made(inode.kind, place, path, inode.mode)
        if present is not None and present.kind == FOLDER and inode.kind == FOLDER:
            return
        require_space(self, place, inode.size)
        demand_writable(self.container, place, inode.size)
        fresh = made._replace(content=inode.content, zeros=inode.zeros, mtime=inode.mtime)
        if self.container.credentials.uid == 0:
            fresh = fresh._replace(uid=inode.uid, gid=inode.gid)
        self._keep(place, fresh)

    def change(self, path: str, **fields: int | float) -> None:
        """Change mode, owner or time of what stands there.

        Raises:
            FileError: There is nothing, or the user may not.
        """
        place = self._searched(path)
        inode = self._inode(place)
        if inode is None:
            raise MissingError(path)
        self._demand_writable(place, path)
        rights = self.container.credentials
        allowed = rights.owns(inode)
        if fields.get("uid", inode.uid) != inode.uid:
            allowed = rights.has("CHOWN")
        elif fields.get("gid", inode.gid) != inode.gid:
            allowed = rights.has("CHOWN") or (allowed and fields["gid"] in rights.groups)
        if not allowed:
            raise NotPermittedError(path)
        self._keep(place, inode._replace(**fields))  # type: ignore[arg-type]  # by field name

    def remove(self, path: str, *, recursive: bool = True) -> None:
        """Remove what stands at a path; a link is not followed.

        Raises:
            FileError: There is nothing, it is not empty (unless `recursive`), or may not go.
        """
        place = self._searched(path, follow=False)
        inode = self._inode(place)
        if inode is None:
            raise MissingError(path)
        if place in self.container.points or place in self.container.etc or place == "/":
            raise BusyError(path)
        self._demand_writable(place, path)
        above = self._inode(posixpath.dirname(place)) or folder()
        self._demand(above, _WRITE | _SEARCH, path)
        rights = self.container.credentials
        if above.mode & 0o1000 and not (rights.owns(inode) or rights.owns(above)):
            raise NotPermittedError(path)
        if inode.kind == FOLDER:
            names = self._names(place)
            if names and not recursive:
                raise NotEmptyError(path)
            for name in names:
                self.remove(f"{place.rstrip('/')}/{name}")
        self._keep(place, None)

    @property
    def now(self) -> float:
        """Unix seconds."""
        return machines.clock(self._world, self.container.config.node)

    # Who may, and where to.

    def _searched(self, path: str, *, follow: bool = True) -> str:
        deep = path.count("/")
        spend(2 + deep + (deep * deep >> 4))
        if len(path) > _LONGEST_PATH or max(map(len, path.split("/"))) > _LONGEST_NAME:
            raise NameTooLongError(path)
        place = self.resolve(path, follow=follow)
        if self.container.credentials.uid == 0:
            return place
        above = posixpath.dirname(place)
        while True:
            inode = self._inode(above)
            if inode is not None and inode.kind == FOLDER:
                self._demand(inode, _SEARCH, path)
            if above == "/":
                return place
            above = posixpath.dirname(above)

    def _demand(self, inode: Inode, bits: int, path: str) -> None:
        if not self.container.credentials.may(inode, bits):
            raise DeniedError(path)

    def _demand_writable(self, place: str, path: str) -> None:
        if (elsewhere := self.elsewhere.of(place)) is not None:
            elsewhere[0]._demand_writable(elsewhere[1], path)
            return
        point = self.mount_of(place)
        if point is not None:
            if point.read_only or (point.mount is not None and point.mount.kind == "files"):
                raise ReadOnlyError(path)
            return
        if place.startswith(("/proc/", "/sys/")):
            raise ReadOnlyError(path)
        read_only = self.container.credentials.read_only_root
        if read_only and place not in self.container.etc and not place.startswith("/dev/"):
            raise ReadOnlyError(path)

    def _made(self, kind: str, place: str, path: str, mode: int) -> Inode:
        above = self._inode(posixpath.dirname(place))
        if above is None:
            raise MissingError(path)
        if above.kind != FOLDER:
            raise NotFolderError(path)
        if self._inode(place) is None:
            self._demand(above, _WRITE | _SEARCH, path)
        rights = self.container.credentials
        gid = above.gid if above.mode & 0o2000 else rights.gid
        if kind == FOLDER:
            mode |= above.mode & 0o2000
        links = 2 if kind == FOLDER else 1
        return Inode(kind, "", mode, rights.uid, gid, self.now, links=links)

    def _keep(self, place: str, inode: Inode | None) -> None:
        if (elsewhere := self.elsewhere.of(place)) is not None:
            elsewhere[0]._keep(elsewhere[1], inode)
            return
        note_change(self.container, place, inode)
        point = self.mount_of(place)
        if point is None or point.mount is None:
            kept = self._world.table(LAYERS)
            stored = kept.get(self._ref, {})
            spend(len(stored) >> _COPIED_PER_STEP)
            note(self._world, self._ref, stored.get(place), inode)
            kept[self._ref] = {**stored, place: inode}
        else:
            self._keep_mounted(point, self._inner(point, place), inode)

    def forget_removed(self, path: str) -> None:
        """A folder is filled anew: of what was removed from it on its volume nothing is known any more."""
        point = self.mount_of(path)
        if point is None or point.mount is None or self._beneath(point, "") is not None:
            return
        inner = self._inner(point, path)
        prefix = f"{inner}/" if inner else ""
        stored = self.stored(point)
        self._world.table(VOLUMES)[point.mount.volume] = {
            name: inode
            for name, inode in stored.items()
            if inode is not None or not name.startswith(prefix)
        }

    def _keep_mounted(self, point: MountPoint, inner: str, inode: Inode | None) -> None:
        beneath = self._beneath(point, inner)
        if beneath is not None:
            host, path = beneath
            host._keep(path, inode)
        elif point.mount is not None:
            volume = point.mount.volume
            if inode is not None and point.root is not None and not point.root.on_disk:
                inode = inode._replace(on_disk=inode.kind == FILE)
            kept = self._world.table(VOLUMES)
            stored = kept.get(volume, {})
            spend(len(stored) >> _COPIED_PER_STEP)
            note(self._world, volume, stored.get(inner), inode)
            kept[volume] = {**stored, inner: inode}

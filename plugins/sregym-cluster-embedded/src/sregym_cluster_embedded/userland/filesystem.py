"""The files a container sees: its image, what is mounted over it, and what it wrote itself."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef, Mount
    from sregym_cluster_embedded.world import World


class ReadOnlyError(OSError):
    """A write to something mounted read-only."""


class Files:
    """A view of one container's files at the moment of use; paths are absolute.

    Args:
        world: Where volumes and written files are kept.
        ref: The container life whose writable layer counts.
        image: Absolute path -> content of the image.
        mounts: Path -> what is mounted there.
        etc: Files that the kubelet writes: hosts, hostname, resolv.conf.
        folders: Folders that exist without files.
    """

    def __init__(
        self,
        world: World,
        ref: ContainerRef,
        image: Mapping[str, str],
        mounts: Mapping[str, Mount],
        etc: Mapping[str, str],
        folders: tuple[str, ...] = (),
    ) -> None:
        self._world = world
        self._ref = ref
        self._image = image
        self._mounts = dict(sorted(mounts.items(), key=lambda item: -len(item[0])))
        self._etc = etc
        self._folders = folders

    def read(self, path: str) -> str | None:
        """Content of a file, or None when there is none."""
        if (found := self._mount_of(path)) is not None:
            return self._read_mounted(*found)
        layer = self._layer()
        if path in layer:
            return layer[path]
        return self._etc.get(path, self._image.get(path))

    def write(self, path: str, content: str | None) -> None:
        """Set the content of a file, or remove it with None.

        Raises:
            ReadOnlyError: What is mounted there cannot be written.
        """
        found = self._mount_of(path)
        if found is None:
            self._keep("userland.layers", self._ref, path, content)
            return
        mount, inner = found
        if mount.kind == "files" or mount.read_only:
            raise ReadOnlyError(path)
        self._keep("userland.volumes", mount.volume, inner, content)

    def listing(self, folder: str) -> list[str] | None:
        """Names in a folder, sorted; None when there is no such folder."""
        prefix = "/" if folder == "/" else f"{folder}/"
        paths = self._paths()
        names = {path[len(prefix) :].split("/", 1)[0] for path in paths if path.startswith(prefix)}
        if not names and folder not in (*self._mounts, *self._folders, "/"):
            return None
        return sorted(names - {""})

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands at the path."""
        return self.read(path) is None and self.listing(path) is not None

    def storage(self, folder: str) -> str:
        """Identity of what keeps a folder: its volume, or this life of the container."""
        found = self._mount_of(folder)
        if found is None or found[0].kind == "files":
            return f"layer of {self._ref.pod_uid} {self._ref.name} {self._ref.attempt}"
        mount, inner = found
        return f"{mount.volume}:{inner}"

    def _mount_of(self, path: str) -> tuple[Mount, str] | None:
        for place, mount in self._mounts.items():
            if path == place or path.startswith(place.rstrip("/") + "/"):
                inner = path[len(place) :].strip("/")
                return mount, posixpath.join(mount.sub_path or "", inner).strip("/")
        return None

    def _read_mounted(self, mount: Mount, inner: str) -> str | None:
        if mount.kind == "files":
            return mount.files.get(inner, mount.files.get("") if mount.sub_path else None)
        content: str | None = self._world.table("userland.volumes").get(mount.volume, {}).get(inner)
        return content if content is not None else mount.files.get(inner)

    def _paths(self) -> list[str]:
        hidden = [place.rstrip("/") + "/" for place in self._mounts]
        layer = self._layer()
        own = [*self._image, *self._etc, *layer, *self._folders]
        paths = [
            path
            for path in own
            if layer.get(path, "") is not None and not any(map(path.startswith, hidden))
        ]
        for place, mount in self._mounts.items():
            paths.append(place)
            stored = self._world.table("userland.volumes").get(mount.volume, {})
            files = mount.files if mount.kind == "files" else {**mount.files, **stored}
            if mount.sub_path is not None and (mount.sub_path in files or "" in files):
                continue
            inner = f"{mount.sub_path}/" if mount.sub_path else ""
            paths.extend(
                posixpath.join(place, name[len(inner) :])
                for name, content in files.items()
                if name.startswith(inner) and content is not None
            )
        return paths

    def _layer(self) -> dict[str, str | None]:
        found: dict[str, str | None] = self._world.table("userland.layers").get(self._ref, {})
        return found

    def _keep(self, table: str, key: object, path: str, content: str | None) -> None:
        kept = self._world.table(table)
        kept[key] = {**kept.get(key, {}), path: content}

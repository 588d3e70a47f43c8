"""The files of a node: what was installed, what its kubelet made, what was written since."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.keys import STATIC_PODS
from sregym_cluster_embedded.kubelet.static_pods import FOLDER as MANIFESTS
from sregym_cluster_embedded.userland.files.inode import (
    FILE,
    DeniedError,
    Inode,
    folder,
)
from sregym_cluster_embedded.userland.files.view import LAYERS
from sregym_cluster_embedded.userland.filesystem import Files
from sregym_cluster_embedded.userland.host import audit_files, effects
from sregym_cluster_embedded.userland.host.image_folders import RUNTIME_FOLDER, image_folders
from sregym_cluster_embedded.userland.host.node import Host
from sregym_cluster_embedded.userland.host.pod_folders import PodFolders, sealed

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.credentials import Credentials
    from sregym_cluster_embedded.world import World

_MADE = ("/var/log/pods", "/var/log/containers", "/var/lib/kubelet/pods")
_SYSCTLS = "/proc/sys/"
_AUDIT = "/var/log/kubernetes"
# Folders of an installed node in which there is nothing at first.
_EMPTY = (
    MANIFESTS, "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/opt/cni/bin", "/run/containerd",
    "/etc/chrony/conf.d", "/etc/containerd/certs.d", "/var/lib/containerd", "/var/log/journal",
    "/etc/systemd/system/multi-user.target.wants", "/var/lib/etcd-backup", "/var/spool/cron/crontabs",
    "/etc/ssh/sshd_config.d", "/lib/modules", "/run/systemd", "/var/lib/kubelet/pki", "/usr/sbin",
)  # fmt: skip


class HostFiles(Files):
    """A view of a node's files at the moment of use.

    Args:
        host: The node, and who looks.
    """

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.host = host

    @cached_property
    def _pods(self) -> PodFolders:
        return PodFolders(self._world, self.host.config.node)

    @cached_property
    def _images(self) -> dict[str, Inode]:
        return image_folders(self._world, self.host.config.node, self.host.began)

    def look_anew(self) -> None:
        """Another command begins: pods and images may be others now."""
        super().look_anew()
        self.__dict__.pop("_pods", None)
        self.__dict__.pop("_images", None)

    def open(self, path: str) -> Inode:
        """A file that is read; what is for a pod alone is refused.

        Raises:
            FileError: There is none, or it may not be read.
        """
        inode = super().open(path)
        if inode.kind == FILE and sealed(self.resolve(path)):
            raise DeniedError(path)
        return inode

    def _content(self, path: str) -> str | None:
        return None

    def _is_image_folder(self, path: str) -> bool:
        return False

    def _inode(self, place: str) -> Inode | None:
        layer = self.stored(None)
        if place in layer:
            return layer[place]
        if place.startswith(_MADE):
            found = self._pods.inode(place)
            if found is not None and self.mount_of(place) is None:
                return found
        if place.startswith(f"{RUNTIME_FOLDER}/") and place in self._images:
            return self._images[place]
        if effects.hidden(self._world, self.host.config.node, place):
            return None
        if place.startswith(_AUDIT) or place == audit_files.POLICY:
            found = audit_files.inode(self._world, self.host.config.node, place)
            if found is not None:
                return found
        found = super()._inode(place)
        if found is None and any(f"{path}/".startswith(f"{place}/") for path in _EMPTY):
            return folder(mtime=self.host.began)
        return found

    def _own_names(self, place: str) -> list[str]:
        prefix = place.rstrip("/") + "/"
        node = self.host.config.node
        found = [
            name for name in super()._own_names(place)
            if not effects.hidden(self._world, node, f"{prefix}{name}")
        ]  # fmt: skip
        layer = self.stored(None)
        others = [path for path in _EMPTY if path.startswith(prefix)]
        if prefix == "/" or prefix.startswith("/var"):
            others += [path for path in self._pods.paths if path.startswith(prefix)]
        if prefix == "/" or prefix.startswith(("/var", "/etc")):
            own = audit_files.paths(self._world, node)
            others += [path for path in own if path.startswith(prefix)]
        if prefix.startswith(f"{RUNTIME_FOLDER}/"):
            others += [path for path in self._images if path.startswith(prefix)]
        found += [
            path[len(prefix) :].split("/", 1)[0] for path in others if path not in layer
        ]  # fmt: skip
        return found

    def give_back(self, place: str, inode: Inode | None, *, installed: bool) -> None:
        """Let a path be as it was, with what follows from that; `installed`: it was unchanged."""
        layers, ref = self._world.table(LAYERS), self.host.config.ref
        if installed:
            present = dict(layers.get(ref, {}))
            written = present.pop(place, None)
            layers[ref] = present
            inode = self._inode(place)
            layers[ref] = {**present, place: written}
        self._keep(place, inode)
        if installed:
            kept = dict(layers[ref])
            kept.pop(place, None)
            layers[ref] = kept

    def _demand_writable(self, place: str, path: str) -> None:
        if place.startswith(_SYSCTLS) and self._sysctl(place) is not None:
            return
        super()._demand_writable(place, path)

    def _sysctl(self, place: str) -> str | None:
        name = place.removeprefix(_SYSCTLS).replace("/", ".")
        return name if self.host.machine.sysctl(name) is not None else None

    def _keep(self, place: str, inode: Inode | None) -> None:
        node = self.host.config.node
        name = self._sysctl(place) if place.startswith(_SYSCTLS) else None
        if name is not None:
            if inode is not None:
                machines.set_sysctl(self._world, node, name, inode.content.strip())
            return
        before = self.stored(None).get(place)
        super()._keep(place, inode)
        if posixpath.dirname(place) == MANIFESTS and (inode is None or inode.kind == FILE):
            content = None if inode is None else inode.content
            file = posixpath.basename(place)
            self._world.service(STATIC_PODS).write(self._world, node, file, content)
        effects.written(self._world, node, self, place, before, inode)


def host_files(world: World, node: str, rights: Credentials | None = None) -> HostFiles:
    """The files of a node, for a process with these rights."""
    return HostFiles(Host(world, node, rights))

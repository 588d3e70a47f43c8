"""One container as its processes see it: pod, node, rights, what is mounted; found when asked."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.userland.etc import etc_files
from sregym_cluster_embedded.userland.files.credentials import Credentials, credentials_of
from sregym_cluster_embedded.userland.files.datafiles import data_files
from sregym_cluster_embedded.userland.files.volumes import (
    DISK,
    DISK_OPTIONS,
    MountPoint,
    files_tree,
    volume_point,
)
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import UPDATED, process_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.userland.catalogue import Known
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.userland.files.kernel import KernelPaths
    from sregym_cluster_embedded.userland.files.tasks import Task
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_GIB = 1 << 30
_SHM = "/dev/shm"  # noqa: S108 - shared memory of the container
_SHM_BYTES = 64 << 20
# What runc mounts itself, in its order: place, source, type, options, read-only.
_RUNTIME_MOUNTS = (
    ("/proc", "proc", "proc", "nosuid,nodev,noexec,relatime", False),
    ("/dev", "tmpfs", "tmpfs", "nosuid,size=65536k,mode=755", False),
    ("/dev/pts", "devpts", "devpts", "nosuid,noexec,relatime,gid=5,mode=620,ptmxmode=666", False),
    ("/dev/mqueue", "mqueue", "mqueue", "nosuid,nodev,noexec,relatime", False),
    ("/sys", "sysfs", "sysfs", "nosuid,nodev,noexec,relatime", True),
)
_CONTROLLERS = ("cpu,cpuacct", "cpuset", "memory", "pids")


class Container:
    """What a container sees of its surroundings at the moment of use.

    Args:
        world: The cluster.
        config: What the kubelet started.
        known: Its image.

    Attributes:
        tasks: The processes that are seen, as the present command has found them.
        kernel_paths: The files of the kernel, likewise.
    """

    def __init__(self, world: World, config: ContainerConfig, known: Known) -> None:
        self.world = world
        self.config = config
        self.known = known
        self.tasks: list[Task] | None = None
        self.kernel_paths: KernelPaths | None = None

    def beside(self, process: Process) -> Container:
        """The container of another process, whose processes are seen here."""
        return Container(self.world, process.config, self.world.service(RUNTIME).known(process))

    def look_anew(self) -> None:
        """Another command begins: processes may be others now."""
        self.tasks = self.kernel_paths = None

    @cached_property
    def pod(self) -> Object:
        """The pod; of one that is gone only what the container was started with."""
        ref = self.config.ref
        found = self.world.store.get(Key("pods", ref.namespace, ref.pod))
        if found is not None and found["metadata"].get("uid", ref.pod_uid) == ref.pod_uid:
            return found
        return {"metadata": {"namespace": ref.namespace, "name": ref.pod}, "spec": {}}

    @cached_property
    def node(self) -> Object:
        """The node that it runs on; empty when there is none."""
        return self.world.store.get(Key("nodes", "", self.config.node)) or {}

    @cached_property
    def credentials(self) -> Credentials:
        """User and rights."""
        passwd = self.known.files.get("/etc/passwd", "")
        return credentials_of(self.pod["spec"], self.config.spec, self.known.image.user, passwd)

    @cached_property
    def etc(self) -> dict[str, str]:
        """The files that the kubelet mounts one by one."""
        return etc_files(self.world, self.config)

    @cached_property
    def fs_group(self) -> int | None:
        """Of the pod's security context."""
        group = (self.pod["spec"].get("securityContext") or {}).get("fsGroup")
        return None if group is None else int(group)

    @cached_property
    def began(self) -> float:
        """Unix seconds at which the container was made."""
        process = process_of(self.world, self.config.ref)
        at = self.world.now if process is None else process.started_at
        return self.world.epoch + at

    @cached_property
    def memory_bytes(self) -> int:
        """What the pod may use: its limit, or all that the node has to give."""
        limits = [
            (container.get("resources") or {}).get("limits", {}).get("memory")
            for container in self.pod["spec"].get("containers", ())
        ]
        if limits and all(limits):
            return int(sum(parse(limit) for limit in limits))
        status = self.node.get("status", {})
        text = (status.get("allocatable") or status.get("capacity") or {}).get("memory")
        return int(parse(text)) if text else 8 * _GIB

    @cached_property
    def kept(self) -> tuple[str, Mapping[str, Inode]]:
        """The folder of the datastore that runs here, and its files; empty for others."""
        return data_files(self.world, self.config.ref)

    def volume_at(self, place: str) -> Mapping[str, Any]:
        """The volume of the pod spec behind a mount path; empty when unknown."""
        names = [
            entry["name"]
            for entry in self.config.spec.get("volumeMounts", ())
            if entry["mountPath"] == place
        ]
        volumes = self.pod["spec"].get("volumes", ())
        return next((v for v in volumes if names and v["name"] == names[0]), {})

    @cached_property
    def points(self) -> dict[str, MountPoint]:
        """Path -> mounted volume, longest path first."""
        updated = self.world.table(UPDATED)
        found = {}
        for place in sorted(self.config.mounts, key=lambda path: -len(path)):
            made_at = updated.get((self.config.ref, place), self.began)
            path = place.rstrip("/") or "/"
            found[path] = volume_point(
                path,
                self.config.mounts[place],
                self.volume_at(place),
                self.fs_group,
                self.memory_bytes,
                made_at,
            )
        return found

    def tree_of(self, point: MountPoint) -> dict[str, Inode]:
        """The inodes of a volume that the kubelet fills, by relative path."""
        if point.place not in self._trees:
            volume = self.volume_at(point.place) or self.volume_at(point.place + "/")
            self._trees[point.place] = files_tree(point, volume, self.fs_group)
        return self._trees[point.place]

    @cached_property
    def _trees(self) -> dict[str, dict[str, Inode]]:
        return {}

    @cached_property
    def oom_score_adj(self) -> int:
        """How willingly the kernel kills it, by the pod's quality of service."""
        quality = self.pod.get("status", {}).get("qosClass", "BestEffort")
        if quality == "Guaranteed":
            return -997
        if quality == "BestEffort":
            return 1000
        requests = (self.config.spec.get("resources") or {}).get("requests", {})
        wanted = int(parse(requests["memory"])) if "memory" in requests else 0
        status = self.node.get("status", {})
        total = int(parse(status.get("capacity", {}).get("memory", "8Gi")))
        share = 1000 - 1000 * wanted // total
        return max(3, min(999, share))

    @property
    def shared_memory(self) -> MountPoint:
        """What stands at /dev/shm: a volume, or a tmpfs of the usual size."""
        size = f"relatime,size={_SHM_BYTES // 1024}k"
        own = MountPoint(
            _SHM, "shm", "tmpfs", f"nosuid,nodev,noexec,{size}", limit_bytes=_SHM_BYTES
        )
        return self.points.get(_SHM, own)

    def all_points(self) -> list[MountPoint]:
        """All that is mounted, as /proc/mounts lists it."""
        read_only = self.credentials.read_only_root
        layers = "lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots"
        found = [MountPoint("/", "overlay", "overlay", f"relatime,{layers}", read_only)]
        for place, source, kind, options, fixed in _RUNTIME_MOUNTS:
            fixed = fixed and not self.credentials.privileged
            found.append(MountPoint(place, source, kind, options, fixed))
        options = "nosuid,nodev,noexec,relatime"
        found.append(
            MountPoint("/sys/fs/cgroup", "tmpfs", "tmpfs", f"{options},mode=755", read_only=True)
        )
        for name in _CONTROLLERS:
            place = f"/sys/fs/cgroup/{name}"
            found.append(MountPoint(place, "cgroup", "cgroup", f"{options},{name}", read_only=True))
        own = dict(self.points)
        for path in ("/etc/hosts", "/dev/termination-log", "/etc/hostname", "/etc/resolv.conf"):
            own.setdefault(path, MountPoint(path, DISK, "ext4", DISK_OPTIONS))
        own.setdefault(_SHM, self.shared_memory)
        found.extend(own[path] for path in sorted(own))
        return found

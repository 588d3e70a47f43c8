"""A node as its own processes see it: its disk, its mounts, its kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, host_ref
from sregym_cluster_embedded.network.subsystem import host_pod
from sregym_cluster_embedded.node.addresses import pod_network
from sregym_cluster_embedded.node.system_objects import PAUSE_IMAGE
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.catalogue import Known  # noqa: TC001 - of a dataclass
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.files.credentials import Credentials, all_rights
from sregym_cluster_embedded.userland.files.volumes import MountPoint, volume_point
from sregym_cluster_embedded.userland.host import pod_folders
from sregym_cluster_embedded.userland.host.image import Facts, node_image
from sregym_cluster_embedded.userland.process import Process

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.world import World

DISK = "/dev/vda1"
_PSEUDO = (
    ("/sys", "sysfs", "sysfs", "nosuid,nodev,noexec,relatime"),
    ("/proc", "proc", "proc", "nosuid,nodev,noexec,relatime"),
    ("/dev", "udev", "devtmpfs", "nosuid,relatime,mode=755,inode64"),
    ("/dev/pts", "devpts", "devpts", "nosuid,noexec,relatime,gid=5,mode=620,ptmxmode=000"),
)
_CGROUP = ("/sys/fs/cgroup", "cgroup2", "cgroup2", "nosuid,nodev,noexec,relatime,nsdelegate")
# A machine has been up for so long when its kubelet registers its node.
_BOOT_S = 40.0
_SHM = "/dev/shm"  # noqa: S108 - the node's shared memory


class Host(Container):
    """A node, for a process on it that has these rights.

    Args:
        world: The cluster.
        node: Name of the node; a machine of the cluster.
        rights: Of the process; root's by default.
    """

    def __init__(self, world: World, node: str, rights: Credentials | None = None) -> None:
        machine = machines.machine(world, node)
        if machine is None:
            message = f"the cluster has no machine {node!r}"
            raise LookupError(message)
        address = machine.address
        spec = {"securityContext": {"privileged": True}}
        mounts = pod_folders.mounts(world, node)
        config = ContainerConfig(
            host_ref(node), "", None, None, {}, None, mounts, None, None, node, address, node, spec
        )
        super().__init__(world, config, _known(world, machine, address))
        self.rights = rights or all_rights()

    @property
    def machine(self) -> machines.Machine:
        """The machine as it is now."""
        found = machines.machine(self.world, self.config.node)
        assert found is not None, "machines do not go while somebody is logged in"
        return found

    @cached_property
    def pod(self) -> Object:
        """What pods in the network of the node are, as far as that concerns a process of it."""
        found = host_pod(self.world, self.config.node)
        nothing: Object = {"metadata": {"namespace": "", "name": self.config.node}, "spec": {}}
        return found or nothing

    @cached_property
    def credentials(self) -> Credentials:
        """User and rights."""
        return self.rights

    @cached_property
    def etc(self) -> dict[str, str]:
        """Nothing: what a kubelet writes into containers, a node has on its disk."""
        return {}

    @cached_property
    def began(self) -> float:
        """Unix seconds at which the machine was booted."""
        return booted_at(self.world, self.config.node)

    @cached_property
    def memory_bytes(self) -> int:
        """Its memory."""
        return self.machine.memory_kib * 1024

    @cached_property
    def kept(self) -> tuple[str, Mapping[str, Inode]]:
        """No server of a model runs on the node itself."""
        return "", {}

    @cached_property
    def oom_score_adj(self) -> int:
        """Of a login."""
        return 0

    @cached_property
    def points(self) -> dict[str, MountPoint]:
        """The volumes of its pods, by path, longest first."""
        found, volumes = {}, pod_folders.volumes(self.world, self.config.node)
        for path in sorted(self.config.mounts, key=lambda place: -len(place)):
            mount, volume, fs_group = volumes[path]
            found[path] = volume_point(path, mount, volume, fs_group, self.memory_bytes, self.began)
        return found

    def volume_at(self, place: str) -> Mapping[str, Any]:
        """The volume of a pod spec behind a path."""
        return pod_folders.volume_at(self.world, self.config.node, place.rstrip("/"))[1]

    def all_points(self) -> list[MountPoint]:
        """All that is mounted, as /proc/mounts lists it."""
        kib = self.machine.memory_kib
        found = [
            MountPoint(place, source, kind, options) for place, source, kind, options in _PSEUDO
        ]
        run = f"nosuid,nodev,noexec,relatime,size={kib // 10}k,mode=755,inode64"
        found.append(MountPoint("/run", "tmpfs", "tmpfs", run, limit_bytes=kib * 102))
        root = self.machine.root
        found.append(MountPoint("/", DISK, "ext4", "relatime,errors=remount-ro", root.read_only))
        found.append(self.shared_memory)
        found.append(MountPoint(*_CGROUP))
        found += [point for point in reversed(self.points.values()) if point.fstype == "tmpfs"]
        return found

    @property
    def shared_memory(self) -> MountPoint:
        """The tmpfs for memory that processes share."""
        half = self.machine.memory_kib * 512
        return MountPoint(_SHM, "tmpfs", "tmpfs", "nosuid,nodev,inode64", limit_bytes=half)


@dataclass(frozen=True)
class HostProcess(Process):
    """The first process of a node, in the form of a container's.

    Attributes:
        known: What stands on the node's disk.
    """

    known: Known = field(kw_only=True)


def host_process(
    world: World, node: str, environment: Mapping[str, str] | None = None
) -> HostProcess:
    """The first process of a node, and what a login there finds in its environment.

    Raises:
        LookupError: There is no such machine.
    """
    host = Host(world, node)
    usual = {
        **host.known.environment, "HOME": "/root", "USER": "root", "LOGNAME": "root",
        "SHELL": "/bin/bash", "LANG": "C.UTF-8",
    }  # fmt: skip
    return HostProcess(
        config=host.config,
        argv=("/sbin/init",),
        environment=dict(usual if environment is None else environment),
        working_dir="/root" if environment is None else "/",
        program="",
        settings={},
        started_at=host.began - world.epoch,
        known=host.known,
    )


def booted_at(world: World, node: str) -> float:
    """Unix seconds at which a machine was last booted."""
    past = machines.past(world, node)
    started = [
        at for (_, before), (at, after) in pairwise(past)
        if after.powered and not before.powered
    ]  # fmt: skip
    if started:
        return world.epoch + started[-1]
    obj = world.store.get(Key("nodes", "", node))
    return _made_at(world, obj) - _BOOT_S


def _made_at(world: World, obj: Object | None) -> float:
    created = (obj or {}).get("metadata", {}).get("creationTimestamp")
    return float(world.epoch) if not created else unix(created)


def unix(moment: str) -> float:
    """Unix seconds of a moment as the API writes it."""
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()


def _known(world: World, machine: machines.Machine, address: str) -> Known:
    obj = world.store.get(Key("nodes", "", machine.name)) or {}
    info = (obj.get("status") or {}).get("nodeInfo", {})
    peers = tuple((one.address, one.name) for one in machines.machines(world))
    facts = Facts(
        machine.name, address, pod_network(machine.number), peers, info.get("machineID", ""),
        info.get("osImage", "Debian GNU/Linux 12 (bookworm)"), PAUSE_IMAGE,
        certificate_authority(world), machines.of_kubeadm(world),
        machine.role == machines.CONTROL_PLANE,
    )  # fmt: skip
    return node_image(facts)

"""Storage behind volumes that a node may be unable to use: paths of its own, NFS, CSI drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Paths that other pods' volumes made, by node.
_MADE: TableKey[str, dict[str, str]] = TableKey("kubelet.host_paths")
_FOLDERS = frozenset(
    {"/", "/bin", "/boot", "/dev", "/etc", "/etc/kubernetes", "/home", "/lib", "/media", "/mnt"}
    | {"/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var"}  # noqa: S108 - the node's
    | {"/sys/fs/cgroup", "/usr/bin", "/usr/lib", "/usr/local", "/usr/share", "/var/lib"}
    | {"/var/lib/containerd", "/var/lib/kubelet", "/var/lib/kubelet/pods", "/var/log", "/var/run"}
    | {"/var/log/containers", "/var/log/pods", "/var/tmp", "/lib/modules", "/run/containerd"}  # noqa: S108
)
_FILES = frozenset(
    {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/passwd", "/etc/group"}
    | {"/etc/os-release", "/etc/machine-id", "/etc/localtime", "/etc/fstab"}
)
_SOCKETS = frozenset({"/run/containerd/containerd.sock", "/var/run/containerd/containerd.sock"})
_DEVICES = frozenset({"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/kmsg"})
_HELPER = (
    "bad option; for several filesystems (e.g. nfs, cifs) you might need a "
    "/sbin/mount.<type> helper program.\n"
)


WITH_VOLUME, WITH_POD = "volume", "pod"


class Failure(NamedTuple):
    """Why a volume cannot be used now: an event of the kubelet about its pod.

    Attributes:
        reason: Of the event; empty when nothing is said.
        message: Of the event.
        again: When it is tried again: `WITH_VOLUME`, sooner and then later and later, or
            `WITH_POD`, at the pod's next turn.
    """

    reason: str
    message: str
    again: str = WITH_VOLUME


# A volume that is not attached to the node yet: its kubelet waits without a message.
NOT_YET = Failure("", "")


def mount_failure(name: str, why: str) -> Failure:
    """A volume that could not be set up."""
    return Failure("FailedMount", f'MountVolume.SetUp failed for volume "{name}" : {why}')


def storage_failure(
    world: World, node: str, pod_uid: str, name: str, source: Object
) -> Failure | None:
    """Whether a node can use what a volume or PersistentVolume names; None when it can.

    Args:
        world: The cluster.
        node: Name of the node.
        pod_uid: Uid of the pod.
        name: Of the volume in the pod, or of the PersistentVolume.
        source: What stands in their spec.
    """
    if "hostPath" in source:
        why = _host_path(world, node, source["hostPath"])
        return mount_failure(name, why) if why else None
    if "local" in source and source.get("volumeMode") != "Block":
        why = _local(world, node, source["local"]["path"])
        text = f'MountVolume.NewMounter initialization failed for volume "{name}" : {why}'
        return Failure("FailedMount", text) if why else None
    if "nfs" in source:
        nfs = source["nfs"]
        place = f"/var/lib/kubelet/pods/{pod_uid}/volumes/kubernetes.io~nfs/{name}"
        why = (
            "mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs "
            f"{nfs['server']}:{nfs['path']} {place}\nOutput: mount: {place}: {_HELPER}"
        )
        return mount_failure(name, why)
    if "csi" in source:
        return _csi(world, node, name, source)
    return None


def _host_path(world: World, node: str, host_path: Object) -> str:
    path, kind = host_path["path"].rstrip("/") or "/", host_path.get("type") or ""
    made = world.table(_MADE)
    known: dict[str, str] = made.get(node, {})
    found = known.get(path) or _kind_of(path)
    if kind in ("", "DirectoryOrCreate", "FileOrCreate"):
        wanted = "File" if kind == "FileOrCreate" else "Directory"
        if not found:
            made[node] = {**known, path: wanted}
        elif kind and found != wanted:
            return _wrong(path, wanted)
        return ""
    return "" if found == kind else _wrong(path, kind)


def _local(world: World, node: str, path: str) -> str:
    """Why a path of the node is no local volume; empty when it is one."""
    path = path.rstrip("/") or "/"
    found = world.table(_MADE).get(node, {}).get(path) or _kind_of(path)
    if not found:
        return f'path "{path}" does not exist'
    return "" if found == "Directory" else "only directory and block device are supported"


def _kind_of(path: str) -> str:
    for kind, paths in (
        ("Directory", _FOLDERS),
        ("File", _FILES),
        ("Socket", _SOCKETS),
        ("CharDevice", _DEVICES),
    ):
        if path in paths:
            return kind
    return ""


def _wrong(path: str, kind: str) -> str:
    words = {
        "Directory": "a directory",
        "File": "a file",
        "Socket": "a socket file",
        "CharDevice": "a character device",
        "BlockDevice": "a block device",
    }
    return f"hostPath type check failed: {path} is not {words[kind]}"


def _csi(world: World, node: str, name: str, source: Object) -> Failure | None:
    csi = source["csi"]
    driver = csi["driver"]
    known = drivers.registered(world, node, driver) is not None
    known = known and drivers.running(world, driver) is not None
    unknown = f"driver name {driver} not found in the list of registered CSI drivers"
    if "volumeHandle" in csi:
        volume = {"spec": source}
        if drivers.needs_attachment(world, driver) and not drivers.is_attached(world, volume, node):
            return NOT_YET
        if known:
            return None
        why = "kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: "
        text = f'MountVolume.MountDevice failed for volume "{name}" : {why}{unknown}'
        return Failure("FailedMount", text)
    declared = world.store.get(Key(drivers.CSI_DRIVERS, "", driver))
    if declared is None or "Ephemeral" not in declared["spec"].get("volumeLifecycleModes", ()):
        missing = "no CSIDriver object" if declared is None else 'only supports ["Persistent"]'
        why = f'volume mode "Ephemeral" not supported by driver {driver} ({missing})'
        message = f'MountVolume.NewMounter initialization failed for volume "{name}" : {why}'
        return Failure("FailedMount", message)
    if known:
        return None
    why = "kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: "
    return mount_failure(name, f"{why}{unknown}")

"""Who a process is: user, groups and capabilities, from security contexts and image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.userland.files.inode import Inode

# In the order of their numbers in <linux/capability.h>.
_NAMES = (
    *("CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"),
    *("SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW"),
    *("IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE"),
    *("SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME"),
    *("SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP"),
    *("MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ"),
    *("PERFMON", "BPF", "CHECKPOINT_RESTORE"),
)
_DEFAULT = 0xA80425FB
_ALL = (1 << len(_NAMES)) - 1
_READ, _WRITE, _EXECUTE = 4, 2, 1


@dataclass(frozen=True)
class Credentials:
    """User and rights of the processes of one container.

    Attributes:
        uid: User.
        gid: Primary group.
        groups: All groups, the primary one among them, sorted.
        bounding: Capabilities that a process could have.
        effective: Capabilities that are in force.
        no_new_privileges: Whether `allowPrivilegeEscalation` is false.
        privileged: Whether the container is.
        read_only_root: Whether the root file system is.
    """

    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = (0,)
    bounding: int = _DEFAULT
    effective: int = _DEFAULT
    no_new_privileges: bool = False
    privileged: bool = False
    read_only_root: bool = False

    def has(self, capability: str) -> bool:
        """Whether a capability is in force, by its name without `CAP_`."""
        return bool(self.effective >> _NAMES.index(capability) & 1)

    @property
    def may_look_at_others(self) -> bool:
        """Whether it gets at the files of other users' processes: the kernel asks for ptrace."""
        return self.uid == 0 or self.has("SYS_PTRACE")

    def may(self, inode: Inode, bits: int) -> bool:
        """Whether `bits` (4 read, 2 write, 1 execute) are granted by mode or capability."""
        if self.has("DAC_OVERRIDE") and (bits != _EXECUTE or inode.kind == "folder"):
            return True
        shift = 6 if inode.uid == self.uid else 3 if inode.gid in self.groups else 0
        return inode.mode >> shift & bits == bits

    def owns(self, inode: Inode) -> bool:
        """Whether its mode may be changed."""
        return inode.uid == self.uid or self.has("FOWNER")


def credentials_of(
    pod_spec: Mapping[str, Any], container: Mapping[str, Any], image_user: str, passwd: str
) -> Credentials:
    """What the security contexts of pod and container and the image's user make together."""
    whole = pod_spec.get("securityContext") or {}
    own = container.get("securityContext") or {}
    if not whole and not own:
        return _unasked(image_user, passwd)
    uid, gid = _image_user(image_user, passwd)
    merged = {**whole, **own}
    if merged.get("runAsUser") is not None:
        uid = int(merged["runAsUser"])
        gid = _group_of(uid, passwd)
    if merged.get("runAsGroup") is not None:
        gid = int(merged["runAsGroup"])
    groups = {gid, *map(int, whole.get("supplementalGroups") or ())}
    if whole.get("fsGroup") is not None:
        groups.add(int(whole["fsGroup"]))
    privileged = bool(own.get("privileged"))
    bounding = _ALL if privileged else _bounding(own.get("capabilities") or {})
    return Credentials(
        uid=uid,
        gid=gid,
        groups=tuple(sorted(groups)),
        bounding=bounding,
        effective=bounding if uid == 0 else 0,
        no_new_privileges=own.get("allowPrivilegeEscalation") is False,
        privileged=privileged,
        read_only_root=bool(own.get("readOnlyRootFilesystem")),
    )


def all_rights() -> Credentials:
    """Those of root on a node."""
    return Credentials(bounding=_ALL, effective=_ALL, privileged=True)


@lru_cache(maxsize=256)
def _unasked(image_user: str, passwd: str) -> Credentials:
    """Those of a container without a security context: most are."""
    uid, gid = _image_user(image_user, passwd)
    return Credentials(uid=uid, gid=gid, groups=(gid,), effective=_DEFAULT if uid == 0 else 0)


def name_of(number: int, table: str) -> str:
    """The name of a user or group in the text of /etc/passwd or /etc/group; empty for none."""
    for line in table.splitlines():
        parts = line.split(":")
        if len(parts) > 2 and parts[2] == str(number):
            return parts[0]
    return ""


def number_of(name: str, table: str) -> int | None:
    """The number of a user or group, which may be given as a number; None when unknown."""
    for line in table.splitlines():
        parts = line.split(":")
        if len(parts) > 2 and parts[0] == name:
            return int(parts[2])
    return int(name) if name.isdecimal() else None


@lru_cache(maxsize=256)
def home_of(uid: int, passwd: str) -> str:
    """The home folder that a runtime puts into HOME; `/` for a user that is not known."""
    for line in passwd.splitlines():
        parts = line.split(":")
        if len(parts) > 5 and parts[2] == str(uid):
            return parts[5]
    return "/"


def _image_user(user: str, passwd: str) -> tuple[int, int]:
    name, _, group = user.partition(":")
    uid = number_of(name, passwd)
    if uid is None:
        return 0, 0
    return uid, int(group) if group.isdecimal() else _group_of(uid, passwd)


def _group_of(uid: int, passwd: str) -> int:
    for line in passwd.splitlines():
        parts = line.split(":")
        if len(parts) > 3 and parts[2] == str(uid):
            return int(parts[3])
    return 0


def _bounding(capabilities: Mapping[str, Any]) -> int:
    bits = _DEFAULT
    added = [name.removeprefix("CAP_").upper() for name in capabilities.get("add") or ()]
    dropped = [name.removeprefix("CAP_").upper() for name in capabilities.get("drop") or ()]
    if "ALL" in added:
        bits = _ALL
    if "ALL" in dropped:
        bits = 0
    for name in dropped:
        if name in _NAMES:
            bits &= ~(1 << _NAMES.index(name))
    for name in added:
        if name in _NAMES:
            bits |= 1 << _NAMES.index(name)
    return bits

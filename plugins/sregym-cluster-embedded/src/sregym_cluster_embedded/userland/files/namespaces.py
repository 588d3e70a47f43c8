"""The namespaces of processes, as the links below /proc/PID/ns name them."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_cluster_embedded.machines import HOST
from sregym_cluster_embedded.userland.files.tasks import owner_of_processes

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.container import Container

# Those that the kernel starts with, in which a node's own processes are.
_INITIAL = {
    "cgroup": 4026531835, "ipc": 4026531839, "mnt": 4026531841, "net": 4026531840,
    "pid": 4026531836, "time": 4026531834, "user": 4026531837, "uts": 4026531838,
}  # fmt: skip
NAMESPACES = tuple(_INITIAL)
_FIRST, _MANY = 4026532128, 60_000
# The field of a pod that puts it into those of its node.
_OF_NODE = {"ipc": "hostIPC", "net": "hostNetwork", "pid": "hostPID", "uts": "hostNetwork"}


def namespace(container: Container, name: str) -> str:
    """What the link of a namespace reads; the same for all that are in it."""
    ref, spec = container.config.ref, container.pod["spec"]
    if ref.pod_uid.startswith(HOST) or name in ("time", "user") or spec.get(_OF_NODE.get(name, "")):
        return f"{name}:[{_INITIAL[name]}]"
    whose = ref.pod_uid
    if name == "pid":
        whose += owner_of_processes(container)
    elif name in ("cgroup", "mnt"):
        whose += f"{ref.name} {ref.attempt}"
    digest = blake2b(f"{name} {whose}".encode(), digest_size=6).digest()
    return f"{name}:[{_FIRST + int.from_bytes(digest, 'big') % _MANY}]"

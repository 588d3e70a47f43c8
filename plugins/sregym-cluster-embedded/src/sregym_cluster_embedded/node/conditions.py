"""The conditions that a kubelet reports of its node."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.broken_parts import node_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# By node: the types of pressure that it is under.
_PRESSURE: TableKey[str, tuple[str, ...]] = TableKey("node.under_pressure")
_TEXTS = {
    ("MemoryPressure", "False"): ("KubeletHasSufficientMemory", "has sufficient memory available"),
    ("MemoryPressure", "True"): (
        "KubeletHasInsufficientMemory",
        "has insufficient memory available",
    ),
    ("DiskPressure", "False"): ("KubeletHasNoDiskPressure", "has no disk pressure"),
    ("DiskPressure", "True"): ("KubeletHasDiskPressure", "has disk pressure"),
    ("PIDPressure", "False"): ("KubeletHasSufficientPID", "has sufficient PID available"),
    ("PIDPressure", "True"): ("KubeletHasInsufficientPID", "has insufficient PID available"),
}
EVENTS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("MemoryPressure", "False"): "NodeHasSufficientMemory",
        ("MemoryPressure", "True"): "NodeHasInsufficientMemory",
        ("DiskPressure", "False"): "NodeHasNoDiskPressure",
        ("DiskPressure", "True"): "NodeHasDiskPressure",
        ("PIDPressure", "False"): "NodeHasSufficientPID",
        ("PIDPressure", "True"): "NodeHasInsufficientPID",
        ("Ready", "True"): "NodeReady",
        ("Ready", "False"): "NodeNotReady",
    }
)


def conditions(world: World, node: str) -> list[Object]:
    """How the node is now, as its kubelet puts it."""
    pressure = world.table(_PRESSURE).get(node, ())
    entries = []
    for type_ in ("MemoryPressure", "DiskPressure", "PIDPressure"):
        status = "True" if type_ in pressure else "False"
        reason, message = _TEXTS[(type_, status)]
        entries.append(_entry(world, type_, status, reason, f"kubelet {message}"))
    texts = list(node_problems(world, node).values())
    if texts:
        listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        entries.append(_entry(world, "Ready", "False", "KubeletNotReady", listed))
    else:
        message = "kubelet is posting ready status"
        entries.append(_entry(world, "Ready", "True", "KubeletReady", message))
    return entries


def succeed(old: Object | None, new: Object) -> Object:
    """A condition after another: it keeps the moment of its last change of status."""
    if old is None or old.get("status") != new["status"]:
        return new
    since = old.get("lastTransitionTime", new["lastTransitionTime"])
    return {**new, "lastTransitionTime": since}


def set_pressure(world: World, node: str, type_: str, under: bool) -> None:
    """A node is under a type of pressure (`MemoryPressure`, ...) from now on, or is no longer."""
    table = world.table(_PRESSURE)
    others = tuple(name for name in table.get(node, ()) if name != type_)
    present = (*others, type_) if under else others
    if present:
        table[node] = present
    else:
        table.pop(node, None)


def _entry(world: World, type_: str, status: str, reason: str, message: str) -> Object:
    now = world.timestamp()
    return {
        "type": type_,
        "status": status,
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }

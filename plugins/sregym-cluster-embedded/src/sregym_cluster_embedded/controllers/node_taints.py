"""The taints that say how a node is: derived from its conditions, kept by the control plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_PREFIX = "node.kubernetes.io/"
NOT_READY = f"{_PREFIX}not-ready"
UNREACHABLE = f"{_PREFIX}unreachable"
_UNSCHEDULABLE = f"{_PREFIX}unschedulable"
# By condition type: by status, the key of the taint that stands for it.
_BY_CONDITION = {
    "Ready": {"False": NOT_READY, "Unknown": UNREACHABLE},
    "MemoryPressure": {"True": f"{_PREFIX}memory-pressure"},
    "DiskPressure": {"True": f"{_PREFIX}disk-pressure"},
    "NetworkUnavailable": {"True": f"{_PREFIX}network-unavailable"},
    "PIDPressure": {"True": f"{_PREFIX}pid-pressure"},
}
_KEPT = frozenset(
    [_UNSCHEDULABLE, *(key for keys in _BY_CONDITION.values() for key in keys.values())]
)


def conditions_of(node: Object) -> list[Object]:
    """The conditions of a node as they are, also where a client wrote what it liked."""
    return (node.get("status") or {}).get("conditions") or []


def readiness(node: Object) -> str:
    """The status of the condition Ready; empty when there is none."""
    for entry in conditions_of(node):
        if entry.get("type") == "Ready":
            return str(entry.get("status", ""))
    return ""


def no_schedule_keys(node: Object) -> list[str]:
    """The keys of the NoSchedule taints that a node should have for its conditions."""
    keys = []
    for condition in conditions_of(node):
        key = _BY_CONDITION.get(condition.get("type", ""), {}).get(condition.get("status", ""))
        if key is not None:
            keys.append(key)
    if (node.get("spec") or {}).get("unschedulable"):
        keys.append(_UNSCHEDULABLE)
    return keys


def follow_conditions(world: World, name: str) -> None:
    """Let the NoSchedule taints of a node say what its conditions say."""
    node = world.store.get(Key("nodes", "", name))
    if node is None:
        return
    present = {
        taint["key"]
        for taint in ((node.get("spec") or {}).get("taints") or ())
        if taint.get("effect") == "NoSchedule" and taint.get("key") in _KEPT
    }
    wanted = no_schedule_keys(node)
    change_taints(
        world,
        node,
        "NoSchedule",
        [key for key in wanted if key not in present],
        present.difference(wanted),
    )


def no_execute_keys(node: Object) -> set[str]:
    """The keys among not-ready and unreachable with which a node drives its pods away."""
    return {
        taint["key"]
        for taint in ((node.get("spec") or {}).get("taints") or ())
        if taint.get("effect") == "NoExecute" and taint.get("key") in (NOT_READY, UNREACHABLE)
    }


def change_taints(
    world: World, node: Object, effect: str, added: Iterable[str], removed: Iterable[str]
) -> None:
    """Add taints of one effect with these keys, and take others away."""
    gone = set(removed)
    before = (node.get("spec") or {}).get("taints") or []
    taints = [
        taint
        for taint in before
        if not (taint.get("effect") == effect and taint.get("key") in gone)
    ]
    taints += [
        {"effect": effect, "key": key, "timeAdded": world.timestamp()} for key in sorted(added)
    ]
    if taints == before:
        return
    spec = {key: value for key, value in (node.get("spec") or {}).items() if key != "taints"}
    if taints:
        spec["taints"] = taints
    internal_client.update(world, "nodes", {**node, "spec": spec})

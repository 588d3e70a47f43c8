"""Settings as the agent for nodes is asked for them, and which pods they are about."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_core.errors import NodeError
from sregym_core.model import Capability, NodeSetting
from sregym_kubernetes.node_settings import (
    CpuUse,
    DiskBadBlocks,
    DiskCorruption,
    DiskDelay,
    DiskErrors,
    DiskUse,
    LinkState,
    MemoryUse,
    NetworkUse,
    Peer,
    SystemCall,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

# What an agent can be asked for, and by which names processes of neighbours go there.
KINDS: tuple[type[NodeSetting], ...] = (
    *(SystemCall, DiskBadBlocks, DiskCorruption, DiskDelay, DiskErrors),
    *(CpuUse, MemoryUse, DiskUse, NetworkUse),
    LinkState,
)
_CALLS = (Capability.RUNTIME_SYSCALLS, Capability.EVERY_SYSCALL)
CAPABILITIES = frozenset({*_CALLS, *(kind.capability for kind in KINDS)})
_SETS = ("ReplicaSet", "StatefulSet", "DaemonSet")


def ask_of(setting: NodeSetting) -> dict[str, Any]:
    """What the agent is asked, without whose processes or which device.

    Raises:
        NodeError: No agent does such a thing.
    """
    make = _MAKERS[type(setting)]
    return {"key": setting.key, "setting": setting.model_dump(mode="json"), **make(setting)}


def _calls(setting: SystemCall) -> dict[str, Any]:
    # Calls that sockets share with files are meant for files.
    files = "" if setting.path else "volumes"
    return {
        **{"kind": "calls", "call": setting.call, "error": setting.error, "path": setting.path},
        **{"share": setting.share, "delay_ms": setting.delay_ms, "files": files},
    }


def _blocks(mode: str) -> Callable[[Any], dict[str, Any]]:
    return lambda setting: {
        "kind": "disk",
        "mode": mode,
        "blocks": [list(b) for b in setting.blocks],
    }


def _link(setting: LinkState) -> dict[str, Any]:
    ends = (setting.source, setting.target)
    ways = [
        way
        for way, end in zip(("out", "in"), ends, strict=True)
        if end == Peer(node=end.node) != Peer()
    ]
    if len(ways) != 1 or Peer() not in ends:
        msg = (
            "only packets from a node to everybody, or from everybody to a node, can be set on this "
            f"cluster, not {setting.key!r}"
        )
        raise NodeError(msg)
    if setting.blocked:
        msg = f"packets cannot be blocked on this cluster ({setting.key!r}); loss=1 loses all"
        raise NodeError(msg)
    fields = ("delay_ms", "jitter_ms", "loss", "duplicated", "rate_mbit")
    return {"kind": "link", "way": ways[0], **{name: getattr(setting, name) for name in fields}}


def _disk_use(setting: DiskUse) -> dict[str, Any]:
    what, name = ("cache", "clamscan") if setting.displaced else ("disk", "fio")
    return {"kind": "load", "what": what, "queued": setting.queued, "as": name}


_MAKERS: Mapping[type[NodeSetting], Callable[[Any], dict[str, Any]]] = MappingProxyType(
    {
        SystemCall: _calls,
        DiskBadBlocks: _blocks("bad"),
        DiskCorruption: _blocks("corrupt"),
        DiskDelay: lambda one: {"kind": "disk", "mode": "slow", "delay_ms": one.delay_ms},
        DiskErrors: lambda one: {"kind": "disk", "mode": "flaky", "share": one.share},
        CpuUse: lambda one: {"kind": "load", "what": "cpu", "cores": one.cores, "as": "xz"},
        MemoryUse: lambda one: {
            **{"kind": "load", "what": "memory", "bytes": one.taken_bytes, "as": "sort"},
        },
        DiskUse: _disk_use,
        LinkState: _link,
        NetworkUse: lambda one: {
            "kind": "load",
            "what": "network",
            "mbit": one.mbit,
            "as": "iperf3",
        },
    }
)


def scope_of(cluster: Cluster, setting: SystemCall) -> dict[str, Any]:
    """Whose calls are meant: pods that are on the node now, and those that may come in their place.

    Raises:
        NodeError: All processes of the machine are meant, or none is there.
    """
    if not setting.namespace:
        msg = (
            f"calls of all processes of node {setting.node!r} cannot be made to fail, the agent's own "
            "among them; name the pods that are meant"
        )
        raise NodeError(msg)
    pods = [pod for pod in cluster.list("v1", "Pod", setting.namespace) if _is_meant(pod, setting)]
    if not pods:
        msg = f"no pod that {setting.key!r} is about runs on node {setting.node!r}; target one that does"
        raise NodeError(msg)
    scope: dict[str, Any] = {"pods": sorted(str(pod["metadata"]["uid"]) for pod in pods)}
    names = sorted({pattern for pod in pods if not setting.pod for pattern in _later(pod)})
    if names:
        scope["later"] = {"namespace": setting.namespace, "names": names}
    if setting.container:
        scope["container"] = setting.container
    return scope


def _is_meant(pod: KubeObject, setting: SystemCall) -> bool:
    metadata, labels = pod["metadata"], pod["metadata"].get("labels") or {}
    return (
        pod["spec"].get("nodeName") == setting.node
        and setting.pod in ("", metadata["name"])
        and all(labels.get(name) == value for name, value in setting.labels.items())
        and (pod.get("status") or {}).get("phase") == "Running"
    )


def _later(pod: KubeObject) -> list[str]:
    """Patterns of the names of pods that take its place."""
    found = []
    for owner in pod["metadata"].get("ownerReferences") or ():
        if owner["kind"] not in _SETS:
            continue
        name = str(owner["name"])
        label = str((pod["metadata"].get("labels") or {}).get("pod-template-hash") or "")
        if label and name.endswith(f"-{label}"):
            found.append(re.escape(name.removesuffix(f"-{label}")) + r"-[0-9a-z]+-[0-9a-z]{5}")
        else:
            found.append(re.escape(name) + r"-[0-9a-z]+")
    return found

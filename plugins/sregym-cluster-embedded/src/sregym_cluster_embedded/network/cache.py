"""What the network answered, kept until something changes that the answer depends on.

Each answer stands with the Services whose endpoints it used: a change of endpoints drops the answers
of that Service alone; anything rarer drops all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network.keys import REQUEST_FLOW
from sregym_cluster_embedded.store import Change, ChangeType

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[Any, tuple[Any, tuple[str, ...]]] = TableKey("network.routes")
# Uid of the pod that asked, or what an answer used -> keys of answers, gone ones perhaps among them.
_KEYS: TableKey[str, dict[Any, None]] = TableKey("network.routes.by_use")
_ALL = "*"


def get(world: World, key: Any) -> Any:
    """A kept answer, or None."""
    entry = world.table(_TABLE).get(key)
    return None if entry is None else entry[0]


def keep(world: World, key: Any, answer: Any, uses: tuple[str, ...]) -> None:
    """Keep an answer that used the endpoints of these Services (`NAMESPACE/NAME`; `*`: of any)."""
    world.table(_TABLE)[key] = (answer, uses)
    index = world.table(_KEYS)
    for use in (key[0], *uses):
        index[use] = {**index.get(use, {}), key: None}


def clear(world: World) -> None:
    """Forget all answers, and have the traffic looked at again."""
    if table := world.table(_TABLE):
        table.clear()
        world.table(_KEYS).clear()
    traffic = world.service_or_none(REQUEST_FLOW)
    if traffic is not None:
        traffic.changed(world)


def follow(world: World, change: Change) -> None:
    """Services, namespaces or policies were written: any answer may be another one."""
    old, new = change.old, change.obj
    if change.type is ChangeType.MODIFIED and old is not None:
        same = old.get("spec") == new.get("spec") and old.get("status") == new.get("status")
        if same and old["metadata"].get("labels") == new["metadata"].get("labels"):
            return
    if world.table(_TABLE):
        clear(world)


def follow_endpoints(world: World, change: Change) -> None:
    """Endpoints were written: answers that used them may be others."""
    if world.table(_TABLE):
        metadata = change.obj["metadata"]
        name = (metadata.get("labels") or {}).get("kubernetes.io/service-name")
        _drop(world, f"{metadata['namespace']}/{name}", _ALL)


def follow_pods(world: World, change: Change) -> None:
    """A pod was written in a way that the network sees: another address, label or end."""
    table = world.table(_TABLE)
    if not table:
        return
    old, pod = change.old, change.obj
    if old is not None and change.type is ChangeType.MODIFIED and _stands(old) == _stands(pod):
        return
    if world.store.has_any("networkpolicies.networking.k8s.io") or _shares_node(pod):
        clear(world)
        return
    uid, ip = pod["metadata"]["uid"], pod.get("status", {}).get("podIP", "")
    _drop(world, uid, ip)


def follow_nodes(world: World, change: Change) -> None:
    """A node came, went, or has other addresses or labels."""
    old, new = change.old, change.obj
    if change.type is ChangeType.MODIFIED and old is not None:
        addresses = [entry.get("status", {}).get("addresses") for entry in (old, new)]
        labels = [entry["metadata"].get("labels") for entry in (old, new)]
        peers = [_peering(entry) for entry in (old, new)]
        if addresses[0] == addresses[1] and labels[0] == labels[1] and peers[0] == peers[1]:
            return
    if world.table(_TABLE):
        clear(world)


def _peering(node: Object) -> tuple[Any, ...]:
    """What the annotations of a node say of how routes are spread; see `network.routing`."""
    said = node["metadata"].get("annotations") or {}
    return tuple(said.get(f"kube-router.io/rr.{name}") for name in ("server", "client"))


def _drop(world: World, *used: str) -> None:
    """Forget the answers that used, or were given to, one of these."""
    table, index = world.table(_TABLE), world.table(_KEYS)
    for use in used:
        for key in index.pop(use, ()):
            table.pop(key, None)


def _stands(pod: Object) -> tuple[Any, ...]:
    """All of a pod that the network looks at."""
    metadata, status = pod["metadata"], pod.get("status", {})
    return (
        metadata.get("labels"),
        status.get("podIP"),
        status.get("phase"),
        pod["spec"].get("nodeName"),
    )


def _shares_node(pod: Object) -> bool:
    """Whether a pod is reached by addresses of its node."""
    spec = pod["spec"]
    return bool(spec.get("hostNetwork")) or any(
        port.get("hostPort") for entry in spec["containers"] for port in entry.get("ports", ())
    )

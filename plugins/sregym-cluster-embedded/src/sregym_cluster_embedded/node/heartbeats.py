"""Signs of life of nodes, derived when somebody reads them instead of written every ten seconds."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_LEASES = "leases.coordination.k8s.io"
_LEASE_NAMESPACE = "kube-node-lease"
_RENEWED_EVERY_S = 10.0
_REPORTED_EVERY_S = 300.0


def fresh(world: World, resource: str, obj: Object) -> Object:
    """A node or node lease as its kubelet would have renewed it by now; others as they are.

    A kubelet that is not posting its status (condition Ready unknown) renews nothing. The stored
    object stays as it is.
    """
    if resource == _LEASES and obj["metadata"].get("namespace") == _LEASE_NAMESPACE:
        node = world.store.get(Key("nodes", "", obj["metadata"]["name"]))
        if node is None or not _posting(node):
            return obj
        at = _latest(world, obj["metadata"]["name"], _RENEWED_EVERY_S)
        return {**obj, "spec": {**obj["spec"], "renewTime": world.micro_timestamp(at)}}
    if resource == "nodes" and _posting(obj):
        at = _latest(world, obj["metadata"]["name"], _REPORTED_EVERY_S)
        conditions = [
            {**entry, "lastHeartbeatTime": _later(world, at, entry.get("lastHeartbeatTime"))}
            for entry in obj["status"]["conditions"]
        ]
        return {**obj, "status": {**obj["status"], "conditions": conditions}}
    return obj


def _posting(node: Object) -> bool:
    conditions = node.get("status", {}).get("conditions", ())
    ready = next((entry for entry in conditions if entry["type"] == "Ready"), None)
    return ready is not None and ready["status"] != "Unknown"


def _latest(world: World, node: str, every_s: float) -> float:
    """The last moment of a node's rhythm, in virtual seconds."""
    phase = world.seed.fraction("heartbeat", node, every_s) * every_s
    return max(world.now - (world.now - phase) % every_s, 0.0)


def _later(world: World, at: float, written: str | None) -> str:
    """The derived moment, or the written one where that is later: a condition changed since."""
    if written and datetime.fromisoformat(written).timestamp() > world.epoch + at:
        return written
    return world.timestamp(at)

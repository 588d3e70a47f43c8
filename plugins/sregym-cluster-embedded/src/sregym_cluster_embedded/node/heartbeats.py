"""Signs of life of nodes, derived when read instead of written every ten seconds."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.controllers.node_taints import conditions_of, readiness
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_LEASES = "leases.coordination.k8s.io"
LEASE_NAMESPACE = "kube-node-lease"
_SERVER = "apiserver.kubernetes.io/identity"
_RENEWED_EVERY_S = 10.0
_REPORTED_EVERY_S = 300.0
# Signs of life of a node, and how often its kubelet gives them.
LEASE, STATUS = "lease", "status"
_EVERY_S = {LEASE: _RENEWED_EVERY_S, STATUS: _REPORTED_EVERY_S}
# By node: from when on it gave no signs of life.
_SILENT: TableKey[str, float] = TableKey("node.silent")
# By node and sign: the last one that was taken, while admission refuses them.
_REFUSED: TableKey[tuple[str, str], float] = TableKey("node.refused")
# By Lease that an elected process holds: from when on it renews it, and until when.
HELD: TableKey[Key, tuple[float, float]] = TableKey("node.held_leases")
_CLOSE_S = 1e-3


def with_renewed_heartbeat(world: World, resource: str, obj: Object) -> Object:
    """A node or node lease as its kubelet would have renewed it by now; others as they are.

    A kubelet that is silent renews nothing. The stored object stays as it is. What a kubelet outside
    of the simulation reports of its machine is written as it comes.
    """
    if resource == _LEASES and obj["metadata"].get("namespace") == LEASE_NAMESPACE:
        name = obj["metadata"]["name"]
        known = world.store.get(Key("nodes", "", name)) is not None
        if not known or machines.machine(world, name) is None:
            return obj
        return as_of(world, LEASE, obj, last_renewal(world, name))
    if resource == _LEASES and _key(obj) in world.table(HELD):
        since, until = world.table(HELD)[_key(obj)]
        moment = min(world.now, until)
        at = moment - (moment - since) % _RENEWED_EVERY_S
        return {**obj, "spec": {**obj["spec"], "renewTime": world.micro_timestamp(at)}}
    if resource == _LEASES and (obj["metadata"].get("labels") or {}).get(_SERVER):
        at = _latest(world, obj["metadata"]["name"], _RENEWED_EVERY_S)
        return {**obj, "spec": {**obj["spec"], "renewTime": world.micro_timestamp(at)}}
    if (
        resource == "nodes"
        and _posting(obj)
        and machines.machine(world, obj["metadata"]["name"]) is not None
    ):
        return as_of(world, STATUS, obj, last_sign(world, obj["metadata"]["name"], STATUS))
    return obj


def _key(lease: Object) -> Key:
    return Key(_LEASES, lease["metadata"].get("namespace", ""), lease["metadata"]["name"])


def as_of(world: World, sign: str, obj: Object, moment: float) -> Object:
    """A node or its lease as it stands there when the last sign was given at a virtual second."""
    at = moment + _clock_offset(world, obj["metadata"]["name"])
    if sign == LEASE:
        return {**obj, "spec": {**obj["spec"], "renewTime": world.micro_timestamp(at)}}
    conditions = [
        {**entry, "lastHeartbeatTime": _later(world, at, entry.get("lastHeartbeatTime"))}
        for entry in conditions_of(obj)
    ]
    return {**obj, "status": {**obj["status"], "conditions": conditions}}


def last_renewal(world: World, node: str) -> float:
    """When a node's lease was renewed last, in virtual seconds."""
    return last_sign(world, node, LEASE)


def last_sign(world: World, node: str, sign: str) -> float:
    """When a node's `LEASE` was renewed, or its `STATUS` reported, last, in virtual seconds."""
    refused = world.table(_REFUSED)
    if refused and (node, sign) in refused:
        return float(refused[(node, sign)])
    return _latest(world, node, _EVERY_S[sign])


def is_heartbeat_due(world: World, node: str, sign: str) -> bool:
    """Whether a kubelet that looks once in ten seconds gives a sign of life now."""
    passed_s = math.fmod(world.now - _phase(world, node, sign) + _CLOSE_S, _EVERY_S[sign])
    return passed_s < _RENEWED_EVERY_S or (node, sign) in world.table(_REFUSED)


def sign_before(world: World, node: str, sign: str) -> float:
    """When a sign of life was last taken, before the one that is just being given."""
    table = world.table(_REFUSED)
    if (node, sign) in table:
        return float(table[(node, sign)])
    now = world.now - 2 * _CLOSE_S
    return float(max(now - (now - _phase(world, node, sign)) % _EVERY_S[sign], 0.0))


def refuse(world: World, node: str, sign: str) -> float | None:
    """What is just being given is not taken; when it was last, if this is the first that is not."""
    if is_refused(world, node, sign):
        return None
    last_at = sign_before(world, node, sign)
    world.table(_REFUSED)[(node, sign)] = last_at
    return last_at


def is_refused(world: World, node: str, sign: str) -> bool:
    """Whether the last sign of life was not taken."""
    return (node, sign) in world.table(_REFUSED)


def accept(world: World, node: str, sign: str) -> bool:
    """A sign of life is taken; whether the one before was refused."""
    table = world.table(_REFUSED)
    return bool(table) and table.pop((node, sign), None) is not None


def until_sign(world: World, node: str) -> float:
    """Seconds until a kubelet next renews the lease of its node, from just after it did so."""
    left_s = _latest(world, node, _RENEWED_EVERY_S) + _RENEWED_EVERY_S - world.now
    return left_s if left_s > _CLOSE_S else left_s + _RENEWED_EVERY_S


def until_report(world: World, node: str) -> float:
    """Seconds until the kubelet of a node next looks whether it has something to report."""
    return _latest(world, node, _RENEWED_EVERY_S) + _RENEWED_EVERY_S - world.now


def fall_silent(world: World, node: str) -> None:
    """A node gives no signs of life from now on."""
    world.table(_SILENT)[node] = world.now


def speak_again(world: World, node: str) -> None:
    """A node gives signs of life again."""
    world.table(_SILENT).pop(node, None)


def silent_since(world: World, node: str) -> float | None:
    """From when on a node gave no signs of life; None when it does."""
    since: float | None = world.table(_SILENT).get(node)
    return since


def _posting(node: Object) -> bool:
    return readiness(node) not in ("", "Unknown")


def _latest(world: World, node: str, every_s: float) -> float:
    """The last moment of a node's rhythm, in virtual seconds."""
    phase = world.seed.fraction("heartbeat", node, every_s) * every_s
    now = world.table(_SILENT).get(node, world.now)
    return float(max(now - (now - phase) % every_s, 0.0))


def _phase(world: World, node: str, sign: str) -> float:
    return float(world.seed.fraction("heartbeat", node, _EVERY_S[sign]) * _EVERY_S[sign])


def _clock_offset(world: World, node: str) -> float:
    """A kubelet writes what the clock of its node shows."""
    machine = machines.machine(world, node)
    return machine.clock_offset_s if machine is not None else 0.0


def _later(world: World, at: float, written: str | None) -> str:
    """The derived moment, or the written one where that is later: a condition changed since."""
    if written and datetime.fromisoformat(written).timestamp() > world.epoch + at:
        return written
    return world.timestamp(at)

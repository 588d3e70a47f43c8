"""Heartbeats that the API server rejects: leases are not renewed, the status of nodes is not reported.

Signs of life are derived, not written. Only while configured admission could be asked
about them, or the server gives kubelets no seat, each does ask at the times at which it renews its lease and
reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import dynamic, flowcontrol, internal_client, resources
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.dynamic.attributes import Attributes
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers import node_lifecycle
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.node.heartbeats import LEASE, STATUS
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

HANDLER = "node.signs"
_LEASES, _NAMESPACE = "leases.coordination.k8s.io", "kube-node-lease"


def configuration_changed(world: World, _change: Change) -> None:
    """Admission or flow control was configured: kubelets meet it when they next give signs of life."""
    for node in world.store.list("nodes", ""):
        name = node["metadata"]["name"]
        if machines.machine(world, name) is not None:
            enqueue(world, HANDLER, name, heartbeats.until_sign(world, name))


def renew_lease(world: World, node: str) -> None:
    """Handler: the kubelet of a node renews its lease, and reports when that is due."""
    mark_processing(world, HANDLER, node)
    if world.store.get(Key("nodes", "", node)) is None:
        return
    present = heartbeats.silent_since(world, node) is None
    again = False
    for sign in (LEASE, STATUS):
        possible = _could_be_refused(world, node, sign)
        if present and heartbeats.is_heartbeat_due(world, node, sign):
            if possible and _refused(world, node, sign):
                _missed(world, node, sign)
            else:
                _taken(world, node, sign)
        again = again or possible or heartbeats.is_refused(world, node, sign)
    if again:
        enqueue(world, HANDLER, node, heartbeats.until_sign(world, node))


def report(world: World, key: Key, status: Object) -> bool:
    """Write the status of a node, which is a sign of life as well; whether admission let it."""
    if _starved(world, key.name, STATUS):
        return False
    if not dynamic.configured(world):
        internal_client.update_status(world, key, status)
        return True
    try:
        with dynamic.dynamic_admission(world, dynamic.kubelet_of(key.name)):
            internal_client.update_status(world, key, status)
    except ApiError:
        return False
    heartbeats.accept(world, key.name, STATUS)
    if heartbeats.is_refused(world, key.name, LEASE):
        node_lifecycle.lease_expired(world, key.name, world.now)
    return True


def _missed(world: World, node: str, sign: str) -> None:
    last_at = heartbeats.refuse(world, node, sign)
    if last_at is not None and sign == LEASE:
        node_lifecycle.lease_expired(world, node, last_at)


def _taken(world: World, node: str, sign: str) -> None:
    was_refused = heartbeats.accept(world, node, sign)
    if sign == LEASE and was_refused:
        node_lifecycle.lease_renewed(world, node)
    elif sign == STATUS and heartbeats.is_refused(world, node, LEASE):
        node_lifecycle.lease_expired(world, node, world.now)


def _starved(world: World, node: str, sign: str) -> bool:
    try:
        if sign == LEASE:
            flowcontrol.demand_of_kubelet(world, node, _LEASES, "update", _NAMESPACE)
        else:
            flowcontrol.demand_of_kubelet(world, node, "nodes", "patch", subresource="status")
    except ApiError:
        return True
    return False


def _could_be_refused(world: World, node: str, sign: str) -> bool:
    if _starved(world, node, sign):
        return True
    if not dynamic.configured(world):
        return False
    from sregym_cluster_embedded.api.dynamic import matching

    kind = resources.named(_LEASES if sign == LEASE else "nodes")
    assert kind is not None
    asked = Attributes("UPDATE", kind, None, subresource="" if sign == LEASE else "status")
    return matching.any_rules(world, asked)


def _refused(world: World, node: str, sign: str) -> bool:
    if _starved(world, node, sign):
        return True
    if not dynamic.configured(world):
        return False
    place = Key(_LEASES, _NAMESPACE, node) if sign == LEASE else Key("nodes", "", node)
    kind, stored = resources.named(place.resource), world.store.get(place)
    if stored is None or kind is None:
        return False
    old = heartbeats.as_of(world, sign, stored, heartbeats.sign_before(world, node, sign))
    new: Object = heartbeats.as_of(world, sign, stored, world.now)
    try:
        with dynamic.dynamic_admission(world, dynamic.kubelet_of(node)):
            dynamic_writes.replaced(world, kind, old, new)
    except ApiError:
        return True
    return False

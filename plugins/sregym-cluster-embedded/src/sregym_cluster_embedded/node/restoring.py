"""Recreates what API servers and kubelets own after it was deleted or changed.

An API server looks every ten seconds whether its own Service and endpoints are as they should be;
it and the kubelets notice that their lease is gone when they renew it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.node.system_objects import api_endpoints, api_service
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

SERVER = "node.restore.server"
LEASE = "node.restore.lease"
LEASES = "leases.coordination.k8s.io"
LEASE_DURATION_S = 40
_SLICES = "endpointslices.discovery.k8s.io"
# What there is of the API server itself.
OWN_KINDS = ("services", "endpoints", _SLICES)
_NODE_LEASES = "kube-node-lease"
_EVERY_S = 10.0
_OWN = ("default", "kubernetes")
# By key: leases of API servers that were deleted, as they were.
_LOST: TableKey[Key, Object] = TableKey("node.restore.lost")


def server_changed(world: World, change: Change) -> None:
    """The Service of the API server, or its endpoints, were written."""
    _, namespace, name = change.key
    if name == _OWN[1] and namespace == _OWN[0] and change.type is not ChangeType.ADDED:
        enqueue(world, SERVER, "", _EVERY_S - world.now % _EVERY_S)


def lease_changed(world: World, change: Change) -> None:
    """A lease has been deleted."""
    key = change.key
    if change.type is not ChangeType.DELETED:
        return
    if key.namespace == _NODE_LEASES:
        enqueue(world, LEASE, key, heartbeats.until_sign(world, key.name))
    elif "apiserver.kubernetes.io/identity" in (change.obj["metadata"].get("labels") or {}):
        world.table(_LOST)[key] = change.obj
        enqueue(world, LEASE, key, heartbeats.until_sign(world, key.name))


def compare_with_intended(world: World, nothing: str) -> None:
    """Handler: the API server compares what tells of it with what it should be."""
    mark_processing(world, SERVER, nothing)
    try:
        _make_good(world)
    except ApiError:  # its address is not to be had, or its namespace ends: it looks again
        enqueue(world, SERVER, nothing, _EVERY_S)


def _make_good(world: World) -> None:
    endpoints, sliced = api_endpoints(machines.control_plane_address(world))
    for resource, wanted, fields in (
        ("services", api_service(), ("spec",)),
        ("endpoints", endpoints, ("subsets",)),
        (_SLICES, sliced, ("endpoints", "ports")),
    ):
        old = world.store.get(Key(resource, *_OWN))
        if old is None:
            internal_client.create(world, resource, wanted)
        elif resource == "services":
            ports, own = old["spec"].get("ports"), wanted["spec"]["ports"]
            if ports != own:
                internal_client.update(
                    world, resource, {**old, "spec": {**old["spec"], "ports": own}}
                )
        elif any(old.get(field) != wanted[field] for field in fields):
            internal_client.update(
                world, resource, {**old, **{field: wanted[field] for field in fields}}
            )


def renew(world: World, key: Key) -> None:
    """Handler: who renews a lease finds it gone."""
    mark_processing(world, LEASE, key)
    try:
        _renew(world, key)
    except ApiError:  # the namespace of leases is gone, or ends: it tries again
        enqueue(world, LEASE, key, _EVERY_S)


def _renew(world: World, key: Key) -> None:
    lost: Object | None = world.table(_LOST).get(key)
    if world.store.get(key) is not None:
        world.table(_LOST).pop(key, None)
        return
    if lost is not None:
        metadata = {
            name: value
            for name, value in lost["metadata"].items()
            if name in ("name", "namespace", "labels")
        }
        internal_client.create(world, LEASES, {"metadata": metadata, "spec": lost["spec"]})
        world.table(_LOST).pop(key, None)
        return
    node = world.store.get(Key("nodes", "", key.name))
    if node is not None and heartbeats.silent_since(world, key.name) is None:
        create_lease(world, node)


def create_lease(world: World, node: Object) -> None:
    """Create the lease by which a node's kubelet tells that it lives."""
    name = node["metadata"]["name"]
    lease = {
        "metadata": {
            "name": name,
            "namespace": _NODE_LEASES,
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"]}
            ],
        },
        "spec": {
            "holderIdentity": name,
            "leaseDurationSeconds": LEASE_DURATION_S,
            "renewTime": world.micro_timestamp(),
        },
    }
    internal_client.create(world, LEASES, lease)

"""ServiceCIDRs: each is held while an address that a Service has is in no other range."""

from __future__ import annotations

from datetime import datetime
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.service_ranges import (
    DEFAULT,
    DEFAULT_NETWORK,
    RESOURCE,
    networks_of,
)
from sregym_cluster_embedded.store import Change, ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.service-ranges"
FINALIZER = "networking.k8s.io/service-cidr-finalizer"
_ADDRESSES = "ipaddresses.networking.k8s.io"
_MANAGED_BY, _ALLOCATOR = "ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io"
_DELAY_S = 0.05
# Those who give addresses away have so long to hear of a deletion.
_GRACE_S = 10.0
# The API server looks so often whether the range that it was started with is there.
_MADE_ANEW_S = 10.0
_READY = "Kubernetes Service CIDR is ready"
_DEFAULT_READY = "Kubernetes default Service CIDR is ready"
_IN_USE = (
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new "
    "ServiceCIDR"
)


def listen(world: World, change: Change) -> None:
    """Any change of a range may decide about another that is to go."""
    name = change.key.name
    if change.type is not ChangeType.DELETED:
        if change.old is None or change.old["metadata"] is not change.obj["metadata"]:
            enqueue(world, HANDLER, name, _DELAY_S)
    elif name == DEFAULT:
        enqueue(world, HANDLER, name, _MADE_ANEW_S)
    _look_at_leaving(world)


def address_changed(world: World, change: Change) -> None:
    """The last address of a range that is to go may have been given back."""
    if change.type is ChangeType.DELETED:
        _look_at_leaving(world)


def reconcile(world: World, name: str) -> None:
    """Handler: hold one range, let it go, or make the default one anew."""
    mark_processing(world, HANDLER, name)
    key = Key(RESOURCE, "", name)
    entry = world.store.get(key)
    if entry is None:
        if name == DEFAULT:
            spec = {"cidrs": [str(DEFAULT_NETWORK)]}
            internal_client.create(world, RESOURCE, {"metadata": {"name": name}, "spec": spec})
            _tell(world, key, "True", "", _DEFAULT_READY)
        return
    metadata = entry["metadata"]
    held = metadata.get("finalizers") or []
    if "deletionTimestamp" not in metadata:
        if FINALIZER not in held:
            internal_client.patch_metadata(world, key, finalizers=[*held, FINALIZER])
        return
    if _is_needed(world, entry):
        _tell(world, key, "False", "Terminating", _IN_USE)
        return
    left_s = _GRACE_S - (world.now - _deleted_at(world, metadata["deletionTimestamp"]))
    if left_s > 0:
        enqueue(world, HANDLER, name, left_s)
    elif FINALIZER in held:
        internal_client.patch_metadata(
            world, key, finalizers=[one for one in held if one != FINALIZER]
        )


def _look_at_leaving(world: World) -> None:
    for entry in world.store.list(RESOURCE, ""):
        if "deletionTimestamp" in entry["metadata"]:
            enqueue(world, HANDLER, entry["metadata"]["name"], _DELAY_S)


def _is_needed(world: World, entry: Object) -> bool:
    """Whether an address that is given away is in this range and in no other."""
    others = [
        network
        for other in world.store.list(RESOURCE, "")
        if other["metadata"]["name"] != entry["metadata"]["name"]
        for network in networks_of(other)
    ]
    own = [
        network
        for network in networks_of(entry)
        if not any(network.subnet_of(other) for other in others)
    ]
    for found in world.store.list(_ADDRESSES, "") if own else ():
        if (found["metadata"].get("labels") or {}).get(_MANAGED_BY) != _ALLOCATOR:
            continue
        address = found["metadata"]["name"]
        if ":" in address:
            continue
        parsed = IPv4Address(address)
        if any(parsed in network for network in own) and not any(
            parsed in network for network in others
        ):
            return True
    return False


def _tell(world: World, key: Key, status: str, reason: str, message: str) -> None:
    entry = world.store.get(key)
    if entry is None:
        return
    given = (entry.get("status") or {}).get("conditions") or []
    old = next((one for one in given if one["type"] == "Ready"), None)
    if old is not None and (old["status"], old.get("message", "")) == (status, message):
        return
    condition = {
        "lastTransitionTime": world.timestamp(),
        "message": message,
        "reason": reason,
        "status": status,
        "type": "Ready",
    }
    others = [one for one in given if one["type"] != "Ready"]
    internal_client.update_status(world, key, {"conditions": [*others, condition]})


def _deleted_at(world: World, timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp() - world.epoch

"""Node objects that come and go: what the control plane does with them."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.controllers import node_lifecycle
from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.store import ChangeType, Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

REGISTER = "node.register"
_NOTICED_S = 0.05
# A node that never reported is given this much longer before it counts as lost.
_STARTUP_S = 10.0


def announce_registration(world: World, node: Object) -> None:
    """The event of a node that the control plane has taken note of."""
    name = node["metadata"]["name"]
    _say(world, node, "RegisteredNode", f"Registered Node {name} in Controller")


def node_changed(world: World, change: Change) -> None:
    """Objects without a machine, as clients create them, are taken note of, and so is every end."""
    name = change.key.name
    if change.type is ChangeType.DELETED:
        _say(world, change.obj, "RemovingNode", f"Removing Node {name} from Controller")
        heartbeats.speak_again(world, name)
        node_lifecycle.lease_renewed(world, name)
        if unresponsive.absent(world, name) == unresponsive.OUTSIDE:
            unresponsive.come_back(world, name)
    elif change.old is None and machines.machine(world, name) is None:
        heartbeats.fall_silent(world, name)
        node_lifecycle.lease_expired(world, name, world.now + _STARTUP_S)
        unresponsive.leave(world, name, unresponsive.OUTSIDE)
        world.after(_NOTICED_S, REGISTER, name)


def lease_changed(world: World, change: Change) -> None:
    """A kubelet of a machine outside of the simulation gives a sign of life: it renews its lease."""
    name = change.key.name
    if change.type is ChangeType.DELETED or change.key.namespace != heartbeats.LEASE_NAMESPACE:
        return
    if machines.machine(world, name) is not None:
        return
    if world.store.get(Key("nodes", "", name)) is None or _renewed(change.old) == _renewed(
        change.obj
    ):
        return
    heartbeats.fall_silent(world, name)
    node_lifecycle.lease_expired(world, name, world.now)


def _renewed(lease: Object | None) -> str:
    return str(((lease or {}).get("spec") or {}).get("renewTime", ""))


def register(world: World, name: str) -> None:
    """Handler: give a new node object its pod range and say that it is known."""
    node = world.store.get(Key("nodes", "", name))
    if node is None:
        return
    if not (node.get("spec") or {}).get("podCIDR"):
        taken = {(obj.get("spec") or {}).get("podCIDR") for obj in world.store.list("nodes", "")}
        blocks = (str(block) for block in ip_network("10.244.0.0/16").subnets(new_prefix=24))
        free = next((block for block in blocks if block not in taken), None)
        if free is None:
            text = f"Node {name} status is now: CIDRNotAvailable"
            events.record(world, node, "nodes", "Normal", "CIDRNotAvailable", text, "cidrAllocator")
        else:
            spec = {"podCIDR": free, "podCIDRs": [free], **(node.get("spec") or {})}
            node = internal_client.update(world, "nodes", {**node, "spec": spec})
    announce_registration(world, node)


def _say(world: World, node: Object, reason: str, what: str) -> None:
    text = f"Node {node['metadata']['name']} event: {what}"
    events.record(world, node, "nodes", "Normal", reason, text, node_lifecycle.COMPONENT)

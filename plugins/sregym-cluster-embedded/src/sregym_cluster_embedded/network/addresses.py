"""Who has which pod address: the table `network.addresses`."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str, Key] = TableKey("network.addresses")
_LAST: TableKey[str, int] = TableKey("network.last_address")
# Of nodes whose network plugin may use a part of the range alone: its first and last address.
_LIMITS: TableKey[str, tuple[str, str]] = TableKey("network.address_limits")


def assign(world: World, node: str, pod_key: Key) -> str | None:
    """The next free address of the node's range, given to a pod; None when all are taken.

    Addresses go round: one that was given back is used again only after all others.
    """
    base = _network(pod_range(world, node)).network_address
    taken = world.table(_TABLE)
    begin, end = (int(one) - int(base) for one in usable_range(world, node))
    last: int = world.table(_LAST).get(node, 1)
    # The first address is the network's, the second the bridge's, the last the broadcast's.
    begin = max(begin, 2)
    usable = end - begin + 1
    for step in range(1, usable + 1):
        host = (last - begin + step) % usable + begin
        address = str(base + host)
        if address not in taken:
            taken[address] = pod_key
            world.table(_LAST)[node] = host
            return address
    return None


def usable_range(world: World, node: str) -> tuple[IPv4Address | IPv6Address, ...]:
    """The first and the last address that the network plugin of a node may give to pods."""
    network = _network(pod_range(world, node))
    base = network.network_address
    first, last = world.table(_LIMITS).get(node, ("", ""))
    return (
        ip_address(first) if first else base + 1,
        ip_address(last) if last else base + network.num_addresses - 2,
    )


def limit(world: World, node: str, first: str, last: str) -> None:
    """From now on a node's network plugin gives out addresses from `first` to `last`; empty: all."""
    if first or last:
        world.table(_LIMITS)[node] = (first, last)
    else:
        world.table(_LIMITS).pop(node, None)


@lru_cache(maxsize=256)
def _network(cidr: str) -> IPv4Network | IPv6Network:
    return ip_network(cidr)


def release(world: World, address: str, pod_key: Key) -> None:
    """Give an address back, unless it belongs to another pod by now."""
    taken = world.table(_TABLE)
    if taken.get(address) == pod_key:
        del taken[address]


def holder(world: World, address: str) -> Object | None:
    """The pod that has an address, or None."""
    key: Key | None = world.table(_TABLE).get(address)
    return world.store.get(key) if key is not None else None


def pod_range(world: World, node: str) -> str:
    """The pod network of a node."""
    obj = world.store.get(Key("nodes", "", node))
    cidr: str = (obj or {}).get("spec", {}).get("podCIDR", "10.244.0.0/24")
    return cidr


def node_with(world: World, address: str) -> Object | None:
    """The node that has an address, or None."""
    for node in world.store.list("nodes", ""):
        for entry in node.get("status", {}).get("addresses", ()):
            if entry["type"] == "InternalIP" and entry["address"] == address:
                return node
    return None

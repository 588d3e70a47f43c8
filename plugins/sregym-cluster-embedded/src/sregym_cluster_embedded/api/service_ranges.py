"""The ranges from which Services get their addresses: the first one, and what ServiceCIDRs add."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

RESOURCE = "servicecidrs.networking.k8s.io"
DEFAULT = "kubernetes"
DEFAULT_NETWORK = IPv4Network("10.96.0.0/16")


def open_networks(world: World) -> tuple[IPv4Network, ...]:
    """The ranges of IPv4 that addresses are given from now, the default one first."""
    ranges = world.store.list(RESOURCE, "")
    if not ranges:
        return (DEFAULT_NETWORK,)
    ranges.sort(key=lambda entry: entry["metadata"]["name"] != DEFAULT)
    return tuple(
        network
        for entry in ranges
        if "deletionTimestamp" not in entry["metadata"] and is_ready(entry)
        for network in networks_of(entry)
    )


def networks_of(entry: Object) -> Iterator[IPv4Network]:
    """The ranges of IPv4 of a ServiceCIDR."""
    for text in entry["spec"].get("cidrs") or ():
        if ":" not in text:
            yield _network(text)


@lru_cache(maxsize=64)
def _network(text: str) -> IPv4Network:
    return IPv4Network(text)


def is_ready(entry: Object) -> bool:
    """Whether addresses of a ServiceCIDR may be given away: true until a controller says no."""
    conditions = (entry.get("status") or {}).get("conditions") or ()
    return all(found["status"] == "True" for found in conditions if found["type"] == "Ready")

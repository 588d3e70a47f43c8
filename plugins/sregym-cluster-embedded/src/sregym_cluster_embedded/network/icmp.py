"""Pings: who answers an ICMP echo request, from how far away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.network import dns, services
from sregym_cluster_embedded.network.addresses import holder, node_with
from sregym_cluster_embedded.network.outcomes import CLEAR, Backend, Outcome, Path
from sregym_cluster_embedded.network.paths import packet_path

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TTL = 64


class Echo(NamedTuple):
    """What a ping of one host meets.

    Attributes:
        outcome: `connected` when it is answered; `name`, `unreachable`, `no_route`, or `timeout` when
            nothing comes back.
        address: The address that was pinged; empty when the name was not found.
        ttl: Hops left in the answer.
        path: What packets meet on the way.
    """

    outcome: Outcome
    address: str = ""
    ttl: int = _TTL
    path: Path = CLEAR


def echo(world: World, source: Object, host: str, heard: dns.Replies | None = None) -> Echo:
    """Ping a host from a pod; `heard` gets what name servers answered."""
    looked = dns.resolve(world, source, host, heard=heard)
    if looked.status != "ok":
        return Echo(Outcome.NAME)
    address = looked.addresses[0]
    here = source["spec"].get("nodeName", "")
    if address.startswith("127.") or address == source.get("status", {}).get("podIP"):
        return Echo(Outcome.CONNECTED, address)
    pod, node = holder(world, address), node_with(world, address)
    if pod is not None:
        metadata, place = pod["metadata"], pod["spec"].get("nodeName", "")
        end = Backend(metadata["uid"], metadata["namespace"], metadata["name"], address, 0, place)
        # Pods of one node share a bridge; between nodes both of them forward.
        ttl = _TTL if place == here else _TTL - 2
    elif node is not None:
        place = node["metadata"]["name"]
        end = Backend("", "", "", address, 0, place)
        ttl = _TTL if place == here else _TTL - 1
    else:
        failure = services.backends(world, address, 0, source).failure
        known = next(iter(world.store.indexed("services", "address", address)), None)
        # Services translate ports, so that their addresses answer no ping.
        lost = known is not None or failure is None
        return Echo(Outcome.TIMEOUT if lost else failure or Outcome.TIMEOUT, address)
    path = packet_path(world, source, end, "ICMP")
    return Echo(path.fails or Outcome.CONNECTED, address, ttl, path)

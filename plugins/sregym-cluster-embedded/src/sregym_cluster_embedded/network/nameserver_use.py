"""The DNS queries that a look-up of a host makes: to which name servers, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.keys import LISTENERS
from sregym_cluster_embedded.network import connect
from sregym_cluster_embedded.network.paths import packet_path
from sregym_cluster_embedded.network.resolver import CLUSTER_DOMAIN, resolver_of
from sregym_cluster_embedded.network.services import backends

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class NameserverUse(NamedTuple):
    """The queries of one look-up of a host that is found.

    Attributes:
        servers: Uids of the pods of name servers that share the queries, with the path of packets to
            each.
        names: Whether each name that is tried is one of the cluster, up to the one that is found:
            search domains come first, where the host has fewer dots than `ndots`.
    """

    servers: tuple[tuple[str, Path], ...]
    names: tuple[bool, ...]


def nameserver_use(world: World, source: Object, host: str) -> NameserverUse | None:
    """The queries of a look-up of a host from a pod; None where none goes to a server of the cluster."""
    looked = connect.looked_up(world, source, host)
    if looked.status != "ok" or not looked.server:
        return None
    found = backends(world, looked.server, 53, source, "UDP").backends
    runtime = world.service(LISTENERS)
    servers = tuple(
        (one.pod_uid, packet_path(world, source, one, "UDP"))
        for one in found
        if runtime.listening(world, one.pod_uid, 53)
    )
    if not servers:
        return None
    tried = resolver_of(source).candidates(host.lower())
    tried = tried[: tried.index(looked.name) + 1] if looked.name in tried else tried[:1]
    return NameserverUse(servers, tuple(name.endswith(f".{CLUSTER_DOMAIN}") for name in tried))

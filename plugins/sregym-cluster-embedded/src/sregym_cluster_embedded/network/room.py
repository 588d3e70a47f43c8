"""The network's part of a cluster, and what it offers to the rooms above."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.network import dns, service_addresses, services
from sregym_cluster_embedded.network.services import Outcome

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class Routes(NamedTuple):
    """Where a TCP connection of a pod to a host would go.

    Attributes:
        error: `` (none), `dns`, `refused`, `timeout` or `unreachable`.
        ip: The address dialled: a cluster address or a pod's; empty when the name was not found.
        dns: Address of the name server that was asked; empty when none was.
        backends: (weight, pod uid, pod address, port) that share the connections. Whether a process
            listens there is not checked.
        dns_status: Why the name was not found: `nxdomain`, `timeout`, `refused`, `servfail`.
    """

    error: str
    ip: str = ""
    dns: str = ""
    backends: tuple[tuple[float, str, str, int], ...] = ()
    dns_status: str = ""


class Network:
    """Found by `world.room("network")`."""

    def routes(self, world: World, pod_uid: str, host: str, port: int) -> Routes:
        """Where `host:port` leads for a process in a pod: all of its endpoints, evenly weighted."""
        source = pod_by_uid(world, pod_uid)
        if source is None:
            return Routes("unreachable")
        resolution = dns.resolve(world, source, host)
        if resolution.status != "ok":
            return Routes("dns", dns=resolution.server, dns_status=resolution.status)
        address = resolution.addresses[0]
        if len(resolution.addresses) > 1:
            # A headless Service: the resolver hands out all addresses, clients use them in turn.
            entries = [
                entry
                for found in resolution.addresses
                for entry in services.backends(world, found, port, source).backends
            ]
            weighted = tuple((1 / len(entries), e.pod_uid, e.ip, e.port) for e in entries)
            return Routes("", address, resolution.server, weighted)
        target = services.backends(world, address, port, source)
        if target.failure is not None:
            return Routes(_ERRORS[target.failure], address, resolution.server)
        share = 1 / len(target.backends)
        listed = tuple((share, e.pod_uid, e.ip, e.port) for e in target.backends)
        return Routes("", address, resolution.server, listed)

    def resolve(self, world: World, pod: Object, name: str) -> dns.Resolution:
        """Look up a name as a process in the pod does."""
        return dns.resolve(world, pod, name)

    def connect(self, world: World, pod: Object, address: str, port: int) -> services.Connection:
        """Open a TCP connection as a process in the pod does."""
        return services.connect(world, pod, address, port)


_ERRORS = {
    Outcome.REFUSED: "refused",
    Outcome.TIMEOUT: "timeout",
    Outcome.UNREACHABLE: "unreachable",
}


def pod_by_uid(world: World, uid: str) -> Object | None:
    """The pod with this uid, or None."""
    return next(world.store.indexed("pods", "uid", uid), None)


def pod_uids(pod: Object) -> list[str]:
    """Index value of a pod: its uid."""
    return [pod["metadata"]["uid"]]


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(
        name="network",
        followers={"services": (service_addresses.follow,)},
        indexers={
            "pods": {"uid": pod_uids},
            "services": {"address": services.service_addresses},
            "endpointslices.discovery.k8s.io": {"service": services.slice_services},
        },
        rooms={"network": Network()},
    )

"""The network's subsystem, and what layers above ask of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.controllers.retrying import retrying
from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.machines import HOST
from sregym_cluster_embedded.network import (
    cache,
    connect,
    coredns,
    dns,
    dns_queries,
    ingress_status,
    mirroring,
    proxies,
    resolver,
    service_addresses,
    services,
)
from sregym_cluster_embedded.network import (
    icmp as echo,
)
from sregym_cluster_embedded.network.connect import ConnectResult, Routes
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.nameserver_use import NameserverUse, nameserver_use
from sregym_cluster_embedded.network.outcomes import Outcome, Target
from sregym_cluster_embedded.network.records import is_address
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.subsystem import Subsystem

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.records import Reply
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_LOOKS: CacheKey[int] = CacheKey("network.looks")

__all__ = ["Network", "Routes", "subsystem"]


class Network:
    """Found by `world.service(NETWORK)`."""

    def routes(
        self, world: World, pod_uid: str, host: str, port: int, protocol: str = "TCP"
    ) -> Routes:
        """Where `host:port` leads for a process in a pod: all of its endpoints with their weights.

        The answer is kept until something changes that it depends on.
        """
        _note_look(world)
        known: Routes | None = cache.get(world, (pod_uid, host, port, protocol))
        if known is not None:
            return known
        source = pod_by_uid(world, pod_uid)
        if source is None:
            return Routes("unreachable")
        return connect.routes(world, source, host, port, protocol)

    def dial(
        self,
        world: World,
        pod: Object | None,
        host: str,
        port: int,
        protocol: str = "TCP",
        purpose: object = "",
        node: str = "",
    ) -> ConnectResult:
        """Open one connection; see `network.dialling.dial`."""
        _note_look(world)
        return connect.dial(world, pod, host, port, protocol, purpose, node)

    def lookup(self, world: World, pod: Object, name: str, kind: str = "A") -> dns.Lookup:
        """Look up a name as a command in the pod does: hosts, search domains, name servers."""
        _note_look(world)
        heard: dns.Replies = []
        looked = dns.resolve(world, pod, name, kind, heard)
        dns_queries.note(world, pod, heard)
        return looked

    def nameserver_use(self, world: World, pod_uid: str, host: str) -> NameserverUse | None:
        """What each look-up of a host by a process in a pod asks name servers of the cluster."""
        source = None if is_address(host) else pod_by_uid(world, pod_uid)
        return None if source is None else nameserver_use(world, source, host)

    def looked_up(self, world: World, pod_uid: str, host: str) -> None:
        """A command in a pod has looked up a host to connect to it: servers have been asked."""
        source = None if is_address(host) else pod_by_uid(world, pod_uid)
        if source is not None:
            self.lookup(world, source, host)

    def query(
        self, world: World, pod: Object | None, server: str, name: str, kind: str = "A"
    ) -> Reply:
        """Ask one name server one question, as `dig` and `nslookup` do."""
        _note_look(world)
        heard: dns.Replies = []
        reply = dns.query(world, pod, server, name, kind, heard)
        dns_queries.note(world, pod, heard)
        return reply

    def echo(self, world: World, pod: Object, host: str) -> echo.Echo:
        """Ping a host from a pod."""
        _note_look(world)
        heard: dns.Replies = []
        found = echo.echo(world, pod, host, heard)
        dns_queries.note(world, pod, heard)
        return found

    def looks(self, world: World) -> int:
        """How often this world was asked where something leads: commands that ask see others."""
        return world.cache.kept(_LOOKS) or 0

    def resolver(self, pod: Object) -> resolver.Resolver:
        """What /etc/resolv.conf of the pod says."""
        return resolver.resolver_of(pod)

    def backends(
        self, world: World, namespace: str, service: str, port: int | str, node: str = ""
    ) -> Target:
        """The ready endpoints of a port (number or name) of a Service, as a proxy would use them."""
        found = world.store.get(Key("services", namespace, service))
        if found is None:
            return Target(Outcome.REFUSED)
        for entry in found["spec"].get("ports") or ():
            if port in (entry["port"], entry.get("name")):
                return services.service_backends(world, proxies.rules_of(world, node), found, entry)
        return Target(Outcome.REFUSED, (), f"{namespace}/{service}")


def _note_look(world: World) -> None:
    world.cache.keep(_LOOKS, (world.cache.kept(_LOOKS) or 0) + 1)


def pod_by_uid(world: World, uid: str) -> Object | None:
    """The pod with this uid, or None; a node itself is like a pod in its network."""
    if uid.startswith(HOST):
        return host_pod(world, uid.removeprefix(HOST))
    return next(world.store.indexed("pods", "uid", uid), None)


def host_pod(world: World, node: str) -> Object | None:
    """What pods in the network of a node are, as far as that concerns what the node does itself."""
    found = world.store.get(Key("nodes", "", node))
    if found is None:
        return None
    known = found.get("status", {}).get("addresses") or ()
    address = next((one["address"] for one in known if one["type"] == "InternalIP"), "")
    return {
        "metadata": {"namespace": "", "name": node, "uid": f"{HOST}{node}", "labels": {}},
        "spec": {
            "containers": [], "hostNetwork": True, "hostPID": True, "nodeName": node,
            "dnsPolicy": "Default", "hostAliases": _names_of_nodes(world),
        },
        "status": {"podIP": address, "hostIP": address, "podIPs": [{"ip": address}]},
    }  # fmt: skip


def _names_of_nodes(world: World) -> list[Object]:
    """What /etc/hosts of a node says of the others."""
    return [
        {"ip": one["address"], "hostnames": [node["metadata"]["name"]]}
        for node in world.store.list("nodes")
        for one in node.get("status", {}).get("addresses") or ()
        if one["type"] == "InternalIP"
    ]


def pod_uids(pod: Object) -> list[str]:
    """Index value of a pod: its uid."""
    return [pod["metadata"]["uid"]]


def subsystem() -> Subsystem:
    """What this layer adds to a cluster."""
    rare = (cache.follow,)
    return Subsystem(
        name="network",
        handlers={
            ingress_status.HANDLER: ingress_status.sync,
            mirroring.HANDLER: retrying(mirroring.HANDLER, mirroring.reconcile),
            proxies.HANDLER: proxies.sync,
        },
        followers={
            "services": (
                service_addresses.follow,
                proxies.follow,
                mirroring.follow_services,
                *rare,
            ),
            "endpoints": (mirroring.follow_endpoints,),
            proxies.SLICES: (proxies.follow, cache.follow_endpoints),
            "pods": (cache.follow_pods, coredns.follow),
            "nodes": (cache.follow_nodes,),
            "namespaces": rare,
            "networkpolicies.networking.k8s.io": rare,
            **dict.fromkeys(ingress_status.FOLLOWED, (ingress_status.follow,)),
        },
        indexers={
            "pods": {"uid": pod_uids},
            "services": dict(proxies.INDEXES),
            proxies.SLICES: {"service": proxies.slice_services},
        },
        services=NETWORK.offer(Network()),
    )

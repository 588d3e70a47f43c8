"""Packets for an address, as the kernel of a node translates and routes them.

Everything is read from Services and EndpointSlices as the node's kube-proxy has programmed them.
Whether a process listens at the end is asked of the runtime, which a higher layer provides.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from sregym_cluster_embedded.machines import control_plane_address, machine
from sregym_cluster_embedded.network import hosts, proxies
from sregym_cluster_embedded.network.addresses import holder, node_with
from sregym_cluster_embedded.network.outcomes import Backend, Outcome, Target
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.network.proxies import Rules
    from sregym_cluster_embedded.world import World

_SERVICE_NETWORK = "10.96."
_POD_NETWORKS = tuple(f"10.{number}." for number in range(244, 256))


def backends(
    world: World,
    address: str,
    port: int,
    source: Object | None = None,
    protocol: str = "TCP",
    node: str = "",
) -> Target:
    """The endpoints to which packets for an address and port go.

    Args:
        world: The cluster.
        address: Where they are sent.
        port: The port there.
        source: The pod that sends them; None for a sender outside of pods.
        protocol: `TCP`, `UDP` or `SCTP`.
        node: The node where a sender outside of pods stands; empty for one outside the cluster.
    """
    place = node if source is None else source["spec"].get("nodeName", "")
    rules = proxies.rules_of(world, place)
    for service in rules.at("address", address):
        return _service_target(world, rules, service, address, port, source, protocol, place)
    for service in rules.at("balanced", "yes"):
        if address in _balancer_addresses(service):
            if not _admitted(service, _address_of(source)):
                return Target(Outcome.TIMEOUT, (), _place(service))
            return _service_target(world, rules, service, address, port, source, protocol, place)
    pod = holder(world, address)
    if pod is not None:
        return Target(None, (_direct(pod, address, port),))
    node_object = node_with(world, address)
    if node_object is not None:
        return _node_target(world, node_object, address, port, source, protocol)
    if address.startswith("127."):
        return _loopback(source, address, port)
    nodes = ".".join(control_plane_address(world).split(".")[:2]) + "."
    if address.startswith((_SERVICE_NETWORK, nodes, *_POD_NETWORKS)):
        # The network is known, but no host there has the address.
        return Target(Outcome.NO_ROUTE)
    # Nodes have no way out of the cluster.
    return Target(Outcome.UNREACHABLE)


def service_backends(
    world: World,
    rules: Rules,
    service: Object,
    port: Object,
    *,
    local_to: str | None = None,
    client: str = "",
    node: str = "",
) -> Target:
    """The endpoints of one port of a Service, as kube-proxy balances over them.

    Args:
        world: The cluster.
        rules: What the node's proxy knows.
        service: The Service.
        port: The entry of its `spec.ports`.
        local_to: Only endpoints on this node; None for all.
        client: Address of the caller, to which a Service with session affinity gives one endpoint.
        node: Where the caller stands; endpoints may be meant for callers nearby.
    """
    metadata = service["metadata"]
    place = f"{metadata['namespace']}/{metadata['name']}"
    ready: list[Backend] = []
    fallback: list[Backend] = []
    hints: list[Object] = []
    for entry in rules.slices(service):
        number = _slice_port(entry, port)
        if number is None or entry.get("addressType", "IPv4") != "IPv4":
            continue
        for endpoint in entry.get("endpoints") or ():
            if not endpoint.get("addresses"):
                continue
            conditions = endpoint.get("conditions") or {}
            found = _backend(endpoint, number)
            if conditions.get("ready", True) is not False:
                ready.append(found)
                hints.append(endpoint.get("hints") or {})
            elif conditions.get("serving") and conditions.get("terminating"):
                fallback.append(found)
    if not ready and not fallback:
        return Target(Outcome.REFUSED, (), place)
    # While nothing is ready, traffic goes to what still serves on its way out.
    chosen = (_nearest(world, node, ready, hints) if node else ready) or fallback
    if local_to is not None:
        chosen = [backend for backend in ready if backend.node == local_to] or [
            backend for backend in fallback if backend.node == local_to
        ]
        if not chosen:
            return Target(Outcome.TIMEOUT, (), place)
    if service["spec"].get("sessionAffinity") == "ClientIP" and client:
        # One client keeps to one endpoint for as long as that is there.
        name = metadata["name"]
        chosen = [max(chosen, key=lambda one: world.seed.fraction(name, client, one.ip))]
    elif client:
        chosen = rules.spread.ends(world, place, client, chosen)
    return Target(None, tuple(chosen), place)


def _nearest(world: World, node: str, ready: list[Backend], hints: list[Object]) -> list[Backend]:
    """The ready endpoints that are meant for callers on a node; all when not all say for whom."""
    for field, place in (("forNodes", node), ("forZones", "")):
        if not hints or not all(hint.get(field) for hint in hints):
            continue
        if field == "forZones":
            machine = world.store.get(Key("nodes", "", node)) or {"metadata": {}}
            labels = machine["metadata"].get("labels") or {}
            place = labels.get("topology.kubernetes.io/zone", "")
        near = [
            backend
            for backend, hint in zip(ready, hints, strict=True)
            if any(entry["name"] == place for entry in hint[field])
        ]
        if near:
            return near
    return ready


def _service_target(
    world: World,
    rules: Rules,
    service: Object,
    address: str,
    port: int,
    source: Object | None,
    protocol: str,
    node: str,
) -> Target:
    spec, metadata = service["spec"], service["metadata"]
    inside = address in (spec.get("clusterIPs") or ())
    for entry in spec.get("ports") or ():
        if entry["port"] != port or entry.get("protocol", "TCP") != protocol:
            continue
        local_to: str | None = None
        if inside and spec.get("internalTrafficPolicy") == "Local":
            local_to = node
        client = _address_of(source)
        return service_backends(
            world, rules, service, entry, local_to=local_to, client=client, node=node
        )
    # The address itself belongs to no host: packets for other ports find no host.
    return Target(Outcome.NO_ROUTE, (), f"{metadata['namespace']}/{metadata['name']}")


def _node_target(
    world: World,
    node: Object,
    address: str,
    port: int,
    source: Object | None,
    protocol: str,
) -> Target:
    name = node["metadata"]["name"]
    found = machine(world, name)
    if found is not None and not found.powered:
        return Target(Outcome.NO_ROUTE)
    there = proxies.rules_of(world, name)
    for service in there.at("node-port", f"{protocol}/{port}"):
        for entry in service["spec"].get("ports") or ():
            if entry.get("nodePort") != port or entry.get("protocol", "TCP") != protocol:
                continue
            # Pods that dial their own node are sent on like callers of the cluster address.
            near = source is not None and source["spec"].get("nodeName") == name
            external = service["spec"].get("externalTrafficPolicy")
            local_to = name if external == "Local" and not near else None
            client = _address_of(source)
            return service_backends(world, there, service, entry, local_to=local_to, client=client)
    return hosts.target(world, node, address, port, protocol)


def _loopback(source: Object | None, address: str, port: int) -> Target:
    if source is None:
        return Target(Outcome.REFUSED)
    return Target(None, (_direct(source, address, port),))


def _direct(pod: Object, address: str, port: int) -> Backend:
    metadata = pod["metadata"]
    place = (metadata["uid"], metadata["namespace"], metadata["name"])
    return Backend(*place, address, port, pod["spec"].get("nodeName", ""))


def _address_of(source: Object | None) -> str:
    return "" if source is None else str(source.get("status", {}).get("podIP", ""))


def _balancer_addresses(service: Object) -> Iterable[str]:
    ingress = (service.get("status", {}).get("loadBalancer") or {}).get("ingress") or ()
    # With `Proxy` the address is the balancer's own affair, not kube-proxy's.
    return [entry.get("ip", "") for entry in ingress if entry.get("ipMode", "VIP") == "VIP"]


def _admitted(service: Object, client: str) -> bool:
    """Whether a caller's address lies in the ranges that a Service lets in from outside."""
    ranges = service["spec"].get("loadBalancerSourceRanges")
    if not ranges:
        return True
    try:
        return any(ip_address(client) in ip_network(entry, strict=False) for entry in ranges)
    except ValueError:
        return False


def _place(service: Object) -> str:
    return f"{service['metadata']['namespace']}/{service['metadata']['name']}"


def _slice_port(entry: Object, port: Object) -> int | None:
    for offered in entry.get("ports") or ():
        if (offered.get("name") or "") == port.get("name", "") and (
            offered.get("protocol", "TCP") == port.get("protocol", "TCP")
        ):
            number: int | None = offered.get("port")
            return number
    return None


def _backend(endpoint: Object, port: int) -> Backend:
    reference = endpoint.get("targetRef") or {}
    return Backend(
        reference.get("uid", "") if reference.get("kind") == "Pod" else "",
        reference.get("namespace", ""),
        reference.get("name", ""),
        endpoint["addresses"][0],
        port,
        endpoint.get("nodeName") or "",
    )

"""NetworkPolicies: whether a connection between two ends is let through.

As the API promises it: a pod that no policy selects is open; one that is selected is closed in that
direction but for what some policy allows. A pod's own node always gets through, and so does a pod to
itself. Pods in the network of their node are no pods here, but addresses.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.selectors import labels_match, of_object
from sregym_cluster_embedded.network.addresses import holder, node_with
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.network.outcomes import Backend
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

RESOURCE = "networkpolicies.networking.k8s.io"


def lets_through(
    world: World,
    source: Object | None,
    source_ip: str,
    backend: Backend,
    protocol: str,
) -> bool:
    """Whether policies let packets through from a source to an endpoint, behind any translation.

    Args:
        world: The cluster.
        source: The pod that sends; None for a sender that is no pod.
        source_ip: Its address; empty when it is not known.
        backend: The end.
        protocol: `TCP`, `UDP` or `SCTP`.
    """
    target = world.store.get(Key("pods", backend.namespace, backend.pod)) if backend.pod else None
    if target is None:
        target = holder(world, backend.ip)
    if source is not None and target is not None and _uid(source) == _uid(target):
        return True
    sender, receiver = _ordinary(source), _ordinary(target)
    if sender is not None:
        chosen = _selecting(world, sender, "Egress")
        near = not chosen or _own_node(world, sender, backend.ip)
        if not near and not _allowed(
            world, chosen, "egress", "to", receiver, backend.ip, backend, protocol
        ):
            return False
    if receiver is not None:
        chosen = _selecting(world, receiver, "Ingress")
        near = not chosen or _own_node(world, receiver, source_ip)
        if not near and not _allowed(
            world, chosen, "ingress", "from", sender, source_ip, backend, protocol
        ):
            return False
    return True


def governs(world: World, *namespaces: str) -> bool:
    """Whether any of these namespaces has policies at all."""
    return any(world.store.has_any(RESOURCE, name) for name in namespaces if name)


def _uid(pod: Object) -> str:
    return str(pod["metadata"]["uid"])


def _ordinary(pod: Object | None) -> Object | None:
    return None if pod is None or pod["spec"].get("hostNetwork") else pod


def _selecting(world: World, pod: Object, direction: str) -> list[Object]:
    """The policies that close a pod in a direction."""
    metadata = pod["metadata"]
    return [
        policy
        for policy in world.store.list(RESOURCE, metadata["namespace"])
        if direction in policy["spec"].get("policyTypes", ("Ingress",))
        and _selected(policy["spec"].get("podSelector") or {}, metadata)
    ]


def _allowed(
    world: World,
    chosen: Iterable[Object],
    rules: str,
    peers: str,
    peer: Object | None,
    address: str,
    end: Backend,
    protocol: str,
) -> bool:
    for policy in chosen:
        for rule in policy["spec"].get(rules) or ():
            if not _port_fits(world, rule.get("ports"), end, protocol):
                continue
            named = rule.get(peers)
            if not named or any(_peer_fits(world, policy, one, peer, address) for one in named):
                return True
    return False


def _port_fits(world: World, ports: list[Object] | None, end: Backend, protocol: str) -> bool:
    if not ports:
        return True
    for entry in ports:
        if entry.get("protocol", "TCP") != protocol:
            continue
        port: int | str | None = entry.get("port")
        if port is None:
            return True
        if isinstance(port, str):
            if end.port in _named_ports(world, end, port, protocol):
                return True
        elif port <= end.port <= (entry.get("endPort") or port):
            return True
    return False


def _named_ports(world: World, end: Backend, name: str, protocol: str) -> list[int]:
    """The ports of the receiving pod that are called so; an address has none."""
    pod = holder(world, end.ip)
    spec = pod["spec"] if pod is not None else {}
    return [
        port["containerPort"]
        for container in [*spec.get("containers", ()), *spec.get("initContainers", ())]
        for port in container.get("ports", ())
        if port.get("name") == name and port.get("protocol", "TCP") == protocol
    ]


def _peer_fits(
    world: World, policy: Object, given: Object, peer: Object | None, address: str
) -> bool:
    block = given.get("ipBlock")
    if block is not None:
        return _in_block(block, address)
    if peer is None:
        return False
    metadata, home = peer["metadata"], policy["metadata"]["namespace"]
    spaces = given.get("namespaceSelector")
    if spaces is None:
        if metadata["namespace"] != home:
            return False
    else:
        space = world.store.get(Key("namespaces", "", metadata["namespace"]))
        if space is None or not _selected(spaces, space["metadata"]):
            return False
    pods = given.get("podSelector")
    return pods is None or _selected(pods, metadata)


def _selected(selector: Object, metadata: Object) -> bool:
    return labels_match(of_object(selector) or (), metadata.get("labels") or {})


def _in_block(block: Object, address: str) -> bool:
    if not address:
        return False
    try:
        ip = ip_address(address)
        return ip in ip_network(block["cidr"], strict=False) and not any(
            ip in ip_network(entry, strict=False) for entry in block.get("except") or ()
        )
    except ValueError:
        # A range that cannot be parsed contains no address.
        return False


def _own_node(world: World, pod: Object, address: str) -> bool:
    node = node_with(world, address) if address else None
    return node is not None and node["metadata"]["name"] == pod["spec"].get("nodeName")

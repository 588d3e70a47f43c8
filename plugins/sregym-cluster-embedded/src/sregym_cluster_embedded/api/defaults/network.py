"""Defaults of services and their kin, and the addresses that services are given."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.defaults.fields import each, filled, within
from sregym_cluster_embedded.api.service_ranges import open_networks
from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.store import ChangeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

NODE_PORTS = range(30000, 32768)
_AFFINITY_TIMEOUT_S = 10800
# The addresses of all Services at a revision of the store.
_TAKEN: CacheKey[tuple[int, set[str]]] = CacheKey("api.service-addresses")


def service(obj: Object) -> Object:
    """Service: what does not depend on other services."""
    spec = filled(obj.get("spec", {}), {"sessionAffinity": "None", "type": "ClusterIP"})
    if spec["sessionAffinity"] == "ClientIP":
        spec = filled(spec, {"sessionAffinityConfig": {}})
        spec = within(spec, "sessionAffinityConfig", _affinity)
    elif "sessionAffinityConfig" in spec:
        spec = {key: value for key, value in spec.items() if key != "sessionAffinityConfig"}
    spec = within(spec, "ports", each(_port))
    if spec["type"] != "ExternalName":
        spec = filled(spec, {"internalTrafficPolicy": "Cluster"})
    reachable = spec["type"] in ("NodePort", "LoadBalancer")
    if reachable or (spec["type"] == "ClusterIP" and spec.get("externalIPs")):
        spec = filled(spec, {"externalTrafficPolicy": "Cluster"})
    if spec["type"] == "LoadBalancer":
        spec = filled(spec, {"allocateLoadBalancerNodePorts": True})
        obj = within(obj, "status", lambda status: within(status, "loadBalancer", _ways))
    return obj if spec is obj.get("spec") else {**obj, "spec": spec}


def _ways(balancer: Object) -> Object:
    """How traffic reaches each address of a balancer."""
    return within(
        balancer,
        "ingress",
        each(lambda entry: filled(entry, {"ipMode": "VIP"}) if entry.get("ip") else entry),
    )


_OWN_ADDRESS = ("clusterIP", "clusterIPs")
_WISHES = ("ipFamilies", "ipFamilyPolicy", *_OWN_ADDRESS)


def new_service(world: World, obj: Object) -> Object:
    """A new service with its cluster address and node ports."""
    given = obj["spec"]
    spec = allocate(world, obj, given)
    if spec["type"] != "ExternalName" and given.get("clusterIP") and given.get("clusterIPs"):
        _check_address(world, obj["metadata"]["name"], given["clusterIP"])
    return {**obj, "spec": spec}


def allocate(world: World, obj: Object, spec: Object) -> Object:
    """`spec` with the addresses and node ports that its type needs and that it lacks.

    Raises:
        errors.ApiError: A chosen address or port cannot be had.
    """
    name = obj["metadata"]["name"]
    if spec["type"] == "ExternalName":
        return spec
    _check_wishes(name, spec)
    spec = filled(spec, {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"})
    if not spec.get("clusterIP"):
        chosen = _address(world)
        spec = {**spec, "clusterIP": chosen, "clusterIPs": [chosen]}
    elif not spec.get("clusterIPs"):
        _check_address(world, name, spec["clusterIP"])
        spec = {**spec, "clusterIPs": [spec["clusterIP"]]}
    if spec["type"] == "NodePort" or (
        spec["type"] == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True)
    ):
        spec = _with_node_ports(world, name, spec)
    return _with_health_port(world, spec)


def _check_wishes(name: str, spec: Object) -> None:
    """Refuse addresses that are none, and what a cluster with one family of them cannot give."""
    if not any(spec.get(field) for field in _WISHES):
        return
    from sregym_cluster_embedded.api.validation import services

    wished = {**spec, "clusterIPs": spec.get("clusterIPs") or [spec.get("clusterIP") or ""]}
    found = services.addresses(wished) if wished["clusterIPs"] != [""] else []
    if found:
        raise errors.invalid("", "Service", name, found)
    if spec.get("ipFamilyPolicy") == "RequireDualStack":
        why = "this cluster is not configured for dual-stack services"
        text = f'Invalid value: "RequireDualStack": {why}'
        found.append(errors.Cause("spec.ipFamilyPolicy", text))
    found += [
        errors.Cause(
            f"spec.ipFamilies[{index}]",
            f'Invalid value: "{family}": not configured on this cluster',
        )
        for index, family in enumerate(spec.get("ipFamilies") or ())
        if family == "IPv6"
    ]
    if found:
        raise errors.invalid("", "Service", name, found)


def release(old: Object, spec: Object) -> Object:
    """`spec` with the addresses and ports that its author left out.

    What its new type must not have is dropped where it still has the old value.
    """
    before = old["spec"]
    spec = _kept(before, spec)
    dropped: set[str] = set()
    if spec["type"] == "ExternalName" and before["type"] != "ExternalName":
        dropped |= {
            field
            for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
            if spec.get(field) == before.get(field)
        }
        dropped |= {"internalTrafficPolicy"}
    if spec["type"] not in ("NodePort", "LoadBalancer"):
        if spec.get("externalTrafficPolicy") == before.get(
            "externalTrafficPolicy"
        ) and not spec.get("externalIPs"):
            dropped.add("externalTrafficPolicy")
        if before["type"] in ("NodePort", "LoadBalancer"):
            ports = [
                {key: value for key, value in port.items() if key != "nodePort"}
                for port in spec.get("ports", ())
            ]
            spec = {**spec, "ports": ports} if "ports" in spec else spec
    if spec["type"] != "LoadBalancer":
        dropped.add("allocateLoadBalancerNodePorts")
        if spec.get("loadBalancerClass") == before.get("loadBalancerClass"):
            dropped.add("loadBalancerClass")
    watched = spec["type"] == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"
    if not watched and spec.get("healthCheckNodePort") == before.get("healthCheckNodePort"):
        dropped.add("healthCheckNodePort")
    return {key: value for key, value in spec.items() if key not in dropped}


def _kept(before: Object, spec: Object) -> Object:
    """What a service was given stays its own while no update asks for something else."""
    if "ExternalName" in (before["type"], spec["type"]):
        return spec
    first, given = before.get("clusterIP"), spec.get("clusterIP")
    listed = spec.get("clusterIPs")
    if not given and not listed:
        spec = {**spec, **{key: before[key] for key in before if key in _OWN_ADDRESS}}
    elif given != first and listed == before.get("clusterIPs"):
        spec = {key: value for key, value in spec.items() if key != "clusterIPs"}
        spec |= {"clusterIPs": [given]} if given else {}
    elif listed and given == first and listed != before.get("clusterIPs"):
        spec = {**spec, "clusterIP": listed[0]}
    if not {before["type"], spec["type"]} <= {"NodePort", "LoadBalancer"}:
        return spec
    numbers = {
        (port.get("protocol"), port["port"]): port["nodePort"]
        for port in before.get("ports", ())
        if port.get("nodePort")
    }
    ports = [
        port
        if port.get("nodePort") or (port.get("protocol"), port.get("port")) not in numbers
        else {**port, "nodePort": numbers[port.get("protocol"), port.get("port")]}
        for port in spec.get("ports", ())
    ]
    return {**spec, "ports": ports} if ports else spec


def endpoints(obj: Object) -> Object:
    """Endpoints."""
    return within(obj, "subsets", each(lambda subset: within(subset, "ports", each(_protocol))))


def endpoint_slice(obj: Object) -> Object:
    """EndpointSlice."""
    obj = filled(obj, {"endpoints": [], "ports": []})
    obj = within(obj, "endpoints", each(lambda point: filled(point, {"conditions": {}})))
    return within(obj, "ports", each(lambda port: filled(port, {"name": "", "protocol": "TCP"})))


def ingress(obj: Object) -> Object:
    """Ingress: a list of no rules is none; without another backend it is refused as it was sent."""
    spec = obj.get("spec", {})
    if spec.get("rules") == [] and "defaultBackend" in spec:
        return {**obj, "spec": {name: value for name, value in spec.items() if name != "rules"}}
    return obj


def ingress_class(obj: Object) -> Object:
    """IngressClass."""
    scope = {"scope": "Cluster"}
    return within(
        obj, "spec", lambda spec: within(spec, "parameters", lambda given: filled(given, scope))
    )


def network_policy(obj: Object) -> Object:
    """NetworkPolicy: which directions it speaks about."""
    spec = obj.get("spec", {})
    types = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    spec = filled(spec, {"podSelector": {}, "policyTypes": types})
    for field in ("ingress", "egress"):
        spec = within(spec, field, each(lambda rule: within(rule, "ports", each(_protocol))))
    return obj if spec is obj.get("spec") else {**obj, "spec": spec}


def _protocol(port: Object) -> Object:
    return filled(port, {"protocol": "TCP"})


def _port(port: Object) -> Object:
    port = filled(port, {"protocol": "TCP"})
    if port.get("targetPort") in (None, "", 0) and "port" in port:
        return {**port, "targetPort": port["port"]}
    return port


def _affinity(config: Object) -> Object:
    config = filled(config, {"clientIP": {}})
    return within(
        config, "clientIP", lambda client: filled(client, {"timeoutSeconds": _AFFINITY_TIMEOUT_S})
    )


def _taken(world: World) -> set[str]:
    """The addresses of all Services; the set is read-only."""
    revision, known = world.store.revision, world.cache.kept(_TAKEN)
    found = None if known is None else _with_later(world, *known)
    if found is None:
        found = set()
        for service in world.store.list("services"):
            found.update(_addresses(service))
    world.cache.keep(_TAKEN, (revision, found))
    return found


def _with_later(world: World, revision: int, known: set[str]) -> set[str] | None:
    """The addresses known at a revision with those taken since; None where some were given back."""
    history = world.store.history
    missed = world.store.revision - revision  # each write makes one revision, and one entry
    if missed > len(history):
        return None
    for change in history[len(history) - missed :]:
        if change.key.resource != "services":
            continue
        if change.old is not None and _addresses(change.old) != _addresses(change.obj):
            return None
        if change.type is ChangeType.DELETED:
            return None
        known.update(_addresses(change.obj))
    return known


def _addresses(service: Object) -> Sequence[str]:
    found: Sequence[str] = service["spec"].get("clusterIPs", ())
    return found


def _address(world: World) -> str:
    taken = _taken(world)
    chance = world.seed.fraction("service address", len(taken), world.store.revision)
    for network in open_networks(world):
        first, end = _first_free(network), network.num_addresses - 1
        for low, high in ((first, end), (1, first)):
            span = high - low
            start = int(chance * span)
            for step in range(span):
                address = str(network[low + (start + step) % span])
                if address not in taken:
                    return address
    raise errors.internal("failed to allocate a serviceIP: range is full")


def _first_free(network: IPv4Network) -> int:
    """Where the part ends that is left, while there is room, to addresses that people choose."""
    least, most = 16, 256
    if network.num_addresses <= least:
        return 1
    return 1 + min(max(network.num_addresses // least, least), most)


def _check_address(world: World, name: str, address: str) -> None:
    if address == "None":
        return
    taken = _taken(world)
    try:
        wanted = IPv4Address(address)
    except ValueError:
        return  # Not an address: validation says so.
    if not any(wanted in network for network in open_networks(world)):
        why = "the provided network does not match the current range"
    elif address in taken:
        why = "provided IP is already allocated"
    else:
        return
    cause = errors.Cause(
        "spec.clusterIPs",
        f'Invalid value: ["{address}"]: failed to allocate IP {address}: {why}',
    )
    raise errors.invalid("", "Service", name, [cause])


def _with_node_ports(world: World, name: str, spec: Object) -> Object:
    taken = {
        (port["nodePort"], port["protocol"])
        for service in world.store.list("services")
        for port in service["spec"].get("ports", ())
        if port.get("nodePort") and service["metadata"]["name"] != name
    }
    ports = []
    for index, port in enumerate(spec.get("ports", ())):
        wanted = port.get("nodePort")
        if wanted:
            _check_node_port(name, index, wanted, (wanted, port["protocol"]) in taken)
        else:
            port = {**port, "nodePort": _node_port(world, port["protocol"], taken)}
        taken.add((port["nodePort"], port["protocol"]))
        ports.append(port)
    return {**spec, "ports": ports}


def _with_health_port(world: World, spec: Object) -> Object:
    """A balancer that must only send to nodes with endpoints asks each node on a port for that."""
    local = spec["type"] == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"
    if not local or spec.get("healthCheckNodePort"):
        return spec
    taken = {
        (port["nodePort"], "TCP")
        for service in [*world.store.list("services"), {"spec": spec}]
        for port in service["spec"].get("ports", ())
        if port.get("nodePort")
    }
    taken |= {
        (service["spec"]["healthCheckNodePort"], "TCP")
        for service in world.store.list("services")
        if service["spec"].get("healthCheckNodePort")
    }
    return {**spec, "healthCheckNodePort": _node_port(world, "TCP", taken)}


def _node_port(world: World, protocol: str, taken: set[tuple[int, str]]) -> int:
    start = int(
        world.seed.fraction("node port", len(taken), world.store.revision) * len(NODE_PORTS)
    )
    for step in range(len(NODE_PORTS)):
        port = NODE_PORTS[(start + step) % len(NODE_PORTS)]
        if (port, protocol) not in taken:
            return port
    raise errors.internal("failed to allocate a nodePort: range is full")


def _check_node_port(name: str, index: int, port: int, is_taken: bool) -> None:
    if port not in NODE_PORTS:
        why = (
            "provided port is not in the valid range. The range of valid ports is "
            f"{NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
        )
    elif is_taken:
        why = "provided port is already allocated"
    else:
        return
    cause = errors.Cause(f"spec.ports[{index}].nodePort", f"Invalid value: {port}: {why}")
    raise errors.invalid("", "Service", name, [cause])

"""The rows of services and of what belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.printers.cell_texts import NONE, Cells, labels, selector, some
from sregym_cluster_embedded.api.printers.duration import since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_SHOWN = 3


def _age(obj: Object, now_s: float) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now_s)


def service(obj: Object, now_s: float) -> Cells:
    """Service."""
    spec = obj.get("spec", {})
    return [
        obj["metadata"]["name"],
        spec.get("type", "ClusterIP"),
        spec.get("clusterIP") or NONE,
        _external(obj),
        _ports(spec.get("ports", ())),
        _age(obj, now_s),
        labels(spec.get("selector")),
    ]


def _external(obj: Object) -> str:
    spec = obj.get("spec", {})
    extra = spec.get("externalIPs", [])
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName", ""))
    if spec.get("type") == "LoadBalancer":
        points = obj.get("status", {}).get("loadBalancer", {}).get("ingress", ())
        listed = [point.get("ip") or point.get("hostname", "") for point in points]
        return ",".join([*listed, *extra]) or "<pending>"
    return ",".join(extra) or NONE


def _ports(ports: list[Object]) -> str:
    texts = []
    for port in ports:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        texts.append(f"{port['port']}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(texts) or NONE


def endpoints(obj: Object, now_s: float) -> Cells:
    """Endpoints."""
    pairs: list[str] = []
    for subset in obj.get("subsets") or ():
        addresses = [entry["ip"] for entry in subset.get("addresses", ())]
        if not subset.get("ports"):
            pairs += addresses
        for port in subset.get("ports", ()):
            pairs += [f"{address}:{port['port']}" for address in addresses]
    # Where pods are not ready there is a subset, but no address: the column is empty.
    shown = some(pairs, _SHOWN) if obj.get("subsets") else NONE
    return [obj["metadata"]["name"], shown, _age(obj, now_s)]


def endpoint_slice(obj: Object, now_s: float) -> Cells:
    """EndpointSlice."""
    ports = [_slice_port(port) for port in obj.get("ports") or ()]
    addresses = [
        address for entry in obj.get("endpoints") or () for address in entry.get("addresses", ())
    ]
    return [
        obj["metadata"]["name"],
        obj.get("addressType", ""),
        some(ports, _SHOWN) or "<unset>",
        some(addresses, _SHOWN) or "<unset>",
        _age(obj, now_s),
    ]


def _slice_port(port: Object) -> str:
    if port.get("port") is not None:
        return str(port["port"])
    return str(port.get("name") or "*")


def ingress(obj: Object, now_s: float) -> Cells:
    """Ingress."""
    spec = obj.get("spec", {})
    hosts = [rule["host"] for rule in spec.get("rules", ()) if rule.get("host")]
    points = obj.get("status", {}).get("loadBalancer", {}).get("ingress", ())
    address = ",".join(point.get("ip") or point.get("hostname", "") for point in points)
    return [
        obj["metadata"]["name"],
        spec.get("ingressClassName") or NONE,
        some(hosts, _SHOWN) or "*",
        address,
        "80, 443" if spec.get("tls") else "80",
        _age(obj, now_s),
    ]


def ingress_class(obj: Object, now_s: float) -> Cells:
    """IngressClass."""
    spec = obj.get("spec", {})
    parameters = NONE
    if spec.get("parameters"):
        reference = spec["parameters"]
        kind = reference["kind"]
        if reference.get("apiGroup"):
            kind = f"{kind}.{reference['apiGroup']}"
        parameters = f"{kind}/{reference['name']}"
    return [
        obj["metadata"]["name"],
        spec.get("controller", ""),
        parameters,
        _age(obj, now_s),
    ]


def network_policy(obj: Object, now_s: float) -> Cells:
    """NetworkPolicy."""
    return [
        obj["metadata"]["name"],
        selector(obj.get("spec", {}).get("podSelector")),
        _age(obj, now_s),
    ]


def ip_address(obj: Object, now_s: float) -> Cells:
    """IPAddress."""
    parent = obj.get("spec", {}).get("parentRef", {})
    parts = [parent.get(field, "") for field in ("group", "resource", "namespace", "name")]
    return [obj["metadata"]["name"], "/".join(part for part in parts if part), _age(obj, now_s)]


def service_cidr(obj: Object, now_s: float) -> Cells:
    """ServiceCIDR."""
    cidrs = ",".join(obj.get("spec", {}).get("cidrs", ()))
    return [obj["metadata"]["name"], cidrs, _age(obj, now_s)]

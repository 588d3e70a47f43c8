"""Validation of services."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats
from sregym_cluster_embedded.api.validation.containers import PROTOCOLS

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES = ("ClientIP", "None")
_TRAFFIC = ("Cluster", "Local")
_FAMILIES = ("IPv4", "IPv6")
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_DISTRIBUTIONS = ("PreferClose", "PreferSameNode", "PreferSameZone")
_LONGEST_AFFINITY_S = 86400
_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'"


def service(obj: Object) -> list[Cause]:
    """Service."""
    spec = obj["spec"]
    ports, kind = spec.get("ports") or [], spec.get("type", "ClusterIP")
    headless = spec.get("clusterIP") == "None"
    found: list[Cause] = []
    if not ports and not headless and kind != "ExternalName":
        found.append(causes.required("spec.ports"))
    if kind in ("LoadBalancer", "NodePort") and headless:
        text = f"may not be set to 'None' for {kind} services"
        found.append(causes.invalid("spec.clusterIPs[0]", "None", text))
    elif kind == "ExternalName":
        found += _external_name(spec)
    names: set[str] = set()
    for index, port in enumerate(ports):
        found += _port(port, f"spec.ports[{index}]", len(ports) > 1, names)
    found += formats.labels("spec.selector", spec.get("selector") or {})
    found += _affinity(spec)
    if kind != "ExternalName":
        found += addresses(spec)
    for index, address in enumerate(spec.get("externalIPs") or ()):
        field = f"spec.externalIPs[{index}]"
        found += formats.address(field, address) or formats.ordinary_address(field, address)
    found += causes.one_of("spec.type", kind, _TYPES)
    found += _numbers(ports, kind)
    return found + _balancing(spec, kind) + _policies(spec, kind)


def _external_name(spec: Object) -> list[Cause]:
    text = "may not be set for ExternalName services"
    given = {**spec, "clusterIPs": spec.get("clusterIPs") or spec.get("clusterIP")}
    found = [
        causes.forbidden(f"spec.{field}", text)
        for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if given.get(field)
    ]
    name = (spec.get("externalName") or "").removesuffix(".")
    if not name:
        return [*found, causes.required("spec.externalName")]
    return found + formats.subdomain("spec.externalName", name)


def _port(port: Object, path: str, named: bool, names: set[str]) -> list[Cause]:
    found: list[Cause] = []
    name = port.get("name", "")
    if named and not name:
        found.append(causes.required(f"{path}.name"))
    elif name:
        found += formats.label(f"{path}.name", name)
        if name in names:
            found.append(causes.duplicate(f"{path}.name", name))
        names.add(name)
    found += causes.port(f"{path}.port", port.get("port", 0))
    found += causes.one_of(f"{path}.protocol", port.get("protocol"), PROTOCOLS)
    found += formats.port_or_name(f"{path}.targetPort", port.get("targetPort", 1))
    if port.get("appProtocol"):
        found += formats.qualified(f"{path}.appProtocol", port["appProtocol"])
    return found


def _affinity(spec: Object) -> list[Cause]:
    kind, config = spec.get("sessionAffinity"), spec.get("sessionAffinityConfig")
    found = causes.one_of("spec.sessionAffinity", str(kind), _AFFINITIES)
    if kind == "ClientIP":
        seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
        field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        if seconds is not None and not 0 < seconds <= _LONGEST_AFFINITY_S:
            text = f"must be greater than 0 and less than {_LONGEST_AFFINITY_S}"
            found.append(causes.invalid(field, seconds, text))
    elif kind == "None" and config is not None:
        text = "must not be set when session affinity is None"
        found.append(causes.forbidden("spec.sessionAffinityConfig", text))
    return found


def addresses(spec: Object) -> list[Cause]:
    """The addresses of a service and their families: looked at before any is given out."""
    found: list[Cause] = []
    own, given = spec.get("clusterIP") or "", spec.get("clusterIPs") or []
    field = "spec.clusterIPs"
    if own and given and given[0] != own:
        text = "first value must match `clusterIP`"
        found.append(causes.invalid(field, given, text))
    elif given and not own:
        text = "must be empty when `clusterIP` is not specified"
        found.append(causes.invalid(field, given, text))
    seen: set[str] = set()
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        place = f"spec.ipFamilies[{index}]"
        found += causes.one_of(place, family, _FAMILIES)
        if family in seen:
            found.append(causes.duplicate(place, family))
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    found += causes.one_of("spec.ipFamilyPolicy", policy, _FAMILY_POLICIES)
    wrong: list[Cause] = []
    for index, address in enumerate(given):
        if index == 0 and address == "None":
            if len(given) > 1:
                text = "'None' must be the first and only value"
                wrong.append(causes.invalid(field, given, text))
            continue
        wrong += formats.address(f"{field}[{index}]", address)
    if len(given) > 2:
        found.append(causes.invalid(field, given, "may only hold up to 2 values"))
    if wrong:
        return found + wrong
    return found + _families(given, spec.get("ipFamilies") or ())


def _families(addresses: Any, families: Any) -> list[Cause]:
    found: list[Cause] = []
    versions = [ip_address(address).version for address in addresses if address != "None"]
    if len(versions) > 1 and len(set(versions)) == 1:
        text = "may specify no more than one IP for each IP family"
        found.append(causes.invalid("spec.clusterIPs", list(addresses), text))
    for index, (version, family) in enumerate(zip(versions, families, strict=False)):
        if family in _FAMILIES and family != f"IPv{version}":
            text = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            found.append(causes.invalid(f"spec.clusterIPs[{index}]", addresses[index], text))
    return found


def _numbers(ports: list[Object], kind: str) -> list[Cause]:
    found: list[Cause] = []
    if kind == "ClusterIP":
        text = "may not be used when `type` is 'ClusterIP'"
        found += [
            causes.forbidden(f"spec.ports[{index}].nodePort", text)
            for index, port in enumerate(ports)
            if port.get("nodePort")
        ]
    for field in ("nodePort", "port"):
        seen: set[tuple[Any, ...]] = set()
        for index, port in enumerate(ports):
            key = (port.get(field), port.get("protocol"))
            if key in seen and (field == "port" or port.get(field)):
                found.append(_taken_twice(port, field, f"spec.ports[{index}]"))
            seen.add(key)
    return found


def _taken_twice(port: Object, field: str, path: str) -> Cause:
    if field == "nodePort":
        return causes.duplicate(f"{path}.nodePort", port["nodePort"])
    shown = {
        "Name": "",
        "Protocol": port.get("protocol"),
        "AppProtocol": None,
        "Port": port.get("port"),
        "TargetPort": 0,
        "NodePort": 0,
    }
    return causes.duplicate(path, shown)


def _balancing(spec: Object, kind: str) -> list[Cause]:
    found: list[Cause] = []
    balanced = kind == "LoadBalancer"
    ranges = spec.get("loadBalancerSourceRanges") or ()
    field = "spec.LoadBalancerSourceRanges"
    if ranges and not balanced:
        found.append(causes.forbidden(field, _BALANCER_ONLY))
    for index, value in enumerate(ranges):
        found += formats.network(f"{field}[{index}]", value.strip())[1]
    if spec.get("allocateLoadBalancerNodePorts") is not None and not balanced:
        found.append(causes.forbidden("spec.allocateLoadBalancerNodePorts", _BALANCER_ONLY))
    name = spec.get("loadBalancerClass")
    if name is not None:
        field = "spec.loadBalancerClass"
        if balanced:
            found += formats.qualified(field, name)
        else:
            found.append(causes.forbidden(field, _BALANCER_ONLY))
    return found


def _policies(spec: Object, kind: str) -> list[Cause]:
    found: list[Cause] = []
    outside = spec.get("externalTrafficPolicy")
    reached = kind in ("NodePort", "LoadBalancer") or (
        kind == "ClusterIP" and bool(spec.get("externalIPs"))
    )
    field = "spec.externalTrafficPolicy"
    if outside and not reached:
        text = "may only be set for externally-accessible services"
        found.append(causes.invalid(field, outside, text))
    elif reached:
        found += causes.one_of(field, outside, _TRAFFIC)
    number = spec.get("healthCheckNodePort")
    if number and not (kind == "LoadBalancer" and outside == "Local"):
        text = (
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        )
        found.append(causes.invalid("spec.healthCheckNodePort", number, text))
    inside = spec.get("internalTrafficPolicy")
    found += causes.one_of("spec.internalTrafficPolicy", inside, _TRAFFIC)
    spread = spec.get("trafficDistribution")
    return found + causes.one_of("spec.trafficDistribution", spread, _DISTRIBUTIONS)

"""Validation of services and ingresses."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES = ("ClientIP", "None")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")


def service(obj: Object) -> list[Cause]:
    """Service."""
    spec = obj["spec"]
    found: list[Cause] = []
    ports = spec.get("ports", [])
    kind = spec.get("type", "ClusterIP")
    headless = spec.get("clusterIP") == "None"
    if not ports and not headless and kind != "ExternalName":
        found.append(causes.required("spec.ports"))
    if kind == "ExternalName" and not spec.get("externalName"):
        found.append(causes.required("spec.externalName"))
    names: set[str] = set()
    for index, port in enumerate(ports):
        found += _port(port, f"spec.ports[{index}]", len(ports) > 1, names)
    found += _duplicates(ports)
    found += causes.labels("spec.selector", spec.get("selector", {}))
    if spec.get("sessionAffinity") not in _AFFINITIES:
        value = str(spec.get("sessionAffinity"))
        found.append(causes.unsupported("spec.sessionAffinity", value, _AFFINITIES))
    for index, address in enumerate(spec.get("externalIPs", ())):
        if not _is_address(address):
            text = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
            found.append(causes.invalid(f"spec.externalIPs[{index}]", address, text))
    if kind not in _TYPES:
        found.append(causes.unsupported("spec.type", kind, _TYPES))
    return found


def _port(port: Object, path: str, named: bool, names: set[str]) -> list[Cause]:
    found: list[Cause] = []
    name = port.get("name", "")
    if named and not name:
        found.append(causes.required(f"{path}.name"))
    elif name:
        found += causes.label(f"{path}.name", name)
        if name in names:
            found.append(causes.duplicate(f"{path}.name", name))
        names.add(name)
    found += causes.port(f"{path}.port", port.get("port", 0))
    protocol = port.get("protocol", "TCP")
    if protocol not in _PROTOCOLS:
        found.append(causes.unsupported(f"{path}.protocol", protocol, _PROTOCOLS))
    target = port.get("targetPort", 1)
    if isinstance(target, int):
        found += causes.port(f"{path}.targetPort", target)
    elif not target or len(target) > 15:
        found.append(
            causes.invalid(f"{path}.targetPort", target, "must be no more than 15 characters")
        )
    return found


def _duplicates(ports: list[Object]) -> list[Cause]:
    found: list[Cause] = []
    seen: set[tuple[Any, ...]] = set()
    for index, port in enumerate(ports):
        key = (port.get("port"), port.get("protocol"))
        if key in seen:
            value = {"port": port.get("port"), "protocol": port.get("protocol")}
            found.append(causes.duplicate(f"spec.ports[{index}]", value))
        seen.add(key)
    return found


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def ingress(obj: Object) -> list[Cause]:
    """Ingress."""
    spec = obj["spec"]
    found: list[Cause] = []
    if not spec.get("rules") and not spec.get("defaultBackend"):
        text = "either `defaultBackend` or `rules` must be specified"
        found.append(causes.invalid("spec", spec, text))
    for index, rule in enumerate(spec.get("rules", ())):
        for number, path in enumerate(rule.get("http", {}).get("paths", ())):
            place = f"spec.rules[{index}].http.paths[{number}]"
            found += _path(path, place)
    return found


def _path(path: Object, place: str) -> list[Cause]:
    kind = path.get("pathType")
    found: list[Cause] = []
    if kind is None:
        found.append(causes.required(f"{place}.pathType", "pathType must be specified"))
    elif kind not in _PATH_TYPES:
        found.append(causes.unsupported(f"{place}.pathType", kind, _PATH_TYPES))
    elif kind != "ImplementationSpecific" and not path.get("path", "").startswith("/"):
        value = path.get("path", "")
        found.append(causes.invalid(f"{place}.path", value, "must be an absolute path"))
    return found

"""Validation of Ingresses and their classes."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_NO_SEQUENCES = ("//", "/./", "/../", "%2f", "%2F")
_NO_ENDS = ("/..", "/.")
_SCOPES = ("Cluster", "Namespace")
_CLASS = "kubernetes.io/ingress.class"


def ingress(obj: Object) -> list[Cause]:
    """Ingress."""
    spec = obj.get("spec") or {}
    found: list[Cause] = []
    rules, default = spec.get("rules") or (), spec.get("defaultBackend")
    if not rules and default is None:
        text = "either `defaultBackend` or `rules` must be specified"
        found.append(causes.invalid("spec", spec.get("rules"), text))
    if default is not None:
        found += _backend(default, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        found += _rule(rule, f"spec.rules[{index}]")
    for index, entry in enumerate(spec.get("tls") or ()):
        place = f"spec.tls[{index}]"
        for number, host in enumerate(entry.get("hosts") or ()):
            found += formats.host(f"{place}.hosts[{number}]", host)
        if entry.get("secretName"):
            found += formats.subdomain(f"{place}.secretName", entry["secretName"])
    name = spec.get("ingressClassName")
    if name is not None:
        found += formats.subdomain("spec.ingressClassName", name)
    return found


def created(obj: Object) -> list[Cause]:
    """What only a new Ingress must not have: two classes."""
    marked = (obj["metadata"].get("annotations") or {}).get(_CLASS)
    named = (obj.get("spec") or {}).get("ingressClassName")
    if marked is None or named is None or marked == named:
        return []
    text = "must match `ingressClassName` when both are specified"
    return [causes.invalid(f"annotations.{_CLASS}", marked, text)]


def _rule(rule: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    host = rule.get("host") or ""
    if host:
        if _is_address(host):
            text = "must be a DNS name, not an IP address"
            found.append(causes.invalid(f"{path}.host", host, text))
        found += formats.host(f"{path}.host", host)
    http = rule.get("http")
    if http is None:
        return found
    if not http.get("paths"):
        found.append(causes.required(f"{path}.http.paths"))
    for index, entry in enumerate(http.get("paths") or ()):
        found += _path(entry, f"{path}.http.paths[{index}]")
    return found


def _path(entry: Object, place: str) -> list[Cause]:
    kind, path = entry.get("pathType"), entry.get("path") or ""
    if kind is None:
        return [causes.required(f"{place}.pathType", "pathType must be specified")]
    found: list[Cause] = []
    field = f"{place}.path"
    if kind not in _PATH_TYPES:
        found.append(causes.unsupported(f"{place}.pathType", kind, _PATH_TYPES))
    elif not path.startswith("/") and (path or kind != "ImplementationSpecific"):
        found.append(causes.invalid(field, path, "must be an absolute path"))
    if kind in ("Exact", "Prefix"):
        for text in _NO_SEQUENCES:
            if text in path:
                found.append(causes.invalid(field, path, f"must not contain '{text}'"))
        for text in _NO_ENDS:
            if path.endswith(text):
                found.append(causes.invalid(field, path, f"cannot end with '{text}'"))
    return found + _backend(entry.get("backend") or {}, f"{place}.backend")


def _backend(backend: Object, path: str) -> list[Cause]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        text = "cannot set both resource and service backends"
        return [causes.invalid(path, "", text)]
    if resource is not None:
        return [
            causes.required(f"{path}.resource.{field}")
            for field in ("kind", "name")
            if not resource.get(field)
        ]
    if service is None:
        return [causes.invalid(path, "", "resource or service backend is required")]
    name, port = service.get("name") or "", service.get("port") or {}
    field = f"{path}.service.name"
    found = formats.label(field, name) if name else [causes.required(field)]
    if port.get("name") and port.get("number"):
        found.append(causes.invalid(path, "", "cannot set both port name & port number"))
    elif port.get("name"):
        found += formats.port_name(f"{path}.service.port.name", port["name"])
    elif port.get("number"):
        found += causes.port(f"{path}.service.port.number", port["number"])
    else:
        found.append(causes.required(path, "port name or number is required"))
    return found


def ingress_class(obj: Object) -> list[Cause]:
    """IngressClass."""
    spec = obj.get("spec") or {}
    controller, parameters = spec.get("controller") or "", spec.get("parameters")
    found: list[Cause] = []
    if len(controller) > 250:
        found.append(causes.too_long("spec.controller", 250))
    if not controller:
        found.append(causes.required("spec.controller"))
    elif "/" not in controller:
        text = 'must be a domain-prefixed path (such as "acme.io/foo")'
        found.append(causes.invalid("spec.controller", controller, text))
    else:
        found += formats.subdomain("spec.controller", controller.partition("/")[0])
    if parameters is None:
        return found
    place = "spec.parameters"
    found += [
        causes.required(f"{place}.{field}")
        for field in ("kind", "name")
        if not parameters.get(field)
    ]
    scope = parameters.get("scope", "Cluster")
    found += causes.one_of(f"{place}.scope", scope, _SCOPES)
    if scope == "Namespace" and not parameters.get("namespace"):
        text = "`parameters.scope` is set to 'Namespace'"
        found.append(causes.required(f"{place}.namespace", text))
    if scope == "Cluster" and parameters.get("namespace") is not None:
        text = "`parameters.scope` is set to 'Cluster'"
        found.append(causes.forbidden(f"{place}.namespace", text))
    return found


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

"""Validation of configuration: ConfigMaps, Secrets, quotas, limits, namespaces, endpoints."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import json_words, quantity
from sregym_cluster_embedded.api.validation import amounts, causes, formats
from sregym_cluster_embedded.api.validation.containers import PROTOCOLS

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_MOST_BYTES = 1024 * 1024
_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"
_ACCOUNT_NAME = "kubernetes.io/service-account.name"
_PULL_KEYS = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}
_REDACTED = "<secret contents redacted>"
_SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_POD_ONLY = frozenset({"pods"})
_POD_RESOURCES = frozenset(
    {
        "pods",
        *_COMPUTE,
        *(f"{side}.{name}" for side in ("requests", "limits") for name in _COMPUTE),
    }
)
_OPPOSITE = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_EXISTS_ONLY = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
    "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
_LIMIT_TYPES = ("Container", "PersistentVolumeClaim", "Pod")


def config_map(obj: Object) -> list[Cause]:
    """ConfigMap."""
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    found: list[Cause] = []
    for key in sorted(data):
        found += formats.config_key(f"data[{key}]", key)
        if key in binary:
            text = "duplicate of key present in binaryData"
            found.append(causes.invalid(f"data[{key}]", key, text))
    for key in sorted(binary):
        found += formats.config_key(f"binaryData[{key}]", key)
    size = sum(len(value.encode()) for value in data.values())
    size += sum(_decoded_length(value) for value in binary.values())
    if size > _MOST_BYTES:
        found.append(causes.too_long("", _MOST_BYTES))
    return found


def secret(obj: Object) -> list[Cause]:
    """Secret; what its type promises must be there."""
    data, kind = obj.get("data") or {}, obj.get("type", "")
    found: list[Cause] = []
    for key in sorted(data):
        found += formats.config_key(f"data[{key}]", key)
    if sum(_decoded_length(value) for value in data.values()) > _MOST_BYTES:
        found.append(causes.too_long("data", _MOST_BYTES))
    if kind == _ACCOUNT_TOKEN:
        if not (obj["metadata"].get("annotations") or {}).get(_ACCOUNT_NAME):
            found.append(causes.required(f"metadata.annotations[{_ACCOUNT_NAME}]"))
    elif kind in _PULL_KEYS:
        found += _pull_configuration(data, _PULL_KEYS[kind])
    elif kind == "kubernetes.io/basic-auth":
        keys = ("username", "password")
        if not any(key in data for key in keys):
            found += [causes.required(f"data[{key}]") for key in keys]
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            found.append(causes.required("data[ssh-privatekey]"))
    elif kind == "kubernetes.io/tls":
        keys = ("tls.crt", "tls.key")
        found += [causes.required(f"data[{key}]") for key in keys if key not in data]
    return found


def _pull_configuration(data: Object, key: str) -> list[Cause]:
    if key not in data:
        return [causes.required(f"data[{key}]")]
    content = base64.b64decode(data[key]).decode(errors="replace")
    try:
        parsed = json.loads(content)
    except ValueError:
        text = json_words.syntax_error(content)
        return [causes.invalid(f"data[{key}]", _REDACTED, text)]
    if isinstance(parsed, dict) or parsed is None:
        return []
    kind = json_words.json_type(parsed)
    text = f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    return [causes.invalid(f"data[{key}]", _REDACTED, text)]


def _decoded_length(value: str) -> int:
    return len(value) * 3 // 4 - value[-2:].count("=")


def quota(obj: Object) -> list[Cause]:
    """ResourceQuota."""
    spec = obj.get("spec") or {}
    hard = spec.get("hard") or {}
    found: list[Cause] = []
    for name, value in sorted(hard.items()):
        place = f"spec.hard[{name}]"
        found += [*amounts.quota_name(place, name), *amounts.amount(place, name, value)]
    scopes = spec.get("scopes") or []
    for scope in scopes:
        if scope not in _SCOPES:
            found.append(causes.invalid("spec.scopes", scopes, "unsupported scope"))
        for name in sorted(hard):
            if not _fits(scope, name):
                text = "unsupported scope applied to resource"
                found.append(causes.invalid("spec.scopes", scopes, text))
    found += _conflicting(scopes, scopes)
    rules = (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    for rule in rules:
        found += _scope_rule(rule, hard, spec["scopeSelector"])
    return found + _conflicting([rule.get("scopeName") for rule in rules], spec.get("scopes"))


def _conflicting(chosen: Any, shown: Any) -> list[Cause]:
    return [
        causes.invalid("spec.scopes", shown, "conflicting scopes")
        for pair in _OPPOSITE
        if set(pair) <= set(chosen)
    ]


def _fits(scope: str, name: str) -> bool:
    """Whether a scope can narrow down what a quota counts."""
    if amounts.quota_name("", name) or "/" in name:
        return True
    if scope == "BestEffort":
        return name in _POD_ONLY
    if scope == "VolumeAttributesClass":
        return name in ("persistentvolumeclaims", "requests.storage")
    return scope not in _SCOPES or name in _POD_RESOURCES


def _scope_rule(rule: Object, hard: Object, selector: Object) -> list[Cause]:
    place = "spec.scopeSelector.matchExpressions"
    scope, operator = rule.get("scopeName", ""), rule.get("operator", "")
    values = rule.get("values") or []
    found: list[Cause] = []
    if scope not in _SCOPES:
        found.append(causes.invalid(f"{place}.scopeName", scope, "unsupported scope"))
    for name in sorted(hard):
        if not _fits(scope, name):
            text = "unsupported scope applied to resource"
            found.append(causes.invalid(place, selector, text))
    if operator != "Exists" and scope in _SCOPES[:4] + _SCOPES[5:6]:
        found.append(causes.invalid(f"{place}.operator", operator, _EXISTS_ONLY))
    if operator in ("In", "NotIn"):
        if not values:
            text = (
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            )
            found.append(causes.required(f"{place}.values", text))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            text = (
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            )
            found.append(causes.invalid(f"{place}.values", values, text))
    else:
        text = "not a valid selector operator"
        found.append(causes.invalid(f"{place}.operator", operator, text))
    return found


def limit_range(obj: Object) -> list[Cause]:
    """LimitRange."""
    found: list[Cause] = []
    seen: set[str] = set()
    for index, limit in enumerate((obj.get("spec") or {}).get("limits") or ()):
        place, kind = f"spec.limits[{index}]", limit.get("type", "")
        problems = formats.qualified(f"{place}.type", kind)
        if not problems and "/" not in kind and kind not in _LIMIT_TYPES:
            text = "must be a standard limit type or fully qualified"
            problems = [causes.invalid(f"{place}.type", kind, text)]
        found += problems
        if kind in seen:
            found.append(causes.duplicate(f"{place}.type", kind))
        seen.add(kind)
        found += _limit(limit, place, kind)
    return found


def _limit(limit: Object, place: str, kind: str) -> list[Cause]:
    named = amounts.container_name if kind in ("Container", "Pod") else amounts.resource_name
    fields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"]
    found: list[Cause] = []
    if kind == "Pod":
        text = "may not be specified when `type` is 'Pod'"
        for field in ("default", "defaultRequest"):
            fields.remove(field)
            if limit.get(field):
                found.append(causes.forbidden(f"{place}.{field}", text))
    for field in fields:
        for name in sorted(limit.get(field) or {}):
            found += named(f"{place}.{field}[{name}]", name)
        if field == "defaultRequest" and kind == "PersistentVolumeClaim":
            bounds = (limit.get("min") or {}, limit.get("max") or {})
            if not any("storage" in bound for bound in bounds):
                text = (
                    "either minimum or maximum storage value is required, but neither was provided"
                )
                found.append(causes.required(f"{place}.limits", text))
    names = sorted({name for field in fields for name in limit.get(field) or {}})
    for name in names:
        given = {
            field: quantity.canonical(limit[field][name])
            for field in fields
            if name in (limit.get(field) or {})
        }
        found += _bounds(given, place, name)
    return found


# The smaller, the larger, whose field tells, which value it shows, and the words.
_BOUNDS = (
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    (
        "min",
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest",
        "max",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest",
        "default",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)


def _bounds(given: dict[str, str], place: str, name: str) -> list[Cause]:
    found: list[Cause] = []
    for low, high, field, shown, words in _BOUNDS:
        if low not in given or high not in given:
            continue
        if quantity.parse(given[low]) > quantity.parse(given[high]):
            text = words.format(given[low], given[high])
            found.append(causes.invalid(f"{place}.{field}[{name}]", given[shown], text))
    ratio = given.get("maxLimitRequestRatio")
    if ratio is None:
        return found
    field = f"{place}.maxLimitRequestRatio[{name}]"
    if quantity.parse(ratio) < 1:
        found.append(causes.invalid(field, ratio, f"ratio {ratio} is less than 1"))
    if "min" in given and "max" in given and quantity.parse(given["min"]) > 0:
        most = quantity.parse(given["max"]) / quantity.parse(given["min"])
        if quantity.parse(ratio) > most:
            text = f"ratio {ratio} is greater than max/min = {float(most):.6f}"
            found.append(causes.invalid(field, ratio, text))
    return found


def endpoints(obj: Object) -> list[Cause]:
    """Endpoints."""
    found: list[Cause] = []
    for index, subset in enumerate(obj.get("subsets") or ()):
        place = f"subsets[{index}]"
        lists = ("addresses", "notReadyAddresses")
        if not any(subset.get(field) for field in lists):
            text = "must specify `addresses` or `notReadyAddresses`"
            found.append(causes.required(place, text))
        for field in lists:
            for number, address in enumerate(subset.get(field) or ()):
                found += _endpoint(address, f"{place}.{field}[{number}]")
        ports = subset.get("ports") or ()
        for number, port in enumerate(ports):
            found += _endpoint_port(port, f"{place}.ports[{number}]", len(ports) > 1)
    return found


def _endpoint(address: Object, place: str) -> list[Cause]:
    ip = address.get("ip", "")
    found = formats.address(f"{place}.ip", ip)
    if address.get("hostname"):
        found += formats.label(f"{place}.hostname", address["hostname"])
    if address.get("nodeName") is not None:
        found += formats.subdomain(f"{place}.nodeName", address["nodeName"])
    return found + formats.ordinary_address(f"{place}.ip", ip)


def _endpoint_port(port: Object, place: str, named: bool) -> list[Cause]:
    name = port.get("name", "")
    found: list[Cause] = []
    if named and not name:
        found.append(causes.required(f"{place}.name"))
    elif name:
        found += formats.label(f"{place}.name", name)
    found += causes.port(f"{place}.port", port.get("port", 0))
    return found + causes.one_of(f"{place}.protocol", port.get("protocol"), PROTOCOLS)


def endpoint_slice(obj: Object) -> list[Cause]:
    """EndpointSlice."""
    kind = obj.get("addressType", "")
    found = (
        causes.one_of("addressType", kind, ("FQDN", "IPv4", "IPv6"))
        if kind
        else [causes.required("addressType")]
    )
    for index, endpoint in enumerate(obj.get("endpoints") or ()):
        place = f"endpoints[{index}]"
        addresses = endpoint.get("addresses") or ()
        if not addresses:
            text = "must contain at least 1 address"
            found.append(causes.required(f"{place}.addresses", text))
        elif len(addresses) > 100:
            text = f"Too many: {len(addresses)}: must have at most 100 items"
            found.append(causes.counted(f"{place}.addresses", text))
        for number, address in enumerate(addresses):
            found += _slice_address(address, f"{place}.addresses[{number}]", kind)
        if endpoint.get("hostname") is not None:
            found += formats.label(f"{place}.hostname", endpoint["hostname"])
    names: set[str] = set()
    for index, port in enumerate(obj.get("ports") or ()):
        place, name = f"ports[{index}]", port.get("name") or ""
        if name:
            found += formats.label(f"{place}.name", name)
        if name in names:
            found.append(causes.duplicate(f"{place}.name", name))
        names.add(name)
        found += causes.one_of(f"{place}.protocol", port.get("protocol"), PROTOCOLS)
    return found


def _slice_address(address: str, field: str, kind: str) -> list[Cause]:
    if kind == "FQDN":
        return formats.subdomain(field, address.removesuffix("."))
    found = formats.address(field, address)
    if not found and (":" in address) != (kind == "IPv6"):
        found = [causes.invalid(field, address, f"must be an {kind} address")]
    return found + formats.ordinary_address(field, address)

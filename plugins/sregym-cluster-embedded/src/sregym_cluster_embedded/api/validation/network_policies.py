"""Validation of NetworkPolicies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_TYPES = ("Egress", "Ingress")


def network_policy(obj: Object) -> list[Cause]:
    """NetworkPolicy."""
    spec = obj.get("spec") or {}
    found: list[Cause] = []
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for number, rule in enumerate(spec.get(direction) or ()):
            place = f"spec.{direction}[{number}]"
            for position, port in enumerate(rule.get("ports") or ()):
                found += _port(f"{place}.ports[{position}]", port)
            for position, peer in enumerate(rule.get(peers) or ()):
                found += _peer(f"{place}.{peers}[{position}]", peer)
    types = spec.get("policyTypes") or ()
    if len(types) > len(_TYPES):
        text = "may not specify more than two policyTypes"
        return [*found, causes.invalid("spec.policyTypes", list(types), text)]
    for position, name in enumerate(types):
        if name not in _TYPES:
            found.append(causes.unsupported(f"spec.policyTypes[{position}]", name, _TYPES))
    return found


def _port(place: str, entry: Object) -> list[Cause]:
    found: list[Cause] = []
    protocol = entry.get("protocol", "TCP")
    if protocol not in _PROTOCOLS:
        found.append(causes.unsupported(f"{place}.protocol", protocol, _PROTOCOLS))
    port, end = entry.get("port"), entry.get("endPort")
    field = f"{place}.endPort"
    if port is None:
        if end is not None:
            text = "may not be specified when `port` is not specified"
            found.append(causes.invalid(field, end, text))
        return found
    if isinstance(port, str):
        if end is not None:
            text = "may not be specified when `port` is non-numeric"
            found.append(causes.invalid(field, end, text))
        return found + formats.port_name(f"{place}.port", port)
    if end is not None:
        if end < port:
            found.append(causes.invalid(field, end, "must be greater than or equal to `port`"))
        found += causes.port(field, end)
    return found + causes.port(f"{place}.port", port)


def _peer(place: str, peer: Object) -> list[Cause]:
    named = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
    block = peer.get("ipBlock")
    if block is None:
        return [] if named else [causes.required(place, "must specify a peer")]
    found = _block(f"{place}.ipBlock", block)
    if named:
        found.append(causes.forbidden(place, "may not specify both ipBlock and another peer"))
    return found


def _block(place: str, block: Object) -> list[Cause]:
    cidr = block.get("cidr", "")
    if not cidr:
        return [causes.required(f"{place}.cidr")]
    whole, found = formats.network(f"{place}.cidr", cidr)
    if whole is None:
        return found
    for position, entry in enumerate(block.get("except") or ()):
        field = f"{place}.except[{position}]"
        part, problems = formats.network(field, entry)
        found += problems
        if part is None:
            continue
        same = part.version == whole.version
        inside = same and part.prefixlen > whole.prefixlen and part[0] in whole
        if not inside:
            found.append(causes.invalid(field, entry, "must be a strict subset of `cidr`"))
    return found

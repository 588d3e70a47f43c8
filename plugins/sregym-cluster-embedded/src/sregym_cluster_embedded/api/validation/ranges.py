"""Validation of the ranges that Services get addresses from, and of the addresses given."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_CIDRS = "spec.cidrs"
_FAMILIES = (
    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
)


def service_cidr(obj: Object) -> list[Cause]:
    """ServiceCIDR: one range, or one of each family."""
    cidrs = (obj.get("spec") or {}).get("cidrs") or []
    if not cidrs:
        return [causes.required(_CIDRS, "at least one CIDR required")]
    if len(cidrs) > 2:
        return [causes.invalid(_CIDRS, {"CIDRs": cidrs}, "may only hold up to 2 values")]
    if len(cidrs) == 2:
        families = {
            range_.version for text in cidrs if (range_ := formats.network(_CIDRS, text)[0])
        }
        if len(families) < 2:
            return [causes.invalid(_CIDRS, {"CIDRs": cidrs}, _FAMILIES)]
    found: list[Cause] = []
    for index, text in enumerate(cidrs):
        field = f"{_CIDRS}[{index}]"
        range_, wrong = formats.network(field, text)
        if range_ is not None and not wrong and str(range_) != text:
            wrong = [causes.invalid(field, text, f'must be in canonical form ("{range_}")')]
        found += wrong
    return found


def changed_cidrs(old: Sequence[str], new: Sequence[str]) -> list[Cause]:
    """The first range stays; one of the other family may come."""
    if len(old) == len(new) or (len(old), len(new)) == (1, 2):
        return [
            causes.invalid(f"{_CIDRS}[{index}]", after, causes.IMMUTABLE)
            for index, (before, after) in enumerate(zip(old, new, strict=False))
            if before != after
        ]
    return [causes.invalid(_CIDRS, list(new), causes.IMMUTABLE)]


def ip_address_object(obj: Object) -> list[Cause]:
    """IPAddress: named by the address, with the object that has it."""
    reference: dict[str, Any] | None = (obj.get("spec") or {}).get("parentRef")
    if reference is None:
        return [causes.required("spec.parentRef")]
    place = "spec.parentRef"
    group = reference.get("group", "")
    found = formats.subdomain(f"{place}.group", group) if group else []
    return found + [
        causes.required(f"{place}.{name}")
        for name in ("resource", "name")
        if not reference.get(name)
    ]


def address_name(field: str, name: str) -> list[Cause]:
    """The name of an IPAddress: an address as it is usually written."""
    try:
        canonical = str(ip_address(name))
    except ValueError:
        return [
            causes.invalid(
                field, name, f"ParseAddr({causes.quoted_value(name)}): unable to parse IP"
            )
        ]
    if canonical != name:
        return [causes.invalid(field, name, "must be a canonical format IP address")]
    return []

"""Names and amounts of resources: what containers, quotas and limits may count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_COUNTED = (
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
)
_QUOTA = frozenset(
    {
        *_COMPUTE,
        *_COUNTED,
        *(f"{side}.{name}" for side in ("requests", "limits") for name in _COMPUTE),
        "requests.storage",
    }
)
_STANDARD = frozenset({*_QUOTA, "storage"})
_HUGE = "hugepages-"
_HUGE_PREFIXES = (_HUGE, f"requests.{_HUGE}")
_NATIVE = "kubernetes.io/"
POD_LEVEL = ("cpu", "memory")

_TYPE_TEXT = "must be a standard resource type or fully qualified"
_QUOTA_TEXT = "must be a standard resource for quota"
_CONTAINER_TEXT = "must be a standard resource for containers"
_EXTENDED_TEXT = "doesn't follow extended resource name standard"
_WHOLE_TEXT = "must be an integer"


def resource_name(field: str, name: str) -> list[Cause]:
    """The name of any resource."""
    found = formats.qualified(field, name)
    if not found and "/" not in name and not _standard(name):
        found.append(causes.invalid(field, name, _TYPE_TEXT))
    return found


def quota_name(field: str, name: str) -> list[Cause]:
    """The name of a resource that a quota counts."""
    found = resource_name(field, name)
    if "/" not in name and name not in _QUOTA and not name.startswith(_HUGE_PREFIXES):
        found.append(causes.invalid(field, name, _QUOTA_TEXT))
    return found


def container_name(field: str, name: str) -> list[Cause]:
    """The name of a resource that a container asks for."""
    found = resource_name(field, name)
    if "/" not in name:
        if name not in _COMPUTE and not name.startswith(_HUGE):
            found.append(causes.invalid(field, name, _CONTAINER_TEXT))
    elif not native(name) and not extended(name):
        found.append(causes.invalid(field, name, _EXTENDED_TEXT))
    return found


def pod_name(field: str, name: str) -> list[Cause]:
    """The name of a resource that a pod asks for as a whole."""
    found = resource_name(field, name)
    if not found and name not in POD_LEVEL and not name.startswith(_HUGE):
        found.append(causes.unsupported(field, name, (*POD_LEVEL, _HUGE)))
    return found


def native(name: str) -> bool:
    """Whether a resource is Kubernetes' own."""
    return "/" not in name or _NATIVE in name


def extended(name: str) -> bool:
    """Whether a resource is one that a cluster's nodes add."""
    if native(name) or name.startswith("requests."):
        return False
    return formats.is_qualified(f"requests.{name}")


def amount(field: str, name: str, value: Any) -> list[Cause]:
    """How much of a resource: not negative, and whole where things are counted."""
    number = quantity.parse(value)
    found: list[Cause] = []
    if number < 0:
        found.append(causes.invalid(field, quantity.canonical(value), causes.NOT_NEGATIVE))
    if (name in _COUNTED or extended(name)) and not quantity.is_whole(number):
        found.append(causes.invalid(field, quantity.canonical(value), _WHOLE_TEXT))
    return found


def positive(field: str, value: Any) -> list[Cause]:
    """A size above zero."""
    if quantity.parse(value) > 0:
        return []
    return [causes.invalid(field, quantity.canonical(value), causes.POSITIVE)]


def requirements(
    given: Object,
    path: str,
    claimed: Iterable[str],
    named: Callable[[str, str], list[Cause]] = container_name,
) -> list[Cause]:
    """The resources of a container, or with `named=pod_name` those of a pod."""
    limits, requests = given.get("limits") or {}, given.get("requests") or {}
    found: list[Cause] = []
    for name, value in sorted(limits.items()):
        place = f"{path}.limits[{name}]"
        found += [*named(place, name), *amount(place, name, value), *_huge(place, name, value)]
    for name, value in sorted(requests.items()):
        place = f"{path}.requests[{name}]"
        found += [*named(place, name), *amount(place, name, value)]
        found += _against_limit(path, name, value, limits)
        found += _huge(place, name, value)
    names = {*limits, *requests}
    if any(name.startswith(_HUGE) for name in names) and not names & {"cpu", "memory"}:
        found.append(causes.forbidden(path, "HugePages require cpu or memory"))
    return found + _claims(given.get("claims") or (), f"{path}.claims", claimed)


def _against_limit(path: str, name: str, value: Any, limits: Object) -> list[Cause]:
    shared = native(name) and not name.startswith(_HUGE)
    shown = quantity.canonical(value)
    if name not in limits:
        text = "Limit must be set for non overcommitable resources"
        return [] if shared else [causes.required(f"{path}.limits", text)]
    limit = limits[name]
    asked, most = quantity.parse(value), quantity.parse(limit)
    if not shared and asked != most:
        text = f"must be equal to {name} limit of {quantity.canonical(limit)}"
    elif asked > most:
        text = f"must be less than or equal to {name} limit of {quantity.canonical(limit)}"
    else:
        return []
    return [causes.invalid(f"{path}.requests", shown, text)]


def _huge(field: str, name: str, value: Any) -> list[Cause]:
    if not name.startswith(_HUGE):
        return []
    try:
        page = quantity.parse(name.removeprefix(_HUGE))
    except ValueError:
        return []
    if page > 0 and quantity.parse(value) % page == 0:
        return []
    shown = quantity.canonical(value)
    return [causes.invalid(field, shown, f"{shown} is not positive integer multiple of {name}")]


def _claims(claims: Any, path: str, claimed: Iterable[str]) -> list[Cause]:
    known = sorted(claimed)
    found: list[Cause] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        field, name = f"{path}[{index}]", claim.get("name", "")
        if not name:
            found.append(causes.required(field))
            continue
        if name in seen:
            found.append(causes.duplicate(field, name))
        seen.add(name)
        if name not in known:
            listed = f": {', '.join(known)}" if known else " which is empty"
            text = f"must be one of the names in pod.spec.resourceClaims{listed}"
            found.append(causes.missing(field, name, text))
    return found


def _standard(name: str) -> bool:
    return name in _STANDARD or name.startswith(_HUGE_PREFIXES)

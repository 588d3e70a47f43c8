"""The devices of a cluster as its ResourceSlices list them, and who has them.

Those of the newest generation of a pool count; partitions of a device share its counters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.placement import term_matches
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from decimal import Decimal

    from sregym_cluster_embedded.world import World

CLAIMS = "resourceclaims.resource.k8s.io"
CLASSES = "deviceclasses.resource.k8s.io"
SLICES = "resourceslices.resource.k8s.io"


class Device(NamedTuple):
    """A device of a slice: its identity, what is known of it, and of the slice."""

    driver: str
    pool: str
    name: str
    spec: Object
    slice_spec: Object

    @property
    def identity(self) -> tuple[str, str, str]:
        """What no other device has."""
        return self[:3]


def attribute(device: Device, name: str) -> tuple[str, str] | None:
    """The type and value of an attribute by its full name; the driver's own may leave out its domain."""
    attributes = device.spec.get("attributes") or {}
    domain, _, plain = name.rpartition("/")
    found = attributes.get(name)
    if found is None and domain == device.driver:
        found = attributes.get(plain)
    if not isinstance(found, dict) or not found:
        return None
    type_, value = next(iter(found.items()))
    return type_, str(value)


def consumed(device: Device) -> Iterator[tuple[tuple[str, str, str, str], Decimal]]:
    """What a device takes of the counters of its pool."""
    for entry in device.spec.get("consumesCounters") or ():
        for name, counter in (entry.get("counters") or {}).items():
            place = (device.driver, device.pool, entry["counterSet"], name)
            yield place, parse(counter.get("value", "0"))


def counters(world: World) -> dict[tuple[str, str, str, str], Any]:
    """All counters as their pools declare them."""
    found: dict[tuple[str, str, str, str], Any] = {}
    for spec in _slices(world):
        for entry in spec.get("sharedCounters") or ():
            for name, counter in (entry.get("counters") or {}).items():
                place = (spec["driver"], spec["pool"]["name"], entry["name"], name)
                found[place] = parse(counter.get("value", "0"))
    return found


def _slices(world: World) -> list[Object]:
    """The slices of the newest generation of each pool."""
    specs = [entry["spec"] for entry in world.store.list(SLICES, "")]
    newest: dict[tuple[str, str], int] = {}
    for spec in specs:
        place = (spec["driver"], spec["pool"]["name"])
        newest[place] = max(newest.get(place, 0), spec["pool"].get("generation", 0))
    return [
        spec
        for spec in specs
        if spec["pool"].get("generation", 0) == newest[(spec["driver"], spec["pool"]["name"])]
    ]


def devices(world: World, node: Object | None) -> Iterator[Device]:
    """The devices that can be had on a node; all there are without one."""
    for spec in _slices(world):
        for device in spec.get("devices") or ():
            where = device if spec.get("perDeviceNodeSelection") else spec
            if node is None or _is_on(where, node):
                yield Device(spec["driver"], spec["pool"]["name"], device["name"], device, spec)


def _is_on(where: Object, node: Object) -> bool:
    selector = where.get("nodeSelector")
    return bool(
        where.get("nodeName") == node["metadata"]["name"]
        or where.get("allNodes")
        or (selector and selects(selector, node))
    )


def selects(selector: Object, node: Object) -> bool:
    """Whether a node selector is for a node."""
    terms: Iterable[Object] = selector.get("nodeSelectorTerms") or ()
    return any(term_matches(term, node) for term in terms)


def allocated_devices(world: World) -> set[tuple[str, str, str]]:
    """The devices that claims have, but for those that are only looked at."""
    return {
        (entry["driver"], entry["pool"], entry["device"])
        for claim in world.store.list(CLAIMS)
        for entry in ((allocation_of(claim) or {}).get("devices") or {}).get("results") or ()
        if not entry.get("adminAccess")
    }


def fits(world: World, asked: Object, device: Device) -> bool:
    """Whether a device is of the class, and as the selectors of a request want it."""
    class_ = world.store.get(Key(CLASSES, "", asked.get("deviceClassName", "")))
    selectors = [*((class_ or {}).get("spec") or {}).get("selectors", ())]
    selectors += asked.get("selectors") or ()
    if not selectors:
        return True
    seen = _seen(device)
    return all(_holds((entry.get("cel") or {}).get("expression", ""), seen) for entry in selectors)


def _holds(expression: str, seen: Mapping[str, Any]) -> bool:
    from sregym_cel import CelError, CompileError

    from sregym_cluster_embedded.api.expressions import compile_expression

    try:
        return compile_expression(expression, ("device",)).evaluate({"device": seen}) is True
    except (CelError, CompileError):
        return False


def _seen(device: Device) -> dict[str, Any]:
    """A device as expressions see it: capacities are quantities, versions can be compared."""
    from sregym_cel.kubernetes import Quantity, semver

    seen: dict[str, Any] = {
        "driver": device.driver,
        "attributes": {},
        "capacity": {},
        "allowMultipleAllocations": bool(device.spec.get("allowMultipleAllocations")),
    }
    for name, value in (device.spec.get("attributes") or {}).items():
        type_, shown = next(iter(value.items()), ("string", ""))
        _put(seen["attributes"], device, name, semver(shown) if type_ == "version" else shown)
    for name, value in (device.spec.get("capacity") or {}).items():
        _put(seen["capacity"], device, name, Quantity(parse(value.get("value", "0"))))
    return seen


def _put(where: dict[str, Any], device: Device, name: str, value: Any) -> None:
    domain, _, plain = name.rpartition("/")
    where.setdefault(domain or device.driver, {})[plain] = value


def allocation_of(claim: Object) -> Object | None:
    """What a claim was given, or None."""
    found: Object | None = (claim.get("status") or {}).get("allocation")
    return found


def tolerates(tolerations: Iterable[Object], taint: Object) -> bool:
    """Whether one of the tolerations of a request is for a taint of a device."""
    return any(
        entry.get("effect") in (None, "", taint["effect"])
        and entry.get("key") in (None, "", taint["key"])
        and (
            entry.get("operator") == "Exists"
            or (entry.get("value") or "") == taint.get("value", "")
        )
        for entry in tolerations
    )

"""Claims of devices: whether what a pod wants can be had on a node, and who gets it.

Devices are what ResourceSlices list; a driver that publishes slices is taken to be running.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import writes
from sregym_cluster_embedded.placement import term_matches
from sregym_cluster_embedded.scheduler.verdicts import Verdict
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.world import World

PLUGIN = "DynamicResources"
CLAIMS = "resourceclaims.resource.k8s.io"
CLASSES = "deviceclasses.resource.k8s.io"
SLICES = "resourceslices.resource.k8s.io"
FINALIZER = "resource.kubernetes.io/delete-protection"
# What the plugin says of itself when it cannot help a pod that fits nowhere.
IDLE, STUCK = "no new claims to deallocate", "still not schedulable"
ELSEWHERE = Verdict(PLUGIN, ("resourceclaim not available on the node",))
NOT_ALL = Verdict(PLUGIN, ("cannot allocate all claims",))


class Device(NamedTuple):
    """A device of a slice: its identity, and what is known of it."""

    driver: str
    pool: str
    name: str
    spec: Object

    @property
    def identity(self) -> tuple[str, str, str]:
        """What no other device has."""
        return self[:3]


class Wanted(NamedTuple):
    """What a pod wants of devices.

    Attributes:
        claims: Its ResourceClaims.
        held: Whether one is not there yet: then nobody looks at the pod.
        problem: Why it cannot be scheduled at all, or empty.
    """

    claims: tuple[Object, ...] = ()
    held: bool = False
    problem: str = ""


NOTHING = Wanted()


def wanted_by(world: World, pod: Object) -> Wanted:
    """The claims of a pod as they are now."""
    if "resourceClaims" not in pod["spec"]:
        return NOTHING
    found = []
    for name in claim_names(pod):
        claim = world.store.get(Key(CLAIMS, pod["metadata"]["namespace"], name)) if name else None
        if claim is None or "deletionTimestamp" in claim["metadata"]:
            return Wanted(held=True)
        found.append(claim)
    for claim in found:
        for request, asked in _requests(claim):
            name = asked.get("deviceClassName", "")
            if _allocation(claim) is None and world.store.get(Key(CLASSES, "", name)) is None:
                problem = f"request {request}: device class {name} does not exist"
                return Wanted(problem=problem)
    return Wanted(tuple(found))


def claim_names(pod: Object) -> list[str]:
    """The ResourceClaims of a pod; empty for one that is yet to be made from its template."""
    made = {
        entry["name"]: entry.get("resourceClaimName", "")
        for entry in (pod.get("status") or {}).get("resourceClaimStatuses") or ()
    }
    return [
        entry.get("resourceClaimName") or made.get(entry["name"], "")
        for entry in pod["spec"]["resourceClaims"]
    ]


def refusal(world: World, wanted: Wanted, facts: NodeFacts) -> Verdict | None:
    """Why a node cannot give a pod its devices, or None."""
    for claim in wanted.claims:
        allocation = _allocation(claim)
        selector = (allocation or {}).get("nodeSelector")
        if selector and not _selects(selector, facts.node):
            return ELSEWHERE
    return NOT_ALL if _allocated(world, wanted, facts.node) is None else None


def settle(world: World, pod: Object, wanted: Wanted, facts: NodeFacts) -> None:
    """Write down which devices the claims of a pod get, and that it uses them."""
    results = _allocated(world, wanted, facts.node) or {}
    user = {
        "resource": "pods",
        "name": pod["metadata"]["name"],
        "uid": pod["metadata"]["uid"],
    }
    for claim in wanted.claims:
        metadata = claim["metadata"]
        key = Key(CLAIMS, metadata["namespace"], metadata["name"])
        status = dict(claim.get("status") or {})
        if metadata["name"] in results:
            terms = [{"matchFields": [_on(facts.name)]}]
            status["allocation"] = {
                "devices": {"results": results[metadata["name"]]},
                "nodeSelector": {"nodeSelectorTerms": terms},
            }
            held = [*(metadata.get("finalizers") or ()), FINALIZER]
            writes.patch_metadata(world, key, finalizers=list(dict.fromkeys(held)))
        users = status.get("reservedFor") or []
        if not any(entry["uid"] == user["uid"] for entry in users):
            status["reservedFor"] = [*users, user]
        writes.update_status(world, key, status)


def _on(node: str) -> Object:
    return {"key": "metadata.name", "operator": "In", "values": [node]}


def _allocated(world: World, wanted: Wanted, node: Object) -> dict[str, list[Object]] | None:
    """For each claim without devices those that it gets on a node; None when one gets none."""
    found: dict[str, list[Object]] = {}
    open_claims = [claim for claim in wanted.claims if _allocation(claim) is None]
    if not open_claims:
        return found
    taken = _taken(world)
    devices = list(_devices(world, node))
    for claim in open_claims:
        results: list[Object] = []
        for request in (claim["spec"].get("devices") or {}).get("requests") or ():
            chosen = _serve(world, request, devices, taken)
            if chosen is None:
                return None
            name, given = chosen
            taken |= {device.identity for device in given}
            results += [
                {
                    "request": name,
                    "driver": device.driver,
                    "pool": device.pool,
                    "device": device.name,
                }
                for device in given
            ]
        found[claim["metadata"]["name"]] = results
    return found


def _serve(
    world: World, request: Object, devices: list[Device], taken: set[tuple[str, str, str]]
) -> tuple[str, list[Device]] | None:
    """The first way to serve a request: its name in results, and the devices."""
    ways = [(request["name"], request.get("exactly"))]
    if request.get("firstAvailable"):
        ways = [(f"{request['name']}/{way['name']}", way) for way in request["firstAvailable"]]
    for name, asked in ways:
        fitting = [device for device in devices if _fits(world, asked or {}, device)]
        free = [device for device in fitting if device.identity not in taken]
        if (asked or {}).get("allocationMode") == "All":
            if fitting and len(free) == len(fitting):
                return name, free
        elif len(free) >= (count := (asked or {}).get("count", 1)):
            return name, free[:count]
    return None


def _fits(world: World, asked: Object, device: Device) -> bool:
    class_ = world.store.get(Key(CLASSES, "", asked.get("deviceClassName", "")))
    selectors = [*((class_ or {}).get("spec") or {}).get("selectors", ())]
    selectors += asked.get("selectors") or ()
    return all(
        _holds((entry.get("cel") or {}).get("expression", ""), device) for entry in selectors
    )


def _holds(expression: str, device: Device) -> bool:
    from sregym_cluster_embedded.api.cel import CelError, CompileError, compile_expression

    seen: Object = {"driver": device.driver, "attributes": {}, "capacity": {}}
    for field in ("attributes", "capacity"):
        for name, value in (device.spec.get(field) or {}).items():
            domain, _, plain = name.rpartition("/")
            shown = next(iter(value.values()), None) if isinstance(value, dict) else value
            seen[field].setdefault(domain or device.driver, {})[plain] = shown
    try:
        return compile_expression(expression, ("device",)).evaluate({"device": seen}) is True
    except (CelError, CompileError):
        return False


def _requests(claim: Object) -> Iterator[tuple[str, Object]]:
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        if request.get("exactly"):
            yield request["name"], request["exactly"]
        for way in request.get("firstAvailable") or ():
            yield f"{request['name']}/{way['name']}", way


def _devices(world: World, node: Object) -> Iterator[Device]:
    for entry in world.store.list(SLICES, ""):
        spec = entry["spec"]
        here = (
            spec.get("nodeName") == node["metadata"]["name"]
            or spec.get("allNodes")
            or (spec.get("nodeSelector") and _selects(spec["nodeSelector"], node))
        )
        if here:
            for device in spec.get("devices") or ():
                yield Device(spec["driver"], spec["pool"]["name"], device["name"], device)


def _selects(selector: Object, node: Object) -> bool:
    terms: Iterable[Object] = selector.get("nodeSelectorTerms") or ()
    return any(term_matches(term, node) for term in terms)


def _taken(world: World) -> set[tuple[str, str, str]]:
    return {
        (entry["driver"], entry["pool"], entry["device"])
        for claim in world.store.list(CLAIMS)
        for entry in ((_allocation(claim) or {}).get("devices") or {}).get("results") or ()
    }


def _allocation(claim: Object) -> Object | None:
    found: Object | None = (claim.get("status") or {}).get("allocation")
    return found

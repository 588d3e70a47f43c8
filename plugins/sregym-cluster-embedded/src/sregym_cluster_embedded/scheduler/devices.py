"""Claims of devices: whether what a pod wants can be had on a node, and who gets it.

Devices are what ResourceSlices list; a driver that publishes slices is taken to be running.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.device_pools import (
    CLAIMS,
    CLASSES,
    allocation_of,
    selects,
)
from sregym_cluster_embedded.scheduler.device_allocation import allocate
from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.world import World

PLUGIN = "DynamicResources"
FINALIZER = "resource.kubernetes.io/delete-protection"
# What the plugin says of itself when it cannot help a pod that fits nowhere.
IDLE, STUCK = "no new claims to deallocate", "still not schedulable"
ELSEWHERE = Verdict(PLUGIN, ("resourceclaim not available on the node",))
NOT_ALL = Verdict(PLUGIN, ("cannot allocate all claims",))


class DeviceRequirements(NamedTuple):
    """What a pod wants of devices.

    Attributes:
        claims: Its ResourceClaims.
        held: Whether one is not there yet: then the pod is not tried.
        problem: Why it cannot be scheduled at all, or empty.
    """

    claims: tuple[Object, ...] = ()
    held: bool = False
    problem: str = ""


NOTHING = DeviceRequirements()


def claims_of(world: World, pod: Object) -> DeviceRequirements:
    """The claims of a pod as they are now."""
    if "resourceClaims" not in pod["spec"]:
        return NOTHING
    found = []
    for name in claim_names(pod):
        claim = world.store.get(Key(CLAIMS, pod["metadata"]["namespace"], name)) if name else None
        if claim is None or "deletionTimestamp" in claim["metadata"]:
            return DeviceRequirements(held=True)
        found.append(claim)
    for claim in found:
        for request, asked in _requests(claim):
            name = asked.get("deviceClassName", "")
            if allocation_of(claim) is None and world.store.get(Key(CLASSES, "", name)) is None:
                problem = f"request {request}: device class {name} does not exist"
                return DeviceRequirements(problem=problem)
    return DeviceRequirements(tuple(found))


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


def refusal(world: World, wanted: DeviceRequirements, facts: NodeFacts) -> Verdict | None:
    """Why a node cannot give a pod its devices, or None."""
    for claim in wanted.claims:
        allocation = allocation_of(claim)
        selector = (allocation or {}).get("nodeSelector")
        if selector and not selects(selector, facts.node):
            return ELSEWHERE
    return NOT_ALL if allocate(world, wanted.claims, facts.node) is None else None


def settle(world: World, pod: Object, wanted: DeviceRequirements, facts: NodeFacts) -> None:
    """Write down which devices the claims of a pod get, and that it uses them."""
    allocations = allocate(world, wanted.claims, facts.node) or {}
    user = {
        "resource": "pods",
        "name": pod["metadata"]["name"],
        "uid": pod["metadata"]["uid"],
    }
    for claim in wanted.claims:
        metadata = claim["metadata"]
        key = Key(CLAIMS, metadata["namespace"], metadata["name"])
        status = dict(claim.get("status") or {})
        if metadata["name"] in allocations:
            status["allocation"] = allocations[metadata["name"]]
            held = [*(metadata.get("finalizers") or ()), FINALIZER]
            internal_client.patch_metadata(world, key, finalizers=list(dict.fromkeys(held)))
        users = status.get("reservedFor") or []
        if not any(entry["uid"] == user["uid"] for entry in users):
            status["reservedFor"] = [*users, user]
        internal_client.update_status(world, key, status)


def _requests(claim: Object) -> Iterator[tuple[str, Object]]:
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        if request.get("exactly"):
            yield request["name"], request["exactly"]
        for way in request.get("firstAvailable") or ():
            yield f"{request['name']}/{way['name']}", way

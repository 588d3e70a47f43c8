"""Which devices claims get on a node: a search that takes back what leads nowhere.

A device may be given once, unless an administrator only looks at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.device_pools import (
    CLASSES,
    Device,
    allocated_devices,
    allocation_of,
    attribute,
    consumed,
    counters,
    devices,
    fits,
    tolerates,
)
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.world import World

_TAINTED = ("NoSchedule", "NoExecute")
# So many devices are tried for one node before it counts as one without.
_TRIES = 20_000


class AllocatedDevice(NamedTuple):
    """A device for a request: what was asked, under which name."""

    request: str
    asked: Object
    device: Device


def allocate(world: World, claims: Sequence[Object], node: Object) -> dict[str, Object] | None:
    """For each claim without devices its allocation on a node; None when one gets none."""
    wanted = [claim for claim in claims if allocation_of(claim) is None]
    if not wanted:
        return {}
    search = _Search(world, node)
    found: dict[str, Object] = {}
    for claim in wanted:
        given = search.serve(claim)
        if given is None:
            return None
        found[claim["metadata"]["name"]] = _allocation(world, claim, given, node)
    return found


class _Search:
    def __init__(self, world: World, node: Object) -> None:
        self._world = world
        self._node = node
        self._devices = list(devices(world, node))
        self._taken = allocated_devices(world)
        self._counters = counters(world)
        self._left = _TRIES
        for device in devices(world, None):
            if device.identity in self._taken:
                self._consume(device, 1)

    def serve(self, claim: Object) -> list[AllocatedDevice] | None:
        """The devices of a claim, which are taken from then on; None when there are not enough."""
        spec = claim["spec"].get("devices") or {}
        given: list[AllocatedDevice] = []
        requests = list(spec.get("requests") or ())
        return given if self._requests(requests, spec.get("constraints") or (), given) else None

    def _requests(
        self, left: list[Object], constraints: Sequence[Object], given: list[AllocatedDevice]
    ) -> bool:
        if not left:
            return True
        request, *rest = left
        for name, asked in _ways(request):
            fitting = self._fit(asked)
            count = asked.get("count", 1)
            if asked.get("allocationMode") == "All":
                count = len(fitting)
                if not count:
                    continue
            if self._some(name, asked, fitting, count, rest, constraints, given):
                return True
        return False

    def _some(
        self,
        name: str,
        asked: Object,
        fitting: Sequence[Device],
        count: int,
        rest: list[Object],
        constraints: Sequence[Object],
        given: list[AllocatedDevice],
    ) -> bool:
        """Give `count` of the fitting devices, then serve the other requests."""
        if not count:
            return self._requests(rest, constraints, given)
        for place, device in enumerate(fitting):
            if len(fitting) - place < count:
                return False
            self._left -= 1
            if self._left < 0:
                return False
            one = AllocatedDevice(name, asked, device)
            if not self._free(one) or not _agree(constraints, [*given, one]):
                if asked.get("allocationMode") == "All":
                    return False
                continue
            self._take(one)
            given.append(one)
            after = fitting[place + 1 :]
            if self._some(name, asked, after, count - 1, rest, constraints, given):
                return True
            given.pop()
            self._release(one)
        return False

    def _fit(self, asked: Object) -> list[Device]:
        return [
            device
            for device in self._devices
            if fits(self._world, asked, device) and not _repels(asked, device)
        ]

    def _free(self, one: AllocatedDevice) -> bool:
        if one.asked.get("adminAccess"):
            return True
        if one.device.identity in self._taken:
            return False
        return all(
            self._counters.get(counter, 0) >= amount for counter, amount in consumed(one.device)
        )

    def _take(self, one: AllocatedDevice) -> None:
        if not one.asked.get("adminAccess"):
            self._taken.add(one.device.identity)
            self._consume(one.device, 1)

    def _release(self, one: AllocatedDevice) -> None:
        if not one.asked.get("adminAccess"):
            self._taken.discard(one.device.identity)
            self._consume(one.device, -1)

    def _consume(self, device: Device, times: int) -> None:
        for counter, amount in consumed(device):
            self._counters[counter] = self._counters.get(counter, 0) - times * amount


def _ways(request: Object) -> list[tuple[str, Object]]:
    """The ways to serve a request: their names in results, and what they ask for."""
    if request.get("firstAvailable"):
        return [(f"{request['name']}/{way['name']}", way) for way in request["firstAvailable"]]
    return [(request["name"], request.get("exactly") or {})]


def _agree(constraints: Sequence[Object], given: Sequence[AllocatedDevice]) -> bool:
    """Whether the devices given so far fit together."""
    for constraint in constraints:
        names = constraint.get("requests") or ()
        concerned = [
            one.device
            for one in given
            if not names or one.request in names or one.request.partition("/")[0] in names
        ]
        same, distinct = constraint.get("matchAttribute"), constraint.get("distinctAttribute")
        values = [attribute(device, same or distinct or "") for device in concerned]
        if None in values:
            return False
        if same and any(value != values[0] for value in values):
            return False
        if distinct and len(set(values)) < len(values):
            return False
    return True


def _repels(asked: Object, device: Device) -> bool:
    """Whether a taint of a device keeps a request away."""
    return any(
        taint.get("effect") in _TAINTED and not tolerates(asked.get("tolerations") or (), taint)
        for taint in device.spec.get("taints") or ()
    )


def _allocation(
    world: World, claim: Object, given: Sequence[AllocatedDevice], node: Object
) -> Object:
    """What stands in the status of a claim that got these devices."""
    results = []
    for one in given:
        device = one.device
        result: Object = {
            "request": one.request,
            "driver": device.driver,
            "pool": device.pool,
            "device": device.name,
        }
        if one.asked.get("adminAccess"):
            result["adminAccess"] = True
        if one.asked.get("tolerations"):
            result["tolerations"] = one.asked["tolerations"]
        results.append(result)
    granted: Object = {"results": results}
    config = list(_config(world, claim, given))
    if config:
        granted["config"] = config
    selector = _selector(given, node)
    return {"devices": granted, **({"nodeSelector": selector} if selector else {})}


def _config(world: World, claim: Object, given: Sequence[AllocatedDevice]) -> Iterator[Object]:
    """What drivers are told of the devices: of their class first, then of the claim."""
    for name in dict.fromkeys(one.request for one in given):
        asked = next(one.asked for one in given if one.request == name)
        class_ = world.store.get(Key(CLASSES, "", asked.get("deviceClassName", ""))) or {}
        for entry in (class_.get("spec") or {}).get("config") or ():
            yield {"source": "FromClass", "requests": [name], **entry}
    for entry in (claim["spec"].get("devices") or {}).get("config") or ():
        yield {"source": "FromClaim", **entry}


def _selector(given: Sequence[AllocatedDevice], node: Object) -> Object | None:
    """The nodes on which the devices can be used; None for all."""
    wanted: list[Object] = []
    for one in given:
        spec = one.device.slice_spec
        where = one.device.spec if spec.get("perDeviceNodeSelection") else spec
        if where.get("nodeName"):
            name = {"key": "metadata.name", "operator": "In", "values": [node["metadata"]["name"]]}
            return {"nodeSelectorTerms": [{"matchFields": [name]}]}
        for term in (where.get("nodeSelector") or {}).get("nodeSelectorTerms") or ():
            wanted += [entry for entry in term.get("matchExpressions") or () if entry not in wanted]
    return {"nodeSelectorTerms": [{"matchExpressions": wanted}]} if wanted else None

"""Taints of devices that drive away the pods that use them, once their claims tolerate it no longer."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.disruption_target import mark_disrupted
from sregym_cluster_embedded.device_pools import CLAIMS, allocation_of, devices, tolerates
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

HANDLER, EVICT = "controllers.device-taints", "controllers.device-taints.evict"
_COMPONENT = "device-taint-eviction"
_REASON = "DeviceTaintManagerEviction"
_DELAY_S = 0.05


def changed(world: World, _change: Change) -> None:
    """Slices or claims came, went or changed: all claims are looked at."""
    enqueue(world, HANDLER, "", _DELAY_S)


def reconcile(world: World, key: str) -> None:
    """Handler: plan the end of pods whose devices are tainted, and cancel that of others."""
    mark_processing(world, HANDLER, key)
    tainted = {
        device.identity: device.spec["taints"]
        for device in devices(world, None)
        if any(taint.get("effect") == "NoExecute" for taint in device.spec.get("taints") or ())
    }
    planned = world.queue(EVICT)
    if not tainted and not planned:
        return
    due: dict[Key, float] = {}
    for claim in world.store.list(CLAIMS):
        left_s = _left(world, claim, tainted)
        if left_s is None:
            continue
        for user in (claim.get("status") or {}).get("reservedFor") or ():
            place = Key("pods", claim["metadata"]["namespace"], user["name"])
            pod = world.store.get(place)
            if pod is not None and pod["metadata"]["uid"] == user["uid"]:
                due[place] = min(left_s, due.get(place, left_s))
    for place in [place for place in planned if place not in due]:
        forget(world, EVICT, place)
        pod = world.store.get(place)
        if pod is not None:
            _say(world, pod, "Cancelling deletion")
    for place, left_s in due.items():
        enqueue(world, EVICT, place, left_s)


def evict(world: World, place: Key) -> None:
    """Handler: the time of a pod with its devices is over."""
    mark_processing(world, EVICT, place)
    pod = world.store.get(place)
    if pod is None or "deletionTimestamp" in pod["metadata"]:
        return
    _say(world, pod, "Marking for deletion")
    message = "Device Taint manager: deleting due to NoExecute taint"
    mark_disrupted(world, place, "DeletionByDeviceTaintManager", message)
    internal_client.delete(world, place)


def _left(
    world: World, claim: Object, tainted: dict[tuple[str, str, str], list[Object]]
) -> float | None:
    """Seconds for which a claim may keep its devices; None for as long as it wants."""
    found: list[float] = []
    for result in ((allocation_of(claim) or {}).get("devices") or {}).get("results") or ():
        for taint in tainted.get((result["driver"], result["pool"], result["device"]), ()):
            if taint.get("effect") != "NoExecute":
                continue
            tolerations = [
                entry for entry in result.get("tolerations") or () if tolerates([entry], taint)
            ]
            spans = [entry.get("tolerationSeconds") for entry in tolerations]
            if None in spans and tolerations:
                continue
            since = _since(world, taint)
            found.append(max(min((s for s in spans if s is not None), default=0) - since, 0.0))
    return min(found) if found else None


def _since(world: World, taint: Object) -> float:
    """For how long a device has been tainted."""
    added = taint.get("timeAdded")
    if not added:
        return 0.0
    return max(world.epoch + world.now - datetime.fromisoformat(added).timestamp(), 0.0)


def _say(world: World, pod: Object, message: str) -> None:
    known = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
    about = {**pod, "metadata": {**known, "uid": pod["metadata"]["uid"]}}
    events.record(world, about, "pods", "Normal", _REASON, message, _COMPONENT)

"""Which claims may ask for more than they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TEXT = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc "
    "must support resize"
)


def check(world: World, kind: Resource, old: Object, new: Object) -> None:
    """Refuse a claim that grows although its class does not allow it.

    Raises:
        errors.ApiError: Forbidden.
    """
    if requested_bytes(new) <= requested_bytes(old):
        return
    name = new["spec"].get("storageClassName") or ""
    found = world.store.get(Key("storageclasses.storage.k8s.io", "", name))
    if found is None or not found.get("allowVolumeExpansion"):
        raise errors.forbidden(kind, new["metadata"]["name"], _TEXT)


def requested_bytes(claim: Object) -> float:
    """The bytes that a claim asks for."""
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return float(parse(requests.get("storage", "0")))


def capacity_bytes(claim: Object) -> float:
    """The bytes that a claim has."""
    capacity = claim.get("status", {}).get("capacity") or {}
    return float(parse(capacity.get("storage", "0")))

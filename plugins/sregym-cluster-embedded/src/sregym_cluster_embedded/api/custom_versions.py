"""Versions of custom resources: which of them is stored, which is best, how one becomes another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import conversion
from sregym_cluster_embedded.api.custom import CRDS
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY = {None: 2, "beta": 1, "alpha": 0}


def as_served(world: World, resource: Resource, obj: Object) -> Object:
    """A stored object in the version of `resource`, as its present schema has it.

    Raises:
        errors.ApiError: The webhook that converts objects of this type did not do it.
    """
    if resource.selectable is None:
        return conversion.to_served(resource, obj)
    served = _converted(world, resource, obj, resource.api_version)
    definition = world.store.get(Key(CRDS, "", resource.group_resource))
    if definition is None or definition["metadata"].get("generation", 1) == 1:
        return served
    # The schema may have changed since the object was written.
    from sregym_cluster_embedded.api import structural

    return structural.read(world, resource, served)[0]


def as_stored(world: World, resource: Resource, obj: Object) -> Object:
    """An object in the version of `resource` as it is stored.

    Raises:
        errors.ApiError: The webhook that converts objects of this type did not do it.
    """
    if resource.selectable is None:
        return obj
    definition = world.store.get(Key(CRDS, "", resource.group_resource))
    versions = () if definition is None else definition["spec"]["versions"]
    stored = next((entry["name"] for entry in versions if entry.get("storage")), resource.version)
    return _converted(world, resource, obj, f"{resource.group}/{stored}")


def _converted(world: World, resource: Resource, obj: Object, wanted: str) -> Object:
    if obj.get("apiVersion") == wanted:
        return obj
    definition = world.store.get(Key(CRDS, "", resource.group_resource))
    strategy = (definition or {}).get("spec", {}).get("conversion", {}).get("strategy", "None")
    if definition is None or strategy != "Webhook":
        return {**obj, "apiVersion": wanted}
    from sregym_cluster_embedded.api.dynamic import converting

    return converting.convert(world, definition, obj, wanted)


def rank(version: str) -> tuple[int, int, int, int, str]:
    """The place of a version when sorted: `v2` before `v1` before `v2beta1`, other names last."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (1, 0, 0, 0, version)
    stability = _STABILITY[match[2]]
    return (0, -stability, -int(match[1]), -int(match[3] or 0), "")


def deprecation(world: World, resource: Resource) -> str:
    """What the server warns of when a version of a custom resource is used; empty for most."""
    definition = world.store.get(Key(CRDS, "", resource.group_resource))
    versions = () if definition is None else definition["spec"]["versions"]
    own: Object = next((entry for entry in versions if entry["name"] == resource.version), {})
    if not own.get("deprecated"):
        return ""
    if own.get("deprecationWarning") is not None:
        return str(own["deprecationWarning"])
    text = f"{resource.api_version} {resource.kind} is deprecated"
    better = [
        entry["name"]
        for entry in versions
        if entry.get("served")
        and not entry.get("deprecated")
        and rank(entry["name"]) < rank(resource.version)
    ]
    if not better:
        return text
    return f"{text}; use {resource.group}/{min(better, key=rank)} {resource.kind}"

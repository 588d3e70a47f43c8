"""Resource types that CustomResourceDefinitions define, found beside the built-in ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import resources
from sregym_cluster_embedded.api.resource import READ_WRITE, Resource, Subresource
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

CRDS = "customresourcedefinitions.apiextensions.k8s.io"


def named(world: World, name: str) -> Resource | None:
    """The type with this store name: built in, or of a definition in this cluster."""
    return resources.named(name) or next(
        (entry for entry in defined(world) if entry.name == name), None
    )


def of_kind(world: World, api_version: str, kind: str) -> Resource | None:
    """The type whose objects carry this apiVersion and kind, or None."""
    found = resources.of_kind(api_version, kind)
    if found is not None or "." not in api_version.partition("/")[0]:
        return found
    for entry in defined(world):
        if (entry.api_version, entry.kind) == (api_version, kind):
            return entry
    return None


def at_path(world: World, group: str, version: str, plural: str) -> Resource | None:
    """The type served at `/apis/GROUP/VERSION/PLURAL`, or None."""
    found = resources.at_path(group, version, plural)
    if found is not None or "." not in group:
        return found
    for entry in defined(world):
        if (entry.group, entry.version, entry.plural) == (group, version, plural):
            return entry
    return None


def defined(world: World) -> Iterator[Resource]:
    """The types of all definitions, their storage version first."""
    for definition in world.store.list(CRDS, ""):
        spec = definition["spec"]
        if not _established(definition):
            continue
        for version in sorted(spec["versions"], key=lambda item: not item.get("storage")):
            if version.get("served"):
                yield _resource(spec, version)


def _established(definition: Object) -> bool:
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(
        entry.get("type") == "Established" and entry.get("status") == "True" for entry in conditions
    )


def _resource(spec: Object, version: Object) -> Resource:
    names = spec["names"]
    subresources = []
    if "scale" in version.get("subresources", {}):
        subresources.append(Subresource("scale", "Scale", READ_WRITE, "autoscaling", "v1"))
    if "status" in version.get("subresources", {}):
        subresources.append(Subresource("status"))
    return Resource(
        plural=names["plural"],
        kind=names["kind"],
        namespaced=spec["scope"] == "Namespaced",
        singular=names.get("singular", names["kind"].lower()),
        group=spec["group"],
        version=version["name"],
        short_names=tuple(names.get("shortNames", ())),
        categories=tuple(names.get("categories", ())),
        subresources=tuple(subresources),
        generation=True,
        selectable=tuple(
            field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ()
        ),
    )


def columns(world: World, resource: Resource) -> tuple[Object, ...] | None:
    """The additional printer columns of a custom resource; None for built-in types."""
    version = version_of(world, resource)
    return None if version is None else tuple(version.get("additionalPrinterColumns", ()))


def version_of(world: World, resource: Resource) -> Object | None:
    """The entry in a definition's `versions` behind a custom resource; None for built-in types."""
    if resources.of_kind(resource.api_version, resource.kind) is not None:
        return None
    definition = world.store.get(Key(CRDS, "", resource.group_resource))
    if definition is None:
        return None
    for version in definition["spec"]["versions"]:
        if version["name"] == resource.version:
            found: Object = version
            return found
    return None

"""The workload that an autoscaler scales: its scale as the API would give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import custom, internal_client, resources
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.world import World


class ScaleError(Exception):
    """The scale of the target cannot be read or written; the message is the client's."""


class Scale(NamedTuple):
    """The scale subresource of a workload.

    Attributes:
        key: The workload.
        spec_replicas: Asked for.
        status_replicas: There.
        selector: Its label selector, None when it has none.
    """

    key: Key
    spec_replicas: int
    status_replicas: int
    selector: Object | None


def scale_of(world: World, namespace: str, reference: Object) -> Scale:
    """Read the scale of what `scaleTargetRef` names.

    Raises:
        ScaleError: There is no such kind, it cannot be scaled, or the object is missing.
    """
    kind = _kind(world, reference)
    obj = world.store.get(Key(kind.name, namespace, reference["name"]))
    if obj is None:
        raise ScaleError(f'{kind.group_resource} "{reference["name"]}" not found')
    if not any(sub.name == "scale" for sub in kind.subresources):
        raise ScaleError("the server could not find the requested resource")
    spec, status = obj.get("spec", {}), obj.get("status", {})
    selector = spec.get("selector")
    if kind.kind == "ReplicationController" and selector is not None:
        selector = {"matchLabels": selector}
    return Scale(
        Key(kind.name, namespace, reference["name"]),
        spec.get("replicas", 1),
        status.get("replicas", 0),
        selector,
    )


def set_scale(world: World, scale: Scale, replicas: int) -> None:
    """Write how many replicas there are to be."""
    obj = world.store.get(scale.key)
    if obj is not None:
        internal_client.update(
            world, scale.key.resource, {**obj, "spec": {**obj["spec"], "replicas": replicas}}
        )


def _kind(world: World, reference: Object) -> Resource:
    version, name = reference.get("apiVersion", ""), reference["kind"]
    found = resources.of_kind(version, name)
    if found is None:
        found = next(
            (
                entry
                for entry in custom.defined(world)
                if (entry.api_version, entry.kind) == (version, name)
            ),
            None,
        )
    if found is None:
        group = version.partition("/")[0] if "/" in version else ""
        raise ScaleError(f'no matches for kind "{name}" in group "{group}"')
    return found

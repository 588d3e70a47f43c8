"""A patched object: of the type that it had before, and as refusals show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.decode import DecodeError

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

_SCHEME = "pkg/api/legacyscheme/scheme.go:30"
_METADATA_ORDER = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation"),
    *("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels"),
    *("annotations", "ownerReferences", "finalizers", "managedFields"),
)


def as_merged(served: Object, result: Any) -> Any:
    """A patched object with its fields in the server's order: what the patch touched is sorted."""
    if not isinstance(result, dict):
        return result
    shown: Object = {}
    for name in sorted(result):
        value = result[name]
        if name == "metadata" and isinstance(value, dict) and value == served.get(name):
            value = {key: value[key] for key in _METADATA_ORDER if key in value}
        shown[name] = value
    return shown


def still_of(resource: Resource, obj: Object) -> Object:
    """A patched object, of the type that it had before.

    Raises:
        DecodeError: The patch made it another one.
    """
    if not isinstance(obj, dict):
        return obj
    version, kind = obj.get("apiVersion"), obj.get("kind")
    own = (resource.api_version, resource.kind)
    if (version, kind) == own:
        return obj
    version, kind = version or own[0], kind or own[1]
    if isinstance(version, str) and isinstance(kind, str) and (version, kind) != own:
        group, _, number = version.rpartition("/")
        if schema.of_kind(group, number, kind) is None:
            text = f'no kind "{kind}" is registered for version "{version}" in scheme "{_SCHEME}"'
            raise DecodeError(text)
        if (group, kind) != (resource.group, resource.kind):
            internal = resource.group.partition(".")[0] or "core"
            text = f"converting ({number}.{kind}) to ({internal}.{resource.kind})"
            raise DecodeError(f"{text}: unknown conversion")
    return {**obj, "apiVersion": version, "kind": kind}

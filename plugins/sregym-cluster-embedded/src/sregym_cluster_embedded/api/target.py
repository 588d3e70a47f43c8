"""Which object or collection a path names, and the request's parameters that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import custom, errors, resources

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.world import World


_BUILT_IN = frozenset(resources.group_versions())


@dataclass(frozen=True)
class Target:
    """What a resource path names.

    Attributes:
        resource: The type.
        namespace: Empty for cluster-scoped types and for all namespaces.
        name: Empty for a collection.
        subresource: `status`, `scale`, `log`, ...; empty for the object itself.
        rest: What follows a `proxy` subresource.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""


def parse(world: World, path: str) -> Target | None:
    """The target of `/api/v1/...` or `/apis/GROUP/VERSION/...`; None when a path names none.

    Raises:
        errors.ApiError: The path has the form of a resource's but names no type.
    """
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        inner = custom.at_path(world, group, version, rest[2])
        if inner is not None and inner.namespaced:
            namespace, rest = rest[1], rest[2:]
    resource = custom.at_path(world, group, version, rest[0])
    if resource is None:
        if (group, version) not in _BUILT_IN:
            # The group is not served: the path is none of the API's.
            return None
        raise errors.no_such_resource()
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    further = "/".join(rest[3:])
    known = not subresource or resource.subresource(subresource) is not None
    if not known or (further and subresource != "proxy"):
        raise errors.no_such_resource()
    if name and resource.namespaced and not namespace:
        raise errors.no_such_resource()
    return Target(resource, namespace, name, subresource, further)

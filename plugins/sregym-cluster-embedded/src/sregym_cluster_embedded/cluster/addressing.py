"""Paths of the Kubernetes API for objects, and its failures as the core knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from sregym_core.interfaces import ClusterError

from sregym_cluster_embedded.api import custom, resources

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.api.resources import Resource
    from sregym_cluster_embedded.http.live import LiveWorld


PATCH_TYPES = {
    "strategic": "application/strategic-merge-patch+json",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
}


def resource_of(live: LiveWorld, api_version: str, kind: str) -> Resource:
    """The resource of a kind of objects, built in or of a definition in the cluster.

    Raises:
        ClusterError: There is none.
    """
    resource = resources.of_kind(api_version, kind)
    if resource is None:
        with live.open() as world:
            resource = custom.of_kind(world, api_version, kind)
    if resource is None:
        msg = f"the server doesn't have a resource of kind {kind!r} in {api_version!r}"
        raise ClusterError(404, "NotFound", msg)
    return resource


def collection_of(resource: Resource, namespace: str) -> str:
    """The path of all objects of a resource, in a namespace where it has them."""
    root = f"/apis/{resource.api_version}" if "/" in resource.api_version else "/api/v1"
    place = f"/namespaces/{namespace}" if resource.namespaced and namespace else ""
    return f"{root}{place}/{resource.plural}"


def error_of(answer: Response) -> ClusterError:
    """What an answer of the API server says that is a failure."""
    try:
        status = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return ClusterError(answer.status, "", answer.body.decode(errors="replace"))
    return ClusterError(answer.status, status.get("reason", ""), status.get("message", ""))

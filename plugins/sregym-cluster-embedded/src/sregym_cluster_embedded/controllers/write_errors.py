"""Events and conditions of controllers whose writes the API server refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import ApiError
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def slice_refused(world: World, service: Object, write: str, error: ApiError) -> None:
    """A slice of a Service cannot be written.

    Args:
        world: Where.
        service: The Service.
        write: `create`, or `update NAME` or `delete NAME` of the slice.
        error: Why not.
    """
    where = f"Service {service['metadata']['namespace']}/{service['metadata']['name']}"
    text = (
        f"Error updating Endpoint Slices for {where}: failed to {write} EndpointSlice for {where}: "
        f"{error.message}"
    )
    reason, component = "FailedToUpdateEndpointSlices", "endpoint-slice-controller"
    events.record(world, service, "services", "Warning", reason, text, component)


def endpoints_refused(
    world: World, service: Object, endpoints: Object | None, error: ApiError
) -> None:
    """The Endpoints of a Service cannot be written; None when there were none yet."""
    metadata = service["metadata"]
    where = f"{metadata['namespace']}/{metadata['name']}"
    reason, text = "FailedToUpdateEndpoint", f"Failed to update endpoint {where}: {error.message}"
    about = endpoints
    if about is None:
        reason = "FailedToCreateEndpoint"
        text = f"Failed to create endpoint for service {where}: {error.message}"
        named = {"name": metadata["name"], "namespace": metadata["namespace"]}
        about = {"apiVersion": "v1", "kind": "Endpoints", "metadata": named}
    events.record(world, about, "endpoints", "Warning", reason, text, "endpoint-controller")

"""Which container of a pod a request for logs or a stream means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_GROUPS = ("initContainers", "containers", "ephemeralContainers")


def chosen_container(pod: Object, name: str) -> str:
    """The container `name`, or the only one when no name is given.

    The annotation with a default container is for clients: the server does not look at it.

    Raises:
        errors.ApiError: BadRequest: there is no such container, or there are several.
    """
    spec = pod["spec"]
    known = [str(entry["name"]) for group in _GROUPS for entry in spec.get(group, ())]
    where = f"for pod {pod['metadata']['name']}"
    if name:
        if name not in known:
            raise errors.bad_request(f"container {name} is not valid {where}")
        return name
    if len(spec["containers"]) == 1:
        return str(spec["containers"][0]["name"])
    raise errors.bad_request(
        f"a container name must be specified {where}, choose one of: [{' '.join(known)}]"
    )

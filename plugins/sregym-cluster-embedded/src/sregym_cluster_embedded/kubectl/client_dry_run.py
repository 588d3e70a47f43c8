"""`--dry-run=client`: the object after a patch, computed by the client itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.patches import jsonpatch, merge, strategic
from sregym_cluster_embedded.kubectl.client import JSON_PATCH, MERGE, STRATEGIC
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object


def patched(obj: Object, patch: Any, content_type: str = STRATEGIC) -> Object:
    """The object with a patch.

    Raises:
        NotCovered: The patch does not fit.
    """
    group, _, version = obj["apiVersion"].rpartition("/")
    definition = schema.of_kind(group, version, obj["kind"])
    try:
        if content_type == JSON_PATCH:
            found = jsonpatch.apply(obj, patch)
        elif content_type == MERGE:
            found = merge.apply(obj, patch)
        elif definition is None or not isinstance(patch, dict):
            raise NotCovered("a strategic patch of an object without a struct")
        else:
            found = strategic.apply(obj, patch, definition)
    except ApiError as error:
        raise NotCovered("a patch that does not fit") from error
    if not isinstance(found, dict):
        raise NotCovered("a patch that leaves no object")
    return found

"""Which objects of a baseline were declared, and which controllers keep for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import KubeObject

# Controllers make and remove these as they go; a repair is free to replace them.
DERIVED_KINDS = frozenset(
    {"ControllerRevision", "EndpointSlice", "Endpoints", "Event", "Lease", "ReplicaSet"}
)
# Helm keeps a Secret of this type for each of the last revisions of a release.
RELEASE = "helm.sh/release.v1"


def declared_objects(objects: Mapping[str, KubeObject]) -> list[KubeObject]:
    """Objects that a person declared, in order of their keys: no owner, not a derived kind."""
    return [
        obj
        for _, obj in sorted(objects.items())
        if obj["kind"] not in DERIVED_KINDS
        and not obj["metadata"].get("ownerReferences")
        and obj.get("type") != RELEASE
    ]

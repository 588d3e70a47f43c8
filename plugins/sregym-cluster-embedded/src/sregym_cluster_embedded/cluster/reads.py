"""Reading objects without the wire: each is decoded once for as long as it does not change.

Conditions are asked again and again while little changes, and forks hold mostly what their origin
held. What is given out is a copy of the stored object, so the world cannot be changed by changing
what was read.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, NamedTuple

import orjson

from sregym_cluster_embedded.api import conversion, custom_versions, selectors
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class _Listed(NamedTuple):
    """A list that was given out.

    Attributes:
        last: What had been written last of the resource.
        stored: The stored objects that it was made of.
        copies: What was given out of those that were selected.
    """

    last: Object | None
    stored: list[Object]
    copies: list[Object]


class Reads:
    """Copies of stored objects, kept by address for as long as the very same object is stored."""

    def __init__(self) -> None:
        self._copies: dict[tuple[str, Key], tuple[Object, Object]] = {}
        # Of custom resources: what webhooks convert may come out differently in another fork.
        self._served: dict[tuple[str, Key], tuple[str, Object]] = {}
        self._lists: dict[tuple[str, str, str | None, str], _Listed] = {}

    def fork(self) -> Reads:
        """Equal ones for a fork of the world: of what is the same there nothing is copied again."""
        twin = Reads()
        twin._copies, twin._lists = self._copies.copy(), self._lists.copy()
        return twin

    def get(self, world: World, resource: Resource, namespace: str, name: str) -> Object | None:
        """A copy of one object, or None."""
        key = Key(resource.name, namespace if resource.namespaced else "", name)
        stored = world.store.get(key)
        return None if stored is None else self._copy(world, resource, key, stored)

    def list(self, world: World, resource: Resource, namespace: str, labels: str) -> list[Object]:
        """Copies of all objects of a namespace, or of all, that a label selector selects.

        Raises:
            ApiError: The selector cannot be read.
        """
        place = namespace if resource.namespaced and namespace else None
        # What webhooks convert may come out differently though it has not changed.
        kept = None
        if resource.selectable is None:
            kept = (resource.api_version, resource.name, place, labels)
        known = None if kept is None else self._lists.get(kept)
        last = world.store.last_written(resource.name)
        if known is not None and known.last is last:
            return known.copies.copy()
        there = world.store.list(resource.name, place)
        if (
            kept is not None
            and known is not None
            and len(known.stored) == len(there)
            and all(map(is_, known.stored, there))
        ):
            self._lists[kept] = known._replace(last=last)
            return known.copies.copy()
        wanted = selectors.parse_labels(labels)
        found = []
        for stored in there:
            metadata = stored["metadata"]
            if wanted and not selectors.labels_match(wanted, metadata.get("labels", {})):
                continue
            key = Key(resource.name, metadata.get("namespace", ""), metadata["name"])
            found.append(self._copy(world, resource, key, stored))
        if kept is not None:
            self._lists[kept] = _Listed(last, there, found)
        return found.copy()

    def _copy(self, world: World, resource: Resource, key: Key, stored: Object) -> Object:
        if resource.selectable is not None:
            return self._custom(world, resource, key, stored)
        place = resource.api_version, key
        kept = self._copies.get(place)
        if kept is not None and kept[0] is stored:
            return kept[1]
        copy = _copied(resource, conversion.to_served(resource, stored))
        self._copies[place] = (stored, copy)
        return copy

    def _custom(self, world: World, resource: Resource, key: Key, stored: Object) -> Object:
        revision: str = stored["metadata"]["resourceVersion"]
        place = resource.api_version, key
        kept = self._served.get(place)
        if kept is not None and kept[0] == revision:
            return kept[1]
        copy = _copied(resource, custom_versions.as_served(world, resource, stored))
        self._served[place] = (revision, copy)
        return copy


def _copied(resource: Resource, served: Object) -> Object:
    copy: Object = orjson.loads(orjson.dumps(served))
    copy["apiVersion"], copy["kind"] = resource.api_version, resource.kind
    return copy

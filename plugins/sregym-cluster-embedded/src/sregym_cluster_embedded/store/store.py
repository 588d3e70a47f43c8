"""The one place where objects of a cluster live, and the one path by which they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from sregym_cluster_embedded.clock import EventHeap, SharedGroups
from sregym_cluster_embedded.store.objects import Key, Object, key_of, owner_uids

Indexer: TypeAlias = Callable[[Object], Iterable[str]]

_NOT_INDEXED = ("metadata", "status", "apiVersion", "kind")

# How many changes a watch can look back before it is told 410 Gone, as a compaction of the store does.
HISTORY_LIMIT = 20_000


class ChangeType(StrEnum):
    """The kinds of watch events that a write causes."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


class Change(NamedTuple):
    """One write: what a watch replays and what controllers are told.

    Attributes:
        revision: The resourceVersion that this write made.
        type: What happened.
        key: Where.
        obj: The object after the write; for a deletion its last state, with the new revision.
        old: The object before the write, None for an addition.
        at: Virtual second of the write.
    """

    revision: int
    type: ChangeType
    key: Key
    obj: Object
    old: Object | None
    at: float = 0.0


class Store:
    """Objects by resource, namespace and name, with indexes and a bounded history.

    Args:
        indexers: For a resource, index names and the functions that give an object's values
            under them; they must not look at `status`. Every resource has the index `owner`
            (uids of its owners) besides.
        clock: Tells the virtual time of a write; one that stands still when none is given.

    Attributes:
        had: The resources that have or had objects; whether any of several is among them is the
            cheapest question there is.
    """

    def __init__(
        self,
        indexers: Mapping[str, Mapping[str, Indexer]] | None = None,
        clock: EventHeap | None = None,
    ) -> None:
        self.clock = EventHeap() if clock is None else clock
        self.revision = 1
        self.listener: Callable[[Change], None] | None = None
        self.history: list[Change] = []
        self._indexers = indexers or {}
        # By (resource, namespace): name -> object. By (resource, index, value): keys in order.
        self._objects: SharedGroups[tuple[str, str], str, Object] = SharedGroups()
        self._read = self._objects.read
        # By resource: the namespaces that have or had objects of it, sorted.
        self._places: dict[str, tuple[str, ...]] = {}
        self.had = self._places.keys()
        # By resource: what was written or deleted last.
        self._last: dict[str, Object] = {}
        self._indexes: SharedGroups[tuple[str, str, str], Key, None] = SharedGroups()

    def get(self, key: Key) -> Object | None:
        """The object at `key`, or None. Never change what this returns."""
        return self._read((key[0], key[1])).get(key[2])

    def list(self, resource: str, namespace: str | None = None) -> list[Object]:
        """All objects of a resource, of one namespace or of all, sorted by namespace and name."""
        if namespace is not None:
            entries = self._objects.read((resource, namespace))
            return [obj for _, obj in sorted(entries.items())] if entries else []
        return [
            obj
            for place in self._places.get(resource, ())
            for _, obj in sorted(self._objects.read((resource, place)).items())
        ]

    def count(self, resource: str) -> int:
        """How many objects a resource has, in all namespaces."""
        places = self._places.get(resource, ())
        return sum(len(self._objects.read((resource, place))) for place in places)

    def last_written(self, resource: str) -> Object | None:
        """What the last write or deletion left of an object of a resource; None before the first.

        As long as it is the very same object, nothing of the resource has changed: every change leaves
        a new one.
        """
        return self._last.get(resource)

    def has_any(self, resource: str, namespace: str | None = None) -> bool:
        """Whether there are objects of a resource, in one namespace or at all."""
        if namespace is not None:
            return bool(self._objects.read((resource, namespace)))
        places = self._places.get(resource, ())
        return any(self._objects.read((resource, place)) for place in places)

    def resources(self) -> Iterator[str]:
        """The resources that have objects, sorted."""
        return iter(sorted({resource for resource, _ in self._objects.groups()}))

    def indexed(self, resource: str, index: str, value: str) -> Iterator[Object]:
        """The objects of a resource that have `value` under `index`, in order of arrival."""
        for key in tuple(self._indexes.read((resource, index, value))):
            obj = self._read((key[0], key[1])).get(key[2])
            if obj is not None:
                yield obj

    def owned(self, resource: str, owner_uid: str) -> Iterator[Object]:
        """The objects of a resource that name `owner_uid` among their owners."""
        return self.indexed(resource, "owner", owner_uid)

    def put(self, resource: str, obj: Object) -> Object:
        """Write an object, new or changed; returns it as stored, with its resourceVersion."""
        key = key_of(resource, obj)
        _, namespace, name = key
        group = self._objects.write((resource, namespace))
        old, indexed = group.get(name), resource in self._indexers
        self.revision = revision = self.revision + 1
        stored = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(revision)}}
        group[name] = self._last[resource] = stored
        if old is None:
            type_ = ChangeType.ADDED
            if len(group) == 1:
                places = {*self._places.get(resource, ()), namespace}
                self._places[resource] = tuple(sorted(places))
            if indexed or "ownerReferences" in stored["metadata"]:
                self._index_new(key, stored)
        else:
            type_ = ChangeType.MODIFIED
            if not (_indexed_alike(old, stored) if indexed else _owned_alike(old, stored)):
                self._reindex(key, old, stored)
        # What `Change(...)` does, without a call between.
        change = (revision, type_, key, stored, old, self.clock.now)
        self._record(tuple.__new__(Change, change))
        return stored

    def delete(self, key: Key) -> Object | None:
        """Remove an object at once; returns its last state, or None if there was none.

        Finalizers and grace periods are the API's business, not the store's.
        """
        old = self.get(key)
        if old is None:
            return None
        del self._objects.write((key.resource, key.namespace))[key.name]
        self.revision += 1
        self._reindex(key, old, None)
        metadata = old["metadata"] | {"resourceVersion": str(self.revision)}
        last = self._last[key.resource] = {**old, "metadata": metadata}
        self._record(Change(self.revision, ChangeType.DELETED, key, last, old, self.clock.now))
        return last

    def fork(self, clock: EventHeap | None = None) -> Store:
        """A copy that shares the objects, which are immutable, and nothing else."""
        twin = Store(self._indexers, clock)
        twin.revision = self.revision
        twin.history = self.history.copy()
        twin._objects = self._objects.fork()
        twin._read = twin._objects.read
        twin._places = self._places.copy()
        twin.had = twin._places.keys()
        twin._last = self._last.copy()
        twin._indexes = self._indexes.fork()
        return twin

    def _record(self, change: Change) -> None:
        self.history.append(change)
        if len(self.history) > HISTORY_LIMIT:
            del self.history[: HISTORY_LIMIT // 4]
        if self.listener is not None:
            self.listener(change)

    def _index_new(self, key: Key, obj: Object) -> None:
        for entry in self._index_values(key.resource, obj):
            self._indexes.write(entry)[key] = None

    def _reindex(self, key: Key, old: Object, new: Object | None) -> None:
        before = self._index_values(key.resource, old)
        after = self._index_values(key.resource, new) if new is not None else ()
        for entry in before:
            if entry not in after:
                del self._indexes.write(entry)[key]
        for entry in after:
            if entry not in before:
                self._indexes.write(entry)[key] = None

    def _index_values(self, resource: str, obj: Object) -> tuple[tuple[str, str, str], ...]:
        indexers = self._indexers.get(resource)
        owners = owner_uids(obj)
        if indexers is None and not owners:
            return ()
        values = [(resource, "owner", uid) for uid in owners]
        for index, indexer in (indexers or {}).items():
            values.extend([(resource, index, value) for value in indexer(obj)])
        return tuple(dict.fromkeys(values))


def _owned_alike(old: Object, new: Object) -> bool:
    before, after = old["metadata"], new["metadata"]
    return before.get("ownerReferences") is after.get("ownerReferences")


def _indexed_alike(old: Object, new: Object) -> bool:
    """Whether a write shares all that indexers look at with the object before it.

    Most writes only replace `status`; comparing identities is much cheaper than indexing twice.
    """
    before, after = old["metadata"], new["metadata"]
    for field in ("labels", "annotations", "ownerReferences"):
        if before.get(field) is not after.get(field):
            return False
    for field, value in new.items():
        if old.get(field) is not value and field not in _NOT_INDEXED:
            return False
    return old.keys() <= new.keys() or old.keys() - new.keys() == {"status"}

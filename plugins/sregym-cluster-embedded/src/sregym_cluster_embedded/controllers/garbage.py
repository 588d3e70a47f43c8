"""The garbage collector: what happens to objects when the objects that own them go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import custom, internal_client
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

DEPENDENTS = "controllers.garbage.dependents"
OWNERS = "controllers.garbage.owners"
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"
_DELAY_S = 0.03


def listen(world: World, change: Change) -> None:
    """Owners that go have their dependents looked at; new dependents their owners."""
    metadata = change.obj["metadata"]
    if change.type is ChangeType.DELETED:
        if change.key.resource != "events":
            _owner_gone(world, change)
    elif "deletionTimestamp" in metadata:
        finalizers = metadata.get("finalizers", ())
        if _ORPHAN in finalizers or _FOREGROUND in finalizers:
            enqueue(world, DEPENDENTS, change.key, _DELAY_S)
    elif change.type is ChangeType.ADDED and any(
        not _exists(world, change.key.namespace, owner)
        for owner in metadata.get("ownerReferences", ())
    ):
        enqueue(world, OWNERS, change.key, _DELAY_S)


def collect(world: World, key: Key) -> None:
    """Handler: delete an object all of whose owners are gone, or drop the references to those."""
    mark_processing(world, OWNERS, key)
    obj = world.store.get(key)
    if obj is None or "deletionTimestamp" in obj["metadata"]:
        return
    owners = obj["metadata"].get("ownerReferences", [])
    present = [owner for owner in owners if _exists(world, key.namespace, owner)]
    if not owners or len(present) == len(owners):
        return
    if present:
        internal_client.patch_metadata(world, key, owners=present)
    else:
        internal_client.delete(world, key)


def finalize(world: World, key: Key) -> None:
    """Handler: answer the finalizer of a foreground or orphaning deletion."""
    mark_processing(world, DEPENDENTS, key)
    owner = world.store.get(key)
    if owner is None or "deletionTimestamp" not in owner["metadata"]:
        return
    finalizers = owner["metadata"].get("finalizers", [])
    uid = owner["metadata"]["uid"]
    dependents = _dependents(world, uid)
    if _ORPHAN in finalizers:
        for place, obj in dependents:
            rest = [entry for entry in obj["metadata"]["ownerReferences"] if entry["uid"] != uid]
            internal_client.patch_metadata(world, place, owners=rest)
        left = [name for name in finalizers if name != _ORPHAN]
        internal_client.patch_metadata(world, key, finalizers=left)
        return
    blocking = False
    for place, obj in dependents:
        if "deletionTimestamp" not in obj["metadata"]:
            # Dependents that have dependents themselves go in the foreground, too.
            policy = "Foreground" if _dependents(world, obj["metadata"]["uid"]) else "Background"
            internal_client.delete(world, place, policy)
        reference = next(e for e in obj["metadata"]["ownerReferences"] if e["uid"] == uid)
        if reference.get("blockOwnerDeletion") and world.store.get(place) is not None:
            blocking = True
    if not blocking:
        left = [name for name in finalizers if name != _FOREGROUND]
        internal_client.patch_metadata(world, key, finalizers=left)


def _owner_gone(world: World, change: Change) -> None:
    metadata = change.obj["metadata"]
    for place, _ in _dependents(world, metadata["uid"]):
        enqueue(world, OWNERS, place, _DELAY_S)
    for owner in metadata.get("ownerReferences", ()):
        # An owner that waits for its dependents can go on when this was the last.
        above = _place(world, change.key.namespace, owner)
        waiting = world.store.get(above) if above is not None else None
        if waiting is not None and "deletionTimestamp" in waiting["metadata"]:
            enqueue(world, DEPENDENTS, above, _DELAY_S)


def _dependents(world: World, uid: str) -> list[tuple[Key, Object]]:
    return [
        (key_of(resource, obj), obj)
        for resource in world.store.resources()
        for obj in world.store.owned(resource, uid)
    ]


def _place(world: World, namespace: str, owner: Object) -> Key | None:
    kind = custom.of_kind(world, owner["apiVersion"], owner["kind"])
    if kind is None:
        return None
    return Key(kind.name, namespace if kind.namespaced else "", owner["name"])


def _exists(world: World, namespace: str, owner: Object) -> bool:
    place = _place(world, namespace, owner)
    if place is None:
        # A type that is not served: nothing is known, nothing is collected.
        return True
    obj = world.store.get(place)
    return obj is not None and obj["metadata"]["uid"] == owner["uid"]

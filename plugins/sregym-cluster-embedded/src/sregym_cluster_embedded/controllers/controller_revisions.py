"""ControllerRevisions: the templates that a StatefulSet or DaemonSet has had, numbered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers.pods import owner_reference
from sregym_cluster_embedded.controllers.template_hash import template_hash
from sregym_cluster_embedded.store import Key, Object, key_of, owner_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sregym_cluster_embedded.world import World

RESOURCE = "controllerrevisions.apps"
POD_LABEL = "controller-revision-hash"


class History(NamedTuple):
    """The revisions of a workload, lowest first; the one of its template; hash collisions."""

    revisions: tuple[Object, ...]
    newest: Object
    collisions: int


def history_of(world: World, owner: Object, hash_label: str) -> History | None:
    """The workload's revisions; the one of its present template is made or numbered highest.

    A workload that is being deleted gets nothing new: None when it has no revision left.
    """
    revisions = _owned(world, owner)
    collisions = owner.get("status", {}).get("collisionCount") or 0
    if "deletionTimestamp" in owner["metadata"]:
        return History(tuple(revisions), revisions[-1], collisions) if revisions else None
    data = _data(owner["spec"]["template"])
    number = revisions[-1]["revision"] + 1 if revisions else 1
    equal = [entry for entry in revisions if entry["data"] == data]
    if not equal:
        made, collisions = _create(world, owner, hash_label, data, number, collisions)
        return History((*revisions, made), made, collisions)
    found = equal[-1]
    if found is revisions[-1]:
        return History(tuple(revisions), found, collisions)
    renumbered = internal_client.update(world, RESOURCE, {**found, "revision": number})
    others = [entry for entry in revisions if entry is not found]
    return History((*others, renumbered), renumbered, collisions)


def template_of(revision: Object) -> Object:
    """The pod template that a revision holds."""
    template = revision["data"]["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}


def prune(world: World, owner: Object, history: History, live: Collection[str]) -> None:
    """Revisions beyond the history limit go, the lowest first; those named in `live` stay."""
    idle = [entry for entry in history.revisions if entry["metadata"]["name"] not in live]
    limit = owner["spec"].get("revisionHistoryLimit", 10)
    for entry in idle[: max(len(idle) - limit, 0)]:
        internal_client.delete(world, key_of(RESOURCE, entry))


def _owned(world: World, owner: Object) -> list[Object]:
    uid = owner["metadata"]["uid"]
    owned = [
        entry
        for entry in world.store.owned(RESOURCE, uid)
        if (owner_of(entry) or {}).get("uid") == uid
    ]
    return sorted(owned, key=lambda entry: (entry["revision"], entry["metadata"]["name"]))


def _data(template: Object) -> Object:
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def _sorted(value: Any) -> Any:
    """With the keys in order: the bytes of a revision are compared by clients."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(entry) for entry in value] if isinstance(value, list) else value


def _create(
    world: World, owner: Object, hash_label: str, data: Object, number: int, collisions: int
) -> tuple[Object, int]:
    """A new revision; a name that another one has counts as a collision of hashes."""
    metadata, template = owner["metadata"], owner["spec"]["template"]
    while True:
        hashed = template_hash(template, collisions)
        name = f"{metadata['name']}-{hashed}"
        if world.store.get(Key(RESOURCE, metadata["namespace"], name)) is None:
            break
        collisions += 1
    labels = {**((template.get("metadata") or {}).get("labels") or {}), hash_label: hashed}
    new_metadata: Object = {
        "name": name,
        "namespace": metadata["namespace"],
        "labels": labels,
        "ownerReferences": [owner_reference(owner)],
    }
    if metadata.get("annotations"):
        new_metadata["annotations"] = metadata["annotations"]
    made = internal_client.create(
        world, RESOURCE, {"metadata": new_metadata, "data": _sorted(data), "revision": number}
    )
    return made, collisions

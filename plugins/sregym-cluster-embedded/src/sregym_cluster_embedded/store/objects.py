"""What an object is here: a plain JSON dict that is immutable once it is stored.

Writers build a new dict that shares the unchanged parts. A fork, a watch history and "what
changed" then cost nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Object: TypeAlias = dict[str, Any]


class Key(NamedTuple):
    """Where an object stands.

    Attributes:
        resource: Plural with its group, as kubectl prints it: `pods`, `deployments.apps`.
        namespace: Empty for cluster-scoped objects.
        name: metadata.name.
    """

    resource: str
    namespace: str
    name: str


def key_of(resource: str, obj: Object) -> Key:
    """The key under which `obj` is stored."""
    metadata = obj["metadata"]
    # What `Key(...)` does, without a call between: every write needs one.
    return tuple.__new__(Key, (resource, metadata.get("namespace", ""), metadata["name"]))


def owner_uids(obj: Object) -> tuple[str, ...]:
    """The uids of all owners, in the order of metadata.ownerReferences."""
    owners = obj["metadata"].get("ownerReferences")
    return tuple([owner["uid"] for owner in owners]) if owners else ()


def owner_of(obj: Object) -> Object | None:
    """The owner reference of the controller that manages `obj`, or None."""
    for owner in obj["metadata"].get("ownerReferences", ()):
        if owner.get("controller"):
            reference: Object = owner
            return reference
    return None

"""The write path of what runs inside the cluster: controllers, scheduler, kubelet.

These functions keep the API's invariants (identity, generation, defaults, graceful deletion) and
skip what only requests from outside need: decoding, validation, field ownership. A write costs
tens of microseconds. Objects given and returned are never changed in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import (
    admission,
    custom,
    defaults,
    dynamic,
    errors,
    pod_security,
    quota,
)
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.store import Key, Object, key_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.world import World

# How long a name from generateName may be before its random end is added.
_GENERATED_BASE_LENGTH = 58
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"
_IDENTITY = ("uid", "creationTimestamp", "resourceVersion", "generation")
_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")


def resource_named(world: World, name: str) -> Resource:
    """The type of the objects stored under `name`.

    Raises:
        KeyError: No such type is known to this cluster.
    """
    resource = custom.named(world, name)
    if resource is None:
        raise KeyError(name)
    return resource


def create(world: World, resource: str, obj: Object) -> Object:
    """Store a new object.

    `metadata.name` or `metadata.generateName` must be set. Whatever a server sets is set here:
    apiVersion and kind, uid, creationTimestamp, generation, defaults, and for pods what admission
    adds (service account, token volume, tolerations, priority).

    Raises:
        errors.ApiError: AlreadyExists; NotFound or Forbidden when the namespace does not exist or
            is being deleted; Forbidden by pod admission.
    """
    kind = resource_named(world, resource)
    prepared = prepare(world, kind, obj)
    if dynamic.configured(world):
        prepared = dynamic_writes.admitted(world, kind, prepared)
    check_new(world, kind, prepared)
    return store_new(world, kind, prepared)


def store_new(world: World, kind: Resource, prepared: Object) -> Object:
    """Store what `prepare` made, and count it in the quotas of its namespace."""
    stored = world.store.put(kind.name, prepared)
    if kind.namespaced and kind.name != "events":
        quota.recount(world, stored["metadata"]["namespace"])
    return stored


def check_new(world: World, kind: Resource, obj: Object) -> None:
    """Refuse a name that is taken, and a pod that its namespace does not allow."""
    if kind.name == "pods":
        pod_security.enforce(world, kind, obj)
    if world.store.get(key_of(kind.name, obj)):
        raise errors.already_exists(kind, obj["metadata"]["name"])


def prepare(world: World, kind: Resource, obj: Object) -> Object:
    """What `create` would store, without storing it: the whole of a dry run."""
    metadata = _new_metadata(world, kind, obj["metadata"])
    check_namespace(world, kind, metadata)
    named = {**obj, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
    defaulted = defaults.on_create(world, kind, defaults.apply(kind, named))
    return admission.admit(world, kind, defaulted)


def update(world: World, resource: str, obj: Object) -> Object:
    """Replace an object; `status` is taken as given.

    uid and creationTimestamp stay as stored. `generation` grows when anything but metadata and
    status changed. An object equal to the stored one is not written. The resourceVersion in `obj`
    is not compared: what runs in process has just read it. An object under deletion whose last
    finalizer goes is removed.

    Raises:
        errors.ApiError: NotFound; what admission says, of a user that it checks.
    """
    kind = resource_named(world, resource)
    key = key_of(resource, obj)
    old = world.store.get(key)
    if old is None:
        raise errors.not_found(kind, key.name)
    if _shares_content(old, obj):
        # Nothing but metadata and status can differ: no defaults to set, no generation to count.
        new = {**obj, "metadata": _identified(old, obj)}
    else:
        new = succeed(world, kind, old, defaults.apply(kind, obj))
    if new == old:
        return old
    if world.table(dynamic.HEARD):
        new = dynamic_writes.replaced(world, kind, old, new)
    if finished(new):
        return world.store.delete(key) or new
    return world.store.put(resource, new)


def succeed(world: World, kind: Resource, old: Object, new: Object) -> Object:
    """`new` as the successor of `old`: identity kept, generation counted."""
    metadata = _identified(old, new)
    if kind.generation and _content(old) != _content(new):
        metadata["generation"] = old["metadata"].get("generation", 0) + 1
    return defaults.on_update(world, kind, old, {**new, "metadata": metadata})


def update_status(world: World, key: Key, status: dict[str, Any]) -> Object | None:
    """Replace only `status`; nothing is written when it is equal.

    Returns the object as stored, or None when it does not exist (any more).
    """
    old = world.store.get(key)
    if old is None or old.get("status") == status:
        return old
    new = {**old, "status": status}
    if world.table(dynamic.HEARD):
        new = dynamic_writes.replaced(world, resource_named(world, key.resource), old, new)
    return world.store.put(key.resource, new)


def patch_metadata(
    world: World,
    key: Key,
    labels: dict[str, str | None] | None = None,
    annotations: dict[str, str | None] | None = None,
    finalizers: list[str] | None = None,
    owners: list[dict[str, Any]] | None = None,
) -> Object | None:
    """Change parts of metadata; a value of None removes a label or annotation.

    `finalizers` and `owners` replace the whole list. An object under deletion whose last finalizer
    goes is removed. Returns the object as stored (or as last seen), None when it does not exist.
    """
    old = world.store.get(key)
    if old is None:
        return None
    metadata = dict(old["metadata"])
    for field, changes in (("labels", labels), ("annotations", annotations)):
        if changes:
            merged = {**metadata.get(field, {}), **changes}
            _set_or_drop(metadata, field, {k: v for k, v in merged.items() if v is not None})
    if finalizers is not None:
        _set_or_drop(metadata, "finalizers", finalizers)
    if owners is not None:
        _set_or_drop(metadata, "ownerReferences", owners)
    if metadata == old["metadata"]:
        return old
    new = {**old, "metadata": metadata}
    if world.table(dynamic.HEARD):
        new = dynamic_writes.replaced(world, resource_named(world, key.resource), old, new)
    if finished(new):
        return world.store.delete(key)
    return world.store.put(key.resource, new)


def bind(world: World, key: Key, node: str) -> Object:
    """Assign a pod to a node, as the scheduler's binding does.

    Raises:
        errors.ApiError: NotFound; Conflict when the pod has a node already or is being deleted;
            what admission says, of a user that it checks.
    """
    kind = resource_named(world, "pods")
    old = world.store.get(key)
    if old is None:
        raise errors.not_found(kind, key.name)
    if world.table(dynamic.HEARD):
        dynamic_writes.bound(world, kind, old, node)
    if "deletionTimestamp" in old["metadata"]:
        raise errors.conflict(
            kind, key.name, f"pod {key.name} is being deleted, cannot be assigned to a host"
        )
    if old["spec"].get("nodeName"):
        taken = old["spec"]["nodeName"]
        raise errors.conflict(
            kind, key.name, f'pod {key.name} is already assigned to node "{taken}"'
        )
    conditions = [
        entry for entry in old["status"].get("conditions", ()) if entry["type"] != "PodScheduled"
    ]
    scheduled = {
        "type": "PodScheduled",
        "observedGeneration": old["metadata"].get("generation", 1),
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp(),
    }
    status = {**old["status"], "conditions": [*conditions, scheduled]}
    status.pop("nominatedNodeName", None)
    new = {**old, "spec": {**old["spec"], "nodeName": node}, "status": status}
    return world.store.put(key.resource, new)


def annotate(world: World, key: Key, annotations: dict[str, str | None]) -> Object | None:
    """Set annotations, or remove those given as None; see `patch_metadata`."""
    return patch_metadata(world, key, annotations=annotations)


def delete(
    world: World, key: Key, propagation: str = "Background", grace_s: int | None = None
) -> Object | None:
    """Ask for the deletion of an object.

    A pod bound to a node and not finished gets a deletionTimestamp and goes when the kubelet calls
    `remove`. Finalizers hold an object back. `Foreground` and `Orphan` add the finalizer that the
    garbage collector answers; with `Background` the object goes at once and the collector follows.
    Returns the object as it is then (its last state when it is gone), None when there was none.

    Raises:
        errors.ApiError: What admission says, of a user that it checks.
    """
    old = world.store.get(key)
    if old is None:
        return None
    if world.table(dynamic.HEARD):
        dynamic_writes.deleted(world, resource_named(world, key.resource), old, propagation)
    finalizers = [
        name for name in old["metadata"].get("finalizers", ()) if name not in (_FOREGROUND, _ORPHAN)
    ]
    if propagation == "Foreground":
        finalizers.append(_FOREGROUND)
    elif propagation == "Orphan":
        finalizers.append(_ORPHAN)
    grace = _grace(old, key.resource, grace_s)
    held = finalizers or (old.get("spec", {}).get("finalizers") and key.resource == "namespaces")
    if not held and not grace:
        return world.store.delete(key)
    return _mark(world, key, old, finalizers, grace)


def remove(world: World, key: Key) -> Object | None:
    """Remove an object whose grace has ended; finalizers still hold it back.

    This is how a kubelet confirms that a pod's processes are gone (a deletion with a grace period
    of zero).

    Raises:
        errors.ApiError: What admission says, of a kubelet that it hears.
    """
    old = world.store.get(key)
    if old is None:
        return None
    if world.table(dynamic.HEARD):
        dynamic_writes.deleted(world, resource_named(world, key.resource), old, "Background", 0)
    if old["metadata"].get("finalizers"):
        if old["metadata"].get("deletionGracePeriodSeconds") == 0:
            return old
        return _mark(world, key, old, list(old["metadata"]["finalizers"]), 0)
    return world.store.delete(key)


def finished(obj: Object) -> bool:
    """Whether nothing holds back an object under deletion any more."""
    metadata = obj["metadata"]
    return (
        "deletionTimestamp" in metadata
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
        and not (obj["kind"] == "Namespace" and obj.get("spec", {}).get("finalizers"))
    )


def check_namespace(world: World, kind: Resource, metadata: dict[str, Any]) -> None:
    """Refuse new content where its namespace is missing or going."""
    if not kind.namespaced:
        return
    namespace = metadata.get("namespace", "")
    place = world.store.get(Key("namespaces", "", namespace))
    if place is None:
        raise errors.not_found(resource_named(world, "namespaces"), namespace)
    if "deletionTimestamp" in place["metadata"]:
        raise errors.namespace_terminating(kind, metadata["name"], namespace)


def _new_metadata(world: World, kind: Resource, given: dict[str, Any]) -> dict[str, Any]:
    metadata = dict(given)
    if not metadata.get("name"):
        base = metadata.get("generateName", "")[:_GENERATED_BASE_LENGTH]
        metadata["name"] = base + world.seed.suffix()
    metadata["uid"] = world.seed.uid()
    metadata["creationTimestamp"] = world.timestamp()
    for field in ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(field, None)
    if kind.generation:
        metadata["generation"] = 1
    else:
        metadata.pop("generation", None)
    if not kind.namespaced:
        metadata.pop("namespace", None)
    return metadata


def _grace(obj: Object, resource: str, grace_s: int | None) -> int:
    if resource != "pods":
        return 0
    finished_phase = obj.get("status", {}).get("phase") in ("Succeeded", "Failed")
    if not obj["spec"].get("nodeName") or finished_phase:
        return 0
    default: int = obj["spec"].get("terminationGracePeriodSeconds", 30)
    # A negative period means "at once, but through the kubelet"; none at all leaves it out.
    return (default if default >= 0 else 1) if grace_s is None else grace_s


def _mark(world: World, key: Key, old: Object, finalizers: list[str], grace: int) -> Object:
    metadata = dict(old["metadata"])
    if "deletionTimestamp" in metadata:
        # A deletion that is under way may only be shortened.
        earlier = metadata.get("deletionGracePeriodSeconds", 0)
        if grace < earlier:
            metadata["deletionTimestamp"] = world.timestamp(world.now + grace)
            metadata["deletionGracePeriodSeconds"] = grace
    else:
        metadata["deletionTimestamp"] = world.timestamp(world.now + grace)
        metadata["deletionGracePeriodSeconds"] = grace
        if "generation" in metadata:
            metadata["generation"] += 1
    _set_or_drop(metadata, "finalizers", finalizers)
    if key.resource == "namespaces":
        metadata.pop("deletionGracePeriodSeconds", None)
        return world.store.put(
            key.resource,
            {**old, "metadata": metadata, "status": {**old["status"], "phase": "Terminating"}},
        )
    if metadata == old["metadata"]:
        return old
    return world.store.put(key.resource, {**old, "metadata": metadata})


def _identified(old: Object, new: Object) -> dict[str, Any]:
    """The metadata of `new` with what no writer may change."""
    before = old["metadata"]
    metadata: dict[str, Any] = dict(new["metadata"])
    for field in _IDENTITY:
        if field in before:
            metadata[field] = before[field]
    for field in _DELETION:
        if field in before:
            metadata[field] = before[field]
        else:
            metadata.pop(field, None)
    return metadata


def _shares_content(old: Object, new: Object) -> bool:
    """Whether all but metadata and status are the very same values."""
    if len(old) != len(new):
        return False
    return all(
        old.get(field) is value
        for field, value in new.items()
        if field not in ("metadata", "status", "apiVersion", "kind")
    )


def _content(obj: Object) -> dict[str, Any]:
    return {key: value for key, value in obj.items() if key not in ("metadata", "status")}


def _set_or_drop(metadata: dict[str, Any], field: str, value: Any) -> None:
    if value:
        metadata[field] = value
    else:
        metadata.pop(field, None)

"""CustomResourceDefinitions in the course of time: their names, their API services, their end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

RESOURCE = "customresourcedefinitions.apiextensions.k8s.io"
HANDLER = "controllers.definitions"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
_SERVICES = "apiservices.apiregistration.k8s.io"
_DELAY_S = 0.02
_AGAIN_S = 1.0
_PRIORITY, _VERSION_PRIORITY = 1000, 100


def listen(world: World, change: Change) -> None:
    """A definition came, changed or went."""
    if change.type is ChangeType.MODIFIED:
        old = change.old or {}
        going = "deletionTimestamp" in change.obj["metadata"]
        if not going and old.get("spec") == change.obj.get("spec"):
            return
    enqueue(world, HANDLER, change.key.name, _DELAY_S)


def reconcile(world: World, name: str) -> None:
    """Handler: bring API services, stored versions and instances in line with a definition."""
    mark_processing(world, HANDLER, name)
    definition = world.store.get(Key(RESOURCE, "", name))
    _api_services(world, name.partition(".")[2])
    if definition is None:
        return
    if "deletionTimestamp" in definition["metadata"]:
        _empty(world, name, definition)
        return
    _stored_versions(world, name, definition)


def _api_services(world: World, group: str) -> None:
    """One for each served version of the group, none for those that are no more."""
    served = {
        version["name"]
        for definition in world.store.list(RESOURCE, "")
        if definition["spec"].get("group") == group
        for version in definition["spec"].get("versions", ())
        if version.get("served")
    }
    for version in sorted(served):
        if world.store.get(Key(_SERVICES, "", f"{version}.{group}")) is None:
            made = internal_client.create(world, _SERVICES, _api_service(group, version))
            _report_available(world, made["metadata"]["name"])
    for service in world.store.list(_SERVICES, ""):
        labels = service["metadata"].get("labels", {})
        automatic = labels.get("kube-aggregator.kubernetes.io/automanaged") == "true"
        spec = service.get("spec", {})
        if automatic and spec.get("group") == group and spec.get("version") not in served:
            internal_client.delete(world, Key(_SERVICES, "", service["metadata"]["name"]))


def _report_available(world: World, name: str) -> None:
    condition = {
        "lastTransitionTime": world.timestamp(),
        "message": "Local APIServices are always available",
        "reason": "Local",
        "status": "True",
        "type": "Available",
    }
    internal_client.update_status(world, Key(_SERVICES, "", name), {"conditions": [condition]})


def _api_service(group: str, version: str) -> Object:
    return {
        "metadata": {
            "name": f"{version}.{group}",
            "labels": {"kube-aggregator.kubernetes.io/automanaged": "true"},
        },
        "spec": {
            "group": group,
            "groupPriorityMinimum": _PRIORITY,
            "version": version,
            "versionPriority": _VERSION_PRIORITY,
        },
    }


def _stored_versions(world: World, name: str, definition: Object) -> None:
    status: dict[str, Any] = dict(definition.get("status", {}))
    stored = list(status.get("storedVersions", ()))
    stored += [
        version["name"]
        for version in definition["spec"].get("versions", ())
        if version.get("storage") and version["name"] not in stored
    ]
    accepted = any(
        entry.get("type") == "NamesAccepted" and entry.get("status") == "True"
        for entry in status.get("conditions") or ()
    )
    status["storedVersions"] = stored
    if accepted:
        status["acceptedNames"] = definition["spec"].get("names", {})
    internal_client.update_status(world, Key(RESOURCE, "", name), status)


def _empty(world: World, name: str, definition: Object) -> None:
    """Delete the instances; the definition goes when none is left."""
    left = 0
    for obj in world.store.list(name):
        metadata = obj["metadata"]
        key = Key(name, metadata.get("namespace", ""), metadata["name"])
        if "deletionTimestamp" not in metadata:
            with suppress(ApiError):
                internal_client.delete(world, key)
        left += world.store.get(key) is not None
    if left:
        enqueue(world, HANDLER, name, _AGAIN_S)
        return
    finalizers = [item for item in definition["metadata"].get("finalizers", ()) if item != CLEANUP]
    internal_client.patch_metadata(world, Key(RESOURCE, "", name), finalizers=finalizers)

"""What a changed object takes from the one that it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object


def count_annotations(kind: Resource, old: Object, new: Object) -> Object:
    """A Deployment's generation also counts what a user changes in its annotations."""
    before, after = old["metadata"], new["metadata"]
    if (
        kind.name != "deployments.apps"
        or before.get("annotations", {}) == after.get("annotations", {})
        or before["generation"] != after["generation"]
    ):
        return new
    return {**new, "metadata": {**after, "generation": after["generation"] + 1}}


def status_is_free(kind: Resource) -> bool:
    """Custom resources without a status subresource, and types that never had one."""
    return kind.subresource("status") is None


def with_status_of(kind: Resource, old: Object, new: Object) -> Object:
    """What a write of the status `new` makes of an object."""
    result = {**old, "metadata": status_metadata(old, new), "status": status_of(kind, old, new)}
    if kind.selectable is not None and "status" not in new:
        # Only built-in types always have one.
        del result["status"]
    return result


def status_of(kind: Resource, old: Object, new: Object) -> Object:
    """The status that a write asks for; the class of a pod stays when it is left out."""
    status: Object = new.get("status", {})
    held = old.get("status", {}).get("qosClass")
    if kind.name == "pods" and held and not status.get("qosClass"):
        return {**status, "qosClass": held}
    return status


def status_metadata(old: Object, new: Object) -> dict[str, Any]:
    """A status update may change annotations, labels and finalizers of its object, no identity."""
    metadata = dict(old["metadata"])
    for field in ("labels", "annotations", "finalizers", "ownerReferences", "managedFields"):
        if field in new["metadata"]:
            metadata[field] = new["metadata"][field]
    return metadata


# Names of types in the keys of the storage, where they are not those of the paths.
_STORED_AS = {
    "customresourcedefinitions.apiextensions.k8s.io": (
        "apiextensions.k8s.io/customresourcedefinitions"
    ),
    "apiservices.apiregistration.k8s.io": "apiregistration.k8s.io/apiservices",
    "endpoints": "services/endpoints",
    "ingresses.networking.k8s.io": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}


def check_replaced(resource: Resource, old: Object, new: Object) -> None:
    """Refuse to replace an object by one that was made from another of its name.

    Raises:
        errors.ApiError: Conflict, with the error text of the storage.
    """
    before, given = old["metadata"], new["metadata"].get("uid")
    if not given or given == before["uid"]:
        return
    stored = _STORED_AS.get(resource.name) or (
        resource.plural if resource.selectable is None else f"{resource.group}/{resource.plural}"
    )
    key = "/".join(filter(None, ("/registry", stored, before.get("namespace"), before["name"])))
    why = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: UID in precondition: {given}, "
        f"UID in object meta: {before['uid']}"
    )
    raise errors.conflict(resource, before["name"], why)


def check_identity(kind: Resource, old: Object, new: Object) -> None:
    """Refuse an object that is not the one it is to follow.

    Raises:
        errors.ApiError: BadRequest, Conflict or Invalid.
    """
    name = old["metadata"]["name"]
    given = new["metadata"]
    if given["name"] != name:
        raise errors.bad_request(
            f"the name of the object ({given['name']}) does not match the name on the URL ({name})"
        )
    if given.get("namespace") != old["metadata"].get("namespace"):
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    version = given.get("resourceVersion")
    # Revision 0 stands for any.
    if version not in (None, "", "0", old["metadata"]["resourceVersion"]):
        raise errors.conflict(kind, name)
    if given.get("uid") and given["uid"] != old["metadata"]["uid"]:
        cause = errors.Cause("metadata.uid", f'Invalid value: "{given["uid"]}": field is immutable')
        raise errors.invalid(kind.group, kind.kind, name, [cause])

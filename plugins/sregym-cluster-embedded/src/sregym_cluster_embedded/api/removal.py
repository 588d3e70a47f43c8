"""Delete and delete-collection as requests ask for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import (
    body,
    custom,
    custom_versions,
    dynamic,
    errors,
    internal_client,
    priorities,
    read_requests,
    schema,
)
from sregym_cluster_embedded.api.access import node_restriction
from sregym_cluster_embedded.api.decode import DecodeError, decode
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.api.rest_mutations import dry_run
from sregym_cluster_embedded.store import Key, key_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
_INT64 = 2**63
_LONGEST_S = 2**31
_POLICIES = ("Background", "Foreground", "Orphan")
_PERMANENT = frozenset({"default", "kube-public", "kube-system"})
# Types whose dependents stay unless the client says otherwise: how their first versions did it.
_ORPHANED = frozenset({"jobs.batch", "replicationcontrollers"})
# Types of which a removal answers with the object that was removed.
_RETURNED = frozenset(
    {
        *("persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates"),
        *("resourcequotas", "serviceaccounts", "services"),
        *(
            f"{plural}.resource.k8s.io"
            for plural in ("deviceclasses", "resourceclaims", "resourceclaimtemplates")
        ),
        *(f"{plural}.resource.k8s.io" for plural in ("resourceslices", "devicetaintrules")),
        *(
            f"{plural}.storage.k8s.io"
            for plural in ("csidrivers", "csinodes", "storageclasses", "volumeattachments")
        ),
        "volumeattributesclasses.storage.k8s.io",
    }
)


@dataclass(frozen=True)
class Options:
    """DeleteOptions, from the body or the query."""

    propagation: str
    grace_s: int | None
    uid: str
    revision: str
    tried: bool


def options(request: Request, resource: Resource) -> Options:
    """The options of a delete.

    Raises:
        errors.ApiError: A value that cannot be.
    """
    given: dict[str, Any] = {}
    if request.body:
        given = _decoded(body.parsed(request))
    policy = given.get("propagationPolicy") or request.parameter("propagationPolicy")
    if not policy:
        if given.get("orphanDependents") is not None:
            policy = "Orphan" if given["orphanDependents"] else "Background"
        else:
            policy = "Orphan" if resource.name in _ORPHANED else "Background"
    if policy not in _POLICIES:
        cause = errors.Cause(
            "propagationPolicy",
            f'Unsupported value: "{policy}": supported values: "Background", "Foreground", "Orphan", "nil"',
            "FieldValueNotSupported",
        )
        raise errors.invalid("meta.k8s.io", "DeleteOptions", "", [cause])
    grace = given.get("gracePeriodSeconds")
    if grace is None and request.parameter("gracePeriodSeconds"):
        text = request.parameter("gracePeriodSeconds")
        if not text.removeprefix("-").isdecimal():
            raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
        grace = int(text)
        if abs(grace) >= _INT64:
            raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
    if grace is not None:
        # Moments have an end: no wait is longer than that.
        grace = max(-_LONGEST_S, min(grace, _LONGEST_S))
    conditions = given.get("preconditions") or {}
    uid, revision = conditions.get("uid", ""), str(conditions.get("resourceVersion", ""))
    return Options(policy, grace, uid, revision, dry_run(request, given.get("dryRun") or ()))


def _decoded(given: Any) -> dict[str, Any]:
    """A body as DeleteOptions.

    Raises:
        errors.ApiError: BadRequest: it is none.
    """
    definition = schema.definition("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")
    try:
        decoded, _ = decode({} if given is None else given, definition)
    except DecodeError as error:
        raise errors.bad_request(str(error)) from None
    return decoded


def delete(world: World, request: Request, target: Target) -> Response:
    """DELETE of one object."""
    resource = target.resource
    chosen = options(request, resource)
    priorities.check_removal(resource, target.name)
    old = read_requests.existing(world, target)
    _check_preconditions(resource, old, chosen)
    node_restriction.check_removal(request.user, resource, old)
    if resource.name == "namespaces" and target.name in _PERMANENT:
        raise errors.forbidden(resource, target.name, "this namespace may not be deleted")
    warnings = body.Warnings()
    if dynamic.configured(world):
        dynamic_writes.removed(world, request, target, old, warnings.texts)
    with_object = resource.name in _RETURNED
    if chosen.tried:
        told = custom_versions.as_served(world, resource, old)
        told = told if with_object else _success(resource, old)
        return encode(told, headers=warnings.headers())
    key = Key(resource.name, target.namespace, target.name)
    if resource.name == custom.CRDS:
        _hold(world, key, old)
    after = internal_client.delete(world, key, chosen.propagation, chosen.grace_s)
    if after is not None and (with_object or world.store.get(key) is not None):
        return encode(custom_versions.as_served(world, resource, after), headers=warnings.headers())
    return encode(_success(resource, old), headers=warnings.headers())


def delete_collection(world: World, request: Request, target: Target) -> Response:
    """DELETE of all objects of a selection."""
    resource = target.resource
    chosen = options(request, resource)
    objects = read_requests.select(world, target, read_requests.selection(request, target))
    if dynamic.configured(world):
        for obj in objects:
            metadata = obj["metadata"]
            one = replace(target, namespace=metadata.get("namespace", ""), name=metadata["name"])
            dynamic_writes.removed(world, request, one, obj, [])
    if not chosen.tried:
        for obj in objects:
            internal_client.delete(
                world, key_of(resource.name, obj), chosen.propagation, chosen.grace_s
            )
    return encode(
        {
            "kind": f"{resource.kind}List",
            "apiVersion": resource.api_version,
            "metadata": {"resourceVersion": str(world.store.revision)},
            "items": [custom_versions.as_served(world, resource, obj) for obj in objects],
        }
    )


def _hold(world: World, key: Key, definition: Object) -> None:
    """A definition goes after its instances: a controller takes the finalizer off."""
    if "deletionTimestamp" in definition["metadata"]:
        return
    finalizers = [*definition["metadata"].get("finalizers", ()), _CLEANUP]
    internal_client.patch_metadata(world, key, finalizers=finalizers)
    held = world.store.get(key)
    assert held is not None
    status = held.get("status", {})
    pending = {
        "type": "Terminating",
        "status": "True",
        "lastTransitionTime": world.timestamp(),
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; "
        "CustomResource deletion will be initiated soon",
    }
    conditions = [*(status.get("conditions") or ()), pending]
    internal_client.update_status(world, key, {**status, "conditions": conditions})


def _check_preconditions(resource: Resource, old: Object, chosen: Options) -> None:
    metadata = old["metadata"]
    head = f'Operation cannot be fulfilled on {resource.kind} "{metadata["name"]}": '
    if chosen.uid and chosen.uid != metadata["uid"]:
        why = f"the UID in the precondition ({chosen.uid}) does not match the UID in record ({metadata['uid']}). The object might have been deleted and then recreated"
    elif chosen.revision and chosen.revision != metadata["resourceVersion"]:
        why = f"the ResourceVersion in the precondition ({chosen.revision}) does not match the ResourceVersion in record ({metadata['resourceVersion']}). The object might have been modified"
    else:
        return
    details = {"name": metadata["name"], "kind": resource.kind}
    raise errors.ApiError(409, "Conflict", head + why, details)


def _success(resource: Resource, obj: Object) -> dict[str, Any]:
    details = {"name": obj["metadata"]["name"]}
    if resource.group:
        details["group"] = resource.group
    details["kind"] = resource.plural
    details["uid"] = obj["metadata"]["uid"]
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }

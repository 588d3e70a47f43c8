"""Create, replace, patch and delete as requests from outside ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import (
    body,
    claim_growth,
    conversion,
    custom_versions,
    defaults,
    dynamic,
    errors,
    internal_client,
    media,
    ownership,
    prepare_for_update,
    quota,
    read_requests,
    resizing,
    resources,
    schema,
    structural,
    system_owners,
    validation,
    zero_values,
)
from sregym_cluster_embedded.api.access import guarding
from sregym_cluster_embedded.api.decode import DecodeError
from sregym_cluster_embedded.api.defaults.network import allocate, release
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.json_words import json_type
from sregym_cluster_embedded.api.patches import apply as server_side
from sregym_cluster_embedded.api.patches import declared, jsonpatch, merge, strategic
from sregym_cluster_embedded.api.patches.merged import as_merged, still_of
from sregym_cluster_embedded.api.rendering import View, encode
from sregym_cluster_embedded.api.validation import causes
from sregym_cluster_embedded.store import Key, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
SIGNING_REQUESTS = "certificatesigningrequests.certificates.k8s.io"
_OPTIONS = {"DELETE": "DeleteOptions", "PATCH": "PatchOptions", "PUT": "UpdateOptions"}
_PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH)


def dry_run(request: Request, given: Sequence[str] = ()) -> bool:
    """Whether nothing is to be stored; `given` is what the body says about it.

    Raises:
        errors.ApiError: Invalid: a value other than `All`.
    """
    values = [*request.parameters("dryRun"), *given]
    if not values:
        return False
    if not set(values) <= {"", "All"}:
        cause = causes.unsupported("dryRun", values, ("All",))
        kind = _OPTIONS.get(request.method, "CreateOptions")
        raise errors.invalid("meta.k8s.io", kind, "", [cause])
    return "All" in values


def answer(
    world: World,
    request: Request,
    resource: Resource,
    obj: Object,
    warnings: body.Warnings,
    status: int = 200,
) -> Response:
    """A written object as the client wants to see it."""
    form = media.negotiate(request.headers.get("accept", ""))
    view = View(world, resource, form, request.parameter("includeObject"), request.plain)
    return encode(view.one(obj), form, status, warnings.headers())


def _sent(request: Request, resource: Resource, warnings: body.Warnings) -> Object:
    return body.typed(
        request,
        body.parsed(request, resource.kind),
        resource.group,
        resource.version,
        resource.kind,
        warnings,
    )


def _check_form(world: World, request: Request, resource: Resource) -> None:
    """Refuse before anything is written what an answer about one object cannot be."""
    form = media.negotiate(request.headers.get("accept", ""))
    View(world, resource, form).check_one()


def create(world: World, request: Request, target: Target) -> Response:
    """POST of an object to its collection."""
    _check_form(world, request, target.resource)
    warnings = body.Warnings()
    resource = target.resource
    sent = _sent(request, resource, warnings)
    stored = _create(world, request, target, sent, warnings)
    return answer(world, request, resource, stored, warnings, 201)


def _create(
    world: World, request: Request, target: Target, sent: Object, warnings: body.Warnings
) -> Object:
    resource, tried = target.resource, dry_run(request)
    metadata = _located(target, sent)
    if metadata.get("resourceVersion"):
        raise errors.bad_request("resourceVersion should not be set on objects to be created")
    if not metadata.get("name") and not metadata.get("generateName"):
        cause = errors.Cause(
            "metadata.name",
            "Required value: name or generateName is required",
            "FieldValueRequired",
        )
        raise errors.invalid(resource.group, resource.kind, "", [cause])
    sent = _shaped(world, request, resource, sent, warnings)
    obj = conversion.to_stored(resource, {**sent, "metadata": metadata})
    kind = _kind(world, resource)
    obj = zero_values.filled(kind, _with_spec(resource, obj))
    prepared = internal_client.prepare(world, kind, obj)
    if kind.name == SIGNING_REQUESTS:
        from sregym_cluster_embedded.api import signing_requests

        prepared = signing_requests.requested(request.user, kind, prepared)
    asked = dynamic.configured(world)
    if asked:
        prepared = dynamic_writes.mutated(world, request, target, prepared, None, warnings.texts)
    validation.new(kind, prepared, structural.causes(world, kind, prepared))
    warnings.texts.extend(validation.warnings(kind, prepared, None))
    guarding.new(world, request.user, kind, prepared, warnings)
    if asked:
        dynamic_writes.check(world, request, target, prepared, None, warnings.texts)
    shown = system_owners.as_sent(kind, prepared, sent)
    owned = ownership.updated(world, request, kind, {}, shown, "", [])
    prepared = {**prepared, "metadata": owned["metadata"]}
    internal_client.check_new(world, kind, prepared)
    if tried:
        return prepared
    return internal_client.store_new(world, kind, custom_versions.as_stored(world, kind, prepared))


def _kind(world: World, resource: Resource) -> Resource:
    """The type as which objects are looked at: custom resources in the version of the request."""
    if resource.selectable is not None:
        return resource
    return internal_client.resource_named(world, resource.name)


def replace(world: World, request: Request, target: Target) -> Response:
    """PUT of a whole object, or of its status."""
    _check_form(world, request, target.resource)
    warnings = body.Warnings()
    resource = target.resource
    sent = _sent(request, resource, warnings)
    metadata = _located(target, sent)
    if not (sent.get("metadata") or {}).get("name"):
        what = f"the name of the object ({target.name} based on URL) was undeterminable"
        raise errors.bad_request(f"{what}: name must be provided")
    old = custom_versions.as_served(world, resource, read_requests.existing(world, target))
    sent = _shaped(world, request, resource, sent, warnings)
    new = conversion.to_stored(resource, {**sent, "metadata": metadata})
    prepare_for_update.check_replaced(resource, old, new)
    stored = write(world, request, target, old, new, warnings)
    return answer(world, request, resource, stored, warnings)


def patch(world: World, request: Request, target: Target) -> Response:
    """PATCH of an object, or of its status."""
    _check_form(world, request, target.resource)
    kind = body.media_type(request)
    if kind not in _PATCHES:
        raise errors.unsupported_media_type(_PATCHES)
    warnings = body.Warnings()
    key = Key(target.resource.name, target.namespace, target.name)
    old = world.store.get(key)
    if old is not None and target.resource.selectable is not None:
        old = custom_versions.as_served(world, target.resource, old)
    if kind == APPLY_PATCH:
        return _apply(world, request, target, old, warnings)
    if old is None:
        raise errors.not_found(target.resource, target.name)
    new = patched(request, target.resource, old, warnings)
    new = _shaped(world, request, target.resource, new, warnings)
    stored = write(world, request, target, old, new, warnings)
    return answer(world, request, target.resource, stored, warnings)


def patched(request: Request, resource: Resource, old: Object, warnings: body.Warnings) -> Object:
    """`old` (as stored) with the request's patch applied, checked and canonical."""
    served = conversion.to_served(resource, old)
    kind = body.media_type(request)
    try:
        change = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        raise errors.bad_request(body.json_error(request.body)) from None
    definition = schema.of_kind(resource.group, resource.version, resource.kind)
    if kind == JSON_PATCH:
        result = jsonpatch.apply(served, change)
    elif not isinstance(change, dict):
        decoding = "error decoding patch: " if kind == MERGE_PATCH else ""
        raise errors.bad_request(
            f"{decoding}json: cannot unmarshal {json_type(change)} into Go value of type "
            "map[string]interface {}"
        )
    elif kind == MERGE_PATCH:
        result = merge.apply(served, change)
    elif definition is None:
        raise errors.unsupported_media_type((JSON_PATCH, MERGE_PATCH, APPLY_PATCH))
    else:
        result = strategic.apply(served, change, definition)
        result = {**result, "apiVersion": resource.api_version, "kind": resource.kind}
    try:
        if definition is not None:
            result = still_of(resource, result)
        checked, unknown = body.canonical(result, resource.group, resource.version, resource.kind)
    except DecodeError as error:
        text = orjson.dumps(as_merged(served, result)).decode().replace('"', '\\"')
        cause = errors.Cause("patch", f'Invalid value: "{text}": {error}')
        raise errors.invalid("", "", "", [cause]) from None
    body.report(request, unknown, warnings, "")
    return conversion.to_stored(resource, checked)


def _apply(
    world: World, request: Request, target: Target, old: Object | None, warnings: body.Warnings
) -> Response:
    resource = target.resource
    if not request.parameter("fieldManager"):
        cause = errors.Cause(
            "fieldManager", "Required value: is required for apply patch", "FieldValueRequired"
        )
        raise errors.invalid("meta.k8s.io", "PatchOptions", "", [cause])
    given = body.parsed(request)
    metadata = given.get("metadata") if isinstance(given, dict) else None
    if isinstance(metadata, dict) and isinstance(metadata.get("managedFields"), list):
        raise errors.bad_request("metadata.managedFields must be nil")
    declared.check(resource, given, ownership.definition_of(resource))
    if resources.named(resource.name) is None and isinstance(given, dict):
        declared.check_custom(resource, given, structural.read(world, resource, given)[1])
    sent = body.typed(
        request,
        given,
        resource.group,
        resource.version,
        resource.kind,
        warnings,
    )
    sent = {**sent, "metadata": _located(target, sent)}
    if old is None:
        metadata = {**sent["metadata"], "name": target.name}
        located = {**sent, "metadata": metadata}
        created = _create(world, request, target, located, warnings)
        created = ownership.applied(world, request, _kind(world, resource), created, located)
        if not dry_run(request):
            stored = custom_versions.as_stored(world, resource, created)
            created = world.store.put(resource.name, stored)
        return answer(world, request, resource, created, warnings, 201)
    sent = _shaped(world, request, resource, sent, warnings)
    new = server_side.apply(world, request, resource, old, sent, given)
    stored = write(world, request, target, old, new, warnings, owned=True)
    return answer(world, request, resource, stored, warnings)


def write(
    world: World,
    request: Request,
    target: Target,
    old: Object,
    new: Object,
    warnings: body.Warnings,
    owned: bool = False,
) -> Object:
    """Let `new` (canonical, in the stored version) follow `old`; returns what is stored then.

    `owned` says that the managed fields of `new` are in order already.
    """
    kind, tried = _kind(world, target.resource), dry_run(request)
    identity = {k: old["metadata"][k] for k in ("name", "namespace") if k in old["metadata"]}
    new = {**new, "metadata": {**identity, **new.get("metadata", {})}}
    new = zero_values.filled(kind, new)
    prepare_for_update.check_identity(kind, old, new)
    if kind.name == "namespaces":
        new = {**new, "spec": old.get("spec", {})}
    if target.subresource == "status":
        new = prepare_for_update.with_status_of(kind, old, new)
    elif kind.subresource("status") and not prepare_for_update.status_is_free(kind):
        new = {**new, **({"status": old["status"]} if "status" in old else {})}
        if "status" not in old:
            new.pop("status", None)
    resizes = target.subresource == "resize"
    if resizes:
        new = {**resizing.resized(old, new), "metadata": new["metadata"]}
    new = internal_client.succeed(world, kind, old, defaults.apply(kind, _with_spec(kind, new)))
    asked = dynamic.configured(world)
    if asked:
        new = dynamic_writes.mutated(world, request, target, new, old, warnings.texts)
        new = internal_client.succeed(world, kind, old, new)
    if kind.name == "services" and target.subresource != "status":
        spec = release(old, new["spec"])
        new = defaults.apply(kind, {**new, "spec": spec})
        validation.changed(kind, old, new)
        new = {**new, "spec": allocate(world, new, new["spec"])}
    elif resizes:
        validation.unrelated(kind, new, resizing.refusals(old, new))
        resizing.check_node(world, kind, new)
    elif target.subresource != "status" or structural.schema_of(world, kind):
        validation.changed(kind, old, new, structural.causes(world, kind, new, old))
    else:
        validation.status(kind, old, new)
    warnings.texts.extend(validation.warnings(kind, new, old))
    if kind.name in quota.GROWING:
        quota.admit(world, kind, new, old)
    if kind.name == "persistentvolumeclaims":
        claim_growth.check(world, kind, old, new)
    guarding.changed(world, request.user, kind, target.subresource, old, new, warnings)
    if asked:
        dynamic_writes.check(world, request, target, new, old, warnings.texts)
    if target.subresource != "status":
        new = prepare_for_update.count_annotations(kind, old, new)
    if not owned:
        live = system_owners.without_status_owners(kind, old)
        new = ownership.updated(world, request, kind, old, new, target.subresource, live)
    if ownership.without(new) == ownership.without(old) and system_owners.same_owners(
        kind, old, new
    ):
        return old
    if new == old or tried:
        return new
    if internal_client.finished(new):
        return world.store.delete(key_of(kind.name, new)) or new
    return world.store.put(kind.name, custom_versions.as_stored(world, kind, new))


def _shaped(
    world: World, request: Request, resource: Resource, obj: Object, warnings: body.Warnings
) -> Object:
    """A custom resource by its schema: unknown fields reported and gone, defaults there."""
    if resources.named(resource.name) is not None:
        return obj
    shaped, unknown = structural.read(world, resource, obj)
    head = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
    body.report(request, unknown, warnings, f"{head}: " if request.method != "PATCH" else "")
    return shaped


def _located(target: Target, sent: Object) -> dict[str, Any]:
    """The metadata of a sent object, with the namespace of the path."""
    metadata = dict(sent.get("metadata") or {})
    if target.name and metadata.get("name") and metadata["name"] != target.name:
        raise errors.bad_request(
            f"the name of the object ({metadata['name']}) does not match the name on the URL ({target.name})"
        )
    if target.name:
        metadata["name"] = target.name
    if not target.resource.namespaced:
        metadata.pop("namespace", None)
        return metadata
    if metadata.get("namespace", target.namespace) != target.namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    metadata["namespace"] = target.namespace
    return metadata


def _with_spec(kind: Resource, obj: Object) -> Object:
    """A struct that is no pointer is there even when it was not written."""
    if "spec" in obj:
        return obj
    definition = schema.of_kind(kind.group, kind.version, kind.kind)
    if definition is None or "spec" not in definition.fields:
        return obj
    return {**obj, "spec": {}}

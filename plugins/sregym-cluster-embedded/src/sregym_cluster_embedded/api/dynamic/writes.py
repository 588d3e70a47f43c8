"""Where writes meet configured admission; all functions are for clusters where some is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import dynamic, errors
from sregym_cluster_embedded.api.dynamic.attributes import Attributes, options_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, User
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_OPTIONS = ("fieldManager", "fieldValidation")


def _user(world: World) -> User:
    """The user as whom a component of the cluster writes."""
    found: User = world.table(dynamic.HEARD).get(True, dynamic.CONTROLLERS)
    return found


def admitted(world: World, kind: Resource, obj: Object) -> Object:
    """A new object of a component of the cluster, as admission lets it pass.

    Raises:
        errors.ApiError: It does not.
    """
    metadata = obj["metadata"]
    asked = Attributes(
        "CREATE",
        kind,
        obj,
        user=_user(world),
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        options=options_of("CREATE"),
    )
    changed = dynamic.mutate(world, asked) or obj
    dynamic.validate(world, asked.with_object(changed))
    return changed


def replaced(world: World, kind: Resource, old: Object, new: Object) -> Object:
    """What a component of the cluster writes in place of an object: its status is a request of its own.

    Raises:
        errors.ApiError: It is not to be.
    """
    if _without_status(old) != _without_status(new):
        sub = "finalize" if kind.name == "namespaces" and old["spec"] != new["spec"] else ""
        plain = _with_status_of(old, new)
        asked = _update(world, kind, old, plain, sub)
        changed = plain if sub else dynamic.mutate(world, asked) or plain
        dynamic.validate(world, asked.with_object(changed))
        new = _with_status_of(new, changed)
    if old.get("status") == new.get("status"):
        return new
    asked = _update(world, kind, old, new, "status")
    changed = dynamic.mutate(world, asked) or new
    dynamic.validate(world, asked.with_object(changed))
    return changed


def _without_status(obj: Object) -> Object:
    return {field: value for field, value in obj.items() if field != "status"}


def _with_status_of(other: Object, obj: Object) -> Object:
    status = {"status": other["status"]} if "status" in other else {}
    return {**_without_status(obj), **status}


def _update(world: World, kind: Resource, old: Object, new: Object, subresource: str) -> Attributes:
    metadata = old["metadata"]
    return Attributes(
        "UPDATE",
        kind,
        new,
        old,
        user=_user(world),
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        subresource=subresource,
        options=options_of("UPDATE"),
    )


def admitted_event(
    world: World, kind: Resource, component: str, host: str | None, old: Object | None, new: Object
) -> Object | None:
    """An event as admission lets it pass; None: it does not, and there is no retry.

    Who is not at work under a name of its own says it as what its component is.
    """
    heard: User | None = world.table(dynamic.HEARD).get(True)
    if heard is None and component == "kubelet" and host:
        heard = dynamic.kubelet_of(host)
    elif heard is None:
        heard = dynamic.SCHEDULER if component == "default-scheduler" else dynamic.CONTROLLERS
    try:
        with dynamic.dynamic_admission(world, heard):
            return admitted(world, kind, new) if old is None else replaced(world, kind, old, new)
    except errors.ApiError:
        return None


def bound(world: World, kind: Resource, pod: Object, node: str) -> None:
    """Ask about the binding of a pod to a node.

    Raises:
        errors.ApiError: It is not to be.
    """
    given = pod["metadata"]
    metadata = {field: given[field] for field in ("name", "namespace", "uid")}
    asked = Attributes(
        "CREATE",
        kind,
        {
            "kind": "Binding",
            "apiVersion": "v1",
            "metadata": metadata,
            "target": {"kind": "Node", "name": node},
        },
        user=_user(world),
        namespace=given["namespace"],
        name=given["name"],
        subresource="binding",
        options=options_of("CREATE"),
    )
    dynamic.mutate(world, asked)
    dynamic.validate(world, asked)


def deleted(
    world: World, kind: Resource, old: Object, propagation: str, grace_s: int | None = None
) -> None:
    """Ask about an object that a component of the cluster deletes.

    Raises:
        errors.ApiError: It is not to go.
    """
    metadata = old["metadata"]
    values: dict[str, Any] = {}
    if grace_s is not None:
        values = {"gracePeriodSeconds": grace_s, "preconditions": {"uid": metadata["uid"]}}
    if propagation != "Background":
        values["propagationPolicy"] = propagation
    asked = Attributes(
        "DELETE",
        kind,
        None,
        old,
        user=_user(world),
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        options=options_of("DELETE", values),
    )
    dynamic.mutate(world, asked)
    dynamic.validate(world, asked)


def attributes(
    request: Request,
    target: Target,
    operation: str,
    obj: Object | None,
    old: Object | None,
    warnings: list[str],
) -> Attributes:
    """What admission is asked about a request from outside."""
    values: dict[str, Any] = {
        name: request.parameter(name) for name in _OPTIONS if request.parameter(name)
    }
    dry = "All" in request.parameters("dryRun")
    if dry:
        values["dryRun"] = ["All"]
    about = obj if obj is not None else old
    if target.subresource == "scale":
        from sregym_cluster_embedded.api import scales

        obj, old = (None if it is None else scales.scale_of(it) for it in (obj, old))
    return Attributes(
        operation=operation,
        kind=target.resource,
        obj=obj,
        old=old,
        user=request.user,
        namespace=target.namespace,
        name=target.name or (about or {}).get("metadata", {}).get("name", ""),
        subresource=target.subresource,
        dry_run=dry,
        options=options_of(operation, values),
        warnings=warnings,
    )


def mutated(
    world: World,
    request: Request,
    target: Target,
    obj: Object,
    old: Object | None,
    warnings: list[str],
) -> Object:
    """A written object as mutating webhooks leave it.

    Raises:
        errors.ApiError: One of them refuses it.
    """
    operation = "CREATE" if old is None else "UPDATE"
    changed = dynamic.mutate(world, attributes(request, target, operation, obj, old, warnings))
    return obj if changed is None or target.subresource == "scale" else changed


def check(
    world: World,
    request: Request,
    target: Target,
    obj: Object | None,
    old: Object | None,
    warnings: list[str],
    operation: str = "",
) -> None:
    """Ask policies and validating webhooks about a request.

    Raises:
        errors.ApiError: One of them refuses it.
    """
    operation = operation or (
        "CREATE" if old is None else "UPDATE" if obj is not None else "DELETE"
    )
    dynamic.validate(world, attributes(request, target, operation, obj, old, warnings))


def removed(
    world: World, request: Request, target: Target, old: Object, warnings: list[str]
) -> None:
    """Ask about a deletion: mutating webhooks see it too.

    Raises:
        errors.ApiError: It is refused.
    """
    asked = attributes(request, target, "DELETE", None, old, warnings)
    dynamic.mutate(world, asked)
    dynamic.validate(world, asked)


def posted_below(world: World, request: Request, target: Target, obj: Object) -> Object:
    """Ask about what is posted below an object, an Eviction for instance; as admission leaves it.

    Raises:
        errors.ApiError: It is refused.
    """
    place = {"name": target.name, "namespace": target.namespace}
    named = {**obj, "metadata": {**(obj.get("metadata") or {}), **place}}
    changed = mutated(world, request, target, named, None, [])
    check(world, request, target, changed, None, [])
    return changed


def connected(
    world: World, request: Request, target: Target, obj: Object, warnings: list[str]
) -> None:
    """Ask about a stream to a pod, or what else is no write: operation CONNECT.

    Raises:
        errors.ApiError: It is refused.
    """
    asked = attributes(request, target, "CONNECT", obj, None, warnings)
    dynamic.mutate(world, asked)
    dynamic.validate(world, asked)

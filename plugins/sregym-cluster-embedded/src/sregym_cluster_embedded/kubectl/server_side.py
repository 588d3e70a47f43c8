"""`kubectl apply --server-side`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import fieldsets
from sregym_cluster_embedded.kubectl.apply import object_namespace, warn_if_deleting
from sregym_cluster_embedded.kubectl.client import JSON_PATCH
from sregym_cluster_embedded.kubectl.errors import CommandError, ServerError
from sregym_cluster_embedded.kubectl.printing import dry_run_query, field_validation
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED
from sregym_cluster_embedded.kubectl.yaml_text import compact_json

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.builder import Document
    from sregym_cluster_embedded.kubectl.client import Client
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_APPLY = "application/apply-patch+yaml"
_MANAGER = "kubectl"
_KEEPER = "kubectl-last-applied"
_RETRIED = "This is non-fatal and will be retried next time you apply. Error: {}"
_NOT_SAVED = f"failed to migrate {LAST_APPLIED} for Server-Side Apply. {_RETRIED}"
_NOT_MIGRATED = f"server rejected managed fields migration to Server-Side Apply. {_RETRIED}"
_NOT_APPLIED_AGAIN = (
    f"failed to re-apply configuration after performing Server-Side Apply migration. {_RETRIED}"
)
_WAYS = """
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""


def apply_one(session: Session, document: Document) -> tuple[Object, str]:
    """Apply an object; the server merges it."""
    kind, obj = document.kind, document.obj
    namespace = object_namespace(session, document)
    if namespace and not obj["metadata"].get("namespace"):
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
    force = "true" if session.arguments.on("force-conflicts") else "false"
    query = [
        ("force", force),
        *dry_run_query(session.arguments),
        field_validation(session.arguments),
    ]
    body = compact_json(obj).encode()
    # Managed fields say whether the client has applied the object before.
    client = session.client
    client.plain = False
    name = obj["metadata"]["name"]
    try:
        after = client.patch(kind, namespace, name, body, _APPLY, query)
    except ServerError as error:
        if error.reason == "Conflict" and error.status.get("details", {}).get("causes"):
            raise CommandError(f"error: {error.message}{_WAYS}") from error
        raise
    try:
        after = _with_saved_annotation(session, client, document, after)
    except ServerError as error:
        session.warn(_NOT_SAVED.format(error.message))
        return after, "serverside-applied"
    try:
        migrated = _migrated(session, client, document, after)
    except ServerError as error:
        session.warn(_NOT_MIGRATED.format(error.message))
        return after, "serverside-applied"
    if migrated is not None:
        after = migrated
        try:
            after = client.patch(kind, namespace, name, body, _APPLY, query)
        except ServerError as error:
            session.warn(_NOT_APPLIED_AGAIN.format(error.message))
    warn_if_deleting(session, after)
    return after, "serverside-applied"


def _with_saved_annotation(
    session: Session, client: Client, document: Document, obj: Object
) -> Object:
    """The object with its annotation of client-side apply owned by a manager of its own.

    Else it would go with the other fields that the client no longer applies.
    """
    metadata = obj["metadata"]
    text = (metadata.get("annotations") or {}).get(LAST_APPLIED)
    if session.manager != _MANAGER or text is None or _owners(obj, "Apply"):
        return obj
    kind = document.kind
    saved: Object = {"name": metadata["name"], "annotations": {LAST_APPLIED: text}}
    if metadata.get("namespace"):
        saved["namespace"] = metadata["namespace"]
    body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": saved}
    query = [*dry_run_query(session.arguments), field_validation(session.arguments)]
    manager = client.manager
    client.manager = _KEEPER
    try:
        return client.patch(kind, metadata.get("namespace"), metadata["name"], body, _APPLY, query)
    finally:
        client.manager = manager


def _migrated(session: Session, client: Client, document: Document, obj: Object) -> Object | None:
    """The object with what client-side apply owned given to server-side apply, if there was any."""
    metadata = obj["metadata"]
    before: list[Object] = metadata.get("managedFields") or []
    entries = before
    for manager in sorted({entry.get("manager", "") for entry in _owners(obj, "Update")}):
        entries = _upgraded(entries, manager, session.manager)
    if entries == before:
        return None
    patch = [
        {"op": "replace", "path": "/metadata/managedFields", "value": entries},
        {
            "op": "replace",
            "path": "/metadata/resourceVersion",
            "value": metadata["resourceVersion"],
        },
    ]
    query = [*dry_run_query(session.arguments), field_validation(session.arguments)]
    place = (document.kind, metadata.get("namespace"), metadata["name"])
    return client.patch(*place, patch, JSON_PATCH, query)


def _owners(obj: Object, operation: str) -> list[Object]:
    """The entries of an operation that own the annotation of client-side apply."""
    path = ("f:metadata", "f:annotations", f"f:{LAST_APPLIED}")
    found = []
    for entry in obj["metadata"].get("managedFields") or ():
        fields = entry.get("fieldsV1") or {}
        for step in path:
            fields = fields.get(step) if fields is not None else None
        if entry.get("operation") == operation and fields is not None:
            found.append(entry)
    return found


def _upgraded(entries: list[Object], by_client: str, manager: str) -> list[Object]:
    """The entries with those of a manager that applied by the client joined to those of `manager`."""
    index = _first(entries, manager, "Apply")
    if index is None:
        index = _first(entries, by_client, "Update")
        if index is None:
            return entries
    target = {**entries[index], "operation": "Apply", "manager": manager}
    joined = [*entries[:index], target, *entries[index + 1 :]]
    other = _first(joined, by_client, "Update", target["apiVersion"])
    if other is not None:
        fields = fieldsets.union(target["fieldsV1"], joined[other]["fieldsV1"])
        joined[index] = {**target, "fieldsV1": fields}
    return [entry for entry in joined if not _is(entry, by_client, "Update", "")]


def _first(entries: list[Object], manager: str, operation: str, version: str = "") -> int | None:
    places = (at for at, each in enumerate(entries) if _is(each, manager, operation, version))
    return next(places, None)


def _is(entry: Object, manager: str, operation: str, version: str) -> bool:
    return (
        (entry.get("manager", ""), entry.get("operation")) == (manager, operation)
        and not entry.get("subresource")
        and (not version or entry.get("apiVersion") == version)
    )

"""`kubectl apply --server-side`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.apply import object_namespace
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.printing import dry_run_query, field_validation
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED
from sregym_cluster_embedded.kubectl.yaml_text import compact_json

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.builder import Document
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_APPLY = "application/apply-patch+yaml"
_BY_CLIENT = "kubectl-client-side-apply"
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


def check_migration(session: Session, document: Document) -> None:
    """Leave to the binary what an earlier `apply` has left its traces on.

    Raises:
        NotCovered: The object has been applied by the client before; nothing has changed yet.
    """
    namespace = object_namespace(session, document)
    path = document.kind.path(namespace, document.obj["metadata"]["name"])
    client = session.client
    client.plain = False
    try:
        present = client.send("GET", path)
    except ServerError as error:
        if error.not_found:
            return
        raise NotCovered("an object that may not be read") from error
    metadata = present["metadata"]
    managers = {entry.get("manager") for entry in metadata.get("managedFields", ())}
    if LAST_APPLIED in metadata.get("annotations", {}) or _BY_CLIENT in managers:
        raise NotCovered("an object that was applied by the client")


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
    try:
        after = session.client.patch(
            kind, namespace, document.obj["metadata"]["name"], body, _APPLY, query
        )
    except ServerError as error:
        if error.reason == "Conflict" and error.status.get("details", {}).get("causes"):
            raise CommandError(f"error: {error.message}{_WAYS}") from error
        raise
    return after, "serverside-applied"

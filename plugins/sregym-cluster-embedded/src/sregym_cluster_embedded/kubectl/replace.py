"""`kubectl replace -f`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.apply import object_namespace
from sregym_cluster_embedded.kubectl.builder import Document, documents
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.printing import (
    dry_run,
    dry_run_query,
    field_validation,
    report,
)
from sregym_cluster_embedded.kubectl.raw import replace_raw
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.waiting import timed_out, wait_until_deleted

if TYPE_CHECKING:
    from collections.abc import Sequence

FLAGS = (*OUTPUT, *DRY_RUN, *FILES, *IGNORED, Flag("raw"), switch("force"), Flag("grace-period"))


def replace(session: Session) -> None:
    """Run `kubectl replace` without `--force`."""
    arguments = session.arguments
    if dry_run(arguments) == "client":
        raise NotCovered("replace tried by the client")
    if arguments.has("raw"):
        replace_raw(session)
        return
    if not arguments.of_files:
        raise CommandError("error: must specify one of -f and -k")
    field_validation(arguments)
    errors: list[CommandError] = []
    found = documents(session)
    if arguments.on("force"):
        _replace_by_force(session, found)
        return
    for document in found:
        with collected(errors):
            _replace_one(session, document)
    raise_all(errors)


def _replace_by_force(session: Session, found: Sequence[Document]) -> None:
    """Delete what is there, wait until it is gone, and create all anew."""
    arguments, client = session.arguments, session.client
    if dry_run(arguments) != "none" or arguments.has("grace-period"):
        raise NotCovered("replace --force that is tried only, or takes its time")
    gone = []
    for document in found:
        kind, name = document.kind, document.obj["metadata"]["name"]
        namespace = object_namespace(session, document)
        path = kind.path(namespace, name)
        try:
            answer = client.send("DELETE", path, body={"propagationPolicy": "Background"})
        except ServerError as error:
            if not error.not_found:
                raise
            continue
        uid = (answer.get("details") or answer.get("metadata") or {}).get("uid", "")
        gone.append((kind, namespace, name, uid))
        where = f" from {namespace} namespace" if kind.namespaced else ""
        session.say(f'{kind.shown} "{name}" deleted{where}')
    for kind, namespace, name, uid in gone:
        if not wait_until_deleted(session, kind, namespace, name, uid, None):
            raise timed_out()
    for document in found:
        namespace = object_namespace(session, document)
        obj = document.obj
        if namespace and not obj["metadata"].get("namespace"):
            obj = {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
        created = client.create(
            document.kind, namespace, obj, [field_validation(session.arguments)]
        )
        report(session, document.kind, created, "replaced", separated=True)


def _replace_one(session: Session, document: Document) -> None:
    kind, obj = document.kind, document.obj
    metadata = obj["metadata"]
    namespace = object_namespace(session, document)
    if namespace and not metadata.get("namespace"):
        obj = {**obj, "metadata": {**metadata, "namespace": namespace}}
    client = session.client
    query = [
        ("fieldManager", client.manager),
        *dry_run_query(session.arguments),
        field_validation(session.arguments),
    ]
    try:
        # Without a revision the binary overwrites whatever there is.
        if not metadata.get("resourceVersion"):
            present = client.get(kind, namespace, metadata["name"])["metadata"]["resourceVersion"]
            obj = {**obj, "metadata": {**obj["metadata"], "resourceVersion": present}}
        replaced = client.send("PUT", kind.path(namespace, metadata["name"]), query, obj)
    except ServerError as error:
        raise error.while_doing(f'error when replacing "{document.source}"') from error
    report(session, kind, replaced, "replaced", separated=True)

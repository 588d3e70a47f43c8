"""`kubectl replace -f`."""

from __future__ import annotations

from sregym_cluster_embedded.kubectl.apply import STRICT, object_namespace
from sregym_cluster_embedded.kubectl.builder import Document, documents
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.raw import replace_raw
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

FLAGS = (*OUTPUT, *DRY_RUN, *FILES, *IGNORED, Flag("raw"))


def replace(session: Session) -> None:
    """Run `kubectl replace` without `--force`."""
    arguments = session.arguments
    if dry_run(arguments) == "client":
        raise NotCovered("replace tried by the client")
    if arguments.has("raw"):
        replace_raw(session)
        return
    if not arguments.has("filename"):
        raise CommandError("error: must specify one of -f and -k")
    errors: list[CommandError] = []
    for document in documents(session.client, arguments, session.stdin, session.files):
        with collected(errors):
            _replace_one(session, document)
    raise_all(errors)


def _replace_one(session: Session, document: Document) -> None:
    kind, obj = document.kind, document.obj
    metadata = obj.get("metadata", {})
    if "name" not in metadata:
        raise NotCovered("an object without a name")
    namespace = object_namespace(session, document)
    if namespace and not metadata.get("namespace"):
        obj = {**obj, "metadata": {**metadata, "namespace": namespace}}
    client = session.client
    query = [("fieldManager", client.manager), *dry_run_query(session.arguments), STRICT]
    try:
        # Without a revision the binary overwrites whatever there is.
        if not metadata.get("resourceVersion"):
            present = client.get(kind, namespace, metadata["name"])["metadata"]["resourceVersion"]
            obj = {**obj, "metadata": {**obj["metadata"], "resourceVersion": present}}
        replaced = client.send("PUT", kind.path(namespace, metadata["name"]), query, obj)
    except ServerError as error:
        raise error.while_doing(f'error when replacing "{document.source}"') from error
    report(session, kind, replaced, "replaced")

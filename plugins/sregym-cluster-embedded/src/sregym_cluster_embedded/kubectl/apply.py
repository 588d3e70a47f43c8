"""`kubectl apply -f`, client side."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.kubectl import pruning
from sregym_cluster_embedded.kubectl.builder import Document, documents
from sregym_cluster_embedded.kubectl.client import MERGE, STRATEGIC
from sregym_cluster_embedded.kubectl.client_dry_run import patched
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.printing import (
    all_formatted,
    dry_run,
    dry_run_query,
    field_validation,
    is_format,
    refuse_format,
    report,
)
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.threeway import merge_patch, strategic_patch
from sregym_cluster_embedded.kubectl.usage import usage_error
from sregym_cluster_embedded.kubectl.yaml_text import compact_json

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *FILES, *IGNORED, switch("server-side"), switch("force-conflicts"),
    switch("prune"), Flag("prune-allowlist", kind="repeated"), Flag("selector", "l"), switch("all"),
)  # fmt: skip

_MISSING = (
    "resource {} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which "
    "is required by kubectl apply. kubectl apply should only be used on resources created "
    "declaratively by either kubectl create --save-config or kubectl apply. The missing annotation "
    "will be patched automatically."
)
_DELETING = "Detected changes to resource {} which is currently being deleted."


def apply(session: Session) -> None:
    """Run `kubectl apply -f`."""
    arguments = session.arguments
    output = arguments.text("output")
    if output not in ("", "name") and not is_format(output):
        # The binary notices a format that is none when all is applied.
        with suppress(CommandError):
            refuse_format(arguments)
    if dry_run(arguments) == "client" and arguments.on("server-side"):
        raise NotCovered("apply --server-side tried by the client")
    if arguments.words:
        words = " ".join(arguments.words)
        raise usage_error("apply", f"Unexpected args: [{words}]")
    if not arguments.of_files:
        raise CommandError("error: must specify one of -f and -k")
    if arguments.on("force-conflicts") and not arguments.on("server-side"):
        raise CommandError("error: --force-conflicts only works with --server-side")
    if arguments.on("server-side") and not arguments.has("field-manager"):
        session.manager = "kubectl"
    field_validation(arguments)
    prunable = pruning.check(session)
    found = documents(session)
    found = pruning.selected(session, found)
    if not found:
        raise CommandError("error: no objects passed to apply")
    if prunable and len(set(filter(None, (_place(session, one) for one in found)))) > 1:
        # The binary prunes one namespace after the other, in no certain order.
        raise NotCovered("--prune in several namespaces")
    errors: list[CommandError] = []
    act = server_side().apply_one if arguments.on("server-side") else _apply_one
    applied: list[tuple[ResourceType, Object]] = []
    for document in found:
        with collected(errors):
            obj, done = act(session, document)
            applied.append((document.kind, obj))
            if output in ("", "name"):
                report(session, document.kind, obj, done)
    raise_all(errors)
    if output not in ("", "name"):
        session.out.append(all_formatted(arguments, [obj for _, obj in applied]))
    if prunable:
        pruning.prune(session, prunable, applied)


def server_side() -> Any:
    """The module of `--server-side`, which needs this one."""
    return import_module("sregym_cluster_embedded.kubectl.server_side")


def _place(session: Session, document: Document) -> str | None:
    try:
        return object_namespace(session, document)
    except CommandError:
        # It is refused when its turn comes.
        return None


def object_namespace(session: Session, document: Document) -> str | None:
    """The namespace an object of a file goes to."""
    if not document.kind.namespaced:
        return None
    stated = document.obj["metadata"].get("namespace")
    if stated and session.arguments.has("namespace") and stated != session.namespace:
        text = (
            "error: the namespace from the provided object "
            f'"{stated}" does not match the namespace "{session.namespace}". '
            f"You must pass '--namespace={stated}' to perform this operation."
        )
        raise CommandError(text)
    return str(stated or session.namespace)


def with_last_applied(obj: Object) -> Object:
    """The object with the annotation that remembers it as it was applied."""
    metadata = obj["metadata"]
    annotations = dict(metadata.get("annotations") or {})
    annotations.pop(LAST_APPLIED, None)
    plain = {**obj, "metadata": {**metadata, "annotations": annotations}}
    remembered = annotations | {LAST_APPLIED: compact_json(plain) + "\n"}
    return {**obj, "metadata": {**metadata, "annotations": remembered}}


def _apply_one(session: Session, document: Document) -> tuple[Object, str]:
    """The object as it is afterwards, and what was done to it."""
    kind, obj = document.kind, document.obj
    namespace = object_namespace(session, document)
    if namespace and not obj["metadata"].get("namespace"):
        obj = {**obj, "metadata": {**obj["metadata"], "namespace": namespace}}
    name = obj["metadata"]["name"]
    wanted = with_last_applied(obj)
    query = [*dry_run_query(session.arguments), field_validation(session.arguments)]
    tried = dry_run(session.arguments) == "client"
    client = session.client
    try:
        present = client.get(kind, namespace, name)
    except ServerError as error:
        if not error.not_found:
            doing = f'error when retrieving current configuration of:\nResource: {_described(kind, namespace, name)}\nfrom server for: "{document.source}"'
            raise error.while_doing(doing) from error
        if tried:
            return wanted, "created"
        try:
            created = client.create(kind, namespace, wanted, query)
        except ServerError as refusal:
            raise refusal.while_doing(f'error when creating "{document.source}"') from refusal
        return created, "created"
    if LAST_APPLIED not in present["metadata"].get("annotations", {}):
        session.warn(_MISSING.format(f"{kind.plural}/{name}"))
    patch, content_type = _patch(wanted, present)
    if not patch:
        warn_if_deleting(session, present)
        return present, "unchanged"
    if tried:
        return patched(present, patch, content_type), "configured"
    try:
        after = client.patch(kind, namespace, name, patch, content_type, query)
    except ServerError as error:
        described = f"Resource: {_described(kind, namespace, name)}"
        target = f'for: "{document.source}"'
        text = f"error when applying patch:\n{compact_json(patch)}\nto:\n{described}\n{target}"
        text += f': error when patching "{document.source}"'
        raise error.while_doing(text) from error
    warn_if_deleting(session, after)
    return after, "configured"


def warn_if_deleting(session: Session, obj: Object) -> None:
    """Warn of an object that has been changed while it is being deleted."""
    metadata = obj["metadata"]
    if metadata.get("deletionTimestamp"):
        session.warn(_DELETING.format(metadata["name"]))


def _patch(wanted: Object, present: Object) -> tuple[Object, str]:
    annotation = present["metadata"].get("annotations", {}).get(LAST_APPLIED)
    original: Any = orjson.loads(annotation) if annotation else {}
    group, _, version = wanted["apiVersion"].rpartition("/")
    definition = schema.of_kind(group, version, wanted["kind"])
    if definition is None:
        return merge_patch(original, wanted, present), MERGE
    return strategic_patch(original, wanted, present, definition), STRATEGIC


def _described(kind: ResourceType, namespace: str | None, name: str) -> str:
    group = kind.group
    resource = f'"{group}/{kind.version}, Resource={kind.plural}"'
    gvk = f'GroupVersionKind: "{group}/{kind.version}, Kind={kind.kind}"'
    return f'{resource}, {gvk}\nName: "{name}", Namespace: "{namespace or ""}"'

"""What the commands that change existing objects share: which objects, and how to change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.kubectl.builder import NO_NAME, documents, selector_query, targets
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object


class Found(NamedTuple):
    """An object on the server, or why it could not be had."""

    kind: ResourceType
    namespace: str | None
    name: str
    obj: Object


def refuse_foreign(found: Found) -> None:
    """Refuse an object of a type that the binary itself does not have.

    Raises:
        CommandError: With the error text of the commands that need to know the type.
    """
    kind = found.kind
    if schema.of_kind(kind.group, kind.version, kind.kind) is None:
        what = f'no kind "{kind.kind}" is registered for version "{kind.api_version}"'
        raise CommandError(f'error: {what} in scheme "pkg/scheme/scheme.go:28"')


def selected(
    session: Session, words: list[str], errors: list[CommandError], unnamed_is_all: bool = False
) -> list[Found]:
    """The objects that names, selectors, `--all` or `-f` mean, as they are on the server.

    With `unnamed_is_all`, a type without a name means all objects of it.
    """
    found: list[Found] = []
    for kind, namespace, name in references(session, words, unnamed_is_all):
        try:
            if name:
                found.append(
                    Found(kind, namespace, name, session.client.get(kind, namespace, name))
                )
                continue
            for obj in session.client.list(kind, namespace, selector_query(session.arguments)):
                metadata = obj["metadata"]
                found.append(Found(kind, metadata.get("namespace"), metadata["name"], obj))
        except CommandError as error:
            errors.append(error)
    return found


def references(
    session: Session, words: list[str], unnamed_is_all: bool = False
) -> Iterator[tuple[ResourceType, str | None, str]]:
    """Type, namespace and name of what the command line means; no name: all that match."""
    arguments = session.arguments
    if arguments.of_files:
        for document in documents(session, words):
            metadata = document.obj["metadata"]
            yield document.kind, _namespace(session, document.kind, metadata), metadata["name"]
        return
    selecting = bool(selector_query(arguments)) or arguments.on("all")
    everywhere = arguments.on("all-namespaces")
    for target in targets(session.client, words, selecting):
        if target.name and everywhere:
            text = "a resource cannot be retrieved by name across all namespaces"
            raise CommandError(f"error: {text}")
        if not target.name and not selecting and not unnamed_is_all:
            raise CommandError(NO_NAME)
        namespace = session.namespace if target.kind.namespaced and not everywhere else None
        yield target.kind, namespace, target.name


def _namespace(session: Session, kind: ResourceType, metadata: Object) -> str | None:
    if not kind.namespaced:
        return None
    stated = metadata.get("namespace")
    if stated and session.arguments.has("namespace") and stated != session.namespace:
        raise NotCovered("a namespace in the file that is not the requested one")
    return str(stated or session.namespace)


def pod_template(obj: Object) -> Object:
    """The pod spec inside a workload, or of a pod itself.

    Raises:
        NotCovered: The object has none.
    """
    spec = obj.get("spec", {})
    if obj["kind"] == "Pod":
        found: Object = spec
    elif obj["kind"] == "CronJob":
        found = spec["jobTemplate"]["spec"]["template"]["spec"]
    elif isinstance(spec.get("template"), dict):
        found = spec["template"]["spec"]
    else:
        raise NotCovered(f"a {obj['kind']} has no pods")
    return found


def wrap_pod_template(obj: Object, pod_spec: Object) -> Object:
    """A patch for the pod spec inside a workload."""
    if obj["kind"] == "Pod":
        return {"spec": pod_spec}
    inner = {"spec": {"template": {"spec": pod_spec}}}
    return {"spec": {"jobTemplate": inner}} if obj["kind"] == "CronJob" else inner

"""`kubectl apply --prune`: what was applied once and is in no file any more goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.builder import Document
    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_PAIR = re.compile(r"([\w./-]+)==?([\w.-]*)")
_UNBOUNDED = (
    "error: all resources selected for prune without explicitly passing --all. To prune all "
    "resources, pass the --all flag. If you did not mean to prune all resources, specify a label "
    "selector"
)


def check(session: Session) -> list[ResourceType]:
    """The types that may be pruned; none when nothing is.

    Raises:
        CommandError: The flags contradict each other.
        NotCovered: It is not said which types.
    """
    arguments = session.arguments
    if arguments.on("all") and arguments.text("selector"):
        raise CommandError("error: cannot set --all and --selector at the same time")
    if not arguments.on("prune"):
        return []
    if not arguments.on("all") and not arguments.text("selector"):
        raise CommandError(_UNBOUNDED)
    if not arguments.has("prune-allowlist"):
        raise NotCovered("--prune of all usual types")
    if arguments.text("output") not in ("", "name"):
        raise NotCovered("--prune in another format")
    kinds = []
    for entry in arguments.all("prune-allowlist"):
        parts = entry.split("/")
        if len(parts) != 3:
            form = "please follow <group/version/kind>"
            raise CommandError(f"error: invalid GroupVersionKind format: {entry}, {form}")
        group, version, name = parts
        api_version = version if group in ("core", "") else f"{group}/{version}"
        kind = session.client.discovery().of_kind(api_version, name)
        if kind is None:
            raise NotCovered(f"type {entry}")
        kinds.append(kind)
    return kinds


def selected(session: Session, found: Sequence[Document]) -> list[Document]:
    """The documents that `-l` selects.

    Raises:
        NotCovered: It is more than labels with values.
    """
    selector = session.arguments.text("selector")
    if not selector:
        return list(found)
    pairs = [_PAIR.fullmatch(part.strip()) for part in selector.split(",")]
    wanted = [(pair[1], pair[2]) for pair in pairs if pair is not None]
    if len(wanted) < len(pairs):
        raise NotCovered(f"--selector={selector}")
    return [one for one in found if all(_labels(one.obj).get(k) == v for k, v in wanted)]


def prune(
    session: Session, kinds: Sequence[ResourceType], applied: Sequence[tuple[ResourceType, Object]]
) -> None:
    """Delete what was applied before, is selected, and has not been applied now."""
    arguments, client = session.arguments, session.client
    kept = {obj["metadata"]["uid"] for _, obj in applied if "uid" in obj["metadata"]}
    namespaces = {obj["metadata"].get("namespace", "") for kind, obj in applied if kind.namespaced}
    query = [("labelSelector", arguments.text("selector"))] if arguments.text("selector") else []
    for kind in sorted(kinds, key=lambda kind: not kind.namespaced):
        for namespace in sorted(namespaces) if kind.namespaced else [None]:
            for obj in client.list(kind, namespace, query):
                metadata = obj["metadata"]
                if LAST_APPLIED not in metadata.get("annotations", {}) or metadata["uid"] in kept:
                    continue
                if dry_run(arguments) != "client":
                    path = kind.path(namespace, metadata["name"])
                    options = {"propagationPolicy": "Background"}
                    client.send("DELETE", path, dry_run_query(arguments), options)
                report(session, kind, obj, "pruned")


def _labels(obj: Object) -> dict[str, str]:
    labels: dict[str, str] = obj.get("metadata", {}).get("labels") or {}
    return labels

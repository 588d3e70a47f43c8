"""Answers of the Kubernetes API without what is hidden.

Each function gives None when there is nothing to take out: the answer then passes as it came.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_kubernetes.redaction import RedactionPolicy
    from sregym_kubernetes.target import Target


def filters(content_type: str, target: Target) -> bool:
    """Whether a response of this type may show hidden things in a form that can be filtered."""
    # The list of OpenAPI documents is JSON that says it is text.
    text = target.path.startswith("/openapi") and content_type.startswith("text/plain")
    return (text or content_type.startswith("application/json")) and not target.subresource


def redact_body(body: bytes, target: Target, redaction: RedactionPolicy) -> bytes | None:
    """A whole answer without what is hidden."""
    try:
        content = json.loads(body)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    changed = _filter(content, target, redaction)
    return _encoded(content) if changed else None


def redact_event(line: bytes, target: Target, redaction: RedactionPolicy) -> bytes | None:
    """A line of a watch without what is hidden; empty when nothing of it is left.

    A server that does not watch may answer with a list all the same.
    """
    try:
        content = json.loads(line)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    seen = content.get("object")
    if not isinstance(seen, dict):
        hidden = content.get("kind") != "Status" and _hides(content, target, redaction)
        return b"" if hidden else redact_body(line, target, redaction)
    if content.get("type") in ("BOOKMARK", "ERROR"):
        return None
    if seen.get("kind") == "Table":
        if not _filter(seen, target, redaction):
            return None
        return _encoded(content) if seen["rows"] else b""
    return b"" if _hides(seen, target, redaction) else None


def is_hidden_object(body: bytes, target: Target, redaction: RedactionPolicy) -> bool:
    """Whether an answer is one object, and that is hidden: by what it belongs to, for instance."""
    if not target.name:
        return False
    try:
        content = json.loads(body)
    except ValueError:
        return False
    if not isinstance(content, dict) or content.get("kind") == "Status":
        return False
    if content.get("kind") == "Table":
        rows = content.get("rows") or []
        return bool(rows) and all(
            _hides(row.get("object") or {}, target, redaction) for row in rows
        )
    return isinstance(content.get("metadata"), dict) and _hides(content, target, redaction)


def not_found_status(target: Target) -> bytes:
    """What an API server answers for an object that does not exist."""
    details: dict[str, str] = {"name": target.name, "kind": target.resource}
    if target.group:
        details = {"name": target.name, "group": target.group, "kind": target.resource}
    return status(404, "NotFound", f'{target.qualified} "{target.name}" not found', details)


def status(code: int, reason: str, message: str, details: dict[str, str] | None = None) -> bytes:
    """A Status object as an API server writes it."""
    content: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
    }
    if details is not None:
        content["details"] = details
    return _encoded({**content, "code": code})


def _filter(content: dict[str, Any], target: Target, redaction: RedactionPolicy) -> bool:
    kind = str(content.get("kind", ""))
    if kind == "Table":
        return _keep(
            content, "rows", lambda row: not _hides(row.get("object") or {}, target, redaction)
        )
    if kind == "APIGroupList":
        return _keep(content, "groups", lambda group: not redaction.hides_group(group["name"]))
    if kind == "APIGroupDiscoveryList":
        return _keep(
            content,
            "items",
            lambda group: not redaction.hides_group(group["metadata"].get("name", "")),
        )
    if kind.endswith("List") and isinstance(content.get("items"), list):
        inside = [_without_hidden_parts(item, target, redaction) for item in content["items"]]
        left = _keep(content, "items", lambda item: not _hides(item, target, redaction))
        return left or any(inside)
    paths = content.get("paths")
    if target.path.startswith("/openapi") and isinstance(paths, dict):
        return _without_hidden_paths(content, redaction)
    if target.path == "/" and isinstance(paths, list):
        return _keep(content, "paths", lambda path: not redaction.hides_group(_group_of(str(path))))
    return _without_hidden_parts(content, target, redaction)


def _without_hidden_parts(obj: dict[str, Any], target: Target, redaction: RedactionPolicy) -> bool:
    """Take out what visible objects tell of hidden ones."""
    if target.resource == "endpointslices":
        return _keep(obj, "endpoints", lambda end: not _of_hidden_pod(end, redaction))
    if target.resource == "endpoints":
        changed = [
            _keep(subset, name, lambda end: not _of_hidden_pod(end, redaction))
            for subset in obj.get("subsets") or ()
            for name in ("addresses", "notReadyAddresses")
            if name in subset
        ]
        return any(changed)
    return False


def _of_hidden_pod(end: dict[str, Any], redaction: RedactionPolicy) -> bool:
    ref = end.get("targetRef") or {}
    if ref.get("kind") != "Pod":
        return False
    return redaction.hides_pod(str(ref.get("namespace", "")), str(ref.get("name", "")))


def _hides(obj: dict[str, Any], target: Target, redaction: RedactionPolicy) -> bool:
    metadata = obj.get("metadata") or {}
    if redaction.hides_object(target.group, target.resource, metadata):
        return True
    if _names_hidden_namespace(obj, redaction):
        return True
    if target.resource != "events":
        return False
    if "involvedObject" in obj or "regarding" in obj:
        return redaction.hides_event(obj)
    # Rows of a table show metadata only: an event is named after its object.
    name = str(metadata.get("name", "")).rpartition(".")[0]
    namespace = str(metadata.get("namespace", ""))
    kinds = (("", "Pod"), ("apps/v1", "ReplicaSet"), ("apps/v1", "Deployment"), ("apps/v1", "DaemonSet"),
             ("apps/v1", "StatefulSet"), ("batch/v1", "Job"), ("", "Service"))  # fmt: skip
    return any(
        redaction.hides_event(
            {
                "regarding": {
                    "apiVersion": version,
                    "kind": kind,
                    "namespace": namespace,
                    "name": name,
                }
            }
        )
        for version, kind in kinds
    )


def _names_hidden_namespace(obj: dict[str, Any], redaction: RedactionPolicy) -> bool:
    """Whether an object of the whole cluster serves a hidden namespace: its volume, its rights."""
    claim = (obj.get("spec") or {}).get("claimRef") if isinstance(obj.get("spec"), dict) else None
    named = [claim] if isinstance(claim, dict) else []
    named += [subject for subject in obj.get("subjects") or () if isinstance(subject, dict)]
    return any(
        redaction.hides("", "namespaces", "", str(one.get("namespace", ""))) for one in named
    )


def _without_hidden_paths(content: dict[str, Any], redaction: RedactionPolicy) -> bool:
    paths = content["paths"]
    gone = [path for path in paths if redaction.hides_group(_group_of(path))]
    for path in gone:
        del paths[path]
    definitions = content.get("definitions") or {}
    for name in [name for name, about in definitions.items() if _of_hidden_group(about, redaction)]:
        gone.append(name)
        del definitions[name]
    return bool(gone)


def _of_hidden_group(definition: Any, redaction: RedactionPolicy) -> bool:
    kinds = definition.get("x-kubernetes-group-version-kind") or ()
    return any(redaction.hides_group(str(kind.get("group", ""))) for kind in kinds)


def _group_of(path: str) -> str:
    words = [word for word in path.split("/") if word]
    return words[1] if words[:1] == ["apis"] and len(words) > 1 else ""


def _keep(content: dict[str, Any], field: str, visible: Callable[[Any], bool]) -> bool:
    """Keep what is visible; says whether something went."""
    before = content.get(field) or []
    after = [item for item in before if visible(item)]
    if len(after) == len(before):
        return False
    content[field] = after
    metadata = content.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("remainingItemCount", None)
    return True


def _encoded(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

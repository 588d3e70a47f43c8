"""Validation of metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.errors import Cause
from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource

_ANNOTATIONS_BYTES = 256 * 1024
# Names in these groups may hold almost anything: `system:node`.
_FREE_NAMES = frozenset({"rbac.authorization.k8s.io"})
_LABEL_NAMES = frozenset({"namespaces"})


def metadata(kind: Resource, meta: dict[str, Any]) -> list[Cause]:
    """All causes in the metadata of an object."""
    found = _name(kind, meta.get("name", ""))
    found += causes.labels("metadata.labels", meta.get("labels", {}))
    annotations = meta.get("annotations", {})
    for key in sorted(annotations):
        found += causes.qualified("metadata.annotations", key.lower())
    size = sum(len(key) + len(value) for key, value in annotations.items())
    if size > _ANNOTATIONS_BYTES:
        found.append(
            Cause(
                "metadata.annotations",
                f"Too long: may not be more than {_ANNOTATIONS_BYTES} bytes",
                "FieldValueTooLong",
            )
        )
    for index, owner in enumerate(meta.get("ownerReferences", ())):
        field = f"metadata.ownerReferences[{index}]"
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(name):
                text = "version must not be empty" if name == "apiVersion" else "must not be empty"
                found.append(causes.invalid(f"{field}.{name}", owner.get(name, ""), text))
    return found


def _name(kind: Resource, name: str) -> list[Cause]:
    if kind.group in _FREE_NAMES:
        bad = [text for text in ("/", "%") if text in name]
        return [causes.invalid("metadata.name", name, f"may not contain '{text}'") for text in bad]
    if kind.name == "services":
        return causes.service_name("metadata.name", name)
    if kind.name in _LABEL_NAMES:
        return causes.label("metadata.name", name)
    return causes.subdomain("metadata.name", name)

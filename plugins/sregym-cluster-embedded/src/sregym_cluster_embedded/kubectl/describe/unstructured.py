"""`kubectl describe` of kinds that kubectl knows nothing about: all fields, one a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.yaml_text import go_float

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_SKIPPED = frozenset({
    ".metadata.managedFields", ".metadata.name", ".metadata.namespace", ".metadata.labels",
    ".metadata.annotations",
})  # fmt: skip
_ACRONYMS = frozenset({"API", "URL", "UID", "OSB", "GUID"})
_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|-+")


def describe_unstructured(session: Session, obj: Object) -> str:
    """The description of one object of any kind."""
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata.get("namespace", ""))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    _write(writer, 0, obj, "")
    write_events(writer, session, obj)
    return writer.text()


def _write(writer: Writer, level: int, content: dict[str, Any], prefix: str) -> None:
    for field in sorted(content):
        value, path = content[field], f"{prefix}.{field}"
        if path in _SKIPPED:
            continue
        if isinstance(value, dict):
            writer.line(level, f"{label_of(field)}:")
            _write(writer, level + 1, value, path)
        elif isinstance(value, list):
            writer.line(level, f"{label_of(field)}:")
            for child in value:
                if isinstance(child, dict):
                    _write(writer, level + 1, child, path)
                else:
                    writer.line(level + 1, _text(child))
        else:
            writer.line(level, f"{label_of(field)}:\t{_text(value)}")


def label_of(field: str) -> str:
    """`creationTimestamp` as `Creation Timestamp`; what is not made of letters stays."""
    if not all(char.isalpha() or char == "-" for char in field):
        return field
    words = _WORD.findall(field)
    return " ".join(
        word.upper() if word.upper() in _ACRONYMS else word[:1].upper() + word[1:] for word in words
    )


def _text(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_float(value) if isinstance(value, float) else str(value)

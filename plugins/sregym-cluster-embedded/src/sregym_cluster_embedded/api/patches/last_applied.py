"""The annotation of client-side apply, as server-side apply heeds it and keeps it up to date.

Both is done for the manager `kubectl` alone; who names another one opts out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import body, fieldsets
from sregym_cluster_embedded.api.decode import DecodeError

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.fieldsets import FieldSet
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Definition
    from sregym_cluster_embedded.store import Object

MANAGER = "kubectl"
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
# All annotations together; what would not fit is left out.
_LIMIT_BYTES = 256 << 10
_ESCAPED = (
    *(("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")),
    *(("\u2028", "\\u2028"), ("\u2029", "\\u2029")),
)


def exempt(resource: Resource, definition: Definition | None, live: Object) -> FieldSet:
    """The fields that were applied by the client and are still as they were applied."""
    text = _annotations(live).get(ANNOTATION)
    try:
        applied = orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        return {}
    if not isinstance(applied, dict) or applied.get("apiVersion") != resource.api_version:
        return {}
    try:
        checked, unknown = body.canonical(applied, resource.group, resource.version, resource.kind)
    except DecodeError:
        return {}
    if unknown:
        return {}
    own = fieldsets.of_object(checked, definition)
    return fieldsets.minus(own, fieldsets.changed(live, checked, definition))


def renewed(obj: Object, applied: dict[str, Any]) -> Object:
    """`obj` with what was applied in its annotation, if it has one."""
    annotations = _annotations(obj)
    if not annotations.get(ANNOTATION):
        return obj
    renewed = {**annotations, ANNOTATION: _text(applied)}
    size = sum(len(name.encode()) + len(value.encode()) for name, value in renewed.items())
    if size > _LIMIT_BYTES:
        del renewed[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": renewed}}


def _annotations(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}


def _text(applied: dict[str, Any]) -> str:
    """A configuration without the annotation itself, on one line as Go writes maps."""
    plain = applied
    metadata = applied.get("metadata") or {}
    if "annotations" in metadata:
        metadata = {name: value for name, value in metadata.items() if name != "annotations"}
        if given := applied["metadata"]["annotations"]:
            kept = {name: value for name, value in given.items() if name != ANNOTATION}
            metadata["annotations"] = kept
        plain = {**applied, "metadata": metadata}
    text = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS).decode()
    for plain_text, escaped in _ESCAPED:
        text = text.replace(plain_text, escaped)
    return text + "\n"

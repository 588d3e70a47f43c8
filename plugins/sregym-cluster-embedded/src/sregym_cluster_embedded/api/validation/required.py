"""Fields that the schema says must be there: the check for types that have no own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.schema import Definition, Type

# Lists that may be empty, which in canonical form means absent.
_MAY_BE_EMPTY = frozenset(
    {"addresses", "conditions", "drivers", "endpoints", "rules", "verbs", "webhooks"}
)
# Written by the server or its clients in their own time.
_SKIPPED = frozenset({"metadata", "status"})


def missing(obj: dict[str, Any], definition: Definition, path: str = "") -> list[Cause]:
    """A cause for each required field that is not there."""
    found = []
    for name in definition.required:
        field = definition.fields[name]
        zero = field.type.form in ("boolean", "integer") or name in _MAY_BE_EMPTY
        if name not in obj and not zero and (path or name not in _SKIPPED):
            found.append(causes.required(f"{path}{name}"))
    for name, value in obj.items():
        known = definition.fields.get(name)
        if known is not None and (path or name not in _SKIPPED):
            found += _below(value, known.type, f"{path}{name}")
    return found


def _below(value: Any, type_: Type, path: str) -> list[Cause]:
    if type_.form == "list" and type_.item is not None and isinstance(value, list):
        return [
            cause
            for index, item in enumerate(value)
            for cause in _below(item, type_.item, f"{path}[{index}]")
        ]
    if type_.form != "struct" or not isinstance(value, dict):
        return []
    return missing(value, schema.definition(type_.name), f"{path}.")

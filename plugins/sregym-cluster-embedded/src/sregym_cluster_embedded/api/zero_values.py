"""The zero values of what is not validated: statuses, and references to owners.

A real API server reads objects into structs and writes those: a field that must be there, and was
not sent, is then empty, 0 or false. Where validation looks at an object such a field is refused; a
status and the owners of an object are filled before anything looks at them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Type
    from sregym_cluster_embedded.store import Object

ZEROS: Mapping[str, str | int | bool] = {"string": "", "integer": 0, "boolean": False}
_OWNERS = "ownerReferences"


def filled(kind: Resource, obj: Object) -> Object:
    """`obj` (canonical) whose status and references to owners have all their fields."""
    result = obj
    metadata = obj.get("metadata") or {}
    if metadata.get(_OWNERS):
        owners = schema.definition(schema.OBJECT_META).fields[_OWNERS]
        listed = _value(metadata[_OWNERS], owners.type)
        result = {**result, "metadata": {**metadata, _OWNERS: listed}}
    definition = schema.of_kind(kind.group, kind.version, kind.kind)
    status = definition.fields.get("status") if definition else None
    if status is not None and obj.get("status"):
        result = {**result, "status": _below(obj["status"], status.type)}
    return result


def _below(status: Object, type_: Type) -> Object:
    """A status with all fields below its own ones, which are defaults of each type."""
    fields = schema.definition(type_.name).fields
    return {
        name: _value(value, fields[name].type) if name in fields else value
        for name, value in status.items()
    }


def _value(value: Any, type_: Type) -> Any:
    if type_.item is not None and isinstance(value, list):
        return [_value(entry, type_.item) for entry in value]
    if type_.item is not None and isinstance(value, dict):
        return {key: _value(entry, type_.item) for key, entry in value.items()}
    if type_.form != "struct" or not isinstance(value, dict):
        return value
    definition = schema.definition(type_.name)
    read = {
        name: _value(entry, definition.fields[name].type) if name in definition.fields else entry
        for name, entry in value.items()
    }
    missing = {name: zero for name, zero in _written(type_.name).items() if name not in read}
    return {**read, **missing}


@lru_cache(maxsize=2048)
def _written(name: str) -> Mapping[str, str | int | bool]:
    """The zero values of the fields that a definition requires and never leaves out."""
    definition = schema.definition(name)
    return {
        field: ZEROS[definition.fields[field].type.form]
        for field in definition.required
        if field in definition.kept and definition.fields[field].type.form in ZEROS
    }

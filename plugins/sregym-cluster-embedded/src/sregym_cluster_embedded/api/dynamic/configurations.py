"""What the configurations of mutating policies may say: types by their place, nothing atomic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel.syntax import parse

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.patches import apply, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cel.syntax import Node

    from sregym_cluster_embedded.api.schema import Definition, Field, Type
    from sregym_cluster_embedded.store import Object

_ROOT, _PATCH = "Object", "JSONPatch"


class ConfigurationError(Exception):
    """A configuration cannot be applied; the text says why."""


def merged(old: Object, wanted: Object, definition: Definition) -> Object:
    """An object, as served, with a configuration merged into it.

    Raises:
        UnfitError: The configuration does not fit the schema, or would replace something whole.
    """
    metadata = {field: old[field] for field in ("apiVersion", "kind") if field in old}
    found = declared.problems({**wanted, **metadata}, definition)
    if found:
        why = f"failed to convert patch object to typed object: {declared.listed(found)}"
        raise ConfigurationError(f"error applying patch: {why}")
    whole = ", ".join(_atomics(wanted, definition, ""))
    if whole:
        why = f"may not mutate atomic arrays, maps or structs: {whole}"
        raise ConfigurationError(f"error applying patch: invalid ApplyConfiguration: {why}")
    return apply.merged(old, wanted, definition)


def check_names(expression: str) -> None:
    """Refuse an object whose type does not name the place where it stands.

    Raises:
        UnfitError: There is one.
    """
    found = sorted(set(_misnamed(parse(expression), "")))
    if found:
        raise ConfigurationError("type mismatch: " + "\n".join(found))


def _misnamed(node: Node, path: str) -> Iterator[str]:
    """Types that differ from the path of fields to them; an empty path is none yet."""
    if node.kind == "map" and node.value == _PATCH:
        for value in node.parts[1::2]:
            yield from _misnamed(value, "")
    elif node.kind == "map" and node.value:
        if path and node.value != path:
            yield (
                f'unexpected type name "{node.value}", expected "{path}", which matches field name '
                "path from root Object type"
            )
        for key, value in zip(node.parts[::2], node.parts[1::2], strict=True):
            yield from _misnamed(value, f"{path or node.value}.{key.value}")
    else:
        # Lists, choices and comprehensions give what stands at the same place.
        for part in node.parts:
            yield from _misnamed(part, path)


def _atomics(value: Any, definition: Definition | None, path: str) -> Iterator[str]:
    """The paths of all that has one owner as a whole."""
    if definition is None or not isinstance(value, dict):
        return
    for name, item in value.items():
        field = definition.fields.get(name)
        if field is not None:
            yield from _below(item, field.type, field, f"{path}.{name}")


def _below(value: Any, type_: Type, field: Field | None, path: str) -> Iterator[str]:
    if type_.form == "list" and isinstance(value, list):
        if field is None or field.list_type not in ("map", "set"):
            yield path
        for index, item in enumerate(value):
            assert type_.item is not None
            yield from _below(item, type_.item, None, f"{path}[{index}]")
    elif isinstance(value, dict):
        found = schema.definition(type_.name) if type_.form == "struct" else None
        if (field is not None and field.atomic) or (found is not None and found.atomic):
            yield path
        if found is not None and found.scalar is None:
            yield from _atomics(value, found, path)

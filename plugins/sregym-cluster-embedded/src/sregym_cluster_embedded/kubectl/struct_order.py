"""Objects with their fields in the order of Go's structs.

What the binary holds as a struct it prints as JSON in the order in which the struct declares its
fields, and maps by their keys; what it holds as a map stands in the order of the keys.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.struct_tables import STRUCTS

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.schema import Definition, Type
    from sregym_cluster_embedded.store import Object


def in_struct_order(obj: Object) -> Object:
    """The object as the binary prints it when it knows its struct.

    Raises:
        NotCovered: It is of a kind whose struct is not known here.
    """
    group, _, version = obj["apiVersion"].rpartition("/")
    kind = obj["kind"]
    if kind == "EventList":
        head = {name: obj[name] for name in ("kind", "apiVersion", "metadata")}
        return {**head, "items": [in_struct_order(item) for item in obj["items"]]}
    definition = schema.of_kind(group, version, kind)
    if definition is None or _short(definition.name) not in _orders():
        raise NotCovered(f"the struct of a {kind}")
    ordered: Object = _struct(obj, definition)
    return ordered


def _struct(value: Any, definition: Definition) -> Any:
    fields = definition.fields
    if not isinstance(value, dict) or not fields:
        return by_key(value)
    order = _orders().get(_short(definition.name)) or sorted(fields)
    found = {}
    for name in order:
        if name in value:
            found[name] = _value(value[name], fields[name].type)
    return found


def _value(value: Any, type_: Type) -> Any:
    if isinstance(value, list) and type_.item is not None:
        return [_value(entry, type_.item) for entry in value]
    if isinstance(value, dict):
        if type_.item is not None:
            return {key: _value(value[key], type_.item) for key in sorted(value)}
        if type_.name:
            return _struct(value, schema.definition(type_.name))
        return by_key(value)
    return value


def by_key(value: Any) -> Any:
    """The value with all keys in order."""
    if isinstance(value, dict):
        return {key: by_key(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [by_key(entry) for entry in value]
    return value


@cache
def _orders() -> dict[str, tuple[str, ...]]:
    """Fields of each struct whose order is not that of the alphabet."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in STRUCTS.replace("\n  ", " ").splitlines():
        name, _, fields = entry.partition(": ")
        if fields:
            found[name] = tuple(fields.split())
    return found


def _short(name: str) -> str:
    bare = name.removeprefix("io.k8s.api.").removeprefix("io.k8s.apimachinery.pkg.apis.")
    return bare.replace(".v1.", ".")

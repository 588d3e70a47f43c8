"""Pruning and defaulting by a structural schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_HEAD = frozenset({"apiVersion", "kind", "metadata"})
_FREE = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"


def pruned(obj: Object, schema: Object) -> tuple[Object, list[str]]:
    """An object without what its schema does not know, and the paths of that."""
    unknown: list[str] = []
    result = _prune(obj, schema, "", unknown, head=True)
    return result, unknown


def pruned_value(value: Any, schema: Object) -> tuple[Any, list[str]]:
    """A value that is no object of its own without what its schema does not know."""
    unknown: list[str] = []
    result = _prune(value, schema, "", unknown)
    return result, unknown


def _prune(value: Any, schema: Any, path: str, unknown: list[str], *, head: bool = False) -> Any:
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, dict):
            return value
        return [_prune(item, items, f"{path}[{i}]", unknown) for i, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    additional = schema.get("additionalProperties")
    head = head or bool(schema.get(_EMBEDDED))
    result: Object = {}
    for name, item in value.items():
        below = f"{path}.{name}" if path else name
        if head and name in _HEAD:
            result[name] = item
        elif name in properties:
            result[name] = _prune(item, properties[name], below, unknown)
        elif isinstance(additional, dict):
            result[name] = _prune(item, additional, below, unknown)
        elif additional is True or schema.get(_FREE):
            result[name] = item
        else:
            unknown.append(below)
    return result


def defaulted(value: Any, schema: Any) -> Any:
    """A value with the defaults of its schema; nulls that may not be count as missing."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        items = schema.get("items")
        return [defaulted(item, items) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    additional = schema.get("additionalProperties")
    result: Object = {}
    for name, item in value.items():
        known = properties.get(name, additional)
        if item is None and name in properties and not properties[name].get("nullable"):
            continue
        result[name] = defaulted(item, known) if isinstance(known, dict) else item
    for name, known in properties.items():
        if name not in result and isinstance(known, dict) and "default" in known:
            result[name] = defaulted(known["default"], known)
    return result

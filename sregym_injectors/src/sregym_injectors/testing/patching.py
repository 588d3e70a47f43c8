"""Merge patch, JSON patch, and as much of strategic merge patch as faults need."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

# Lists that a strategic merge patch merges, with the field that tells their items apart.
_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "ports": "port",
}


def merged(value: Any, patch: Any) -> Any:
    """RFC 7386 merge patch."""
    if not isinstance(patch, dict):
        return deepcopy(patch)
    result = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), change)
    return result


def strategically_merged(value: Any, patch: Any) -> Any:
    """Merge patch, but lists of `_MERGE_KEYS` are merged item by item."""
    if not isinstance(patch, dict):
        return deepcopy(patch)
    result = dict(value) if isinstance(value, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        elif isinstance(change, list) and key in _MERGE_KEYS:
            result[key] = _merged_items(result.get(key) or [], change, _MERGE_KEYS[key])
        else:
            result[key] = strategically_merged(result.get(key), change)
    return result


def _merged_items(items: list[Any], changes: list[Any], merge_key: str) -> list[Any]:
    result = list(items)
    for change in changes:
        name = change.get(merge_key)
        at = next((i for i, item in enumerate(result) if item.get(merge_key) == name), None)
        if at is None:
            result.append(deepcopy(change))
        else:
            result[at] = strategically_merged(result[at], change)
    return result


def json_patched(value: Any, operations: list[dict[str, Any]]) -> Any:
    """RFC 6902 JSON patch with `add`, `replace`, `remove` and `test`.

    Raises:
        LookupError: When a path does not exist, or a test does not hold.
    """
    result = deepcopy(value)
    for operation in operations:
        *path, last = [
            part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]
        ]
        parent = result
        for part in path:
            parent = parent[int(part)] if isinstance(parent, list) else parent[part]
        _apply(parent, last, operation)
    return result


def _apply(parent: Any, last: str, operation: dict[str, Any]) -> None:
    kind, content = operation["op"], deepcopy(operation.get("value"))
    if isinstance(parent, list) and kind == "add":
        parent.insert(len(parent) if last == "-" else int(last), content)
        return
    key = int(last) if isinstance(parent, list) else last
    if kind != "add" and not isinstance(parent, list) and key not in parent:
        raise LookupError(operation["path"])
    if kind == "remove":
        del parent[key]
    elif kind == "test":
        if parent[key] != content:
            raise LookupError(f"{operation['path']} is not {content!r}")
    else:
        parent[key] = content

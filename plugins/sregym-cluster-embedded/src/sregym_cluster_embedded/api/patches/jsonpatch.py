"""JSON patch (RFC 6902), as lenient as the API server's library.

Replacing a missing member of an object adds it.
"""

from __future__ import annotations

import copy
from typing import Any

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.json_words import json_type

_OPERATIONS = ("add", "remove", "replace", "move", "copy", "test")


class _CannotApply(Exception):
    """An operation does not fit the object."""


def apply(obj: Any, operations: Any) -> Any:
    """`obj` with all operations done.

    Raises:
        errors.ApiError: BadRequest when `operations` is no list of operations, Invalid when one of
            them does not fit.
    """
    if not isinstance(operations, list):
        raise _undecodable(operations, "[]handlers.jsonPatchOp")
    for operation in operations:
        if not isinstance(operation, dict):
            raise _undecodable(operation, "handlers.jsonPatchOp")
    result = copy.deepcopy(obj)
    try:
        for operation in operations:
            result = _do(result, operation)
    except (_CannotApply, KeyError, IndexError, TypeError, ValueError):
        raise errors.unprocessable() from None
    return result


def _undecodable(value: Any, wanted: str) -> errors.ApiError:
    found = "object" if isinstance(value, dict) else json_type(value)
    text = f"json: cannot unmarshal {found} into Go value of type {wanted}"
    return errors.bad_request(f"error decoding patch: {text}")


def _do(obj: Any, operation: dict[str, Any]) -> Any:
    kind = operation["op"]
    if kind not in _OPERATIONS:
        raise _CannotApply(f"Unexpected kind: {kind}")
    path = _path(operation["path"])
    if kind == "test":
        if _get(obj, path) != operation.get("value"):
            raise _CannotApply(f"testing value {operation['path']} failed: test failed")
        return obj
    if kind == "remove":
        return _remove(obj, path)
    if kind in ("move", "copy"):
        source = _path(operation["from"])
        value = copy.deepcopy(_get(obj, source))
        if kind == "move":
            obj = _remove(obj, source)
    else:
        value = copy.deepcopy(operation.get("value"))
    return _set(obj, path, value, replace=kind == "replace")


def _path(text: str) -> list[str]:
    if text and not text.startswith("/"):
        raise _CannotApply(f"missing leading slash in {text}")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _get(obj: Any, path: list[str]) -> Any:
    for step in path:
        obj = obj[int(step)] if isinstance(obj, list) else obj[step]
    return obj


def _remove(obj: Any, path: list[str]) -> Any:
    parent = _get(obj, path[:-1])
    del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]
    return obj


def _set(obj: Any, path: list[str], value: Any, *, replace: bool) -> Any:
    if not path:
        return value
    parent = _get(obj, path[:-1])
    last = path[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif not isinstance(parent, list):
        raise _CannotApply(f"no place for {last}")
    elif replace:
        parent[int(last)] = value
    else:
        index = len(parent) if last == "-" else int(last)
        if index > len(parent):
            raise _CannotApply(f"Unable to access invalid index: {index}")
        parent.insert(index, value)
    return obj

"""JSON patch (RFC 6902), as lenient as the API server's library and with its words.

Replacing a missing member of an object adds it.
"""

from __future__ import annotations

import copy
from typing import Any

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.json_words import json_type

_OPERATIONS = ("add", "remove", "replace", "move", "copy", "test")
_MISSING, _NO_INDEX, _NOT_EQUAL = "missing value", "invalid index referenced", "test failed"


class CannotApplyError(Exception):
    """An operation does not fit the object; the text says why."""


class TestFailedError(CannotApplyError):
    """What the patch tests is not so."""


# What it takes to copy one part of a value.
_PART_STEPS = 5


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
    try:
        return done(obj, operations)
    except (CannotApplyError, KeyError, TypeError, AttributeError):
        raise errors.unprocessable() from None


def done(obj: Any, operations: list[dict[str, Any]]) -> Any:
    """`obj` with all operations done, one after another.

    Raises:
        CannotApplyError: One of them does not fit.
    """
    result = copy.deepcopy(obj)
    for operation in operations:
        result = _do(result, operation)
    return result


def _undecodable(value: Any, wanted: str) -> errors.ApiError:
    found = "object" if isinstance(value, dict) else json_type(value)
    text = f"json: cannot unmarshal {found} into Go value of type {wanted}"
    return errors.bad_request(f"error decoding patch: {text}")


def _do(obj: Any, operation: dict[str, Any]) -> Any:
    kind = operation.get("op", "unknown")
    if kind not in _OPERATIONS:
        raise CannotApplyError(f"Unexpected kind: {kind}")
    path = _pointer(operation, kind, "path")
    if not path and kind == "replace":
        return copy.deepcopy(operation.get("value"))
    if kind == "test":
        _test(obj, path, operation.get("value"))
    elif kind == "remove":
        parent, last = _place(obj, path, kind, 'doc is missing path: "%s"')
        _within(kind, path, lambda: _remove(parent, last))
    elif kind in ("move", "copy"):
        source = _pointer(operation, kind, "from")
        parent, last = _place(obj, source, kind, "doc is missing from path: %s")
        found = _within(kind, last, lambda: _get(parent, last))
        _pay(found)
        value = copy.deepcopy(found)
        if kind == "move":
            _within(kind, last, lambda: _remove(parent, last))
        there, name = _place(obj, path, kind, "doc is missing destination path: %s")
        _within(kind, path, lambda: _add(there, name, value))
    else:
        value = copy.deepcopy(operation.get("value"))
        quoted = 'doc is missing path: "%s"' if kind == "add" else "doc is missing path: %s"
        parent, last = _place(obj, path, kind, quoted)
        if kind == "add":
            _within(kind, path, lambda: _add(parent, last, value))
        else:
            _replace(parent, last, path, value)
    return obj


def _pointer(operation: dict[str, Any], kind: str, member: str) -> str:
    found = operation.get(member)
    if not isinstance(found, str):
        raise CannotApplyError(f"{kind} operation failed to decode {member}: {_MISSING}")
    return found


def _within(kind: str, path: str, run: Any) -> Any:
    try:
        return run()
    except CannotApplyError as error:
        text = f"error in {kind} for path: '{path}': {error}"
        raise CannotApplyError(text) from None


def _test(obj: Any, path: str, value: Any) -> None:
    parent, last = _place(obj, path, "test", "is missing path: %s")
    found = parent.get(last) if isinstance(parent, dict) else _get(parent, last)
    if found != value:
        raise TestFailedError(f"testing value {path} failed: {_NOT_EQUAL}")


def _place(obj: Any, path: str, kind: str, what: str) -> tuple[Any, str]:
    """Where a path leads: what holds its last step, and that step."""
    *steps, last = path.split("/")[1:] or [""]
    found = obj if path.startswith("/") else None
    try:
        for step in steps:
            found = _get(found, _decoded(step))
    except CannotApplyError:
        found = None
    if not isinstance(found, dict | list):
        raise CannotApplyError(f"{kind} operation does not apply: {what % path}: {_MISSING}")
    return found, _decoded(last)


def _decoded(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _get(parent: Any, step: str) -> Any:
    if isinstance(parent, dict):
        if step not in parent:
            raise CannotApplyError(f"Unable to get nonexistent key: {step}: {_MISSING}")
        return parent[step]
    if not isinstance(parent, list):
        raise CannotApplyError(_MISSING)
    return parent[_index(step, len(parent))]


def _index(step: str, end: int) -> int:
    """The place in a list that a step names; from its end when it is negative."""
    if not step.removeprefix("-").isdecimal():
        text = f'strconv.Atoi: parsing "{step}": invalid syntax'
        raise CannotApplyError(f"value was not a proper array index: '{step}': {text}")
    index = int(step)
    if not -end <= index < end:
        raise CannotApplyError(f"Unable to access invalid index: {index}: {_NO_INDEX}")
    return index if index >= 0 else index + end


def _remove(parent: Any, step: str) -> None:
    if isinstance(parent, dict):
        if step not in parent:
            raise CannotApplyError(f"Unable to remove nonexistent key: {step}: {_MISSING}")
        del parent[step]
    else:
        del parent[_index(step, len(parent))]


def _add(parent: Any, step: str, value: Any) -> None:
    if isinstance(parent, dict):
        parent[step] = value
    elif step == "-":
        parent.append(value)
    else:
        parent.insert(_index(step, len(parent) + 1), value)


def _replace(parent: Any, step: str, path: str, value: Any) -> None:
    if isinstance(parent, dict):
        parent[step] = value
        return
    try:
        parent[_index(step, len(parent))] = value
    except CannotApplyError:
        why = f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
        raise CannotApplyError(why) from None


def _pay(value: Any) -> None:
    """What a copy of a value takes: each of its parts."""
    pending = [value]
    while pending:
        part = pending.pop()
        spend(_PART_STEPS)
        if isinstance(part, dict | list):
            allocate(64 + 64 * len(part))
            pending += part.values() if isinstance(part, dict) else part

"""Strategic merge patch: lists merge by key, and directives say what else to do.

Directives: `$patch: replace|delete|merge`, `$setElementOrder/FIELD`, `$deleteFromPrimitiveList/FIELD`
and `$retainKeys`. Merge keys come from the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import errors, schema
from sregym_cluster_embedded.api.patches.converting import (
    ConversionError,
    check,
    check_whole,
    kind_of,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.schema import Definition, Field, Type

_ORDER = "$setElementOrder/"
_DELETE = "$deleteFromPrimitiveList/"
_RETAIN = "$retainKeys"
_PATCH = "$patch"
_DIRECTIVES = ("replace", "delete", "merge")


def apply(obj: dict[str, Any], patch: dict[str, Any], definition: Definition) -> dict[str, Any]:
    """`obj` with `patch` merged into it.

    Raises:
        errors.ApiError: The patch does not fit the schema, or lacks a merge key.
    """
    _check_directives(patch)
    try:
        return _struct(obj, patch, definition)
    except ConversionError as mismatch_reason:
        cause = errors.Cause(
            "patch", f'Invalid value: "{_go(patch)}": {mismatch_reason}', "FieldValueInvalid"
        )
        raise errors.invalid("", "", "", [cause]) from None


def _check_directives(patch: Any) -> None:
    """Refuse directives of the wrong form, wherever they stand."""
    if isinstance(patch, list):
        for item in patch:
            _check_directives(item)
    if not isinstance(patch, dict):
        return
    for key, value in patch.items():
        if key == _PATCH and value not in _DIRECTIVES:
            raise errors.plain(400, f"unknown patch type: {_go(value)} in map: {_go(patch)}")
        if key == _RETAIN and not _names(value):
            raise errors.bad_request("invalid patch format of retainKeys")
        if key.startswith(_DELETE) and not _names(value):
            raise errors.bad_request("invalid patch format of primitive list")
        if key.startswith(_ORDER) and not _order(value):
            raise errors.bad_request("invalid patch format of setElementOrder list")
        _check_directives(value)


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | int) for item in value)


def _order(value: Any) -> bool:
    """Scalars, or maps of scalars, which name an item by its merge key."""
    if not isinstance(value, list):
        return False
    return all(
        isinstance(item, str | int)
        or (isinstance(item, dict) and all(isinstance(key, str | int) for key in item.values()))
        for item in value
    )


def _struct(
    obj: dict[str, Any], patch: dict[str, Any], definition: Definition | None
) -> dict[str, Any]:
    directive = patch.get(_PATCH)
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _PATCH}
    if directive == "delete":
        return {}
    result = dict(obj)
    if _RETAIN in patch:
        keep = set(patch[_RETAIN])
        result = {key: value for key, value in result.items() if key in keep}
    orders = {key.removeprefix(_ORDER): value for key, value in patch.items() if _ORDER in key}
    for key, value in patch.items():
        if key.startswith(_DELETE):
            name = key.removeprefix(_DELETE)
            if name in result:
                result[name] = [item for item in result[name] if item not in value]
        elif not key.startswith("$"):
            field = definition.fields.get(key) if definition else None
            _member(result, key, value, field, orders.pop(key, None))
    for name, order in orders.items():
        field = definition.fields.get(name) if definition else None
        if name in result and field is not None:
            result[name] = _ordered(result[name], [], order, field.merge_key)
    return result


def _member(
    result: dict[str, Any], key: str, value: Any, field: Field | None, order: list[Any] | None
) -> None:
    if value is None:
        result.pop(key, None)
        return
    type_ = field.type if field else None
    format_ = field.format if field else ""
    merges = field is not None and "merge" in field.strategies
    if isinstance(value, list) and not merges:
        check_whole(value, type_, format_)
    else:
        check(value, type_, format_)
    if isinstance(value, dict):
        if value.get(_PATCH) == "delete":
            result.pop(key, None)
            return
        below = result.get(key)
        whole = field is not None and "replace" in field.strategies
        if whole or (type_ is not None and type_.form == "object"):
            result[key] = {k: v for k, v in value.items() if k != _PATCH}
        else:
            before = below if isinstance(below, dict) else {}
            result[key] = _struct(before, value, _definition(type_))
    elif isinstance(value, list) and field is not None and merges:
        before_list = result.get(key)
        result[key] = _list(
            before_list if isinstance(before_list, list) else [], value, field, order
        )
    else:
        result[key] = value


def _definition(type_: Type | None) -> Definition | None:
    if type_ is not None and type_.form == "struct":
        return schema.definition(type_.name)
    return None


def _list(items: list[Any], patch: list[Any], field: Field, order: list[Any] | None) -> list[Any]:
    item_type = field.type.item
    assert item_type is not None
    if not items and order is None:
        return _taken(patch, field)
    _check_alike(items, patch)
    if item_type.form != "struct":
        for entry in patch:
            check(entry, item_type)
        added = [value for value in dict.fromkeys(patch) if value not in items]
        merged = [*items, *added]
        return _ordered(merged, patch, order, "") if order is not None else merged
    if any(isinstance(entry, dict) and entry.get(_PATCH) == "replace" for entry in patch):
        return [entry for entry in patch if _PATCH not in entry]
    key = field.merge_key
    merged = list(items)
    definition = _definition(item_type)
    touched: list[Any] = []
    for entry in patch:
        check(entry, item_type)
        if key not in entry:
            raise errors.plain(400, f"map: {_go(entry)} does not contain declared merge key: {key}")
        wanted = entry[key]
        if not isinstance(wanted, str | int):
            raise ConversionError(f"cannot restore struct from: {kind_of(wanted)}")
        if entry.get(_PATCH) == "delete":
            merged = [item for item in merged if item.get(key) != wanted]
            continue
        touched.append(wanted)
        index = next((i for i, item in enumerate(merged) if item.get(key) == wanted), None)
        if index is None:
            merged.append(_struct({}, entry, definition))
        else:
            merged[index] = _struct(merged[index], entry, definition)
    if order is None:
        order = [{key: wanted} for wanted in dict.fromkeys(touched)]
    return _ordered(merged, items, order, key)


def _taken(patch: list[Any], field: Field) -> list[Any]:
    """A list that the object does not have: as the patch says it, without merging its items."""
    taken = [entry for entry in patch if not (isinstance(entry, dict) and _PATCH in entry)]
    check_whole(taken, field.type, field.format)
    definition = _definition(field.type.item)
    return [_struct({}, entry, definition) if isinstance(entry, dict) else entry for entry in taken]


def _check_alike(items: list[Any], patch: list[Any]) -> None:
    """Refuse what cannot be merged: lists whose items are not all of one type.

    Raises:
        errors.ApiError: Nulls, or two types of items.
    """
    kinds: set[type] = set()
    for values in (items, patch):
        kinds.update(type(value) for value in values)
        if len(kinds) > 1 or type(None) in kinds:
            raise errors.plain(400, f"list element types are not identical: {_go(values)}")


def _ordered(merged: list[Any], server: list[Any], order: list[Any], key: str) -> list[Any]:
    """The items that the patch names in its order, the others where they stood relative to them."""

    def identity(item: Any) -> Any:
        return item.get(key) if key else item

    named = [identity(item) for item in order]
    rank = {value: index for index, value in enumerate(named)}
    place = {identity(item): index for index, item in enumerate(server or merged)}
    right = sorted(
        (item for item in merged if identity(item) in rank), key=lambda i: rank[identity(i)]
    )
    left = [item for item in merged if identity(item) not in rank]
    result: list[Any] = []
    i = j = 0
    while i < len(left) and j < len(right):
        mine, theirs = place.get(identity(left[i])), place.get(identity(right[j]))
        if mine is not None and theirs is not None and mine < theirs:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return [*result, *left[i:], *right[j:]]


def _go(value: Any) -> str:
    """A value as Go prints it with %v."""
    if isinstance(value, dict):
        inner = " ".join(f"{key}:{_go(value[key])}" for key in sorted(value))
        return f"map[{inner}]"
    if isinstance(value, list):
        return f"[{' '.join(_go(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "<nil>"
    return value if isinstance(value, str) else orjson.dumps(value).decode()

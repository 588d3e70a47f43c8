"""Sets of fields in the form of FieldsV1: nested dicts of `f:name`, `k:{...}`, `v:...` and `.`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.identity_cache import Same

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.schema import Definition, Field, Type

FieldSet: TypeAlias = dict[str, Any]
_SELF = "."
_NESTED = (dict, list)
_UNOWNED = frozenset({"apiVersion", "kind"})
_UNOWNED_METADATA = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
# Structs that are no pointers: they exist in every object, so to create them is to own none of them.
_ALWAYS_THERE = frozenset(
    {
        "containers",
        "jobTemplate",
        "metadata",
        "spec",
        "status",
        "strategy",
        "template",
        "updateStrategy",
    }
)


def of_object(obj: dict[str, Any], definition: Definition | None) -> FieldSet:
    """All fields of an object that can have an owner."""
    return changed({}, obj, definition, applied=True)


def changed(
    old: dict[str, Any], new: dict[str, Any], definition: Definition | None, applied: bool = False
) -> FieldSet:
    """The fields of `new` that `old` lacks or has with another value.

    `applied` leaves out what only an update marks: containers that came into being.
    """
    result: FieldSet = {}
    for name, value in new.items():
        if name in _UNOWNED:
            continue
        before = old.get(name)
        if before == value:
            continue
        field = definition.fields.get(name) if definition else None
        if name == "metadata":
            skip = _UNOWNED_METADATA
            value = {key: item for key, item in value.items() if key not in skip}
            before = {k: v for k, v in (before or {}).items() if k not in skip}
            if before == value:
                continue
            metadata = schema.definition(schema.OBJECT_META)
            below = _struct(before, value, metadata, applied)
            if below:
                result["f:metadata"] = below
            continue
        if before is None and isinstance(value, dict) and not applied:
            fields: FieldSet | None = _gained(Same(value), name, Same(field))
        else:
            fields = _value(before, value, name, field, applied)
        if fields is not None:
            result[f"f:{name}"] = fields
    return result


@lru_cache(maxsize=256)
def _gained(new: Same[dict[str, Any]], name: str, field: Same[Field | None]) -> FieldSet | None:
    """The fields of a value that was not there before; immutable."""
    return _value(None, new.value, name, field.value, applied=False)


def _struct(
    old: dict[str, Any], new: dict[str, Any], definition: Definition | None, applied: bool
) -> FieldSet:
    result: FieldSet = {}
    for name, value in new.items():
        before = old.get(name)
        if before != value or (applied and name not in old):
            if not isinstance(value, _NESTED):
                result[f"f:{name}"] = {}
                continue
            field = definition.fields.get(name) if definition else None
            fields = _value(before, value, name, field, applied)
            if fields is not None:
                result[f"f:{name}"] = fields
    return result


def _value(old: Any, new: Any, name: str, field: Field | None, applied: bool) -> FieldSet | None:
    """The fields of one value; None when it only lost something."""
    if field is not None and (field.atomic or field.list_type == "atomic"):
        return {}
    type_ = field.type if field else None
    keys = field.list_keys if field else ()
    is_set = field is not None and field.list_type == "set"
    below = _below(old, new, type_, keys, is_set, applied)
    if below is None:
        return {}
    marked = not applied and old is None and name not in _ALWAYS_THERE
    is_map = type_ is not None and type_.form == "map"
    if marked or (applied and old is None and is_map and not below):
        return {_SELF: {}, **below} if below else {}
    return None if not below and old is not None and not applied else below


def _below(
    old: Any, new: Any, type_: Type | None, keys: tuple[str, ...], is_set: bool, applied: bool
) -> FieldSet | None:
    """The fields inside a value, or None when it has one owner as a whole."""
    if isinstance(new, dict):
        before = old if isinstance(old, dict) else {}
        if type_ is not None and type_.form == "struct":
            definition = schema.definition(type_.name)
            if definition.atomic or definition.scalar is not None:
                return None
            return _struct(before, new, definition, applied)
        if type_ is not None and type_.form == "object":
            return None
        return _struct(before, new, None, applied)
    if isinstance(new, list) and keys:
        item = type_.item if type_ else None
        known = schema.definition(item.name) if item and item.form == "struct" else None
        return _items(old if isinstance(old, list) else [], new, known, keys, applied)
    if isinstance(new, list) and is_set:
        before_items = old if isinstance(old, list) else []
        return {f"v:{_json(item)}": {} for item in new if item not in before_items}
    return None


def _items(
    old: list[Any],
    new: list[Any],
    definition: Definition | None,
    keys: tuple[str, ...],
    applied: bool,
) -> FieldSet:
    known = {item_key(item, keys): item for item in old}
    result: FieldSet = {}
    for item in new:
        key = item_key(item, keys)
        before = known.get(key)
        if before == item:
            continue
        if definition is not None and definition.atomic:
            result[f"k:{key}"] = {}
            continue
        below = _struct(before or {}, item, definition, applied)
        if before is None:
            below = {_SELF: {}, **below}
        result[f"k:{key}"] = below
    return result


def item_key(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    """What identifies an item of an associative list."""
    defaults = {"protocol": "TCP"}
    found = {key: item.get(key, defaults.get(key)) for key in sorted(keys)}
    return _json({key: value for key, value in found.items() if value is not None})


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """All fields of both."""
    result = dict(left)
    for key, below in right.items():
        result[key] = union(result[key], below) if key in result else below
    return result


def minus(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields of `left` that are not in `right`."""
    result: FieldSet = {}
    for key, below in left.items():
        if key not in right:
            result[key] = below
            continue
        if below:
            rest = minus(below, right[key])
            if rest:
                # What holds nothing but itself is written as a leaf.
                result[key] = {} if rest == {_SELF: {}} else rest
        elif right[key] and _SELF not in right[key]:
            # Only what lies below is in the other set.
            result[key] = below
    return result


def common(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields in both."""
    result: FieldSet = {}
    for key, below in left.items():
        if key not in right:
            continue
        if not below or not right[key]:
            if below == right[key]:
                result[key] = {}
            continue
        shared = common(below, right[key])
        if shared:
            result[key] = shared
    return result


def surviving(fields: FieldSet, old: Any, new: Any) -> FieldSet:
    """`fields` without those that are gone from `new` since `old`."""
    result: FieldSet = {}
    for key, below in fields.items():
        if key == _SELF:
            result[key] = below
            continue
        found, inner = step(new, key)
        was, before = step(old, key)
        if was and not found:
            continue
        rest = surviving(below, before, inner) if below else below
        if rest or not below:
            # What holds nothing but itself is written as a leaf.
            result[key] = {} if rest == {_SELF: {}} else rest
    return result


def readable(fields: Any) -> bool:
    """Whether something that was sent is a set of fields."""
    return isinstance(fields, dict) and all(
        _is_element(key) and readable(below) for key, below in fields.items()
    )


def _is_element(key: str) -> bool:
    kind, separator, text = key.partition(":")
    if key == _SELF or (kind == "f" and separator):
        return True
    try:
        meant = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    match kind:
        case "k":
            return isinstance(meant, dict) and bool(meant)
        case "v":
            return True
        case _:
            return kind == "i" and isinstance(meant, int)


def step(value: Any, key: str) -> tuple[bool, Any]:
    """What a path element leads to: whether it exists, and its value."""
    kind, _, text = key.partition(":")
    if kind == "f":
        return (isinstance(value, dict) and text in value), (
            value.get(text) if isinstance(value, dict) else None
        )
    if not isinstance(value, list):
        return False, None
    wanted = orjson.loads(text)
    if kind == "v":
        return wanted in value, wanted
    if kind == "i":
        found = 0 <= wanted < len(value)
        return found, value[wanted] if found else None
    keys = tuple(wanted)
    for item in value:
        if isinstance(item, dict) and item_key(item, keys) == text:
            return True, item
    return False, None


def paths(fields: FieldSet, prefix: str = "") -> list[str]:
    """The leaves as a person reads them: `.spec.replicas`, `.spec.containers[name="a"].image`.

    At each level first the leaves, then what has others below it, both sorted.
    """
    found: list[str] = []
    for key, below in sorted(fields.items(), key=lambda item: (bool(item[1]), item[0])):
        if key == _SELF:
            if len(fields) == 1:
                found.append(prefix)
            continue
        kind, _, text = key.partition(":")
        if kind == "f":
            name = f"{prefix}.{text}"
        elif kind == "k":
            parts = [f"{k}={_json(v)}" for k, v in orjson.loads(text).items()]
            name = f"{prefix}[{','.join(parts)}]"
        elif kind == "i":
            name = f"{prefix}[{text}]"
        else:
            name = f"{prefix}[={text}]"
        found.extend(paths(below, name) if below else [name])
    return found

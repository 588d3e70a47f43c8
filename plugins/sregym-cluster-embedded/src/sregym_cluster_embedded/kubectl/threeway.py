"""The patch of a client-side apply: what was applied before, what is wanted, what is there.

Fields that were applied before and are wanted no more are deleted; fields that are wanted and
differ from what is there are set; all else stays as the cluster made it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object


def strategic_patch(
    original: Object, wanted: Object, present: Object, kind: schema.Definition
) -> Object:
    """A strategic merge patch for `present`."""
    patch = _additions(wanted, present, kind)
    return _joined(patch, _removals(original, wanted, kind), kind)


def merge_patch(original: Object, wanted: Object, present: Object) -> Object:
    """A JSON merge patch for `present`: for types without merge keys."""
    patch = _additions(wanted, present, None)
    return _joined(patch, _removals(original, wanted, None), None)


def _field(kind: schema.Definition | None, name: str) -> schema.Field | None:
    return kind.fields.get(name) if kind is not None else None


def _struct(field: schema.Field | None, item: bool = False) -> schema.Definition | None:
    if field is None:
        return None
    type_ = field.type.item if item else field.type
    if type_ is not None and type_.form == "struct":
        return schema.definition(type_.name)
    return None


def _merges(field: schema.Field | None) -> bool:
    return field is not None and "merge" in field.strategies


def _additions(wanted: Object, present: Object, kind: schema.Definition | None) -> Object:
    """What must be added or changed to make `present` contain `wanted`."""
    patch: Object = {}
    for name, value in wanted.items():
        there = present.get(name)
        field = _field(kind, name)
        if name not in present or there is None:
            if value is not None:
                patch[name] = value
        elif isinstance(value, dict) and isinstance(there, dict):
            inner = _additions(value, there, _struct(field))
            extra = set(there) - set(value)
            retained = field is not None and "retainKeys" in field.strategies
            if field is not None and field.strategies == ("replace",):
                # Sent even when nothing differs.
                patch[name] = {"$patch": "replace", **value}
            elif inner or (retained and extra - _defaulted(value, there)):
                patch[name] = inner | ({"$retainKeys": sorted(value)} if retained else {})
        elif isinstance(value, list) and isinstance(there, list):
            if field is not None and field.merge_key and _merges(field):
                entries = _list_additions(value, there, field)
                order = [{field.merge_key: item[field.merge_key]} for item in value]
                # kubectl sends the order also when all that differs is more items on the server.
                if entries or [item.get(field.merge_key) for item in there] != [
                    item[field.merge_key] for item in value
                ]:
                    patch[f"$setElementOrder/{name}"] = order
                if entries:
                    patch[name] = entries
            elif _merges(field):
                missing = [item for item in value if item not in there]
                if missing:
                    patch[name] = missing
            elif value != there:
                patch[name] = value
        elif value != there:
            patch[name] = value
    return patch


def _defaulted(wanted: Object, there: Object) -> set[str]:
    """Keys of `there` that the server may have added to `wanted` by itself.

    Only a discriminator that changed makes the others stale; without a change they are defaults.
    """
    same = all(there.get(name) == value for name, value in wanted.items())
    return set(there) - set(wanted) if same else set()


def _list_additions(
    wanted: Sequence[Object], present: Sequence[Object], field: schema.Field
) -> list[Object]:
    key = field.merge_key
    inner = _struct(field, item=True)
    there = {item.get(key): item for item in present}
    entries: list[Object] = []
    for item in wanted:
        match = there.get(item.get(key))
        if match is None:
            entries.append(item)
            continue
        change = _additions(item, match, inner)
        keyed_struct = "retainKeys" in field.strategies
        if change or (keyed_struct and set(match) - set(item) and change):
            if keyed_struct:
                change["$retainKeys"] = sorted(item)
            entries.append({**change, key: item[key]})
    return entries


def _removals(original: Object, wanted: Object, kind: schema.Definition | None) -> Object:
    """What was in `original` and is in `wanted` no more, as a patch."""
    patch: Object = {}
    for name, value in original.items():
        field = _field(kind, name)
        if name not in wanted:
            patch[name] = None
            continue
        now = wanted[name]
        if isinstance(value, dict) and isinstance(now, dict):
            inner = _removals(value, now, _struct(field))
            if inner:
                patch[name] = inner
        elif isinstance(value, list) and isinstance(now, list) and _merges(field) and field:
            if field.merge_key:
                entries = _list_removals(value, now, field)
                if entries:
                    patch[name] = entries
            else:
                gone = [item for item in value if item not in now]
                if gone:
                    patch[f"$deleteFromPrimitiveList/{name}"] = gone
    return patch


def _list_removals(
    original: Sequence[Object], wanted: Sequence[Object], field: schema.Field
) -> list[Object]:
    key = field.merge_key
    inner = _struct(field, item=True)
    kept = {item.get(key): item for item in wanted}
    entries: list[Object] = []
    for item in original:
        now = kept.get(item.get(key))
        if now is None:
            entries.append({"$patch": "delete", key: item[key]})
        elif change := _removals(item, now, inner):
            entries.append({**change, key: item[key]})
    return entries


def _joined(one: Object, two: Object, kind: schema.Definition | None) -> Object:
    """Two patches that touch different fields as one."""
    joined = dict(one)
    for name, value in two.items():
        present = joined.get(name)
        field = _field(kind, name)
        if isinstance(value, dict) and isinstance(present, dict):
            joined[name] = _joined(present, value, _struct(field))
        elif isinstance(value, list) and isinstance(present, list) and field and field.merge_key:
            joined[name] = _joined_lists(present, value, field)
        elif name not in joined:
            joined[name] = value
    return joined


def _joined_lists(one: list[Any], two: list[Any], field: schema.Field) -> list[Any]:
    key = field.merge_key
    inner = _struct(field, item=True)
    changes = {item.get(key): item for item in two}
    merged = [
        _joined(item, changes.pop(item.get(key)), inner) if item.get(key) in changes else item
        for item in one
    ]
    return [*merged, *changes.values()]

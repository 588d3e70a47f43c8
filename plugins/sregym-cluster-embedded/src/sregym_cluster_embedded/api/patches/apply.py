"""Server-side apply: what a manager sends is merged, what it no longer sends goes."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import body, errors, fieldsets, ownership
from sregym_cluster_embedded.api.decode import DecodeError

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.fieldsets import FieldSet
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Definition, Type
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

from sregym_cluster_embedded.api import schema


def apply(world: World, request: Request, resource: Resource, old: Object, sent: Object) -> Object:
    """`old` with the configuration `sent` applied, managed fields included.

    Raises:
        errors.ApiError: Conflict with other managers, unless the request forces it.
    """
    manager = ownership.manager_of(request)
    definition = ownership.definition_of(resource)
    wanted = fieldsets.of_object(sent, definition)
    merged = _merge(old, sent, definition)
    entries = old["metadata"].get("managedFields", [])
    others = [entry for entry in entries if not _mine(entry, manager)]
    differing = fieldsets.common(fieldsets.changed(old, merged, definition), wanted)
    if not request.flag("force"):
        _check_conflicts(others, differing)
    kept = []
    for entry in others:
        fields = fieldsets.minus(entry["fieldsV1"], differing)
        if fields:
            kept.append({**entry, "fieldsV1": fields})
    before: FieldSet = next((entry["fieldsV1"] for entry in entries if _mine(entry, manager)), {})
    lost = fieldsets.minus(before, wanted)
    for entry in kept:
        lost = fieldsets.minus(lost, entry["fieldsV1"])
    pruned = _pruned(merged, lost)
    own = ownership.entry_of_apply(world, manager, resource.api_version, wanted)
    previous = next((entry for entry in entries if _mine(entry, manager)), None)
    if previous is not None and previous["fieldsV1"] == wanted:
        own = {**own, "time": previous["time"]}
    try:
        checked, _ = body.canonical(pruned, resource.group, resource.version, resource.kind)
    except DecodeError as error:
        raise errors.bad_request(str(error)) from None
    return ownership.with_managed(checked, [own, *kept])


def _mine(entry: dict[str, Any], manager: str) -> bool:
    return bool(entry["manager"] == manager and entry["operation"] == "Apply")


def _check_conflicts(others: list[dict[str, Any]], differing: FieldSet) -> None:
    causes: list[errors.Cause] = []
    for entry in sorted(others, key=itemgetter("manager", "operation", "apiVersion")):
        shared = fieldsets.common(entry["fieldsV1"], differing)
        for path in fieldsets.paths(shared):
            described = f'conflict with "{entry["manager"]}"'
            if entry.get("subresource"):
                described += f' with subresource "{entry["subresource"]}"'
            if entry["operation"] == "Update":
                described += f" using {entry['apiVersion']}"
            causes.append(errors.Cause(path, described, "FieldManagerConflict"))
    if causes:
        raise errors.apply_conflict(causes)


def merged(old: Object, sent: Object, definition: Definition | None) -> Object:
    """`old` with the fields of a configuration, whoever they belong to."""
    return _merge(old, sent, definition)


def _merge(old: Any, sent: dict[str, Any], definition: Definition | None) -> dict[str, Any]:
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in sent.items():
        field = definition.fields.get(name) if definition else None
        below = _below(field.type if field else None)
        whole = field is not None and (field.atomic or field.list_type == "atomic")
        whole = whole or (below is not None and below.atomic)
        before = result.get(name)
        if whole or before is None:
            result[name] = value
        elif isinstance(value, dict) and isinstance(before, dict):
            result[name] = _merge(before, value, below)
        elif isinstance(value, list) and field is not None and field.list_keys:
            item = _below(field.type.item)
            result[name] = _merge_items(before, value, field.list_keys, item)
        elif isinstance(value, list) and field is not None and field.list_type == "set":
            result[name] = [*before, *(item for item in value if item not in before)]
        else:
            result[name] = value
    return result


def _below(type_: Type | None) -> Definition | None:
    if type_ is None or type_.form != "struct":
        return None
    found = schema.definition(type_.name)
    return found if found.scalar is None else None


def _merge_items(
    old: list[Any], sent: list[Any], keys: tuple[str, ...], definition: Definition | None
) -> list[Any]:
    result = list(old)
    place = {fieldsets.item_key(item, keys): index for index, item in enumerate(old)}
    for item in sent:
        index = place.get(fieldsets.item_key(item, keys))
        if index is None:
            result.append(item)
        else:
            result[index] = _merge(result[index], item, definition)
    return result


def _pruned(value: Any, lost: FieldSet) -> Any:
    """`value` without the fields in `lost`."""
    for key, below in lost.items():
        if key == ".":
            continue
        found, inner = fieldsets.step(value, key)
        if not found:
            continue
        gone = not below or "." in below
        kind, _, text = key.partition(":")
        if kind == "f":
            rest = dict(value)
            if gone:
                rest.pop(text)
            else:
                rest[text] = _pruned(inner, below)
            value = rest
        elif gone:
            value = [item for item in value if item is not inner and item != inner]
        else:
            value = [_pruned(inner, below) if item is inner else item for item in value]
    return value

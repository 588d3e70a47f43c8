"""Server-side apply: what a manager sends is merged, what it no longer sends goes."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import body, errors, fieldsets, ownership, system_owners
from sregym_cluster_embedded.api.decode import DecodeError
from sregym_cluster_embedded.api.patches import last_applied

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.fieldsets import FieldSet
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Definition, Type
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

from sregym_cluster_embedded.api import schema


def apply(
    world: World,
    request: Request,
    resource: Resource,
    old: Object,
    sent: Object,
    given: dict[str, Any],
) -> Object:
    """`old` with the configuration `sent` applied, managed fields included.

    `given` is the configuration before it was decoded.

    Raises:
        errors.ApiError: Conflict with other managers, unless the request forces it.
    """
    manager = request.parameter("fieldManager")
    definition = ownership.definition_of(resource)
    wanted = fieldsets.of_object(sent, definition)
    entries = system_owners.without_status_owners(resource, old)
    others = [entry for entry in entries if not _mine(entry, manager)]
    before: FieldSet = next((entry["fieldsV1"] for entry in entries if _mine(entry, manager)), {})
    # The name of the object is applied, too, although it is not listed as owned.
    owned = fieldsets.union({"f:metadata": {}}, wanted)
    for entry in others:
        owned = fieldsets.union(owned, entry["fieldsV1"])
    pruned = _pruned(_merge(old, sent, definition), before, owned, definition)
    differing = fieldsets.common(fieldsets.changed(old, pruned, definition), wanted)
    if not request.flag("force"):
        by_client = manager == last_applied.MANAGER
        exempt = last_applied.exempt(resource, definition, old) if by_client else {}
        _check_conflicts(others, differing, exempt)
    kept = []
    for entry in others:
        fields = fieldsets.surviving(entry["fieldsV1"], old, pruned)
        fields = fieldsets.minus(fields, differing)
        if fields:
            kept.append({**entry, "fieldsV1": fields})
    own = ownership.entry_of_apply(world, manager, resource.api_version, wanted)
    try:
        checked, _ = body.canonical(pruned, resource.group, resource.version, resource.kind)
    except DecodeError as error:
        raise errors.bad_request(str(error)) from None
    if manager == last_applied.MANAGER:
        checked = last_applied.renewed(checked, given)
    return ownership.with_managed(checked, [own, *kept])


def _mine(entry: dict[str, Any], manager: str) -> bool:
    return bool(entry["manager"] == manager and entry["operation"] == "Apply")


def _check_conflicts(others: list[dict[str, Any]], differing: FieldSet, exempt: FieldSet) -> None:
    causes: list[errors.Cause] = []
    for entry in sorted(others, key=itemgetter("manager", "operation", "apiVersion")):
        shared = fieldsets.minus(fieldsets.common(entry["fieldsV1"], differing), exempt)
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
    """`old` with the fields of a configuration, whichever manager owns them."""
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


def _pruned(value: Any, last: FieldSet, owned: FieldSet, definition: Definition | None) -> Any:
    """`value` without what its manager applied last (`last`) and no manager owns any longer."""
    for key, below in last.items():
        if key == ".":
            continue
        found, inner = fieldsets.step(value, key)
        if not found:
            continue
        kind, _, text = key.partition(":")
        field = definition.fields.get(text) if definition is not None and kind == "f" else None
        if key not in owned and (not below or "." in below or field is not None):
            value = _without(value, key, inner)
            continue
        type_ = field.type if field is not None else None
        if type_ is not None and type_.form == "list":
            type_ = type_.item
        item = definition if kind == "k" else _below(type_)
        rest = _pruned(inner, below, owned.get(key, {}), item)
        if rest is inner:
            continue
        if kind == "f":
            value = {**value, text: rest}
        else:
            value = [rest if each is inner else each for each in value]
    return value


def _without(value: Any, key: str, inner: Any) -> Any:
    kind, _, text = key.partition(":")
    if kind == "f":
        return {name: each for name, each in value.items() if name != text}
    return [each for each in value if each is not inner and each != inner]

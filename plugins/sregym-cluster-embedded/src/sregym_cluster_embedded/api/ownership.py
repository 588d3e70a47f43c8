"""Who owns which field: metadata.managedFields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import fieldsets, schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.api.fieldsets import FieldSet
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

Entry = dict[str, Any]


def manager_of(request: Request) -> str:
    """The manager that a request writes as: its parameter, or the start of the user agent."""
    named = request.parameter("fieldManager")
    return named or request.headers.get("user-agent", "").partition("/")[0] or "unknown"


def definition_of(kind: Resource) -> schema.Definition | None:
    """The schema that says which fields have one owner as a whole."""
    return schema.of_kind(kind.group, kind.version, kind.kind)


def without(obj: Object) -> Object:
    """An object without what changes at each write."""
    metadata = {
        k: v for k, v in obj["metadata"].items() if k not in ("managedFields", "resourceVersion")
    }
    return {**obj, "metadata": metadata}


def updated(
    world: World,
    request: Request,
    kind: Resource,
    old: Object,
    new: Object,
    subresource: str,
    live: list[Entry],
) -> Object:
    """`new` with the fields that this request changed given to its manager.

    `live` are the entries that `old` has. Those that a client sends take their place, when they
    can be read.
    """
    manager = manager_of(request)
    gained = fieldsets.changed(old, new, definition_of(kind))
    if subresource != "status":
        # The status of the main resource is not the writer's doing.
        gained.pop("f:status", None)
    asked = None if subresource else sent(new)
    kept: list[Entry] = []
    mine: Entry | None = None
    for entry in live if asked is None else asked:
        fields = fieldsets.surviving(entry.get("fieldsV1") or {}, old, new)
        if _is(entry, manager, "Update", subresource, kind.api_version):
            mine = {**entry, "fieldsV1": fields}
            continue
        # Who applied a field keeps it as long as the value is the same.
        fields = fieldsets.minus(fields, gained)
        if fields:
            kept.append({**entry, "fieldsV1": fields})
    if gained:
        fields = fieldsets.union(mine["fieldsV1"], gained) if mine else gained
        kept.append(_entry(world, manager, "Update", kind.api_version, fields, subresource))
    elif mine and mine["fieldsV1"]:
        kept.append(mine)
    owned = with_managed(new, kept)
    # No field has an owner now, although some had.
    return owned if kept or not (live or asked) else with_none(owned)


def sent(obj: Object) -> list[Entry] | None:
    """The entries that a client asks for; None when there are none, or none that can be read.

    An empty list, or one with nothing but an empty entry, asks for none at all.
    """
    given = obj["metadata"].get("managedFields")
    if given is None or not all(map(_readable, given)):
        return [] if given == [{}] else None
    # Of several for the same manager the last counts.
    return list({_identity(entry): entry for entry in given}.values())


def _readable(entry: Entry) -> bool:
    return bool(
        entry.get("operation") in ("Apply", "Update")
        and entry.get("apiVersion")
        and entry.get("fieldsType") == "FieldsV1"
        and fieldsets.readable(entry.get("fieldsV1") or {})
    )


def _identity(entry: Entry) -> tuple[str, ...]:
    operation = str(entry["operation"])
    version = entry["apiVersion"] if operation == "Update" else ""
    return (entry.get("manager", ""), operation, version, entry.get("subresource", ""))


def applied(
    world: World, request: Request, kind: Resource, created: Object, sent: Object
) -> Object:
    """An object created by an apply: all that was sent belongs to its manager."""
    fields = fieldsets.of_object(sent, definition_of(kind))
    manager = manager_of(request)
    return with_managed(created, [_entry(world, manager, "Apply", kind.api_version, fields, "")])


def entry_of_apply(world: World, manager: str, api_version: str, fields: FieldSet) -> Entry:
    """The entry of a manager that applies."""
    return _entry(world, manager, "Apply", api_version, fields, "")


def with_managed(obj: Object, entries: list[Entry]) -> Object:
    """`obj` with these managed fields, in the order that the server keeps."""
    metadata = dict(obj["metadata"])
    if entries:
        metadata["managedFields"] = sorted(entries, key=_rank) if len(entries) > 1 else entries
    else:
        metadata.pop("managedFields", None)
    return {**obj, "metadata": metadata}


def with_none(obj: Object) -> Object:
    """`obj` of which it is known that its fields have no owner."""
    return {**obj, "metadata": {**obj["metadata"], "managedFields": []}}


def untimed(entries: Iterable[Entry]) -> list[Entry]:
    """Entries without the moments at which their managers wrote."""
    return [{name: entry[name] for name in entry if name != "time"} for entry in entries]


def _rank(entry: Entry) -> tuple[str, ...]:
    parts = ("operation", "time", "manager", "apiVersion", "subresource")
    return tuple(str(entry.get(part, "")) for part in parts)


def _is(entry: Entry, manager: str, operation: str, subresource: str, api_version: str) -> bool:
    return (
        entry.get("manager") == manager
        and entry.get("operation") == operation
        and entry.get("subresource", "") == subresource
        and entry.get("apiVersion") == api_version
    )


def _entry(
    world: World,
    manager: str,
    operation: str,
    api_version: str,
    fields: FieldSet,
    subresource: str,
) -> Entry:
    entry: Entry = {
        "manager": manager,
        "operation": operation,
        "apiVersion": api_version,
        "time": world.timestamp(),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    if subresource:
        entry["subresource"] = subresource
    if subresource == "scale":
        # The server loses it on the way from the scale to the whole object.
        del entry["time"]
    return entry

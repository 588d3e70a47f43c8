"""The types of what expressions of policies and webhooks look at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cel.kinds import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Kind,
    list_of,
    map_of,
    struct,
)

from sregym_cluster_embedded.api import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIMPLE = {"integer": INT, "number": DOUBLE, "boolean": BOOL, "string": STRING}
_FORMATS = {"date-time": TIMESTAMP, "byte": BYTES}


def _texts(*names: str) -> dict[str, Kind]:
    return dict.fromkeys(names, STRING)


def _request() -> Kind:
    kind = struct("kubernetes.GroupVersionKind", _texts("group", "version", "kind"))
    resource = struct("kubernetes.GroupVersionResource", _texts("group", "version", "resource"))
    user = {
        **_texts("username", "uid"),
        "groups": list_of(STRING),
        "extra": map_of(list_of(STRING)),
    }
    fields = {
        **_texts("subResource", "requestSubResource", "name", "namespace", "operation"),
        **dict.fromkeys(("kind", "requestKind"), kind),
        **dict.fromkeys(("resource", "requestResource"), resource),
        "userInfo": struct("kubernetes.UserInfo", user),
        "dryRun": BOOL,
        "options": DYN,
    }
    return struct("kubernetes.AdmissionRequest", fields)


def _namespace() -> Kind:
    condition = {**_texts("status", "type", "message", "reason"), "lastTransitionTime": TIMESTAMP}
    conditions = list_of(struct("kubernetes.NamespaceCondition", condition))
    metadata = {
        **_texts("name", "generateName", "namespace", "UID", "resourceVersion"),
        **dict.fromkeys(("labels", "annotations"), map_of(STRING)),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), TIMESTAMP),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), INT),
        "finalizers": list_of(STRING),
    }
    fields = {
        "metadata": struct("kubernetes.NamespaceMetadata", metadata),
        "spec": struct("kubernetes.NamespaceSpec", {"finalizers": list_of(STRING)}),
        "status": struct("kubernetes.NamespaceStatus", {"conditions": conditions, "phase": STRING}),
    }
    return struct("kubernetes.Namespace", fields)


# Everywhere the same; objects may be of any type unless something says which.
COMMON: Mapping[str, Kind] = {
    **dict.fromkeys(("object", "oldObject", "params"), DYN),
    "request": _request(),
    "namespaceObject": _namespace(),
}


def variables(kinds: dict[str, Kind]) -> Kind:
    """The type of `variables`, where these are declared."""
    return struct("kubernetes.variables", kinds)


@lru_cache(maxsize=512)
def of_definition(name: str) -> Kind | None:
    """The type of values of a definition of the API."""
    definition = schema.definition(name)
    if name == schema.INT_OR_STRING:
        return DYN
    if definition.scalar is not None:
        kind = _of(definition.scalar)
        return _FORMATS.get(definition.format, kind) if kind == STRING else kind
    return Kind(definition.short, fields=lambda field: _field(definition, field))


def _field(definition: schema.Definition, name: str) -> Kind | None:
    field = definition.fields.get(name)
    if field is None:
        return None
    kind = _of(field.type)
    return _FORMATS.get(field.format, kind) if kind == STRING else kind


def _of(type_: schema.Type) -> Kind | None:
    if type_.form == "struct":
        return of_definition(type_.name)
    if type_.form in ("list", "map"):
        item = _of(type_.item) if type_.item is not None else None
        return item and (list_of(item) if type_.form == "list" else map_of(item))
    if type_.form == "object":
        return struct("object", {})
    return _SIMPLE.get(type_.form, UNKNOWN)

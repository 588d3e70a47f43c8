"""Versions and schemas of definitions as the server's own types, which its messages show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object

# (name in the server, JSON name, its default), in the server's order.
_SCHEMA: tuple[tuple[str, str, Any], ...] = (
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)
NAMES: Mapping[str, str] = {json: name for name, json, _ in _SCHEMA}
_LISTS = ("allOf", "oneOf", "anyOf")
_MAPS = ("properties", "patternProperties", "definitions")


def schema(given: Object) -> Object:
    """A schema with all fields that the server's type has."""
    return {name: _field(json, given.get(json), empty) for name, json, empty in _SCHEMA}


def _field(name: str, value: Any, empty: Any) -> Any:
    if value is None:
        return empty
    if name in _LISTS:
        return [schema(item) for item in value]
    if name in _MAPS:
        return {key: schema(item) for key, item in sorted(value.items())}
    if name == "not":
        return schema(value)
    if name == "items":
        return {"Schema": schema(value), "JSONSchemas": None}
    if name in ("additionalProperties", "additionalItems"):
        inner = schema(value) if isinstance(value, dict) else None
        return {"Allows": value is not False, "Schema": inner}
    if name == "x-kubernetes-validations":
        return [rule(item) for item in value]
    return value


def rule(given: Object) -> Object:
    """A rule of a schema."""
    return {
        "Rule": given.get("rule", ""),
        "Message": given.get("message", ""),
        "MessageExpression": given.get("messageExpression", ""),
        "Reason": given.get("reason"),
        "FieldPath": given.get("fieldPath", ""),
        "OptionalOldSelf": given.get("optionalOldSelf"),
    }


def column(given: Object) -> Object:
    """A printer column."""
    return {
        "Name": given.get("name", ""),
        "Type": given.get("type", ""),
        "Format": given.get("format", ""),
        "Description": given.get("description", ""),
        "Priority": given.get("priority", 0),
        "JSONPath": given.get("jsonPath", ""),
    }


def version(given: Object, own: Mapping[str, Any]) -> Object:
    """A version; `own` has those of its fields that are not the same in all versions."""
    given_schema = (own.get("schema") or {}).get("openAPIV3Schema")
    shown: Object | None = None
    if own.get("schema") is not None:
        inner = None if given_schema is None else schema(given_schema)
        shown = {"OpenAPIV3Schema": inner}
    return {
        "Name": given.get("name", ""),
        "Served": given.get("served", False),
        "Storage": given.get("storage", False),
        "Deprecated": given.get("deprecated", False),
        "DeprecationWarning": given.get("deprecationWarning"),
        "Schema": shown,
        "Subresources": _subresources(own.get("subresources")),
        "AdditionalPrinterColumns": _listed(own.get("additionalPrinterColumns"), column),
        "SelectableFields": _listed(
            own.get("selectableFields"), lambda item: {"JSONPath": item.get("jsonPath", "")}
        ),
    }


def _listed(values: Any, show: Any) -> Any:
    return [show(item) for item in values] if values else None


def _subresources(given: Object | None) -> Object | None:
    if given is None:
        return None
    scale = given.get("scale")
    return {
        "Status": {} if given.get("status") is not None else None,
        "Scale": None
        if scale is None
        else {
            "SpecReplicasPath": scale.get("specReplicasPath", ""),
            "StatusReplicasPath": scale.get("statusReplicasPath", ""),
            "LabelSelectorPath": scale.get("labelSelectorPath"),
        },
    }

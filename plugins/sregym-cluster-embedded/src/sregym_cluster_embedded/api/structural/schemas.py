"""Schemas in definitions: what is wrong with them, in the server's words and order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.structural import (
    fields,
    internal_types,
    rules,
    shaping,
    structurality,
    validation,
)
from sregym_cluster_embedded.api.structural.structurality import EMBEDDED, FREE
from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_RULES = rules.RULES
_LIST, _KEYS, _MAP = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
_HEAD = frozenset({"metadata", "kind", "apiVersion"})
_REASONS = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
# What the root of a schema may say when the status has a resource of its own, in Go's names.
_AT_ROOT = (
    *("Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum"),
    *("ExclusiveMinimum", "MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems"),
    *("UniqueItems", "MultipleOf", "Required", "Items", "Properties", "ExternalDocs", "Example"),
    *("XPreserveUnknownFields", "XValidations"),
)
_ATOMIC_ITEMS = "must be atomic as item of a list with x-kubernetes-list-type=set"


@dataclass(frozen=True)
class _Where:
    """Where a schema stands.

    Attributes:
        root: At the root of an object.
        meta: In what applies to the metadata of an object.
        no_defaults: Why defaults cannot stand here; empty where they can.
        uncorrelated: The place above within which old and new values cannot be matched.
        compiled: Whether rules are compiled here.
    """

    root: bool = False
    meta: bool = False
    no_defaults: str = ""
    uncorrelated: str = ""
    compiled: bool = True


@dataclass
class _Found:
    """Causes in a schema and below it: of its form, and of its rules."""

    form: list[Cause] = field(default_factory=list)
    rules: list[Cause] = field(default_factory=list)

    def add(self, other: _Found) -> None:
        self.form += other.form
        self.rules += other.rules


def of_schema(schema: Object, place: str, *, status: bool) -> list[Cause]:
    """All causes in one schema; `status` says that its status has a resource of its own."""
    found = _with_status(schema, place) if status else []
    if schema.get("nullable"):
        text = "nullable cannot be true at the root"
        found.append(causes.forbidden(f"{place}.nullable", text))
    why = structurality.unsupported(schema)
    unstructured = [] if why else structurality.structural(schema, place)
    defaults = [] if why or unstructured else _defaults(schema, place, schema, meta=False)
    found += unstructured or defaults
    compiled = not (why or unstructured or defaults)
    below = _schema(schema, place, _Where(root=True, compiled=compiled))
    found += below.form + below.rules
    if not found and why:
        found.append(causes.invalid(place, "", why))
    return found


def _with_status(schema: Object, place: str) -> list[Cause]:
    for name, json in ((name, json) for json, name in internal_types.NAMES.items()):
        if not schema.get(json):
            continue
        if name == "Type" and schema["type"] != "object":
            text = (
                'only "object" is allowed as the type at the root of the schema if the status '
                "subresource is enabled"
            )
            return [causes.invalid(f"{place}.type", schema["type"], text)]
        if name not in _AT_ROOT:
            text = (
                f"only [{' '.join(_AT_ROOT)}] fields are allowed at the root of the schema if the "
                "status subresource is enabled"
            )
            return [causes.invalid(place, internal_types.schema(schema), text)]
    return []


def _schema(schema: Object, place: str, where: _Where) -> _Found:
    found = _Found(_standard(schema, place, where))
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.form.append(causes.forbidden(f"{place}.uniqueItems", text))
    additional, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if additional is not None and additional is not True and properties:
        text = "additionalProperties and properties are mutual exclusive"
        found.form.append(causes.forbidden(f"{place}.additionalProperties", text))
    inside = replace(where, root=False)
    if isinstance(additional, dict):
        reason = "inside additionalProperties applying to object metadata" if where.meta else ""
        down = replace(inside, no_defaults=reason or where.no_defaults)
        found.add(_schema(additional, f"{place}.additionalProperties", down))
    for name, item in sorted(properties.items()):
        down = _of_property(schema, name, place, where)
        found.add(_schema(item, f"{place}.properties[{name}]", down))
    apart = replace(inside, compiled=False)
    if isinstance(schema.get("not"), dict):
        found.add(_schema(schema["not"], f"{place}.not", apart))
    for name in ("allOf", "oneOf", "anyOf"):
        for index, item in enumerate(schema.get(name) or ()):
            found.add(_schema(item, f"{place}.{name}[{index}]", apart))
    if isinstance(schema.get("items"), dict):
        down = inside
        if schema.get(_LIST) != "map" and not where.uncorrelated:
            down = replace(inside, uncorrelated=place)
        found.add(_schema(schema["items"], f"{place}.items", down))
    found.form += _extensions(schema, place) + _rule_forms(schema, place)
    if not found.form and where.compiled:
        found.rules += _rules(schema, place, where)
    return found


def _of_property(schema: Object, name: str, place: str, where: _Where) -> _Where:
    down = replace(where, root=False)
    if schema.get(_MAP) == "atomic" and not where.uncorrelated:
        down = replace(down, uncorrelated=place)
    if (where.root or schema.get(EMBEDDED)) and name in _HEAD:
        down = replace(down, meta=True)
        if where.root:
            down = replace(down, no_defaults=f"in top-level {name}")
    return down


def _standard(schema: Object, place: str, where: _Where) -> list[Cause]:
    found: list[Cause] = []
    type_ = schema.get("type", "")
    if type_ and type_ not in TYPES:
        found.append(causes.unsupported(f"{place}.type", type_, TYPES))
    if schema.get("default") is not None and where.no_defaults:
        text = f"must not be set {where.no_defaults}"
        found.append(causes.forbidden(f"{place}.default", text))
    found += [
        causes.forbidden(f"{place}.{name}", f"{name} is not supported")
        for name in _UNSUPPORTED
        if schema.get(name) is not None and schema.get(name) != ""
    ]
    if type_ == "null":
        text = "type cannot be set to null, use nullable as an alternative"
        found.append(causes.forbidden(f"{place}.type", text))
    if isinstance(schema.get("items"), list):
        text = "items must be a schema object and not an array"
        found.append(causes.forbidden(f"{place}.items", text))
    if where.meta and schema.get(EMBEDDED):
        text = "must not be used inside of resource meta"
        found.append(causes.forbidden(f"{place}.{EMBEDDED}", text))
    return found


def _extensions(schema: Object, place: str) -> list[Cause]:
    found: list[Cause] = []
    type_, kind, items = schema.get("type", ""), schema.get(_LIST), schema.get("items")
    if schema.get(FREE) is False:
        found.append(causes.invalid(f"{place}.{FREE}", False, "must be true or undefined"))
    if schema.get(_MAP) is not None:
        found += _of_type(place, type_, "object", _MAP)
        found += causes.one_of(f"{place}.{_MAP}", schema[_MAP], ("atomic", "granular"))
    if kind is not None and type_ != "array":
        found += _of_type(place, type_, "array", _LIST)
    elif kind == "set" and isinstance(items, dict):
        if items.get("type") == "array" and items.get(_LIST, "atomic") != "atomic":
            at = f"{place}.items.{_LIST}"
            found.append(causes.invalid(at, items[_LIST], _ATOMIC_ITEMS))
        if items.get("type") == "object" and items.get(_MAP) != "atomic":
            at = f"{place}.items.{_MAP}"
            found.append(causes.invalid(at, items.get(_LIST), _ATOMIC_ITEMS))
    found += causes.one_of(f"{place}.{_LIST}", kind, ("atomic", "set", "map"))
    if schema.get(_KEYS) and kind != "map":
        text = f"must be map if {_KEYS} is non-empty"
        at = f"{place}.{_LIST}"
        found.append(causes.required(at, text) if kind is None else causes.invalid(at, kind, text))
    if kind == "map":
        found += _keyed(schema, place)
    return found + _keys(schema, place)


def _of_type(place: str, type_: str, wanted: str, extension: str) -> list[Cause]:
    if type_ == wanted:
        return []
    at, text = f"{place}.type", f"must be {wanted} if {extension} is specified"
    return [causes.invalid(at, type_, text) if type_ else causes.required(at, text)]


def _keyed(schema: Object, place: str) -> list[Cause]:
    """A list of type `map`: its items are objects with the keys."""
    found: list[Cause] = []
    keys, items = schema.get(_KEYS) or [], schema.get("items")
    if not keys:
        text = f"must not be empty if {_LIST} is map"
        found.append(causes.required(f"{place}.{_KEYS}", text))
    if items is None:
        text = f"must have a schema if {_LIST} is map"
        return [*found, causes.required(f"{place}.items", text)]
    if items.get("type") != "object":
        text = f"must be object if parent array's {_LIST} is map"
        return [*found, causes.invalid(f"{place}.items.type", items.get("type", ""), text)]
    for index, key in enumerate(keys):
        known = (items.get("properties") or {}).get(key)
        if known is None:
            text = "entries must all be names of item properties"
            found.append(causes.invalid(f"{place}.{_KEYS}", keys, text))
        elif known.get("type") in ("array", "object"):
            text = f"must be a scalar type if parent array's {_LIST} is map"
            at = f"{place}.items.properties[{key}].type"
            found.append(causes.invalid(at, "object", text))
        if key in keys[:index]:
            text = "must not contain duplicate entries"
            found.append(causes.invalid(f"{place}.{_KEYS}", keys, text))
    return found


def _keys(schema: Object, place: str) -> list[Cause]:
    kind, items = schema.get(_LIST), schema.get("items")
    if kind not in ("set", "map") or not isinstance(items, dict):
        return []
    found: list[Cause] = []
    if items.get("nullable"):
        text = f"cannot be nullable when {_LIST} is {kind}"
        found.append(causes.forbidden(f"{place}.items.nullable", text))
    for key in (schema.get(_KEYS) or ()) if kind == "map" else ():
        known = (items.get("properties") or {}).get(key)
        if known is None:
            continue
        at = f"{place}.items.properties[{key}]"
        if key not in (items.get("required") or ()) and known.get("default") is None:
            text = (
                f"this property is in {_KEYS}, so it must have a default or be a required property"
            )
            found.append(causes.required(f"{at}.default", text))
        if known.get("nullable"):
            text = f"this property is in {_KEYS}, so it cannot be nullable"
            found.append(causes.forbidden(f"{at}.nullable", text))
    return found


def _rule_forms(schema: Object, place: str) -> list[Cause]:
    found: list[Cause] = []
    for index, rule in enumerate(schema.get(_RULES) or ()):
        at = f"{place}.{_RULES}[{index}]"
        text, message = rule.get("rule", "").strip(), rule.get("message", "")
        if not text:
            found.append(causes.required(f"{at}.rule", "rule is not specified"))
        elif message and not message.strip():
            why = "must be non-empty if specified"
            found.append(causes.invalid(f"{at}.message", message, why))
        elif _broken(message.strip()):
            why = "must not contain line breaks"
            found.append(causes.invalid(f"{at}.message", message, why))
        elif _broken(text) and not message.strip():
            why = "message must be specified if rule contains line breaks"
            found.append(causes.required(f"{at}.message", why))
        expression = rule.get("messageExpression", "")
        if expression and not expression.strip():
            why = "messageExpression must be non-empty if specified"
            found.append(causes.required(f"{at}.messageExpression", why))
        found += causes.one_of(f"{at}.reason", rule.get("reason"), _REASONS)
        path = rule.get("fieldPath", "")
        if path and not path.strip():
            why = "must be non-empty if specified"
            found.append(causes.invalid(f"{at}.fieldPath", path, why))
        if _broken(path):
            found.append(causes.invalid(f"{at}.fieldPath", path, "must not contain line breaks"))
        if path and not fields.path_exists(path, schema):
            found.append(causes.invalid(f"{at}.fieldPath", path, "must be a valid path"))
    return found


def _broken(text: str) -> bool:
    return "\n" in text or "\r" in text


def _rules(schema: Object, place: str, where: _Where) -> list[Cause]:
    found: list[Cause] = []
    at_root = where.root or bool(schema.get(EMBEDDED))
    for index, rule in enumerate(schema.get(_RULES) or ()):
        at = f"{place}.{_RULES}[{index}]"
        shown = internal_types.rule(rule)
        new = bool(rule.get("optionalOldSelf"))
        why = fields.failure(rule.get("rule", ""), schema, at_root=at_root, may_be_new=new)
        if why:
            found.append(causes.invalid(f"{at}.rule", shown, why))
        expression = rule.get("messageExpression", "")
        if expression and not why:
            why = fields.message_failure(expression, schema, at_root=at_root, may_be_new=new)
            if why:
                found.append(causes.invalid(f"{at}.messageExpression", shown, why))
        compares = fields.compares(rule.get("rule", ""))
        if compares and where.uncorrelated:
            text = (
                "oldSelf cannot be used on the uncorrelatable portion of the schema within "
                f"{where.uncorrelated}"
            )
            found.append(causes.invalid(f"{at}.rule", rule.get("rule", ""), text))
        elif not compares and rule.get("optionalOldSelf") is not None:
            text = "may not be set if oldSelf is not used in rule"
            found.append(causes.invalid(f"{at}.optionalOldSelf", rule["optionalOldSelf"], text))
    return found


def _defaults(schema: Object, place: str, root: Object, *, meta: bool) -> list[Cause]:
    """Defaults that do not fit their own schema."""
    found: list[Cause] = []
    default = schema.get("default")
    if default is not None and not meta:
        found += _default(default, schema, f"{place}.default")
    if isinstance(schema.get("items"), dict):
        found += _defaults(schema["items"], f"{place}.items", root, meta=meta)
    embedded = schema is root or bool(schema.get(EMBEDDED))
    for name, item in sorted((schema.get("properties") or {}).items()):
        inside = meta or (embedded and name in _HEAD)
        found += _defaults(item, f"{place}.properties[{name}]", root, meta=inside)
    return found


def _default(default: Any, schema: Object, at: str) -> list[Cause]:
    found: list[Cause] = []
    pruned, unknown = shaping.pruned_value(default, schema)
    if unknown or pruned != default:
        found.append(causes.invalid(at, default, "must not have unknown fields"))
    wrong = validation.of_value(default, schema)
    if not wrong:
        wrong = rules.of_value(default, schema)
    return found + [
        replace(
            cause, field=at if cause.field in ("", validation.NOWHERE) else f"{at}.{cause.field}"
        )
        for cause in wrong
    ]

"""Whether a schema is structural: what the server must know to prune and to default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_regex import go

from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

FREE = "x-kubernetes-preserve-unknown-fields"
EITHER = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"
_EITHER_PATTERN = [{"type": "integer"}, {"type": "string"}]
_JUNCTORS = ("anyOf", "allOf", "oneOf")
# What a schema below a junctor must not say, and how it has to be.
_FORBIDDEN = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (FREE, "must be false to be structural"),
    (EMBEDDED, "must be false to be structural"),
    (EITHER, "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
_UNTYPED = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}


def unsupported(schema: Object) -> str:
    """Why the server cannot make a structural schema of this at all; empty when it can."""
    for name in ("id", "$schema", "$ref", "patternProperties", "dependencies"):
        if schema.get(name):
            return f"OpenAPIV3Schema '{name.lstrip('$') if name == '$schema' else name}' is not supported"
    if schema.get("additionalItems") is not None:
        return "OpenAPIV3Schema 'additionalItems' is not supported"
    if schema.get("definitions"):
        return "OpenAPIV3Schema 'definitions' is not supported"
    if schema.get(FREE) is False:
        return f"internal error: '{FREE}' must be true or undefined"
    for inner in below(schema):
        why = unsupported(inner)
        if why:
            return why
    return ""


def below(schema: Object) -> list[Object]:
    """All schemas directly below one."""
    inner = [schema.get("not"), schema.get("items"), schema.get("additionalProperties")]
    inner += [item for name in _JUNCTORS for item in schema.get(name) or ()]
    inner += list((schema.get("properties") or {}).values())
    return [item for item in inner if isinstance(item, dict)]


def structural(schema: Object, place: str) -> list[Cause]:
    """The causes why a schema is not structural, in the server's order."""
    found = _invariants(schema, "root", place) + _complete(schema, schema, place, place)
    return sorted(found, key=lambda cause: f"{cause.field}: {cause.message}")


def _invariants(schema: Object, level: str, place: str) -> list[Cause]:
    found: list[Cause] = []
    type_, items = schema.get("type", ""), schema.get("items")
    if type_ == "array" and items is None:
        found.append(causes.required(f"{place}.items", "must be specified"))
    if isinstance(items, dict):
        found += _invariants(items, "item", f"{place}.items")
    for name, item in (schema.get("properties") or {}).items():
        found += _invariants(item, "field", f"{place}.properties[{name}]")
    additional = schema.get("additionalProperties")
    if additional is not None:
        at = f"{place}.additionalProperties"
        if level == "root":
            found.append(causes.forbidden(at, "must not be used at the root"))
        if isinstance(additional, dict):
            found += _invariants(additional, "field", at)
        if schema.get(EMBEDDED):
            text = "must not be used if x-kubernetes-embedded-resource is set"
            found.append(causes.forbidden(at, text))
    if schema.get(EITHER):
        text = f"must be false if {EITHER} is true"
        found += [
            causes.invalid(f"{place}.{name}", True, text)
            for name in (FREE, EMBEDDED)
            if schema.get(name)
        ]
    found += _values(schema, place, either=True)
    return found + _typed(schema, level, place) + _head(schema, level, place)


def _typed(schema: Object, level: str, place: str) -> list[Cause]:
    type_ = schema.get("type", "")
    at = f"{place}.type"
    found: list[Cause] = []
    if schema.get(EMBEDDED) and type_ != "object":
        text = f"must be object if {EMBEDDED} is true"
        found.append(causes.invalid(at, type_, text) if type_ else causes.required(at, text))
    elif not type_ and not schema.get(EITHER) and not schema.get(FREE):
        found.append(causes.required(at, _UNTYPED[level]))
    if level == "root" and type_ and type_ != "object":
        found.append(causes.invalid(at, type_, "must be object at the root"))
    if schema.get(EMBEDDED) and not schema.get(FREE) and not schema.get("properties"):
        text = f"must not be empty if {EMBEDDED} is true without {FREE}"
        found.append(causes.required(f"{place}.properties", text))
    return found


def _head(schema: Object, level: str, place: str) -> list[Cause]:
    """What a schema may say about the fields that every object has."""
    known = schema.get("properties") or {}
    checked = level == "root" or bool(schema.get(EMBEDDED))
    found = [
        causes.invalid(f"{place}.properties[{name}].type", known[name].get("type", ""), text)
        for name, wanted, text in (
            ("kind", "string", "must be string"),
            ("apiVersion", "string", "must be string"),
            ("metadata", "object", "must be object"),
        )
        if checked and name in known and known[name].get("type") != wanted
    ]
    metadata = known.get("metadata")
    if level != "root" or metadata is None:
        return found
    fields = set(metadata.get("properties") or {})
    free = fields <= {"name", "generateName"}
    if (fields and not free) or set(metadata) - {"type", "default", "properties"}:
        text = (
            "must not specify anything other than name and generateName, but metadata is "
            "implicitly specified"
        )
        found.append(causes.forbidden(f"{place}.properties[metadata]", text))
    return found


def _values(schema: Object, place: str, *, either: bool = False) -> list[Cause]:
    """What may stand below junctors, and patterns."""
    found: list[Cause] = []
    for name in _JUNCTORS:
        for index, item in enumerate(schema.get(name) or ()):
            if name == "anyOf" and either and schema["anyOf"] == _EITHER_PATTERN:
                continue
            inner = either and name == "allOf" and index == 0
            found += _nested(item, f"{place}.{name}[{index}]", either=inner)
    if isinstance(schema.get("not"), dict):
        found += _nested(schema["not"], f"{place}.not")
    pattern = schema.get("pattern", "")
    if pattern:
        why = _bad_pattern(pattern)
        if why:
            text = f"must be a valid regular expression, but isn't: {why}"
            found.append(causes.invalid(f"{place}.pattern", pattern, text))
    return found


def _nested(schema: Object, place: str, *, either: bool = False) -> list[Cause]:
    found = _values(schema, place, either=either)
    if isinstance(schema.get("items"), dict):
        found += _nested(schema["items"], f"{place}.items")
    for name, item in (schema.get("properties") or {}).items():
        found += _nested(item, f"{place}.properties[{name}]")
    for name, text in _FORBIDDEN:
        value = schema.get(name)
        if value or (name == "default" and value is not None):
            found.append(causes.forbidden(f"{place}.{name}", text))
    if "metadata" in (schema.get("properties") or {}):
        text = "must not be specified in a nested context"
        found.append(causes.forbidden(f"{place}.properties[metadata]", text))
    return found


def _complete(rules: Object, known: Any, place: str, said: str) -> list[Cause]:
    """Every value that is spoken about below junctors has a schema outside them."""
    found: list[Cause] = []
    inner = [("not", rules.get("not"))]
    inner += [
        (f"{name}[{index}]", item)
        for name in ("allOf", "anyOf", "oneOf")
        for index, item in enumerate(rules.get(name) or ())
    ]
    for step, item in inner:
        if isinstance(item, dict):
            found += _complete_nested(item, known, place, f"{said}.{step}")
    return found


def _complete_nested(rules: Object, known: Any, place: str, said: str) -> list[Cause]:
    if not isinstance(known, dict):
        return [causes.required(place, f"because it is defined in {said}")]
    found = _complete(rules, known, place, said)
    if isinstance(rules.get("items"), dict):
        found += _complete_nested(
            rules["items"], known.get("items"), f"{place}.items", f"{said}.items"
        )
    for name, item in (rules.get("properties") or {}).items():
        step = f"properties[{name}]"
        outside = (known.get("properties") or {}).get(name)
        found += _complete_nested(item, outside, f"{place}.{step}", f"{said}.{step}")
    return found


def _bad_pattern(pattern: str) -> str:
    """What Go says of an expression that is none; empty for those that are one."""
    try:
        go.anywhere(pattern)
    except go.PatternError as error:
        return f"error parsing regexp: {error}"
    return ""

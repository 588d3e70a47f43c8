"""CustomResourceDefinitions: what is wrong with them, in the server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.structural import fields
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_SCOPES = ("Cluster", "Namespaced")
_EITHER = "x-kubernetes-int-or-string"
_FREE = "x-kubernetes-preserve-unknown-fields"
_RULES = "x-kubernetes-validations"
_NAMES = ("plural", "singular", "kind", "listKind")


def definition(obj: Object) -> list[Cause]:
    """All causes in a definition."""
    spec = obj.get("spec", {})
    names = spec.get("names", {})
    found: list[Cause] = []
    name = obj["metadata"].get("name", "")
    if name != f"{names.get('plural', '')}.{spec.get('group', '')}":
        text = 'must be spec.names.plural+"."+spec.group'
        found.append(causes.invalid("metadata.name", name, text))
    group = spec.get("group", "")
    if not group:
        found.append(causes.required("spec.group"))
    else:
        found += formats.subdomain("spec.group", group)
        if "." not in group:
            found.append(
                causes.invalid("spec.group", group, "should be a domain with at least one dot")
            )
    scope = spec.get("scope", "")
    if not scope:
        found.append(causes.required("spec.scope"))
    elif scope not in _SCOPES:
        found.append(causes.unsupported("spec.scope", scope, _SCOPES))
    found += _versions(spec.get("versions", []))
    found += _named(names)
    return found


def _named(names: Object) -> list[Cause]:
    found: list[Cause] = []
    for field in _NAMES:
        value = names.get(field, "")
        place = f"spec.names.{field}"
        if not value:
            found.append(causes.required(place))
        else:
            found += formats.service_name(place, value.lower() if "ind" in field else value)
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        text = "kind and listKind may not be the same"
        found.append(causes.invalid("spec.names.listKind", names["listKind"], text))
    return found


def _versions(versions: list[Object]) -> list[Cause]:
    found: list[Cause] = []
    seen: list[str] = []
    for index, version in enumerate(versions):
        name = version.get("name", "")
        if name in seen:
            found.append(
                causes.invalid(
                    f"spec.versions[{index}].name", name, "must contain unique version names"
                )
            )
        seen.append(name)
        found += formats.service_name(f"spec.versions[{index}].name", name)
    if sum(1 for version in versions if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        found.append(causes.invalid("spec.versions", versions, text))
    schemas = [version.get("schema", {}).get("openAPIV3Schema") for version in versions]
    alike = all(schema == schemas[0] for schema in schemas) if schemas else False
    for index, schema in enumerate(schemas):
        place = f"spec.versions[{index}].schema.openAPIV3Schema"
        if schema is None:
            found.append(causes.required(place, "schemas are required"))
        elif not alike:
            found += _root(schema, place)
    if alike and schemas[0] is not None:
        # Schemas that are the same for all versions have one place inside the server.
        found += _root(schemas[0], "spec.validation.openAPIV3Schema")
    return found


def _root(schema: Object, place: str) -> list[Cause]:
    type_ = schema.get("type", "")
    if not type_:
        return [causes.required(f"{place}.type", "must not be empty at the root")]
    if type_ != "object":
        return [causes.invalid(f"{place}.type", type_, "must be object at the root")]
    return _below(schema, place, schema)


def _below(schema: Object, place: str, root: Object) -> list[Cause]:
    found: list[Cause] = []
    type_ = schema.get("type", "")
    if type_ and type_ not in _TYPES:
        found.append(causes.unsupported(f"{place}.type", type_, _TYPES))
    properties, additional = schema.get("properties"), schema.get("additionalProperties")
    if properties and additional:
        text = "additionalProperties and properties are mutual exclusive"
        found.append(causes.forbidden(f"{place}.additionalProperties", text))
    for name, item in sorted((properties or {}).items()):
        if isinstance(item, dict):
            at = f"{place}.properties[{name}]"
            found += _typed(item, at, "must not be empty for specified object fields")
            found += _below(item, at, item)
    if isinstance(additional, dict):
        at = f"{place}.additionalProperties"
        found += _typed(additional, at, "must not be empty for specified object fields")
        found += _below(additional, at, additional)
    items = schema.get("items")
    if isinstance(items, dict):
        at = f"{place}.items"
        found += _typed(items, at, "must not be empty for specified array items")
        found += _below(items, at, items)
    elif type_ == "array":
        found.append(causes.required(f"{place}.items", "must be specified"))
    found += _rules(schema, place, root)
    return found


def _typed(schema: Object, place: str, text: str) -> list[Cause]:
    if schema.get("type") or schema.get(_EITHER) or schema.get(_FREE):
        return []
    return [causes.required(f"{place}.type", text)]


def _rules(schema: Object, place: str, root: Object) -> list[Cause]:
    found: list[Cause] = []
    for index, rule in enumerate(schema.get(_RULES, ())):
        at = f"{place}.{_RULES}[{index}].rule"
        text = rule.get("rule", "")
        if not text.strip():
            found.append(causes.required(at, "rule is not specified"))
            continue
        why = fields.failure(text, schema, at_root=schema is root and ".properties" not in place)
        if why:
            found.append(causes.invalid(at, _internal(rule), why))
    return found


def _internal(rule: Object) -> dict[str, Any]:
    """A rule as the server's own type, which messages show."""
    return {
        "Rule": rule.get("rule", ""),
        "Message": rule.get("message", ""),
        "MessageExpression": rule.get("messageExpression", ""),
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath", ""),
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }


def changed(old: Object, new: Object) -> list[Cause]:
    """What cannot change in a definition that is served."""
    before, after = old.get("spec", {}), new.get("spec", {})
    found: list[Cause] = []
    for path in (("group",), ("scope",), ("names", "kind"), ("names", "plural")):
        left, right = before, after
        for step in path:
            left, right = (left or {}).get(step), (right or {}).get(step)
        if left != right:
            found.append(causes.invalid(f"spec.{'.'.join(path)}", right, causes.IMMUTABLE))
    return found

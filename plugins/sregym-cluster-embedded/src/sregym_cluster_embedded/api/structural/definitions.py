"""CustomResourceDefinitions: what is wrong with them, in the server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.structural import conversions, fields, internal_types, schemas
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_SCOPES = ("Cluster", "Namespaced")
_NAMES = ("plural", "singular", "kind", "listKind")
# What all versions have in common stands in one place inside the server.
_COMMON = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = (*("byte", "date", "date-time", "double", "float", "int32", "int64", "password"),)
_SELECTABLE = ("string", "boolean", "integer")
_MOST_SELECTABLE = 8
_APPROVED = "api-approved.kubernetes.io"


def named(obj: Object) -> list[Cause]:
    """What is wrong with the name of a new definition."""
    spec, name = obj.get("spec", {}), obj["metadata"].get("name", "")
    if name == f"{spec.get('names', {}).get('plural', '')}.{spec.get('group', '')}":
        return []
    text = 'must be spec.names.plural+"."+spec.group'
    return [causes.invalid("metadata.name", name, text)]


def definition(obj: Object) -> list[Cause]:
    """All causes in a definition, but for its name."""
    spec = obj.get("spec", {})
    found: list[Cause] = []
    group, scope = spec.get("group", ""), spec.get("scope", "")
    if not group:
        found.append(causes.required("spec.group"))
    else:
        wrong = formats.subdomain("spec.group", group)
        if not wrong and "." not in group:
            text = "should be a domain with at least one dot"
            wrong = [causes.invalid("spec.group", group, text)]
        found += wrong
    if not scope:
        found.append(causes.required("spec.scope"))
    else:
        found += causes.one_of("spec.scope", scope, _SCOPES)
    versions = spec.get("versions") or []
    common = {name: _common(versions, name) for name in _COMMON}
    found += _versions(spec, versions, common)
    names = spec.get("names") or {}
    found += [causes.required(f"spec.names.{name}") for name in _NAMES if not names.get(name)]
    found += _names(names)
    status = any(
        (version.get("subresources") or {}).get("status") is not None for version in versions
    )
    if common["schema"]:
        whole = common["schema"].get("openAPIV3Schema")
        if whole is not None:
            place = "spec.validation.openAPIV3Schema"
            found += schemas.of_schema(whole, place, status=status)
    found += _parts(common, "spec", (common["schema"] or {}).get("openAPIV3Schema"))
    found += conversions.configured(spec)
    return found + _stored(obj, versions) + _approval(obj) + _unknown_fields(spec)


def _common(versions: list[Object], name: str) -> Any:
    """The value that a field has in all versions; None when it differs."""
    if not versions:
        return None
    first = versions[0].get(name)
    return first if all(version.get(name) == first for version in versions) else None


def _versions(spec: Object, versions: list[Object], common: dict[str, Any]) -> list[Cause]:
    found: list[Cause] = []
    if not (common["schema"] or {}).get("openAPIV3Schema"):
        found += [
            causes.required(f"spec.versions[{index}].schema.openAPIV3Schema")
            for index, version in enumerate(versions)
            if (version.get("schema") or {}).get("openAPIV3Schema") is None
        ]
    if spec.get("preserveUnknownFields") and any(map(_has_defaults, versions)):
        text = "must be false in order to use defaults in the schema"
        found.append(causes.invalid("spec.preserveUnknownFields", True, text))
    for index, version in enumerate(versions):
        place = f"spec.versions[{index}]"
        found += formats.service_name(f"{place}.name", version.get("name", ""))
        found += _deprecation(version, place)
        own = {name: version.get(name) for name in _COMMON if common[name] is None}
        schema = (own.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            status = (version.get("subresources") or {}).get("status") is not None
            found += schemas.of_schema(schema, f"{place}.schema.openAPIV3Schema", status=status)
        found += _parts(own, place, (version.get("schema") or {}).get("openAPIV3Schema"))
    shown = [
        internal_types.version(
            version, {name: version.get(name) for name in _COMMON if common[name] is None}
        )
        for version in versions
    ] or None
    names = [version.get("name", "") for version in versions]
    if len(set(names)) != len(names):
        found.append(causes.invalid("spec.versions", shown, "must contain unique version names"))
    if sum(1 for version in versions if version.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        found.append(causes.invalid("spec.versions", shown, text))
    return found


def _has_defaults(version: Object) -> bool:
    def within(schema: Any) -> bool:
        return isinstance(schema, dict) and (
            schema.get("default") is not None or any(map(within, structural_below(schema)))
        )

    from sregym_cluster_embedded.api.structural.structurality import below as structural_below

    return within((version.get("schema") or {}).get("openAPIV3Schema"))


def _deprecation(version: Object, place: str) -> list[Cause]:
    text = version.get("deprecationWarning")
    if text is None:
        return []
    at = f"{place}.deprecationWarning"
    if not version.get("deprecated"):
        return [causes.invalid(at, text, "can only be set for deprecated versions")]
    found: list[Cause] = []
    if len(text.encode()) > 256:
        found.append(causes.invalid(at, text, "must be <= 256 characters long"))
    if not text:
        found.append(causes.invalid(at, text, "must not be an empty string"))
    for index, letter in enumerate(text):
        if not letter.isprintable():
            why = (
                "must only contain printable UTF-8 characters; non-printable character found at "
                f"index {len(text[:index].encode())}"
            )
            found.append(causes.invalid(at, text, why))
            break
    return found


def _names(names: Object, place: str = "spec.names") -> list[Cause]:
    found: list[Cause] = []
    for name in _NAMES:
        value = names.get(name, "")
        if not value:
            continue
        if name in ("plural", "singular"):
            found += formats.service_name(f"{place}.{name}", value)
            continue
        head = "may have mixed case, but should otherwise match: "
        found += [
            causes.invalid(f"{place}.{name}", value, head + cause.message.partition('": ')[2])
            for cause in formats.service_name(name, value.lower())
        ]
    for index, short in enumerate(names.get("shortNames") or ()):
        found += formats.service_name(f"{place}.shortNames[{index}]", short)
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        text = "kind and listKind may not be the same"
        found.append(causes.invalid(f"{place}.listKind", names["listKind"], text))
    for index, category in enumerate(names.get("categories") or ()):
        found += formats.service_name(f"{place}.categories[{index}]", category)
    return found


def _parts(given: Object, place: str, schema: Object | None) -> list[Cause]:
    """Subresources, columns and selectable fields, of a version or of all."""
    found = _scale((given.get("subresources") or {}).get("scale"), f"{place}.subresources.scale")
    for index, column in enumerate(given.get("additionalPrinterColumns") or ()):
        found += _column(column, f"{place}.additionalPrinterColumns[{index}]")
    selectable = given.get("selectableFields")
    return found + (
        _selectable(selectable, f"{place}.selectableFields", schema) if selectable else []
    )


def _scale(scale: Object | None, place: str) -> list[Cause]:
    if scale is None:
        return []
    found: list[Cause] = []
    for name, above in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        path, at = scale.get(name, ""), f"{place}.{name}"
        if not path:
            found.append(causes.required(at))
        elif not path.startswith("."):
            found.append(_simple(at, path))
        elif not path.startswith(f"{above}."):
            found.append(causes.invalid(at, path, f"should be a json path under {above}"))
    path, at = scale.get("labelSelectorPath"), f"{place}.labelSelectorPath"
    if path and not path.startswith("."):
        found.append(_simple(at, path))
    elif path and not path.startswith((".spec.", ".status.")):
        text = "should be a json path under either .spec or .status"
        found.append(causes.invalid(at, path, text))
    return found


def _simple(at: str, path: str) -> Cause:
    return causes.invalid(at, path, "must be a simple json path starting with .")


def _column(column: Object, place: str) -> list[Cause]:
    found = [] if column.get("name") else [causes.required(f"{place}.name")]
    type_, listed = column.get("type", ""), f"must be one of {','.join(_COLUMN_TYPES)}"
    if not type_:
        found.append(causes.required(f"{place}.type", listed))
    elif type_ not in _COLUMN_TYPES:
        found.append(causes.invalid(f"{place}.type", type_, listed))
    format_ = column.get("format", "")
    if format_ and format_ not in _COLUMN_FORMATS:
        text = f"must be one of {','.join(_COLUMN_FORMATS)}"
        found.append(causes.invalid(f"{place}.format", format_, text))
    path = column.get("jsonPath", "")
    if not path:
        found.append(causes.required(f"{place}.JSONPath"))
    elif not path.startswith("."):
        found.append(_simple(f"{place}.JSONPath", path))
    return found


def _selectable(selectable: list[Object], place: str, schema: Object | None) -> list[Cause]:
    found: list[Cause] = []
    seen: list[str] = []
    for index, entry in enumerate(selectable):
        path, at = entry.get("jsonPath", ""), f"{place}[{index}].jsonPath"
        if not path:
            found.append(causes.required(at))
            continue
        target, why = fields.path_of(path, schema or {})
        if why:
            found.append(causes.invalid(at, path, f"is an invalid path: {why}"))
            continue
        if path.startswith(".metadata"):
            found.append(causes.invalid(at, path, "must not point to fields in metadata"))
        if target.get("type") not in _SELECTABLE:
            text = (
                "must point to a field of type string, boolean or integer. Enum string fields and "
                "strings with formats are allowed."
            )
            found.append(causes.invalid(at, path, text))
        if path in seen:
            found.append(causes.duplicate(at, path))
        seen.append(path)
    if len(set(seen)) > _MOST_SELECTABLE:
        text = f"Too many: {len(set(seen))}: must have at most {_MOST_SELECTABLE} items"
        found.append(causes.counted(place, text))
    return found


def _stored(obj: Object, versions: list[Object]) -> list[Cause]:
    """Versions that objects may still be stored in have to stay."""
    at = "status.storedVersions"
    storage = next((version.get("name", "") for version in versions if version.get("storage")), "")
    stored = list((obj.get("status") or {}).get("storedVersions") or ())
    if storage and storage not in stored:
        stored.append(storage)
    if not stored:
        return [causes.invalid(at, None, "must have at least one stored version")]
    known = {version.get("name") for version in versions}
    return [
        causes.invalid(
            f"{at}[{index}]",
            name,
            f"missing from spec.versions; {name} was previously a storage version, and must remain "
            "in spec.versions until a storage migration ensures no data remains persisted in "
            f"{name} and removes {name} from status.storedVersions",
        )
        for index, name in enumerate(stored)
        if name not in known
    ]


def _approval(obj: Object) -> list[Cause]:
    """Groups of the Kubernetes community need an approval."""
    group = obj.get("spec", {}).get("group", "")
    if group not in ("k8s.io", "kubernetes.io") and not group.endswith(
        (".k8s.io", ".kubernetes.io")
    ):
        return []
    said = (obj["metadata"].get("annotations") or {}).get(_APPROVED, "")
    head = f'protected groups must have approval annotation "{_APPROVED}"'
    link = "see https://github.com/kubernetes/enhancements/pull/1111"
    at = f"metadata.annotations[{_APPROVED}]"
    if not said:
        return [causes.required(at, f"{head}, {link}")]
    scheme, mark, rest = said.partition("://")
    if said.startswith("unapproved") or (mark and scheme and rest.partition("/")[0]):
        return []
    text = f'{head} with either a URL or a reason starting with "unapproved", {link}'
    return [causes.invalid(at, said, text)]


def _unknown_fields(spec: Object) -> list[Cause]:
    if not spec.get("preserveUnknownFields"):
        return []
    text = (
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
        "spec.versions[*].schema instead"
    )
    return [causes.invalid("spec.preserveUnknownFields", True, text)]


def changed(old: Object, new: Object) -> list[Cause]:
    """What cannot change in a definition that is served."""
    before, after = old.get("spec", {}), new.get("spec", {})
    found = conversions.changed_authority(old, new)
    for path in (("scope",), ("names", "kind"), ("group",), ("names", "plural")):
        left, right = before, after
        for step in path:
            left, right = (left or {}).get(step), (right or {}).get(step)
        if left != right:
            found.append(causes.invalid(f"spec.{'.'.join(path)}", right, causes.IMMUTABLE))
    return found

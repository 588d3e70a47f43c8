"""What the expressions of a policy get wrong about the types of the objects it is for."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from sregym_cel import CompileError
from sregym_cel.kinds import DYN, UNKNOWN, Kind

from sregym_cluster_embedded.api import custom, resources, schema
from sregym_cluster_embedded.api.dynamic import conditions, kinds
from sregym_cluster_embedded.api.expressions import check, compile_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_MOST_TYPES = 10


def checked(world: World, policy: Object) -> Object:
    """`status.typeChecking` of a ValidatingAdmissionPolicy."""
    spec = policy.get("spec") or {}
    types = [(kind, _of_resource(world, kind)) for kind in _types(world, spec)]
    params = _params(world, spec.get("paramKind"))
    warnings: list[Object] = []
    for index, validation in enumerate(spec.get("validations") or ()):
        for field in ("expression", "messageExpression"):
            text = validation.get(field)
            found = [
                f"{kind.api_version if kind.group else '/v1'}, Kind={kind.kind}: {issue}\n"
                for kind, of_object in types
                if text and of_object and (issue := _issue(text, spec, of_object, params))
            ]
            if found:
                place = f"spec.validations[{index}].{field}"
                warnings.append({"fieldRef": place, "warning": "\n".join(found)})
    return {"expressionWarnings": warnings} if warnings else {}


def _issue(text: str, spec: Object, of_object: Kind, params: Kind) -> str:
    known = {**kinds.COMMON, "object": of_object, "oldObject": of_object, "params": params}
    declared: dict[str, Kind] = {}
    known["variables"] = kinds.variables(declared)
    for variable in spec.get("variables") or ():
        declared[variable.get("name", "")] = _compiled(variable.get("expression", ""), known)[0]
    return _compiled(text, known)[1]


def _compiled(text: str, known: dict[str, Kind]) -> tuple[Kind, str]:
    try:
        compile_expression(text, conditions.NAMES)
    except CompileError as error:
        return UNKNOWN, str(error)
    checked = check(text, known)
    return checked.kind, checked.text


def _types(world: World, spec: Object) -> list[Resource]:
    """The types that rules without wildcards name, sorted; of too many only the first."""
    found: dict[tuple[str, str, str], Resource] = {}
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        for taken, kind in enumerate(_named(world, rule), start=1):
            found[kind.group, kind.version, kind.kind] = kind
            if taken == _MOST_TYPES:
                return [found[key] for key in sorted(found)]
    return [found[key] for key in sorted(found)]


def _named(world: World, rule: Object) -> Iterator[Resource]:
    groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
    if any("*" in text for text in (*groups, *versions)):
        return
    plain = [name for name in rule.get("resources") or () if not set(name) & set("*/")]
    for group, version, plural in product(sorted(groups), sorted(versions), sorted(plain)):
        kind = custom.at_path(world, group, version, plural)
        if kind is not None:
            yield kind


def _of_resource(world: World, kind: Resource) -> Kind | None:
    definition = schema.of_kind(kind.group, kind.version, kind.kind)
    if definition is not None:
        return kinds.of_definition(definition.name)
    version: Any = custom.version_of(world, kind) or {}
    return _custom((version.get("schema") or {}).get("openAPIV3Schema") or {})


def _custom(given: Object) -> Kind | None:
    from sregym_cluster_embedded.api.structural import fields

    own = fields.kind_of(given, at_root=True)
    if own is None or own.fields is None:
        return own
    look, metadata = own.fields, kinds.of_definition(schema.OBJECT_META)
    return Kind(own.name, fields=lambda name: metadata if name == "metadata" else look(name))


def _params(world: World, given: Object | None) -> Kind:
    if not given:
        return DYN
    kind = resources.of_kind(given.get("apiVersion", ""), given.get("kind", "")) or next(
        (
            entry
            for entry in custom.defined(world)
            if (entry.api_version, entry.kind) == (given.get("apiVersion"), given.get("kind"))
        ),
        None,
    )
    return DYN if kind is None else _of_resource(world, kind) or DYN

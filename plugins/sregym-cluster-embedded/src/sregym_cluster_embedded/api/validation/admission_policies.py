"""Admission policies and their bindings: what is wrong with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, expressions, formats
from sregym_cluster_embedded.api.validation.admission_objects import (
    MATCHES,
    POLICIES,
    REINVOCATIONS,
    rules,
    word,
)

if TYPE_CHECKING:
    from sregym_cel.kinds import Kind

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_ACTIONS = ("Audit", "Deny", "Warn")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_MUTATED = ("*", "CONNECT", "CREATE", "UPDATE")
_PATCHES = {
    "ApplyConfiguration": ("applyConfiguration", "Object"),
    "JSONPatch": ("jsonPatch", "list(JSONPatch)"),
}
_IDENTIFIER = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")
_RESERVED = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return", "var"),
        *("void", "while"),
    )
)
_MOST_ANNOTATIONS = 20
_LONGEST_ANNOTATION = 5 * 1024
_BOTH_ACTIONS = (
    "must not contain both Deny and Warn (repeating the same validation failure information in "
    "the API response and headers serves no purpose)"
)


def policy(obj: Object) -> list[Cause]:
    """ValidatingAdmissionPolicy."""
    spec = obj.get("spec", {})
    found = _head(spec)
    given = spec.get("variables") or ()
    names = expressions.known(params=spec.get("paramKind") is not None)
    found += _variables(given, names)
    validations, annotations = spec.get("validations"), spec.get("auditAnnotations")
    if not validations and not annotations:
        text = "validations or auditAnnotations must contain at least one item"
        return [
            *found,
            causes.required("spec.validations", text),
            causes.required("spec.auditAnnotations", text),
        ]
    for index, validation in enumerate(validations or ()):
        found += _validation(validation, f"spec.validations[{index}]", names)
    return found + _annotations(obj, annotations or (), names)


def mutating_policy(obj: Object) -> list[Cause]:
    """MutatingAdmissionPolicy."""
    spec = obj.get("spec", {})
    found = _head(spec, mutating=True)
    names = expressions.known(params=spec.get("paramKind") is not None)
    found += _variables(spec.get("variables") or (), names)
    mutations = spec.get("mutations")
    if not mutations:
        text = "mutations must contain at least one item"
        found.append(causes.required("spec.mutations", text))
    for index, mutation in enumerate(mutations or ()):
        found += _mutation(mutation, f"spec.mutations[{index}]", names)
    if not spec.get("reinvocationPolicy"):
        return [*found, causes.required("spec.reinvocationPolicy")]
    return found + word(spec, "reinvocationPolicy", REINVOCATIONS, "spec")


def _head(spec: Object, *, mutating: bool = False) -> list[Cause]:
    """What both kinds of policies begin with."""
    found = word(spec, "failurePolicy", POLICIES, "spec")
    params = spec.get("paramKind")
    if params is not None:
        found += _param_kind(params)
    constraints, place = spec.get("matchConstraints"), "spec.matchConstraints"
    if constraints is None:
        found.append(causes.required(place))
    else:
        found += _match(constraints, place)
        if not constraints.get("resourceRules"):
            found.append(causes.required(f"{place}.resourceRules"))
        if mutating:
            found += _mutated(constraints, place)
    given = spec.get("matchConditions") or ()
    return found + expressions.conditions(given, "spec.matchConditions", params=params is not None)


def _match(given: Object, place: str) -> list[Cause]:
    found = word(given, "matchPolicy", MATCHES, place)
    for field in ("resourceRules", "excludeResourceRules"):
        found += rules(given.get(field) or (), f"{place}.{field}")
    return found


def _mutated(given: Object, place: str) -> list[Cause]:
    """Only what is created or changed can be mutated."""
    return [
        causes.unsupported(f"{place}.resourceRules.operations", operation, _MUTATED)
        for rule in given.get("resourceRules") or ()
        for operation in rule.get("operations") or ()
        if operation not in _MUTATED
    ]


def _param_kind(given: Object) -> list[Cause]:
    place = "spec.paramKind"
    version, kind = given.get("apiVersion", ""), given.get("kind", "")
    found: list[Cause] = []
    group, slash, name = version.rpartition("/")
    at = f"{place}.apiVersion"
    if not version:
        found.append(causes.required(at))
    elif version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        found.append(causes.invalid(at, version, text))
    else:
        found += formats.subdomain(at, group) if slash and group else []
        if not name:
            found.append(causes.invalid(at, version, "version must be specified"))
        else:
            found += formats.service_name(at, name)
    if not kind:
        return [*found, causes.required(f"{place}.kind")]
    texts = [
        cause.message.partition('": ')[2]
        for cause in formats.service_name(f"{place}.kind", kind.lower())
    ]
    if texts:
        text = f"may have mixed case, but should otherwise match: {','.join(texts)}"
        found.append(causes.invalid(f"{place}.kind", kind, text))
    return found


def _variables(given: Any, names: dict[str, Kind]) -> list[Cause]:
    """Variables of a policy: each knows those before it; `names` gets `variables`."""
    from sregym_cluster_embedded.api.dynamic.kinds import variables

    found: list[Cause] = []
    kinds: dict[str, Kind] = {}
    if given:
        names["variables"] = variables(kinds)
    for index, variable in enumerate(given):
        place = f"spec.variables[{index}]"
        name, text = variable.get("name", ""), variable.get("expression", "")
        if not name.strip():
            found.append(causes.required(f"{place}.name", "name is not specified"))
        elif not _IDENTIFIER.fullmatch(name) or name in _RESERVED:
            told = "name is not a valid CEL identifier"
            found.append(causes.invalid(f"{place}.name", name, told))
        if not text.strip():
            found.append(causes.required(f"{place}.expression", "expression is not specified"))
            continue
        kinds[name], wrong = expressions.compiled(text, f"{place}.expression", names)
        found += wrong
    return found


def _validation(validation: Object, place: str, names: dict[str, Kind]) -> list[Cause]:
    text = validation.get("expression", "")
    if not text.strip():
        found = [causes.required(f"{place}.expression", "expression is not specified")]
    else:
        found = expressions.expression(text, f"{place}.expression", names)
    text, at = validation.get("messageExpression", ""), f"{place}.messageExpression"
    if text and not text.strip():
        found.append(causes.invalid(at, text, "must be non-empty if specified"))
    elif text:
        quiet = {name: kind for name, kind in names.items() if name != "authorizer"}
        found += expressions.expression(text, at, quiet, ("string",))
    text, at = validation.get("message", ""), f"{place}.message"
    if text and not text.strip():
        found.append(causes.invalid(at, text, "message must be non-empty if specified"))
    elif "\n" in text.strip() or "\r" in text.strip():
        found.append(causes.invalid(at, text, "message must not contain line breaks"))
    return found + word(validation, "reason", _REASONS, place)


def _annotations(obj: Object, given: Any, names: dict[str, Kind]) -> list[Cause]:
    place = "spec.auditAnnotations"
    found: list[Cause] = []
    if len(given) > _MOST_ANNOTATIONS:
        text = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        found.append(causes.invalid(place, given, text))
    keys: list[str] = []
    for index, annotation in enumerate(given):
        at, key = f"{place}[{index}]", annotation.get("key", "")
        text = annotation.get("valueExpression", "").strip()
        found += formats.qualified(f"{at}.key", f"{obj['metadata'].get('name', '')}/{key}")
        at_value = f"{at}.valueExpression"
        if not text:
            found.append(causes.required(at_value, "valueExpression is not specified"))
        elif len(text) > _LONGEST_ANNOTATION:
            told = f"must not exceed {_LONGEST_ANNOTATION} bytes in length"
            found.append(causes.required(at_value, told))
        else:
            found += expressions.expression(text, at_value, names, ("string", "null_type"))
        if key in keys:
            found.append(causes.duplicate(f"{at}.key", key))
        keys.append(key)
    return found


def _mutation(mutation: Object, place: str, names: dict[str, Kind]) -> list[Cause]:
    type_ = mutation.get("patchType")
    if not type_:
        return [causes.required(f"{place}.patchType")]
    if type_ not in _PATCHES:
        return [causes.unsupported(f"{place}.patchType", type_, tuple(_PATCHES))]
    field, wanted = _PATCHES[type_]
    given, at = mutation.get(field), f"{place}.{field}"
    if given is None:
        found = [causes.required(at, f"must be specified when patchType is {type_}")]
    elif not (text := given.get("expression", "").strip()):
        found = [causes.required(f"{at}.expression")]
    else:
        found = expressions.expression(text, f"{at}.expression", names, (wanted,))
    found.extend(
        causes.invalid(
            f"{place}.{other}", f"{{{other}}}", f"must not be specified when patchType is {type_}"
        )
        for other, _ in _PATCHES.values()
        if other != field and mutation.get(other) is not None
    )
    return found


def binding(obj: Object) -> list[Cause]:
    """ValidatingAdmissionPolicyBinding."""
    spec = obj.get("spec", {})
    found = _bound(spec)
    actions = spec.get("validationActions") or []
    place = "spec.validationActions"
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            found.append(causes.unsupported(f"{place}[{index}]", action, _ACTIONS))
        if action in actions[:index]:
            found.append(causes.duplicate(f"{place}[{index}]", action))
    if "Deny" in actions and "Warn" in actions:
        found.append(causes.invalid(place, actions, _BOTH_ACTIONS))
    if not actions:
        found.append(causes.required(place, "at least one validation action is required"))
    return found


def mutating_binding(obj: Object) -> list[Cause]:
    """MutatingAdmissionPolicyBinding."""
    spec = obj.get("spec", {})
    return _bound(spec) + _mutated(spec.get("matchResources") or {}, "spec.matchResources")


def _bound(spec: Object) -> list[Cause]:
    """What both kinds of bindings have."""
    name = spec.get("policyName")
    if not name:
        found = [causes.required("spec.policyName")]
    else:
        found = formats.subdomain("spec.policyName", name)
    if spec.get("paramRef") is not None:
        found += _reference(spec["paramRef"])
    if spec.get("matchResources") is not None:
        found += _match(spec["matchResources"], "spec.matchResources")
    return found


def _reference(reference: Object) -> list[Cause]:
    place = "spec.paramRef"
    name, selected = reference.get("name"), reference.get("selector") is not None
    found = formats.path_segment(f"{place}.name", name) if name else []
    if name and selected:
        text = "name and selector are mutually exclusive"
        found += [
            causes.forbidden(f"{place}.name", text),
            causes.forbidden(f"{place}.selector", text),
        ]
    elif not name and not selected:
        found.append(causes.required(place, "one of name or selector must be specified"))
    action = reference.get("parameterNotFoundAction")
    if not action:
        found.append(causes.required(f"{place}.parameterNotFoundAction"))
    elif action not in ("Allow", "Deny"):
        place = f"{place}.parameterNotFoundAction"
        found.append(causes.unsupported(place, action, ("Deny", "Allow")))
    return found

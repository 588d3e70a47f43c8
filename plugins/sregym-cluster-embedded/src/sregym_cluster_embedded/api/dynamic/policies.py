"""ValidatingAdmissionPolicies and their bindings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_cel import CelError, CompileError

from sregym_cluster_embedded.api import custom, errors, resources, selectors
from sregym_cluster_embedded.api.dynamic import conditions, matching
from sregym_cluster_embedded.api.dynamic.configured_types import BINDINGS, POLICIES
from sregym_cluster_embedded.api.expressions import compile_expression
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CODES = {"Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413, "Unauthorized": 401}


@dataclass(frozen=True)
class _Refusal:
    """What a policy has against a request.

    Attributes:
        policy: Its name.
        binding: Name of the binding; empty where the policy itself is at fault.
        message: Why.
        reason: For the answer.
        certain: Whether the request is denied whatever the binding says is to be done.
    """

    policy: str
    binding: str
    message: str
    reason: str = "Invalid"
    certain: bool = False


class Unconfigured(Exception):
    """A binding whose parameters cannot be found; the text is the server's."""


def validate(world: World, attributes: Attributes) -> None:
    """Evaluate all bound policies; the first refusal that is to deny counts.

    Raises:
        errors.ApiError: The request is refused, with the code of the validation's reason.
    """
    denied: list[_Refusal] = []
    for policy in world.store.list(POLICIES, ""):
        name = policy["metadata"]["name"]
        constraints = policy["spec"].get("matchConstraints")
        resource = matching.by_resources(world, attributes, constraints or {})
        if resource is None:
            continue
        bindings = [
            binding
            for binding in world.store.list(BINDINGS, "")
            if binding["spec"].get("policyName") == name
        ]
        missing = missing_kind(world, policy["spec"]) if bindings else ""
        if missing:
            if policy["spec"].get("failurePolicy", "Fail") != "Ignore":
                text = f"failed to configure policy: {missing}"
                denied.append(_Refusal(name, "", text, certain=True))
            continue
        for binding in bindings:
            limits = binding["spec"].get("matchResources")
            if matching.by_resources(world, attributes, limits) is None:
                continue
            refusals = _refusals(world, attributes, resource, policy, binding)
            actions = binding["spec"].get("validationActions", ())
            for refusal in refusals:
                if "Deny" in actions or refusal.certain:
                    denied.append(refusal)
                elif "Warn" in actions:
                    attributes.warnings.append(_warning(refusal))
    if denied:
        raise _error(attributes, denied[0])


def _warning(refusal: _Refusal) -> str:
    return (
        f"Validation failed for ValidatingAdmissionPolicy '{refusal.policy}' "
        f"with binding '{refusal.binding}': {refusal.message}"
    )


def _error(attributes: Attributes, refusal: _Refusal) -> errors.ApiError:
    bound = f" with binding '{refusal.binding}'" if refusal.binding else ""
    text = f"ValidatingAdmissionPolicy '{refusal.policy}'{bound} denied request: {refusal.message}"
    forbidden = errors.forbidden(attributes.kind, attributes.name, text)
    details = {**forbidden.status["details"], "causes": [{"message": text}]}
    code = _CODES.get(refusal.reason, 422)
    return errors.ApiError(code, refusal.reason, forbidden.message, details)


def _refusals(
    world: World, attributes: Attributes, resource: Resource, policy: Object, binding: Object
) -> list[_Refusal]:
    """What one binding has against a request."""
    name, bound = policy["metadata"]["name"], binding["metadata"]["name"]
    strict = policy["spec"].get("failurePolicy", "Fail") != "Ignore"
    try:
        all_params = list(params_of(world, attributes, policy["spec"], binding["spec"]))
    except Unconfigured as error:
        text = f"failed to configure binding: {error}"
        return [_Refusal(name, bound, text, certain=True)] if strict else []
    found: list[_Refusal] = []
    for params in all_params:
        known = conditions.variables(world, attributes, resource, params)
        known["variables"] = Variables(policy["spec"].get("variables", ()), known).values
        holds, why = conditions.met(policy["spec"].get("matchConditions", ()), known)
        if why and strict:
            found.append(_Refusal(name, bound, why))
        if not holds:
            continue
        for validation in policy["spec"].get("validations", ()):
            refusal = _validation(validation, known, strict)
            if refusal is not None:
                message, reason = refusal
                found.append(_Refusal(name, bound, message, reason))
    return found


class Variables:
    """The variables of a policy: worked out when first read, each at most once."""

    def __init__(self, given: Any, known: dict[str, Any]) -> None:
        self._known = known
        self._done: dict[str, Any] = {}
        self.values: dict[str, Any] = _Lazy(
            {entry["name"]: partial(self._value, entry) for entry in given}
        )

    def _value(self, entry: Object) -> Any:
        name = entry["name"]
        if name not in self._done:
            try:
                program = compile_expression(entry.get("expression", ""), conditions.NAMES)
                self._done[name] = program.evaluate(self._known)
            except (CelError, CompileError) as error:
                self._done[name] = CelError(
                    f'composited variable "{name}" fails to evaluate: {error}'
                )
        value = self._done[name]
        if isinstance(value, CelError):
            raise value
        return value


class _Lazy(dict[str, Any]):
    """A map whose values are made when they are read."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)()


def _validation(validation: Object, known: dict[str, Any], strict: bool) -> tuple[str, str] | None:
    """Message and reason of a validation that fails; None when it holds."""
    text = validation.get("expression", "")
    reason = validation.get("reason") or "Invalid"
    try:
        value = compile_expression(text, conditions.NAMES).evaluate(known)
    except (CelError, CompileError) as error:
        why = f"expression '{text}' resulted in error: {error}"
        return (why, "Invalid") if strict else None
    if value is True:
        return None
    message = validation.get("message", "").strip()
    said = _message(validation.get("messageExpression", ""), known)
    return said or message or f"failed expression: {text.strip()}", reason


def _message(text: str, known: dict[str, Any]) -> str:
    """What a message expression says; empty when it says nothing usable."""
    if not text:
        return ""
    try:
        value = compile_expression(text, conditions.NAMES).evaluate(known)
    except (CelError, CompileError):
        return ""
    usable = isinstance(value, str) and "\n" not in value and len(value) <= 5 * 1024
    return value.strip() if usable else ""


def params_of(
    world: World, attributes: Attributes, policy: Object, binding: Object
) -> Iterator[Object | None]:
    """The parameter objects that a binding names; one None for a policy without.

    Raises:
        Unconfigured: There are none, and the binding denies then.
    """
    kind, reference = policy.get("paramKind"), binding.get("paramRef")
    if not kind or not reference:
        yield None
        return
    resource = _of_kind(world, kind.get("apiVersion", ""), kind.get("kind", ""))
    if resource is None:
        raise Unconfigured(missing_kind(world, policy))
    namespace = reference.get("namespace") or attributes.namespace
    if resource.namespaced and not namespace:
        text = (
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
        )
        raise Unconfigured(text)
    if not resource.namespaced and reference.get("namespace"):
        text = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
        raise Unconfigured(text)
    place = namespace if resource.namespaced else ""
    found: list[Object] = []
    if reference.get("name"):
        one = world.store.get(Key(resource.name, place, reference["name"]))
        found = [one] if one is not None else []
    else:
        wanted = selectors.of_object(reference.get("selector")) or ()
        found = [
            obj
            for obj in world.store.list(resource.name, place)
            if selectors.labels_match(wanted, obj["metadata"].get("labels", {}))
        ]
    if not found and reference.get("parameterNotFoundAction", "Deny") == "Deny":
        text = "no params found for policy binding with `Deny` parameterNotFoundAction"
        raise Unconfigured(text)
    yield from found


def missing_kind(world: World, policy: Object) -> str:
    """What is said of a policy whose parameters are of a kind that nobody knows; empty if not."""
    kind = policy.get("paramKind")
    if not kind or _of_kind(world, kind.get("apiVersion", ""), kind.get("kind", "")) is not None:
        return ""
    named = f"{kind.get('apiVersion')}, Kind={kind.get('kind')}"
    return f"failed to find resource referenced by paramKind: '{named}'"


def _of_kind(world: World, api_version: str, kind: str) -> Resource | None:
    found = resources.of_kind(api_version, kind)
    if found is not None:
        return found
    for entry in custom.defined(world):
        if (entry.api_version, entry.kind) == (api_version, kind):
            return entry
    return None

"""MutatingAdmissionPolicies and their bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel import CelError, CompileError

from sregym_cluster_embedded.api import body, errors, schema
from sregym_cluster_embedded.api.decode import DecodeError
from sregym_cluster_embedded.api.dynamic import conditions, configurations, matching
from sregym_cluster_embedded.api.dynamic.configured_types import (
    MUTATING_BINDINGS,
    MUTATING_POLICIES,
)
from sregym_cluster_embedded.api.dynamic.policies import (
    Unconfigured,
    Variables,
    missing_kind,
    params_of,
)
from sregym_cluster_embedded.api.dynamic.webhooks import accepted
from sregym_cluster_embedded.api.expressions import compile_expression
from sregym_cluster_embedded.api.patches import jsonpatch, merge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class _FailedError(Exception):
    """A policy cannot be applied; the text says why."""


class _Failures:
    """What went wrong in the policies of one request that may not be ignored."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, policy: Object, binding: Object | None, error: Exception) -> None:
        """Note why a policy could not be applied, and the reason that clients see."""
        if policy["spec"].get("failurePolicy", "Fail") == "Ignore":
            return
        name, text, reason = policy["metadata"]["name"], str(error), "Invalid"
        if binding is None:
            text, reason = f"failed to configure policy: {text}", "Forbidden"
            self.found.append((f'policy "{name}" denied request: {text}', reason))
            return
        if isinstance(error, Unconfigured):
            text, reason = f"failed to configure binding: {text}", "Forbidden"
        bound = binding["metadata"]["name"]
        text = f"policy '{name}' with binding '{bound}' denied request: {text}"
        self.found.append((text, reason))

    def check(self, attributes: Attributes) -> None:
        """Refuse the request when there are any.

        Raises:
            errors.ApiError: The first one's words and reason, and all of them as causes.
        """
        if not self.found:
            return
        message, reason = self.found[0]
        details = dict(errors.forbidden(attributes.kind, attributes.name, "").status["details"])
        details["causes"] = [{"message": text} for text, _ in self.found]
        raise errors.ApiError(403, reason, message, details)


def mutate(world: World, attributes: Attributes) -> Object | None:
    """The object after all bound policies, in the order of their names.

    One with `reinvocationPolicy: IfNeeded` is applied a second time when the object changed after
    it was.

    Raises:
        errors.ApiError: One of them cannot be applied, and its failurePolicy is Fail.
    """
    obj = attributes.obj
    if obj is None:
        return None
    failures = _Failures()
    seen: dict[tuple[str, str], Object] = {}
    for policy, binding, resource in _bound(world, attributes, failures):
        obj = _applied(world, attributes.with_object(obj), resource, policy, binding, failures)
        if policy["spec"].get("reinvocationPolicy") == "IfNeeded":
            seen[_names(policy, binding)] = obj
    failures.check(attributes)
    for policy, binding, resource in _bound(world, attributes, failures) if seen else ():
        if seen.get(_names(policy, binding), obj) != obj:
            obj = _applied(world, attributes.with_object(obj), resource, policy, binding, failures)
    failures.check(attributes)
    return obj


def _names(policy: Object, binding: Object) -> tuple[str, str]:
    return policy["metadata"]["name"], binding["metadata"]["name"]


def _bound(
    world: World, attributes: Attributes, failures: _Failures
) -> Iterator[tuple[Object, Object, Resource]]:
    """The policies and bindings that a request concerns, and as what."""
    for policy in world.store.list(MUTATING_POLICIES, ""):
        constraints = policy["spec"].get("matchConstraints") or {}
        resource = matching.by_resources(world, attributes, constraints)
        if resource is None:
            continue
        bindings = [
            binding
            for binding in world.store.list(MUTATING_BINDINGS, "")
            if binding["spec"].get("policyName") == policy["metadata"]["name"]
        ]
        missing = missing_kind(world, policy["spec"]) if bindings else ""
        if missing:
            failures.add(policy, None, Unconfigured(missing))
            continue
        for binding in bindings:
            limits = binding["spec"].get("matchResources")
            if matching.by_resources(world, attributes, limits) is not None:
                yield policy, binding, resource


def _applied(
    world: World,
    attributes: Attributes,
    resource: Resource,
    policy: Object,
    binding: Object,
    failures: _Failures,
) -> Object:
    """The object after one binding; unchanged where a match condition does not hold."""
    assert attributes.obj is not None
    spec = policy["spec"]
    try:
        for params in params_of(world, attributes, spec, binding["spec"]):
            known = conditions.variables(world, attributes, resource, params)
            known["variables"] = Variables(spec.get("variables", ()), known).values
            holds, why = conditions.met(spec.get("matchConditions", ()), known)
            if why:
                failures.add(policy, binding, _FailedError(why))
            for mutation in spec.get("mutations", ()) if holds else ():
                try:
                    changed = _changed(mutation, resource, known)
                except (_FailedError, configurations.ConfigurationError) as error:
                    failures.add(policy, binding, error)
                    continue
                attributes = attributes.with_object(_stored(attributes, resource, changed))
                known["object"] = attributes.served(resource, attributes.obj)
    except Unconfigured as error:
        failures.add(policy, binding, error)
    assert attributes.obj is not None
    return attributes.obj


def _stored(attributes: Attributes, resource: Resource, changed: Any) -> Object:
    """A mutated object in the form in which it is stored.

    Raises:
        errors.ApiError: It has unknown fields, or values of other types.
    """
    try:
        _, unknown = body.canonical(changed, resource.group, resource.version, resource.kind)
    except DecodeError as error:
        raise errors.internal(str(error)) from None
    if unknown:
        texts = ", ".join(f'unknown field "{field}"' for field in unknown)
        raise errors.internal(f"strict decoding error: {texts}")
    return accepted(attributes, resource, changed)


def _changed(mutation: Object, resource: Resource, known: dict[str, Any]) -> Any:
    """The object, as served, after one mutation."""
    if mutation.get("patchType") == "JSONPatch":
        operations = _value(mutation.get("jsonPatch") or {}, known)
        try:
            return jsonpatch.done(known["object"], operations)
        except jsonpatch.TestFailedError:
            return known["object"]
        except jsonpatch.CannotApplyError as error:
            raise _FailedError(f"JSON Patch: {error}") from None
    wanted = _value(mutation.get("applyConfiguration") or {}, known)
    if not isinstance(wanted, dict):
        raise _FailedError("must evaluate to Object")
    definition = schema.of_kind(resource.group, resource.version, resource.kind)
    if definition is None:
        return merge.apply(known["object"], wanted)
    return configurations.merged(known["object"], wanted, definition)


def _value(given: Object, known: dict[str, Any]) -> Any:
    text = given.get("expression", "")
    try:
        value = compile_expression(text, conditions.NAMES).evaluate(known)
    except (CelError, CompileError) as error:
        message = f"expression '{text}' resulted in error: {error}"
        raise _FailedError(message) from None
    configurations.check_names(text)
    return value

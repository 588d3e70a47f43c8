"""Webhooks: which are asked, in which order, and what their answers mean."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import conversion, defaults, errors
from sregym_cluster_embedded.api.dynamic import conditions, matching
from sregym_cluster_embedded.api.dynamic.attributes import OF_ANOTHER_KIND
from sregym_cluster_embedded.api.dynamic.configured_types import MUTATING, VALIDATING
from sregym_cluster_embedded.api.dynamic.elapsed import GIVEN_UP
from sregym_cluster_embedded.api.dynamic.webhook_client import CallFailed, review
from sregym_cluster_embedded.api.patches import jsonpatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.dynamic.elapsed import Elapsed
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def validate(world: World, attributes: Attributes) -> None:
    """Ask all validating webhooks; the first refusal in their order counts.

    Raises:
        errors.ApiError: As a webhook said, or as its failure demands.
    """
    failure: errors.ApiError | None = None
    slowest_s = 0.0
    for _, hook, resource in _asked(world, attributes, VALIDATING):
        # All are asked at once: the time is that of the slowest.
        apart = replace(attributes, elapsed=replace(attributes.elapsed))
        try:
            _ask(world, hook, apart, resource, mutating=False)
        except errors.ApiError as error:
            failure = failure or error
        slowest_s = max(slowest_s, apart.elapsed.seconds - attributes.elapsed.seconds)
    attributes.elapsed.pass_by(world, slowest_s)
    if failure is not None:
        raise failure


def mutate(world: World, attributes: Attributes) -> Object | None:
    """The object after all mutating webhooks.

    One with `reinvocationPolicy: IfNeeded` is asked a second time when the object changed after
    it was asked.

    Raises:
        errors.ApiError: As a webhook said, or as its failure demands.
    """
    obj = attributes.obj
    seen: dict[tuple[str, str], Object | None] = {}
    for place, hook, resource in _asked(world, attributes, MUTATING):
        now = attributes if obj is None else attributes.with_object(obj)
        obj = _mutated(world, hook, now, resource)
        seen[place] = obj
    for place, hook, resource in _asked(world, attributes, MUTATING):
        again = hook.get("reinvocationPolicy") == "IfNeeded" and seen.get(place, obj) != obj
        if again and obj is not None:
            obj = _mutated(world, hook, attributes.with_object(obj), resource)
    return obj


def _asked(
    world: World, attributes: Attributes, configurations: str
) -> Iterator[tuple[tuple[str, str], Object, Resource]]:
    """The webhooks that a request concerns: (configuration, webhook) names, it, and as what."""
    for configuration in world.store.list(configurations, ""):
        for hook in configuration.get("webhooks") or ():
            if not matching.by_selectors(world, attributes, hook):
                continue
            policy = hook.get("matchPolicy", "Equivalent")
            resource = matching.by_rules(attributes, hook.get("rules", ()), policy)
            if resource is None or not _conditions_hold(world, hook, attributes, resource):
                continue
            yield (configuration["metadata"]["name"], hook["name"]), hook, resource


def _conditions_hold(
    world: World, hook: Object, attributes: Attributes, resource: Resource
) -> bool:
    if not hook.get("matchConditions"):
        return True
    known = conditions.variables(world, attributes, resource)
    holds, why = conditions.met(hook["matchConditions"], known)
    if why and hook.get("failurePolicy", "Fail") != "Ignore":
        raise errors.forbidden(attributes.kind, attributes.name, why)
    return holds


def _mutated(
    world: World, hook: Object, attributes: Attributes, resource: Resource
) -> Object | None:
    response = _ask(world, hook, attributes, resource, mutating=True)
    patch = response.get("patch")
    if not patch or attributes.obj is None:
        return attributes.obj
    try:
        operations = orjson.loads(base64.b64decode(patch))
    except (orjson.JSONDecodeError, binascii.Error, TypeError, ValueError) as error:
        raise errors.internal(str(error)) from None
    try:
        changed = jsonpatch.apply(attributes.served(resource, attributes.obj), operations)
    except errors.ApiError as error:
        raise errors.internal(error.message) from None
    return accepted(attributes, resource, changed)


def accepted(attributes: Attributes, resource: Resource, changed: Any) -> Object:
    """A patched object in the form in which it is stored."""
    from sregym_cluster_embedded.api import body
    from sregym_cluster_embedded.api.decode import DecodeError

    try:
        checked, _ = body.canonical(changed, resource.group, resource.version, resource.kind)
    except DecodeError as error:
        raise errors.internal(str(error)) from None
    if attributes.subresource in OF_ANOTHER_KIND:
        return changed if isinstance(changed, dict) else {}
    assert attributes.obj is not None
    stored = conversion.to_stored(resource, {**checked, "metadata": checked.get("metadata", {})})
    kept: Object = {k: attributes.obj[k] for k in ("apiVersion", "kind") if k in attributes.obj}
    return defaults.apply(attributes.kind, stored | kept)


def _ask(
    world: World,
    hook: Object,
    attributes: Attributes,
    resource: Resource,
    *,
    mutating: bool,
) -> dict[str, Any]:
    """The response of one webhook that lets the request pass.

    Raises:
        errors.ApiError: It does not, or it could not be asked and must be.
    """
    name = hook["name"]
    if attributes.dry_run and hook.get("sideEffects") not in ("None", "NoneOnDryRun"):
        raise errors.bad_request(f'admission webhook "{name}" does not support dry run')
    elapsed = attributes.elapsed
    try:
        response, took_s = review(world, hook, attributes, resource, mutating=mutating)
        _pass_by(world, elapsed, took_s, mutating)
    except CallFailed as error:
        _pass_by(world, elapsed, error.took_s, mutating)
        if elapsed.left_s <= 0:
            raise errors.timeout(GIVEN_UP, {}) from None
        if hook.get("failurePolicy", "Fail") == "Ignore":
            return {}
        raise errors.internal(f'failed calling webhook "{name}": {error}') from None
    attributes.warnings.extend(str(text) for text in response.get("warnings") or ())
    if not response.get("allowed"):
        raise _denied(name, response.get("status") or response.get("result"))
    return response


def _pass_by(world: World, elapsed: Elapsed, seconds: float, mutating: bool) -> None:
    """Let time pass: mutating webhooks are asked one after the other, the others beside each other."""
    if mutating:
        elapsed.pass_by(world, seconds)
    else:
        elapsed.seconds += seconds


def _denied(name: str, said: Any) -> errors.ApiError:
    """What the server makes of a refusal."""
    status = said if isinstance(said, dict) else {}
    code = status.get("code", 0)
    if isinstance(code, bool) or not isinstance(code, int) or code < 400:
        code = 400
    head = f'admission webhook "{name}" denied the request'
    reason = str(status.get("reason") or "")
    if status.get("message"):
        message = f"{head}: {status['message']}"
    else:
        message = f"{head}: {reason}" if reason else f"{head} without explanation"
    details = status.get("details")
    return errors.ApiError(code, reason, message, details if isinstance(details, dict) else None)

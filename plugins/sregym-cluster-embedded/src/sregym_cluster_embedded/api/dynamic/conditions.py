"""The variables of expressions in webhooks and policies, and match conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel import CelError, CompileError

from sregym_cluster_embedded.api.expressions import compile_expression
from sregym_cluster_embedded.api.expressions.authorization import Question
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.api.dynamic.attributes import Attributes
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

MATCHING = ("object", "oldObject", "request", "authorizer", "namespaceObject")
NAMES = (*MATCHING, "params", "variables")


def variables(
    world: World, attributes: Attributes, resource: Resource, params: Object | None = None
) -> dict[str, Any]:
    """What expressions about a request may look at."""
    place = None
    if attributes.kind.namespaced:
        place = world.store.get(Key("namespaces", "", attributes.namespace))
    return {
        "object": attributes.served(resource, attributes.obj),
        "oldObject": attributes.served(resource, attributes.old),
        "request": request_of(attributes, resource),
        "params": params,
        "namespaceObject": place,
        "variables": {},
        "authorizer": _authorizer(world, attributes),
    }


def _authorizer(world: World, attributes: Attributes) -> Question:
    """The authorizers, asked as the user of the request unless a ServiceAccount is named."""
    from sregym_cluster_embedded.api.access import authorizer
    from sregym_cluster_embedded.api.access.attributes import Attributes as Asked

    def decide(verb: str, fields: Mapping[str, str]) -> tuple[bool, str]:
        given = dict(fields)
        account = given.pop("user", "")
        user = _account(account) if account else attributes.user
        decision = authorizer.decide(world, Asked(user, verb, **given))
        return decision.allowed, decision.reason

    kind = attributes.kind
    about = {
        "group": kind.group,
        "resource": kind.plural,
        "subresource": attributes.subresource,
        "namespace": attributes.namespace,
        "name": attributes.name,
    }
    return Question(decide, request=tuple(about.items()))


def _account(name: str) -> User:
    namespace = name.split(":")[2]
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return User(name, (*groups, "system:authenticated"))


def request_of(attributes: Attributes, resource: Resource) -> dict[str, Any]:
    """An AdmissionRequest without its uid and objects."""
    kind = attributes.group_version_kind(resource)
    own = attributes.kind
    user: dict[str, Any] = {"username": attributes.user.name}
    if attributes.user.uid:
        user["uid"] = attributes.user.uid
    user["groups"] = list(attributes.user.groups)
    if attributes.user.extra:
        user["extra"] = {name: list(texts) for name, texts in attributes.user.extra.items()}
    found: dict[str, Any] = {
        "kind": kind,
        "resource": _resource(resource),
        "subResource": attributes.subresource,
        "requestKind": attributes.group_version_kind(own),
        "requestResource": _resource(own),
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
        "operation": attributes.operation,
        "userInfo": user,
        "dryRun": attributes.dry_run,
        "options": attributes.options,
    }
    return {name: value for name, value in found.items() if value not in ("", {})}


def _resource(resource: Resource) -> dict[str, str]:
    return {
        "group": resource.group,
        "version": resource.version,
        "resource": resource.plural,
    }


def met(conditions: Sequence[Object], known: dict[str, Any]) -> tuple[bool, str]:
    """Whether all match conditions hold, and why that cannot be said.

    One that is false decides, whatever the others are; only then a failure counts.
    """
    failed = ""
    for condition in conditions:
        text = condition.get("expression", "")
        try:
            value = compile_expression(text, (*MATCHING, "params", "variables")).evaluate(known)
        except (CelError, CompileError) as error:
            failed = failed or f"expression '{text}' resulted in error: {error}"
            continue
        if value is not True:
            return False, ""
    return not failed, failed

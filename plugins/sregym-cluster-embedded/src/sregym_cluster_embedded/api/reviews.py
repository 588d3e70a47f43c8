"""Questions to the API about identities and permissions; nothing of them is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import body, errors
from sregym_cluster_embedded.api.access import authorizer, nodes, rbac, tokens
from sregym_cluster_embedded.api.access.attributes import Attributes
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.api.request import User

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_RULE_FIELDS = ("verbs", "apiGroups", "resources", "resourceNames")
_NODE_RULES = "node authorizer does not support user rule resolution"


def create(world: World, request: Request, target: Target) -> Response:
    """POST of a review.

    Raises:
        errors.ApiError: Invalid or BadRequest: the question is none.
    """
    resource = target.resource
    warnings = body.Warnings()
    sent = body.typed(
        request,
        body.parsed(request, resource.kind),
        resource.group,
        resource.version,
        resource.kind,
        warnings,
    )
    status = _status(world, request, target, sent.get("spec") or {})
    metadata = dict(sent.get("metadata", {}))
    if resource.plural == "selfsubjectreviews":
        metadata["creationTimestamp"] = world.timestamp()
    answer = {**sent, "metadata": metadata, "status": status}
    return encode(answer, status=201, headers=warnings.headers())


def _status(world: World, request: Request, target: Target, spec: Object) -> Object:
    plural = target.resource.plural
    if plural == "selfsubjectreviews":
        return {"userInfo": user_info(request.user)}
    if plural == "selfsubjectrulesreviews":
        return _rules(world, request.user, spec.get("namespace", ""))
    if plural == "tokenreviews":
        return _token(world, spec)
    _check_question(target.resource, spec)
    if plural == "selfsubjectaccessreviews":
        return _verdict(world, request.user, spec)
    if plural == "localsubjectaccessreviews":
        _check_place(target.namespace, spec)
    return _verdict(world, _subject(spec), spec)


def user_info(user: User) -> Object:
    """A user in the form in which the API shows one."""
    info: Object = {"username": user.name}
    if user.uid:
        info["uid"] = user.uid
    if user.groups:
        info["groups"] = list(user.groups)
    if user.extra:
        info["extra"] = {key: list(values) for key, values in user.extra.items()}
    return info


def _subject(spec: Object) -> User:
    extra = {key: tuple(values) for key, values in (spec.get("extra") or {}).items()}
    groups = tuple(spec.get("groups") or ())
    return User(spec.get("user", ""), groups, spec.get("uid", ""), extra)


def _check_place(namespace: str, spec: Object) -> None:
    if (spec.get("resourceAttributes") or {}).get("namespace", "") != namespace:
        raise errors.bad_request(
            f"spec.resourceAttributes.namespace must match namespace: {namespace}"
        )


def _check_question(resource: Resource, spec: Object) -> None:
    causes: list[errors.Cause] = []
    both = "resourceAttributes" in spec and "nonResourceAttributes" in spec
    if both:
        why = "cannot be specified in combination with resourceAttributes"
        given = _go_struct(spec["nonResourceAttributes"], ("path", "verb"))
        causes.append(errors.Cause("spec.nonResourceAttributes", f"Invalid value: {given}: {why}"))
    elif "resourceAttributes" not in spec and "nonResourceAttributes" not in spec:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        causes.append(errors.Cause("spec.resourceAttributes", f"Invalid value: null: {why}"))
    if not resource.kind.startswith("Self") and not spec.get("user") and not spec.get("groups"):
        why = "at least one of user or group must be specified"
        causes.append(errors.Cause("spec.user", f'Invalid value: "": {why}'))
    if causes:
        raise errors.invalid(resource.group, resource.kind, "", causes)


def _go_struct(value: Object, fields: tuple[str, ...]) -> str:
    """A struct as the API prints one in an error: JSON of its fields."""
    return "{" + ",".join(f'"{name}":"{value.get(name, "")}"' for name in fields) + "}"


def _verdict(world: World, user: User, spec: Object) -> Object:
    about = spec.get("resourceAttributes")
    if about is not None:
        asked = Attributes(
            user=user,
            verb=about.get("verb", ""),
            group=about.get("group", ""),
            version=about.get("version", ""),
            resource=about.get("resource", ""),
            subresource=about.get("subresource", ""),
            namespace=about.get("namespace", ""),
            name=about.get("name", ""),
        )
    else:
        about = spec["nonResourceAttributes"]
        asked = Attributes(user, about.get("verb", ""), path=about.get("path", ""))
    decision = authorizer.decide(world, asked)
    status: Object = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    return status


def _rules(world: World, user: User, namespace: str) -> Object:
    if not namespace:
        raise errors.bad_request("no namespace on request")
    resources: list[Object] = []
    paths: list[Object] = []
    complaints: list[str] = []
    is_node = bool(nodes.identity(user))
    if is_node:
        complaints.append(_NODE_RULES)
    for grant in rbac.grants(world, user, namespace):
        for rule in grant.rules:
            kept = {field: rule[field] for field in _RULE_FIELDS if rule.get(field)}
            if rule.get("resources"):
                resources.append(kept)
            if rule.get("nonResourceURLs"):
                paths.append({"verbs": rule["verbs"], "nonResourceURLs": rule["nonResourceURLs"]})
        if grant.error and grant.error not in complaints:
            complaints.append(grant.error)
    status: Object = {"resourceRules": resources, "nonResourceRules": paths, "incomplete": is_node}
    if complaints:
        several = len(complaints) > 1
        status["evaluationError"] = f"[{', '.join(complaints)}]" if several else complaints[0]
    return status


def _token(world: World, spec: Object) -> Object:
    if not spec.get("token"):
        raise errors.bad_request("token is required for TokenReview in authentication")
    wanted = spec.get("audiences") or [tokens.ISSUER]
    try:
        found = tokens.identify(world, spec["token"])
    except tokens.TokenError as error:
        text = str(error)
        return {"user": {}, "error": text if text == tokens.UNKNOWN else f"[{text}]"}
    shared = [audience for audience in wanted if audience in found.audiences]
    if not shared:
        listed = " ".join(f'"{name}"' for name in found.audiences)
        asked = " ".join(f'"{name}"' for name in wanted)
        why = f"token audiences [{listed}] is invalid for the target audiences [{asked}]"
        return {"user": {}, "error": f"[{tokens.UNKNOWN}, {why}]"}
    return {"authenticated": True, "user": user_info(found.user), "audiences": shared}

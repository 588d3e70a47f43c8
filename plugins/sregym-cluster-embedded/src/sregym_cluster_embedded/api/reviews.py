"""Questions to the API about identities and permissions, and requests for tokens."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import body, errors
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.world import World

_MASTERS = "system:masters"
_TOKEN_S = 3600
_SHORTEST_TOKEN_S = 600
_OPEN_PATHS = (
    ("/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"),
    ("/healthz", "/livez", "/readyz", "/version", "/version/"),
)  # fmt: skip


def create(world: World, request: Request, target: Target) -> Response:
    """POST of a review; nothing is stored."""
    resource = target.resource
    warnings = body.Warnings()
    sent = body.typed(
        request, body.parsed(request), resource.group, resource.version, resource.kind, warnings
    )
    spec = sent.get("spec", {})
    if resource.plural == "selfsubjectreviews":
        status: dict[str, Any] = {"userInfo": _user(request)}
    elif resource.plural == "tokenreviews":
        status = {"user": {}, "error": "[invalid bearer token, token lookup failed]"}
    elif resource.plural == "selfsubjectrulesreviews":
        status = _rules(request)
    else:
        groups = spec.get("groups", []) if "Self" not in resource.kind else request.user.groups
        status = _verdict(_MASTERS in groups)
    metadata: dict[str, Any] = {}
    if resource.plural == "selfsubjectreviews":
        metadata = {"creationTimestamp": world.timestamp()}
    answer = {**sent, "metadata": {**sent.get("metadata", {}), **metadata}, "status": status}
    return encode(answer, status=201, headers=warnings.headers())


def token(world: World, request: Request, target: Target) -> Response:
    """POST to serviceaccounts/NAME/token: a token that says whose it is, signed by nobody."""
    account = world.store.get(Key("serviceaccounts", target.namespace, target.name))
    if account is None:
        raise errors.not_found(target.resource, target.name)
    warnings = body.Warnings()
    sent = body.typed(
        request,
        body.parsed(request) if request.body else {},
        "authentication.k8s.io",
        "v1",
        "TokenRequest",
        warnings,
    )
    spec = {"audiences": ["https://kubernetes.default.svc.cluster.local"], **sent.get("spec", {})}
    spec.setdefault("expirationSeconds", _TOKEN_S)
    if spec["expirationSeconds"] < _SHORTEST_TOKEN_S:
        cause = errors.Cause(
            "spec.expirationSeconds",
            f"Invalid value: {spec['expirationSeconds']}: "
            "may not specify a duration less than 10 minutes",
        )
        raise errors.invalid("authentication.k8s.io", "TokenRequest", "", [cause])
    issued = int(world.epoch + world.now)
    claims = {
        "aud": spec["audiences"],
        "exp": issued + spec["expirationSeconds"],
        "iat": issued,
        "iss": "https://kubernetes.default.svc.cluster.local",
        "jti": world.seed.uid(),
        "kubernetes.io": {
            "namespace": target.namespace,
            "serviceaccount": {"name": target.name, "uid": account["metadata"]["uid"]},
        },
        "nbf": issued,
        "sub": f"system:serviceaccount:{target.namespace}:{target.name}",
    }
    header = {"alg": "RS256", "kid": world.seed.hexadecimal(32)}
    parts = [_part(orjson.dumps(header)), _part(orjson.dumps(claims))]
    parts.append(_part(bytes.fromhex(world.seed.hexadecimal(64))))
    status = {
        "token": ".".join(parts),
        "expirationTimestamp": world.timestamp(world.now + spec["expirationSeconds"]),
    }
    metadata = {
        "name": target.name,
        "namespace": target.namespace,
        "creationTimestamp": world.timestamp(),
    }
    return encode({**sent, "metadata": metadata, "spec": spec, "status": status}, status=201)


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _user(request: Request) -> dict[str, Any]:
    return {"username": request.user.name, "groups": list(request.user.groups)}


def _verdict(allowed: bool) -> dict[str, Any]:
    return {"allowed": True} if allowed else {"allowed": False, "reason": ""}


def _rules(request: Request) -> dict[str, Any]:
    resources: list[dict[str, Any]] = []
    paths: list[dict[str, Any]] = []
    if _MASTERS in request.user.groups:
        resources.append({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
        paths.append({"verbs": ["*"], "nonResourceURLs": ["*"]})
    access = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
    resources += [
        {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"], "resources": access},
        {
            "verbs": ["create"],
            "apiGroups": ["authentication.k8s.io"],
            "resources": ["selfsubjectreviews"],
        },
    ]
    paths += [{"verbs": ["get"], "nonResourceURLs": list(listed)} for listed in _OPEN_PATHS]
    return {"resourceRules": resources, "nonResourceRules": paths, "incomplete": False}

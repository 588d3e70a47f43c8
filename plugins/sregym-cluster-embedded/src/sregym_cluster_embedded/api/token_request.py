"""POST to serviceaccounts/NAME/token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import body, dynamic, errors, resources
from sregym_cluster_embedded.api.access import nodes, tokens
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_GROUP = "authentication.k8s.io"
_DEFAULT_S = 3600
_SHORTEST_S = 600
_LONGEST_S = 2**32
_BINDABLE = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}
_OTHER_ACCOUNT = (
    "the UID in the token request ({}) does not match the UID of the service account ({})"
)
_RECREATED = (
    "the UID in the bound object reference ({}) does not match the UID in record. "
    "The object might have been deleted and then recreated"
)


def token(world: World, request: Request, target: Target) -> Response:
    """A token of a ServiceAccount, bound to an object when the request names one.

    Raises:
        errors.ApiError: NotFound, Invalid, Conflict or BadRequest.
    """
    account = world.store.get(Key("serviceaccounts", target.namespace, target.name))
    if account is None:
        raise errors.not_found(target.resource, target.name)
    parsed = body.parsed(request) if request.body else {}
    sent = body.typed(request, parsed, _GROUP, "v1", "TokenRequest", body.Warnings())
    if dynamic.configured(world):
        sent = dynamic_writes.posted_below(world, request, target, sent)
    uid = (sent.get("metadata") or {}).get("uid") or account["metadata"]["uid"]
    if uid != account["metadata"]["uid"]:
        own = account["metadata"]["uid"]
        raise errors.conflict(target.resource, target.name, _OTHER_ACCOUNT.format(uid, own))
    given = sent.get("spec") or {}
    spec = {**given, "audiences": given.get("audiences") or [tokens.ISSUER]}
    spec.setdefault("expirationSeconds", _DEFAULT_S)
    spec.setdefault("boundObjectRef", None)
    _check_lifetime(spec["expirationSeconds"])
    bound = _bound(world, request, target, spec["boundObjectRef"])
    text = tokens.issue(world, account, spec["expirationSeconds"], spec["audiences"], bound)
    expires = world.timestamp(world.now + spec["expirationSeconds"])
    metadata = {
        **(sent.get("metadata") or {}),
        "name": target.name,
        "namespace": target.namespace,
        "uid": uid,
        "creationTimestamp": world.timestamp(),
    }
    status = {"token": text, "expirationTimestamp": expires}
    return encode({**sent, "metadata": metadata, "spec": spec, "status": status}, status=201)


def _check_lifetime(seconds: int) -> None:
    if seconds < _SHORTEST_S:
        why = "may not specify a duration less than 10 minutes"
    elif seconds > _LONGEST_S:
        why = "may not specify a duration larger than 2^32 seconds"
    else:
        return
    cause = errors.Cause("spec.expirationSeconds", f"Invalid value: {seconds}: {why}")
    raise errors.invalid(_GROUP, "TokenRequest", "", [cause])


def _bound(
    world: World, request: Request, target: Target, reference: Object | None
) -> Object | None:
    """The object with which the token is to end."""
    node = nodes.identity(request.user)
    if reference is None:
        if node:
            raise errors.forbidden(
                target.resource, target.name, "node requested token not bound to a pod"
            )
        return None
    kind, name = reference.get("kind", ""), reference.get("name", "")
    if kind not in _BINDABLE or reference.get("apiVersion", "v1") != "v1":
        raise errors.bad_request(
            f"cannot bind token to object of type {reference.get('apiVersion', '')}, Kind={kind}"
        )
    plural = _BINDABLE[kind]
    found = world.store.get(Key(plural, "" if kind == "Node" else target.namespace, name))
    resource = resources.named(plural)
    assert resource is not None
    if found is None:
        raise errors.not_found(resource, name)
    if kind == "Pod" and found["spec"].get("serviceAccountName") != target.name:
        raise errors.bad_request(
            f'cannot bind token for serviceaccount "{target.name}" to pod running with '
            "different serviceaccount name."
        )
    if reference.get("uid") and reference["uid"] != found["metadata"]["uid"]:
        raise errors.conflict(resource, name, _RECREATED.format(reference["uid"]))
    if node and found["spec"].get("nodeName") != node:
        why = "node requested token bound to a pod scheduled on a different node"
        raise errors.forbidden(target.resource, target.name, why)
    return found

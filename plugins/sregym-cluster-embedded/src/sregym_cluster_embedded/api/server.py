"""The entrance: a request in, a response or a stream out.

`handle` is a function of a world and a request; transports and clients in the same process call it
alike.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from sregym_regex.budget import Budget, BudgetExceededError, under

from sregym_cluster_embedded.api import (
    audit,
    body,
    custom_versions,
    discovery,
    dynamic,
    errors,
    flowcontrol,
    health,
    media,
    metrics_api,
    openapi,
    openid,
    own_metrics,
    proxying,
    read_requests,
    removal,
    rest_mutations,
    reviews,
    signing,
    subresources,
    target,
    token_request,
)
from sregym_cluster_embedded.api.access import authentication, authorizer, impersonation
from sregym_cluster_embedded.api.dynamic import elapsed
from sregym_cluster_embedded.api.pretty_print import pretty_printed
from sregym_cluster_embedded.api.rendering import encode
from sregym_cluster_embedded.api.request import Connect, Response, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.world import World

Answer: TypeAlias = Response | Watch | Connect
# What is text is not to be taken for anything else.
_UNSNIFFED = {"X-Content-Type-Options": "nosniff"}
# What Python says of a number with too many digits.
_TOO_LONG = "integer string conversion"
# What one request may cost, and what is said of one that costs more.
_STEPS, _MEMORY_BYTES = 2_000_000, 192 << 20
_LATE = "request did not complete within the allotted timeout"
_NOT_FOUND = Response(404, b"404 page not found\n", "text/plain; charset=utf-8", _UNSNIFFED)
_UNAVAILABLE = Response(503, b"service unavailable\n", "text/plain; charset=utf-8")
_DEPRECATED = {
    "endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    "componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
}
# `/api/VERSION` and `/apis/GROUP/VERSION`: what is longer names a resource or nothing.
_DISCOVERY_DEPTH = {"api": 2, "apis": 3}
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_REVIEWS = ("authentication.k8s.io", "authorization.k8s.io")


def handle(world: World, request: Request) -> Answer:
    """Answer one request; failures are answers too."""
    return _timed(world, _bounded(lambda: _handled(world, request)))


def _handled(world: World, request: Request) -> Answer:
    try:
        answer = _route(world, request)
    except errors.ApiError as error:
        answer = failure(error)
    return pretty_printed(request, answer)


def _bounded(work: Callable[[], Answer]) -> Answer:
    """What a request is answered with; one that asks for too much, by the time limit of requests."""
    try:
        with under(Budget(_STEPS, _MEMORY_BYTES)):
            return work()
    except BudgetExceededError:
        return failure(errors.timeout(_LATE, {}))
    except RecursionError:
        return failure(errors.bad_request("exceeded max depth"))
    except ValueError as error:
        if _TOO_LONG not in str(error):
            raise
        return failure(errors.bad_request("strconv.ParseUint: value out of range"))


def served(world: World, request: Request) -> Answer:
    """Answer one request with all the headers that a client on a connection gets."""
    return _timed(world, _bounded(lambda: _served(world, request)))


def _timed(world: World, answer: Answer) -> Answer:
    """An answer with what webhooks took of its time."""
    if not dynamic.configured(world):
        return answer
    took_s = elapsed.took(world)
    return replace(answer, took_s=took_s) if took_s and isinstance(answer, Response) else answer


def _served(world: World, request: Request) -> Answer:
    told: Mapping[str, str] = {}
    try:
        request = _entered(world, request)
        told = flowcontrol.headers(world, request)
        try:
            _authorize(world, request)
        except errors.ApiError as error:
            answer: Answer = failure(error)
            told = {**told, **_UNSNIFFED}
        else:
            answer = _answered(world, request)
    except errors.ApiError as error:
        answer = failure(error)
    return _with(pretty_printed(request, answer), told)


def _with(answer: Answer, told: Mapping[str, str]) -> Answer:
    if isinstance(answer, Connect) or not told:
        return answer
    return replace(answer, headers={**answer.headers, **told})


def failure(error: errors.ApiError) -> Response:
    """An error as an answer."""
    headers = body.Warnings(list(error.warnings)).headers()
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    return encode(error.status, status=error.code, headers=headers)


def _route(world: World, request: Request) -> Answer:
    request = _entered(world, request)
    _authorize(world, request)
    return _answered(world, request)


def _authorize(world: World, request: Request) -> None:
    """Refuse what the user may not do, or gets no seat for; the audit log has that, too."""
    try:
        flowcontrol.demand(world, request)
        authorizer.check(world, request)
    except errors.ApiError as error:
        found = target.parse(world, request.path)
        if found is not None:
            audit.note(world, request, found, error.code, allowed=False)
        raise


def _entered(world: World, request: Request) -> Request:
    """The request as of whom it is made for in the end."""
    if "authorization" in request.headers:
        request = authentication.authenticated(world, request)
    if impersonation.is_impersonating(request):
        request = impersonation.effective(world, request)
    return request


def _answered(world: World, request: Request) -> Answer:
    answer = _found(world, request)
    held = request.headers.get("if-none-match")
    if held and isinstance(answer, Response) and answer.status == 200:
        etag = answer.headers.get("ETag") or answer.headers.get("Etag")
        if etag == held:
            return replace(answer, status=304, body=b"")
    return answer


def _audited(world: World, request: Request, found: Target) -> Answer:
    try:
        answer = _resource(world, request, found)
    except errors.ApiError as error:
        audit.note(world, request, found, error.code)
        raise
    audit.note(world, request, found, answer.status if isinstance(answer, Response) else 101)
    return answer


def _found(world: World, request: Request) -> Answer:
    if request.path.startswith(metrics_api.PREFIX):
        metrics = metrics_api.answer(world, request)
        if metrics is not None:
            return metrics
    found = target.parse(world, request.path)
    if found is not None:
        return _warned(world, found, _audited(world, request, found))
    answer = _elsewhere(world, request)
    if answer is _NOT_FOUND and discovery.promised(world, request.path):
        return _UNAVAILABLE
    return answer


def _warned(world: World, found: Target, answer: Answer) -> Answer:
    """An answer with a warning when its type is deprecated."""
    if found.resource.selectable is None:
        text = _DEPRECATED.get(found.resource.group_resource)
    else:
        text = custom_versions.deprecation(world, found.resource)
    if not text or not isinstance(answer, Response):
        return answer
    given = answer.headers.get("Warning")
    texts = [*body.Warnings([text]).headers().values(), *([given] if given else ())]
    headers = {**answer.headers, "Warning": ", ".join(texts)}
    return replace(answer, headers=headers)


def _elsewhere(world: World, request: Request) -> Answer:
    """Everything but resources."""
    parts = request.path.strip("/").split("/")
    first = parts[0]
    if first in health.KINDS:
        return health.answer(request) or _NOT_FOUND
    if request.path == "/metrics" and request.method == "GET":
        return own_metrics.answer(world) or _NOT_FOUND
    if len(parts) > _DISCOVERY_DEPTH.get(first, len(parts)):
        return _NOT_FOUND
    if first in ("", "api", "apis", "version", "openapi") and request.method not in ("GET", "HEAD"):
        raise errors.method_not_allowed()
    if request.path == "/":
        return encode(discovery.paths(world))
    if request.path in ("/version", "/version/"):
        return encode(discovery.VERSION)
    if first in (".well-known", "openid"):
        return openid.answer(world, request) or _NOT_FOUND
    if first == "openapi":
        return openapi.answer(world, request) or _NOT_FOUND
    if first in ("api", "apis"):
        return _discovery(world, request, parts)
    return _NOT_FOUND


def _discovery(world: World, request: Request, parts: list[str]) -> Answer:
    accept = request.headers.get("accept", "")
    if len(parts) == 1:
        form = _discovery_form(accept)
        if form.kind == "APIGroupDiscoveryList":
            answer = encode(discovery.aggregated(world, parts[0] == "api", form.version))
            content = f"application/json;g=apidiscovery.k8s.io;v={form.version};as={form.kind}"
            etag = hashlib.sha512(answer.body).hexdigest().upper()
            # Never `public`: a client whose clock is behind the world's would not ask again.
            headers = {"ETag": f'"{etag}"', "Vary": "Accept"}
            return Response(200, answer.body, content, headers)
        versions = discovery.versions if parts[0] == "api" else discovery.groups
        return encode(versions(world), form)
    form = media.negotiate(accept)
    if parts[0] == "api":
        document = discovery.resource_list(world, "", parts[1])
    elif len(parts) == 2:
        document = discovery.group(world, parts[1])
    else:
        document = discovery.resource_list(world, parts[1], parts[2])
    return encode(document, form) if document is not None else _NOT_FOUND


def _discovery_form(accept: str) -> media.Form:
    try:
        return media.negotiate(accept)
    except errors.ApiError:
        served = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
        raise errors.ApiError(
            406, "NotAcceptable", f"only the following media types are accepted: {served}"
        ) from None


def _resource(world: World, request: Request, found: Target) -> Answer:
    if found.subresource:
        return _subresource(world, request, found)
    resource = found.resource
    if request.method in ("GET", "HEAD"):
        return _read(world, request, found)
    verb = _VERBS.get(request.method, "")
    if request.method == "POST" and found.name:
        raise errors.method_not_allowed()
    if request.method in ("PUT", "PATCH") and not found.name:
        raise errors.method_not_allowed()
    if request.method == "DELETE" and not found.name:
        verb = "deletecollection"
    if verb not in resource.verbs:
        raise errors.method_not_allowed()
    if resource.group in _REVIEWS:
        return reviews.create(world, request, found)
    return _WRITE[verb](world, request, found)


def _read(world: World, request: Request, found: Target) -> Answer:
    verbs = found.resource.verbs
    watching = request.flag("watch")
    if found.name and not watching:
        if "get" not in verbs:
            raise errors.method_not_allowed()
        return read_requests.get(world, request, found)
    if watching:
        if "watch" not in verbs:
            raise errors.method_not_allowed()
        return read_requests.watch(world, request, found)
    if "list" not in verbs:
        raise errors.method_not_allowed()
    return read_requests.list_(world, request, found)


def _subresource(world: World, request: Request, found: Target) -> Answer:
    sub = found.resource.subresource(found.subresource)
    assert sub is not None
    verb = "get" if request.method in ("GET", "HEAD") else _VERBS.get(request.method, "")
    if verb not in sub.verbs:
        raise errors.method_not_allowed()
    special = _SPECIAL.get(found.subresource)
    if special is not None:
        return special(world, request, found)
    if verb == "get":
        return read_requests.get(world, request, found)
    return (rest_mutations.replace if verb == "update" else rest_mutations.patch)(
        world, request, found
    )


_WRITE: Mapping[str, Callable[[World, Request, Target], Response]] = {
    "create": rest_mutations.create,
    "update": rest_mutations.replace,
    "patch": rest_mutations.patch,
    "delete": removal.delete,
    "deletecollection": removal.delete_collection,
}
_SPECIAL: Mapping[str, Callable[[World, Request, Target], Answer]] = {
    "scale": subresources.scale,
    "approval": signing.approval,
    "binding": subresources.binding,
    "eviction": subresources.eviction,
    "log": subresources.log,
    "exec": subresources.stream,
    "attach": subresources.stream,
    "portforward": subresources.stream,
    "finalize": subresources.finalize,
    "token": token_request.token,
    "proxy": proxying.proxy,
}

__all__ = ["Answer", "failure", "handle", "served"]

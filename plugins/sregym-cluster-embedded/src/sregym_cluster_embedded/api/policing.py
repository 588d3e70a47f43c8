"""Requests of an agent: in its name, and without what is hidden from it.

The policy is the one that stands before its own clients as well; here it is applied to requests
that never were on a wire, and to those of the binary behind the tool `kubectl`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_kubernetes.enforcement import Enforcement, KubernetesRequest, readable
from sregym_kubernetes.filtering import filters
from sregym_kubernetes.target import target_at

from sregym_cluster_embedded.api.access.impersonation import AUTHENTICATED
from sregym_cluster_embedded.api.request import Connect, Request, Response, User, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.policy import Policy
    from sregym_kubernetes.target import Target

    from sregym_cluster_embedded.store import Change

    Answer = Response | Watch | Connect


def user_of(policy: Policy) -> User:
    """As whom an agent acts."""
    who = policy.identity
    return User() if who is None else User(who.name, (*who.groups, AUTHENTICATED))


def policed(policy: Policy, request: Request, handle: Callable[[Request], Answer]) -> Answer:
    """The answer to an agent's request.

    Args:
        policy: What holds for the agent.
        request: What it asks; in whose name it asks is already in it.
        handle: Answers what may pass.
    """
    target = target_at(request.path, request.query)
    enforcement = Enforcement(policy)
    refusal = enforcement.refusal(
        KubernetesRequest(request.method, target, request.headers, request.body)
    )
    if refusal is not None:
        return Response(refusal.status, refusal.body, refusal.content_type)
    if not policy.redacts:
        return handle(request)
    answer = handle(_legible(request))
    if isinstance(answer, Response):
        return _shown(enforcement, answer, target)
    if isinstance(answer, Watch):
        return _watched(enforcement, answer, target)
    return answer


def _legible(request: Request) -> Request:
    """The same request, for an answer that can be filtered."""
    headers = dict(request.headers)
    if "accept" in headers:
        headers["accept"] = readable(headers["accept"])
    query = tuple(
        (name, "Metadata" if (name, value) == ("includeObject", "None") else value)
        for name, value in request.query
    )
    return replace(request, headers=headers, query=query)


def _shown(enforcement: Enforcement, answer: Response, target: Target) -> Response:
    if not filters(answer.content_type, target):
        return answer
    missing = enforcement.not_found_if_hidden(answer.body, target) if answer.status < 300 else None
    if missing is not None:
        return Response(404, missing)
    less = enforcement.redacted_body(answer.body, target)
    return answer if less is None else replace(answer, body=less)


def _watched(enforcement: Enforcement, watch: Watch, target: Target) -> Watch:
    def render(change: Change) -> bytes | None:
        chunk = watch.render(change)
        return None if chunk is None else _lines(enforcement, chunk, target) or None

    initial = (_lines(enforcement, chunk, target) for chunk in watch.initial)
    return replace(watch, initial=tuple(chunk for chunk in initial if chunk), render=render)


def _lines(enforcement: Enforcement, chunk: bytes, target: Target) -> bytes:
    """Complete lines of a watch, without what is hidden."""
    shown = []
    for line in chunk.splitlines(keepends=True):
        less = enforcement.redacted_event(line, target)
        shown.append(line if less is None else less)
    return b"".join(shown)

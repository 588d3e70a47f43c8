"""Requests to services of observability within this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.interfaces import ServiceAnswer, no_such_service, run_with_deadline
from sregym_kubernetes.redaction import RedactionPolicy
from sregym_kubernetes.telemetry_redaction import drop_hidden, hidden_names

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.telemetry import endpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from sregym_core.interfaces import Cluster
    from sregym_core.policy import Policy

    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World

    # Parameters in order; a name may occur several times.
    Query: TypeAlias = Sequence[tuple[str, str]]

# What a proxy before a service says that does not answer.
_LATE = ServiceAnswer(504, b"context deadline exceeded\n", "text/plain; charset=utf-8")


def names() -> tuple[str, ...]:
    """What there is, sorted."""
    return tuple(sorted(endpoints.SERVICES))


def redacts(
    cluster: Cluster, policy: Policy, answer: Callable[[World, Request], Response]
) -> Callable[[World, Request], Response]:
    """A service that does not tell of what is hidden."""

    def told(world: World, request: Request) -> Response:
        if not policy.redacts:
            return answer(world, request)
        words = hidden_names(cluster, RedactionPolicy(policy.redacted))
        # Sums are made without it; where it shows by itself, it is taken out of what is answered.
        said = answer(world, replace(request, without=words))
        return replace(said, body=drop_hidden(said.body, said.content_type, words))

    return told


def service(name: str) -> Callable[[World, Request], Response]:
    """What answers for a service.

    Raises:
        ClusterError: There is no such service.
    """
    if name not in endpoints.SERVICES:
        raise no_such_service(name, names())
    return endpoints.service(name)


def request_service(
    live: LiveWorld,
    answer: Callable[[World, Request], Response],
    path: str,
    query: Sequence[tuple[str, str]],
    method: str = "GET",
    body: bytes = b"",
) -> ServiceAnswer:
    """What a service answers."""

    def asked() -> ServiceAnswer:
        with live.open() as world:
            said = answer(world, Request(method, path, tuple(query), body=body))
        return ServiceAnswer(said.status, said.body, said.content_type)

    return run_with_deadline(asked, live.limit_s, lambda: _LATE, cpu=True)

"""Services of observability, asked in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.interfaces import ServiceAnswer, no_such_service
from sregym_core.policy.observing import hidden_words, shown

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.telemetry import endpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.policy import Policy

    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World


def names() -> tuple[str, ...]:
    """What there is, sorted."""
    return tuple(sorted(endpoints.SERVICES))


def veiled(
    cluster: Cluster, policy: Policy, answer: Callable[[World, Request], Response]
) -> Callable[[World, Request], Response]:
    """A service that does not tell of what is hidden."""

    def told(world: World, request: Request) -> Response:
        said = answer(world, request)
        if not policy.veiled:
            return said
        whole = ServiceAnswer(said.status, said.body, said.content_type)
        return replace(said, body=shown(whole, hidden_words(cluster, policy.veil)).body)

    return told


def ask(
    live: LiveWorld, service: str, path: str, query: Sequence[tuple[str, str]], method: str
) -> ServiceAnswer:
    """What a service answers.

    Raises:
        ClusterError: There is no such service.
    """
    if service not in endpoints.SERVICES:
        raise no_such_service(service, names())
    answer = endpoints.service(service)
    with live.open() as world:
        said = answer(world, Request(method, path, tuple(query)))
    return ServiceAnswer(said.status, said.body, said.content_type)

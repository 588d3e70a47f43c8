"""Which operation of a service an HTTP request reaches, looked for once for each request and program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import route_of

if TYPE_CHECKING:
    from sregym_apps.model import ServiceProgram

    from sregym_cluster_embedded.world import World


def reached(world: World, program: ServiceProgram, request: str) -> str | None:
    """The operation that a request reaches; None where there is none.

    Args:
        world: The cluster, whose forks share what was found.
        program: The service, with its settings filled in.
        request: `METHOD /path`.
    """
    known: dict[str, str | None] = world.shared_cache.found("traffic.reached", (program,), dict)
    if request not in known:
        method, _, path = request.partition(" ")
        known[request] = route_of(program, method, path)
    return known[request]

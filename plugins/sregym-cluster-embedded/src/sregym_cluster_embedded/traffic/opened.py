"""Calls that open a connection of their own each: ports that run out, system calls that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.structure import CallRoute, CallSite, Opening
from sregym_cluster_embedded.userland.client_errors import error_text
from sregym_cluster_embedded.userland.connect_limits import failing_connects, opened_per_s
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.world import World

# A failure that is known at once takes so long, and one that is known only when there is no answer on
# the network where the host should be.
FAST_MS = 1.0
NO_ROUTE_MS = 3100.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def open_for_each_call(world: World, made: Structure, footing: DependencyTracker) -> None:
    """Let calls through clients that keep no connection meet what opening one meets."""
    openings: dict[tuple[object, ...], int] = {}
    for operation in made.operations:
        for site in operation.sites:
            client = site.client
            if client.pool or not client.wire.one_connection_a_call:
                continue
            routes: list[CallRoute] = []
            kind, part = footing.at(failing_connects, world, operation.ref)
            addresses = _addresses(world, footing, site)
            for route, address in zip(site.routes, addresses, strict=True):
                if route.kind or route.callee < 0:
                    routes.append(route)
                    continue
                if address[0] not in _LOOPBACK:
                    key = ("ports", operation.ref.pod_uid, *address)
                    route = _with_ports(world, made, footing, openings, key, operation.ref, route)
                if part:
                    routes.append(failing(made, site, route, kind, part))
                    route = route._replace(share=route.share * (1 - part))
                if route.share > 0:
                    routes.append(route)
            if tuple(routes) != site.routes:
                site.routes = tuple(routes)
                site.straight = -1 if part else site.straight
            for route in routes:
                if route.opening >= 0 and not route.kind:
                    made.openings[route.opening].routes.append((site.index, route))


def _addresses(world: World, footing: DependencyTracker, site: CallSite) -> list[tuple[str, str]]:
    """Where connections lead as their caller sees it: to the Service, or to each of its pods."""
    servers = [
        None if route.target.ref is None else footing.at(process_of, world, route.target.ref)
        for route in site.routes
    ]
    pods = ["" if server is None else server.config.pod_ip for server in servers]
    return [
        (
            pod if route.target.facts["ip"] in pods else route.target.facts["ip"],
            route.target.facts["port"],
        )
        for route, pod in zip(site.routes, pods, strict=True)
    ]


def _with_ports(
    world: World,
    made: Structure,
    footing: DependencyTracker,
    openings: dict[tuple[object, ...], int],
    key: tuple[object, ...],
    caller: ContainerRef,
    route: CallRoute,
) -> CallRoute:
    """A way to an address to which connections of a pod can be opened only so often."""
    index = openings.get(key)
    if index is None:
        index = openings[key] = len(made.openings)
        per_s = footing.at(opened_per_s, world, caller)
        made.openings.append(Opening(key, "no_port", [], per_s=per_s))
    return route._replace(opening=index)


def failing(made: Structure, site: CallSite, route: CallRoute, kind: str, part: float) -> CallRoute:
    """The part of a way on which connecting fails."""
    took = {"timeout": site.timeout_ms, "no_route": min(NO_ROUTE_MS, site.timeout_ms)}
    number, made.routes = made.routes, made.routes + 1
    text = error_text(site.client, kind, route.target.facts)
    return route._replace(
        number=number, share=route.share * part, kind=kind, text=text, opening=-1,
        took_ms=took.get(kind, FAST_MS),
    )  # fmt: skip

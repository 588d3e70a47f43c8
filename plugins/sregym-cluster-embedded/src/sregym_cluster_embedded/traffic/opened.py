"""Calls that open a connection of their own each: ports that run out, system calls that fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.structure import CallSite, Opening, Way
from sregym_cluster_embedded.userland.client_errors import error_text
from sregym_cluster_embedded.userland.connect_limits import failing_connects, opened_per_s
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.world import World

# A failure that is known at once takes so long, and one that is known only when nobody answers on
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
            ways: list[Way] = []
            kind, part = footing.at(failing_connects, world, operation.ref)
            addresses = _addresses(world, footing, site)
            for way, address in zip(site.ways, addresses, strict=True):
                if way.kind or way.callee < 0:
                    ways.append(way)
                    continue
                if address[0] not in _LOOPBACK:
                    key = ("ports", operation.ref.pod_uid, *address)
                    way = _with_ports(world, made, footing, openings, key, operation.ref, way)
                if part:
                    ways.append(failing(made, site, way, kind, part))
                    way = way._replace(share=way.share * (1 - part))
                if way.share > 0:
                    ways.append(way)
            if tuple(ways) != site.ways:
                site.ways = tuple(ways)
                site.straight = -1 if part else site.straight
            for way in ways:
                if way.opening >= 0 and not way.kind:
                    made.openings[way.opening].ways.append((site.index, way))


def _addresses(world: World, footing: DependencyTracker, site: CallSite) -> list[tuple[str, str]]:
    """Where connections lead as their caller sees it: to the Service, or to each of its pods."""
    servers = [
        None if way.target.ref is None else footing.at(process_of, world, way.target.ref)
        for way in site.ways
    ]
    pods = ["" if server is None else server.config.pod_ip for server in servers]
    return [
        (
            pod if way.target.facts["ip"] in pods else way.target.facts["ip"],
            way.target.facts["port"],
        )
        for way, pod in zip(site.ways, pods, strict=True)
    ]


def _with_ports(
    world: World,
    made: Structure,
    footing: DependencyTracker,
    openings: dict[tuple[object, ...], int],
    key: tuple[object, ...],
    caller: ContainerRef,
    way: Way,
) -> Way:
    """A way to an address to which connections of a pod can be opened only so often."""
    index = openings.get(key)
    if index is None:
        index = openings[key] = len(made.openings)
        per_s = footing.at(opened_per_s, world, caller)
        made.openings.append(Opening(key, "no_port", [], per_s=per_s))
    return way._replace(opening=index)


def failing(made: Structure, site: CallSite, way: Way, kind: str, part: float) -> Way:
    """The part of a way on which connecting fails."""
    took = {"timeout": site.timeout_ms, "no_route": min(NO_ROUTE_MS, site.timeout_ms)}
    number, made.ways = made.ways, made.ways + 1
    text = error_text(site.client, kind, way.target.facts)
    return way._replace(
        number=number, share=way.share * part, kind=kind, text=text, opening=-1,
        took_ms=took.get(kind, FAST_MS),
    )  # fmt: skip

"""Descriptors that connections need: who has none left takes and opens no more of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_apps.model import LoadGeneratorProgram, ServiceProgram, expand

from sregym_cluster_embedded.traffic.opened import failing
from sregym_cluster_embedded.traffic.segments import LineStream
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import (
        CallRoute,
        CallSite,
        Destination,
        Source,
        Structure,
    )
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Standard streams, the poller and its wake-up, files that stay open.
_OWN = 8
# Beyond all lines that requests make a process write.
_NUMBER = 1_000_000
# What starts without a limit of its own has so many; nothing needs as many here.
_USUAL = 1_048_576


@dataclass
class _Use:
    """What one process uses: connections that come in, and those that it opens."""

    come: float = 0.0
    opened: float = 0.0


@dataclass
class _Book:
    """What is used, by process."""

    uses: dict[ContainerRef, _Use] = field(default_factory=dict)
    held: set[tuple[ContainerRef, str, ContainerRef]] = field(default_factory=set)

    def of(self, ref: ContainerRef) -> _Use:
        """What a process uses; nothing at first."""
        return self.uses.setdefault(ref, _Use())


def hold_descriptors(world: World, made: Structure, footing: DependencyTracker) -> None:
    """Let processes whose connections need more descriptors than they may have fail to get them.

    Of the connections that come to such a process a part is never accepted: their clients wait. The
    same part of those that it would open itself fails at once.
    """
    limits = {
        server.ref: limit
        for server in made.servers
        if (limit := footing.at(_limit, world, server.ref)) < _USUAL
    }
    if not limits:
        return
    book = _Book()
    for source in made.sources:
        _kept_by_users(world, made, footing, source, book)
    for operation in made.operations:
        for site in operation.sites:
            _kept_by_calls(made, operation.ref, site, book)
    missing: dict[ContainerRef, float] = {}
    for ref, limit in limits.items():
        use, ports = book.of(ref), footing.at(_ports, world, ref)
        over = _OWN + ports + use.come + use.opened - limit
        if over > 0:
            missing[ref] = min(1.0, over / max(use.come + use.opened, 1.0))
    if missing:
        _refuse(world, made, footing, missing)


def starving(made: Structure, index: int) -> tuple[LineStream, ...]:
    """What a process without descriptors writes, told as lines of its first operation."""
    operation = made.operations[index]
    line = made.starved.get(operation.ref)
    if line is None or made.servers[operation.server].operations[0] != index:
        return ()
    return (LineStream(operation.name, _NUMBER, 1.0, line, ()),)


def _limit(world: World, ref: ContainerRef) -> int:
    process = process_of(world, ref)
    return _USUAL if process is None else process.open_files


def _ports(world: World, ref: ContainerRef) -> int:
    process = process_of(world, ref)
    return 0 if process is None else len(process.ports)


def _kept_by_users(
    world: World, made: Structure, footing: DependencyTracker, source: Source, book: _Book
) -> None:
    """A load generator keeps its connections open."""
    number = footing.at(_connections, world, source.ref)
    shares: dict[ContainerRef, float] = {}
    for end in source.parts[0].ends if source.parts else ():
        if end.callee >= 0:
            ref = made.operations[end.callee].ref
            shares[ref] = shares.get(ref, 0.0) + end.share
    for ref, share in shares.items():
        book.of(ref).come += number * share
    book.of(source.ref).opened += number


def _connections(world: World, ref: ContainerRef) -> int:
    process = process_of(world, ref)
    program = None if process is None else process.behaviour
    if process is None or not isinstance(program, LoadGeneratorProgram):
        return 0
    text = expand(program.users or program.connections, process.facts())
    return int(text) if text.isdecimal() else 0


def _kept_by_calls(made: Structure, caller: ContainerRef, site: CallSite, book: _Book) -> None:
    """A client holds its pool, or one connection to each server."""
    for route in site.routes:
        if route.callee < 0 or route.kind:
            continue
        server = made.operations[route.callee].ref
        if (caller, site.name, server) in book.held:
            continue  # other operations use the same connections
        book.held.add((caller, site.name, server))
        number = (site.client.pool or 1) * route.share
        book.of(caller).opened += number
        book.of(server).come += number


def _refuse(
    world: World, made: Structure, footing: DependencyTracker, missing: dict[ContainerRef, float]
) -> None:
    for place, source in enumerate(made.sources):
        parts = tuple(
            part._replace(ends=tuple(_waiting(made, end, missing) for end in part.ends))
            for part in source.parts
        )
        made.sources[place] = source._replace(parts=parts)
    for operation in made.operations:
        part = missing.get(operation.ref, 0.0)
        for site in operation.sites:
            _refuse_calls(made, site, part, missing)
    for ref in missing:
        process: Process | None = footing.at(process_of, world, ref)
        program = None if process is None else process.behaviour
        if isinstance(program, ServiceProgram) and program.accept_error is not None:
            made.starved[ref] = program.accept_error


def _waiting(made: Structure, end: Destination, missing: dict[ContainerRef, float]) -> Destination:
    if end.callee < 0:
        return end
    part = missing.get(made.operations[end.callee].ref, 0.0)
    return end._replace(lost=1 - (1 - end.lost) * (1 - part)) if part else end


def _refuse_calls(
    made: Structure, site: CallSite, part: float, missing: dict[ContainerRef, float]
) -> None:
    """Calls of a process of whose connections a part cannot be opened, or is not taken."""
    opens = part and not site.client.pool and site.client.wire.one_connection_a_call
    routes: list[CallRoute] = []
    for route in site.routes:
        if route.kind or route.callee < 0:
            routes.append(route)
            continue
        shut = missing.get(made.operations[route.callee].ref, 0.0)
        if shut:
            route = route._replace(lost=1 - (1 - route.lost) * (1 - shut))
        if opens:
            routes.append(failing(made, site, route, "no_file", part))
            route = route._replace(share=route.share * (1 - part))
        if route.share > 0:
            routes.append(route)
    if tuple(routes) != site.routes:
        site.routes, site.straight, site.pooled = tuple(routes), -1, -1

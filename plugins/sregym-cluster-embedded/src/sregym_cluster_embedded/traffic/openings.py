"""The connections that calls need: what pools hold, what servers take, what ports there are."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import ServiceProgram, StoreProgram

from sregym_cluster_embedded.traffic.structure import Opening
from sregym_cluster_embedded.userland.command_counts import Peer
from sregym_cluster_embedded.userland.connect_limits import most_at_once
from sregym_cluster_embedded.userland.exec_program import POOLING
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of, running_among

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_apps.model import Client

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import CallRoute, CallSite, Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.userland.kinds import ConnectionLimit
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World

    _Targets = Callable[[Process, str], tuple[Client, tuple[Target, ...]]]

# Calls of one program never need more connections than this.
_AMPLE = 1000
# Of so many connections none is missing while a quarter of them is in use.
_MANY = 64


class _Holder(NamedTuple):
    """A client of a process that holds connections to a server.

    Attributes:
        process: Whose.
        name: Of the client.
        client: The client.
        share: Fraction of its connections that go there.
        routes: (site, place among its ways) of the calls that need one.
    """

    process: Process
    name: str
    client: Client
    share: float
    routes: list[tuple[CallSite, int]]

    @property
    def wanted(self) -> int:
        """How many it opens before it needs them."""
        return max(1, math.floor((self.client.pool or 1) * self.share))


Holders = dict["ContainerRef", dict[tuple["ContainerRef", str], _Holder]]


def share_without(most: int, busy: float) -> float:
    """The fraction of attempts that find all connections in use, as Erlang has it.

    Args:
        most: How many connections there are.
        busy: How many would be in use if there were any number.
    """
    if most > _MANY and busy < most / 4:
        return 0.0
    blocked = 1.0
    for number in range(1, most + 1):
        blocked = busy * blocked / (number + busy * blocked)
    return blocked


class Short(NamedTuple):
    """Connections of which a client may have fewer than it needs.

    Attributes:
        key: The caller, its client, and the server.
        most: How many there are at once.
        text: What the server says to that, if it does.
        kind: How a call fails that gets none.
    """

    key: tuple[ContainerRef, str, ContainerRef]
    most: int
    text: str = ""
    kind: str = "overloaded"


class _Granted(NamedTuple):
    """Who gets connections: what `Structure` keeps under these names."""

    pools: dict[ContainerRef, tuple[Peer, ...]]
    room: dict[ContainerRef, int]
    short: list[Short]


def open_connections(
    world: World,
    made: Structure,
    footing: DependencyTracker,
    targets: _Targets,
    *,
    whole: bool,
) -> None:
    """Let clients hold their connections, and let calls that get none know.

    Args:
        world: The cluster.
        made: Who calls whom.
        footing: Keeps what is looked at.
        targets: A client of a process, and where it leads.
        whole: Whether it matters who holds connections to servers that nobody calls.
    """
    holders = _holders(world, made, footing, targets, whole=whole)
    made.pools, made.room, made.short = _granted(world, footing, holders)
    for short in made.short:
        caller, name, server = short.key
        _restrict(made, holders[server][caller, name], short)


def granted_anew(
    world: World, known: Structure, footing: DependencyTracker, targets: _Targets
) -> Structure | None:
    """A structure of which all stays but who holds connections, with those who hold them now.

    None where calls lack other connections than before: then it has to be built anew.
    """
    holders = _holders(world, known, footing, targets, whole=True)
    found = _granted(world, footing, holders)
    if (found.room, found.short) != (known.room, known.short):
        return None
    return replace(known, pools=found.pools)


def _holders(
    world: World,
    made: Structure,
    footing: DependencyTracker,
    targets: _Targets,
    *,
    whole: bool,
) -> Holders:
    """Who wants connections, by the server."""
    holders: Holders = {}
    for operation in made.operations:
        process = footing.at(process_of, world, operation.ref) if operation.sites else None
        for site in operation.sites if process is not None else ():
            assert process is not None
            for place, route in enumerate(site.routes):
                if route.callee >= 0 and made.operations[route.callee].name == "*":
                    _note(holders, process, site, place, route)
    for process in footing.at(_pooling, world) if whole or holders else ():
        for name in process.clients:
            if process.clients[name].pool and _opened(process, name):
                client, found = targets(process, name)
                for target in found:
                    if (
                        target.ref is not None
                        and not target.kind
                        and _is_store(world, footing, target.ref)
                    ):
                        key = (process.ref, name)
                        own = _Holder(process, name, client, target.share, [])
                        holders.setdefault(target.ref, {}).setdefault(key, own)
    return holders


def _granted(world: World, footing: DependencyTracker, holders: Holders) -> _Granted:
    found = _Granted({}, {}, [])
    for server, known in holders.items():
        _admit(world, footing, found, server, known.values())
    return found


def _pooling(world: World) -> tuple[Process, ...]:
    """The programs that have pools of connections."""
    return tuple(
        process
        for process in running_among(world, world.table(POOLING))
        if isinstance(process.behaviour, ServiceProgram)
        and (
            process.served_at is not None
            or any(
                process.clients[name].pool for name in process.dialled if name in process.clients
            )
        )
    )


def _opened(process: Process, name: str) -> bool:
    return process.served_at is not None or name in process.dialled


def _is_store(world: World, footing: DependencyTracker, ref: ContainerRef) -> bool:
    process = footing.at(process_of, world, ref)
    return process is not None and process.running and isinstance(process.behaviour, StoreProgram)


def _note(holders: Holders, process: Process, site: CallSite, place: int, route: CallRoute) -> None:
    """Enter that calls need a connection to a store; who is not let in has none."""
    server = route.target.ref
    if server is None or route.kind == "auth":
        return
    key = (process.ref, site.name)
    own = _Holder(process, site.name, site.client, route.target.share, [])
    holder = holders.setdefault(server, {}).setdefault(key, own)
    if not route.kind:
        holder.routes.append((site, place))


def _limits(
    world: World, caller: ContainerRef, name: str, server: ContainerRef
) -> tuple[ConnectionLimit, ...]:
    """How many connections a server takes, as far as that concerns a client of a process."""
    runtime: Runtime = world.service(RUNTIME)
    process, store = process_of(world, caller), process_of(world, server)
    if process is None or store is None or store.behaviour is None:
        return ()
    kind = runtime.kind_of(store)
    return kind.limits(world, store, store.behaviour, process.clients[name])


def _admit(
    world: World,
    footing: DependencyTracker,
    found: _Granted,
    server: ContainerRef,
    known: Iterable[_Holder],
) -> None:
    """Let clients have their connections to a server, who started first before the others."""
    order = sorted(known, key=lambda one: (one.process.started_at, one.process.ref, one.name))
    used: dict[str | None, int] = {}
    granted: list[tuple[_Holder, int, tuple[ConnectionLimit, ...]]] = []
    for holder in order:
        limits = footing.at(_limits, world, holder.process.ref, holder.name, server)
        ports = footing.at(most_at_once, world, holder.process.ref)
        number = min((holder.wanted, ports, *(_left(limit, used) for limit in limits)))
        for user in (None, holder.client.user):
            used[user] = used.get(user, 0) + number
        granted.append((holder, number, limits))
    pools = [
        Peer(holder.process.config.pod_ip, holder.client.user, holder.client.database, number)
        for holder, number, _ in granted
        if holder.client.pool and number
    ]
    if pools:
        found.pools[server] = tuple(pools)
    for holder, number, limits in granted:
        key = (holder.process.ref, holder.name, server)
        enough = holder.wanted if holder.client.pool else _AMPLE
        ports = footing.at(most_at_once, world, holder.process.ref)
        if not limits:
            if ports < enough:
                found.short.append(Short(key, ports, "", "no_port"))
            continue
        closest = min(limits, key=lambda limit: _left(limit, used))
        room = number if holder.client.pool else number + _left(closest, used)
        if not holder.client.pool:
            whole = sum(n for other, n, _ in granted if not other.client.pool) - number + room
            found.room[server] = max(found.room.get(server, 0), whole)
        if ports < min(room, enough):
            found.short.append(Short(key, ports, "", "no_port"))
        elif room < enough:
            found.short.append(Short(key, room, closest.text))


def _left(limit: ConnectionLimit, used: dict[str | None, int]) -> int:
    return max(0, limit.most - used.get(limit.user, 0))


def _restrict(made: Structure, holder: _Holder, short: Short) -> None:
    """Let calls know that there are only so many connections."""
    index = len(made.openings)
    routes: list[tuple[int, CallRoute]] = []
    made.openings.append(Opening(short.key, short.kind, routes, short.text, short.most))
    for site, place in holder.routes:
        route = site.routes[place]._replace(opening=index)
        site.routes = (*site.routes[:place], route, *site.routes[place + 1 :])
        routes.append((site.index, route))

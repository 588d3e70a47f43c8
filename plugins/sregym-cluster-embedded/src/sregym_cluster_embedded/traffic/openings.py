"""The connections that calls need: what pools hold, what servers take, what ports there are."""

from __future__ import annotations

import math
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

# Calls of one program never need more connections than this.
_AMPLE = 1000
# Of so many connections none is missing while a quarter of them is in use.
_MANY = 64


class _Holder(NamedTuple):
    """A client of a process that holds connections to a server.

    Attributes:
        process: The process that is meant.
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


def open_connections(
    world: World,
    made: Structure,
    footing: DependencyTracker,
    targets: Callable[[Process, str], tuple[Client, tuple[Target, ...]]],
    *,
    whole: bool,
) -> None:
    """Let clients hold their connections, and let calls that get none know.

    Args:
        world: The cluster.
        made: Who calls whom.
        footing: Keeps what is looked at.
        targets: A client of a process, and where it leads.
        whole: Whether it matters who holds connections to servers that are not called.
    """
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
    for server, known in holders.items():
        _admit(world, footing, made, server, known.values())


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
    made: Structure,
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
        made.pools[server] = tuple(pools)
    for holder, number, limits in granted:
        enough = holder.wanted if holder.client.pool else _AMPLE
        ports = footing.at(most_at_once, world, holder.process.ref)
        if not limits:
            if ports < enough:
                _restrict(made, server, holder, ports, "", "no_port")
            continue
        closest = min(limits, key=lambda limit: _left(limit, used))
        room = number if holder.client.pool else number + _left(closest, used)
        if not holder.client.pool:
            whole = sum(n for other, n, _ in granted if not other.client.pool) - number + room
            made.room[server] = max(made.room.get(server, 0), whole)
        if ports < min(room, enough):
            _restrict(made, server, holder, ports, "", "no_port")
        elif room < enough:
            _restrict(made, server, holder, room, closest.text)


def _left(limit: ConnectionLimit, used: dict[str | None, int]) -> int:
    return max(0, limit.most - used.get(limit.user, 0))


def _restrict(
    made: Structure, server: ContainerRef, holder: _Holder, room: int, text: str,
    kind: str = "overloaded",
) -> None:  # fmt: skip
    """Let calls know that there are only so many connections."""
    index = len(made.openings)
    key = (holder.process.ref, holder.name, server)
    routes: list[tuple[int, CallRoute]] = []
    made.openings.append(Opening(key, kind, routes, text, room))
    for site, place in holder.routes:
        route = site.routes[place]._replace(opening=index)
        site.routes = (*site.routes[:place], route, *site.routes[place + 1 :])
        routes.append((site.index, route))

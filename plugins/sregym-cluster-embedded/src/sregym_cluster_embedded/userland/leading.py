"""Which of several servers a driver goes to: it asks those that it knows who leads.

Drivers of servers that form sets know some addresses, ask there for all the others, and then choose
for each command: a primary takes it, or one that follows where the client wants that for its reads.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from sregym_apps.model import WRITING

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_apps.model import Client

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.dependency_tracking import UntrackedReads
    from sregym_cluster_embedded.userland.kinds.kind import Place
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World

PRIMARY, SECONDARY = "primary", "secondary"
# The role of who has no data, and tells who leads.
WATCHER = "sentinel"
# The roles that a wish is content with, those before others that are preferred.
_CONTENT = {
    "primary": ((PRIMARY,),),
    "read-write": ((PRIMARY,),),
    "primaryPreferred": ((PRIMARY,), (SECONDARY,)),
    "secondary": ((SECONDARY,),),
    "standby": ((SECONDARY,),),
    "read-only": ((SECONDARY,),),
    "secondaryPreferred": ((SECONDARY,), (PRIMARY,)),
    "prefer-standby": ((SECONDARY,), (PRIMARY,)),
    "nearest": ((PRIMARY, SECONDARY),),
}


class ServerPreference(NamedTuple):
    """What the address of a client says of the servers that it wants.

    Attributes:
        seeds: `host:port` of those that it knows from the beginning.
        reads: With whom its reads are content, as its driver words it; empty where it does not say.
        direct: Whether it goes to what it is told, whichever member leads.
        staleness_s: How far behind one may be for its reads; 0: as far as it is.
        watched: Whether its seeds are monitors of servers, and tell which one leads.
    """

    seeds: tuple[str, ...]
    reads: str = ""
    direct: bool = False
    staleness_s: int = 0
    watched: bool = False


@lru_cache(maxsize=1024)
def server_preference(address: str, usual_port: int) -> ServerPreference:
    """What an address says: `scheme://user:password@host1:port,host2:port/path?options`.

    Or of monitors of servers: `scheme-sentinel://...`, or `host1:port,host2:port,serviceName=name`.
    """
    rest = address.partition("://")[2] or address
    rest, _, query = rest.partition("?")
    hosts = rest.partition("/")[0].rpartition("@")[2]
    words = hosts.split(",")
    seeds = tuple(
        host if ":" in host else f"{host}:{usual_port}" for host in words if "=" not in host
    )
    options = dict(parse_qsl(query))
    named = {word.partition("=")[0].lower() for word in words if "=" in word}
    scheme, separator, _ = address.partition("://")
    watched = bool(separator and scheme.endswith(WATCHER)) or "servicename" in named
    reads = options.get("readPreference") or options.get("target_session_attrs") or ""
    direct = options.get("directConnection") == "true" or options.get("connect") == "direct"
    stale = options.get("maxStalenessSeconds", "")
    staleness_s = int(stale) if stale.isdecimal() else 0
    return ServerPreference(seeds, reads if reads in _CONTENT else "", direct, staleness_s, watched)


def options_of(address: str) -> dict[str, str]:
    """The options in the query of an address."""
    return dict(parse_qsl(address.partition("?")[2]))


def reads_of(client: Client, command: str) -> str:
    """With which of its servers a command of a client is content: `primary`, unless it only reads."""
    if client.wire.led != "discovered" or not command or command in WRITING:
        return "primary"
    return server_preference(client.address, client.wire.port).reads or "primary"


def place_of(world: World, ref: ContainerRef) -> Place | None:
    """What a server tells a driver of itself and of its set; None for one that stands alone."""
    process = process_of(world, ref)
    if process is None or not process.running or process.behaviour is None:
        return None
    return world.service(RUNTIME).kind_of(process).place(world, process, process.behaviour)


def too_old(world: World, ref: ContainerRef, staleness_s: int) -> bool:
    """Whether a server is further behind than a client wants it."""
    process = process_of(world, ref)
    if process is None or not process.running or process.behaviour is None:
        return False
    kind = world.service(RUNTIME).kind_of(process)
    return kind.behind_s(world, process, process.behaviour) > staleness_s


def led(
    world: World,
    wish: ServerPreference,
    reads: str,
    look: UntrackedReads,
    at: Callable[[str], tuple[Target, ...]],
) -> tuple[Target, ...]:
    """Where a command of a client ends.

    Args:
        world: The cluster.
        wish: What the client's address says.
        reads: With whom the command is content; `primary` unless it only reads.
        look: How to look.
        at: The ends of connections to `host:port`.
    """
    known = {seed: at(seed) for seed in wish.seeds}
    if wish.direct:
        return known[wish.seeds[0]]
    asked = list(wish.seeds)
    found: list[tuple[Target, Place]] = []
    alone: list[Target] = []
    for seed in asked:
        for target in known.setdefault(seed, ()) or at(seed):
            place = None
            if not target.kind and target.ref is not None:
                place = look.at(place_of, world, target.ref)
                if place is None:
                    alone.append(target)
            if place is None:
                continue
            if all(target.ref != other.ref for other, _ in found):
                found.append((target, place))
            # The names of the set's own configuration are those by which all are reached.
            asked.extend(host for host in place.others if host not in asked)
    if not found:
        return _first(wish, known, alone)
    return _chosen(world, wish, reads, look, found)


def listed(
    world: World,
    wish: ServerPreference,
    look: UntrackedReads,
    at: Callable[[str], tuple[Target, ...]],
) -> tuple[Target, ...]:
    """Where connections end of a driver that tries the addresses which it is given in order.

    Args:
        world: The cluster.
        wish: What the client's address says.
        look: How to look.
        at: The ends of connections to `host:port`.
    """
    first = at(wish.seeds[0])
    if len(wish.seeds) == 1 and not wish.reads:
        return first
    others: list[Target] = []
    for roles in _CONTENT[wish.reads] if wish.reads else ((PRIMARY, SECONDARY),):
        for seed in wish.seeds:
            for end in at(seed):
                place = None
                if not end.kind and end.ref is not None:
                    place = look.at(place_of, world, end.ref)
                    others.append(end)
                if place is not None and place.role in roles:
                    return (end.shared(1.0),)
    return (others[0].without_end("unavailable"),) if others else first


def watched(
    world: World,
    wish: ServerPreference,
    look: UntrackedReads,
    at: Callable[[str], tuple[Target, ...]],
) -> tuple[Target, ...]:
    """Where connections end of a driver that asks monitors of servers which one leads.

    The first of them that answers is believed; a member that wrongly says that it leads is not followed further.

    Args:
        world: The cluster.
        wish: What the client's address says.
        look: How to look.
        at: The ends of connections to `host:port`.
    """
    for seed in wish.seeds:
        for watcher in at(seed):
            if watcher.kind or watcher.ref is None:
                continue
            told = look.at(place_of, world, watcher.ref)
            if told is None or told.role != WATCHER or not told.others:
                continue
            (end, *_) = at(told.others[0])
            if end.kind or end.ref is None:
                return (end,)
            place = look.at(place_of, world, end.ref)
            leads = place is not None and place.role == PRIMARY
            return (end.shared(1.0) if leads else end.without_end("unavailable"),)
    return at(wish.seeds[0])


def _first(
    wish: ServerPreference, known: dict[str, tuple[Target, ...]], alone: list[Target]
) -> tuple[Target, ...]:
    """The ends of the first address behind which a process listens; else what the first one comes to."""
    if len(wish.seeds) > 1:
        for seed in wish.seeds:
            if any(target in alone for target in known[seed]):
                return known[seed]
    return known[wish.seeds[0]]


def _chosen(
    world: World,
    wish: ServerPreference,
    reads: str,
    look: UntrackedReads,
    found: list[tuple[Target, Place]],
) -> tuple[Target, ...]:
    for roles in _CONTENT[reads]:
        ends = [target for target, place in found if place.role in roles]
        if wish.staleness_s and PRIMARY not in roles:
            limit = wish.staleness_s
            ends = [one for one in ends if one.ref and not look.at(too_old, world, one.ref, limit)]
        if ends:
            return tuple(end.shared(1 / len(ends)) for end in ends)
    nobody = found[0][0]
    return (nobody.without_end("unavailable"),)

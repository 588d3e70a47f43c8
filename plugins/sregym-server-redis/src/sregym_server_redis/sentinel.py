"""How Sentinels watch a master: when it is down, who agrees, and which replica is promoted.

A server that does not answer for `down-after-milliseconds`, or that should lead and follows another,
is down for one Sentinel (`+sdown`). When as many as the quorum say so of the master it is down for all
(`+odown`), and the Sentinel that most of them have elected promotes the best replica, if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import reach
from sregym_cluster_embedded.sdk.replication import Role, standing_of
from sregym_cluster_embedded.sdk.servers import invalidate_traffic, process_of

from sregym_server_redis.connection import Connection
from sregym_server_redis.links import following, looked_at, offset_of
from sregym_server_redis.program import RedisProgram, SentinelProgram
from sregym_server_redis.replication import announced, turn
from sregym_server_redis.sentinel_state import (
    HELLOS,
    SIGHTS,
    SentinelView,
    Watched,
    identity,
    keep,
    watched,
)
from sregym_server_redis.server_log import note
from sregym_server_redis.views import Watching, remember

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

_LOOKS_S = 1.0
# A master that follows another is borne so long; a replica that does not follow so long.
_TWO_INFOS_S, _FOUR_HELLOS_S = 20.0, 8.0


def sentinel_view(world: World, process: Process) -> SentinelView:
    """What a running Sentinel sees."""
    return world.table(SIGHTS).get(process.ref, SentinelView())


def server_at(world: World, process: Process, place: str) -> Process | None:
    """The server that a Sentinel reaches at `host port`; None where none answers."""
    host, _, port = place.partition(" ")
    end = reach(world, process, host, int(port), "keyvalue", host)[0]
    found = None if end.kind or end.ref is None else process_of(world, end.ref)
    if found is None or not found.running or found.served_at is None:
        return None
    if isinstance(found.behaviour, SentinelProgram) or not isinstance(
        found.behaviour, RedisProgram
    ):
        return None
    return found


def follows(world: World, server: Process) -> str:
    """`host port` of whom a server follows; empty for a master."""
    link = looked_at(world, server.ref)
    return "" if link is None else link.place


def others(world: World, process: Process) -> list[Process]:
    """The other Sentinels that it reaches."""
    own = standing_of(world, process.ref)
    found = [process_of(world, one.ref) for one in own.sights if one.ref] if own else []
    return [one for one in found if one is not None and one.running]


def named(given: Watched, place: str) -> str:
    """A server as lines of the log and events call it."""
    host, _, port = place.partition(" ")
    if place == given.place:
        return f"master {given.name} {host} {port}"
    above, _, at = given.place.partition(" ")
    return f"slave {host}:{port} {host} {port} @ {given.name} {above} {at}"


def monitor(world: World, process: Process) -> None:
    """Event: a Sentinel looks at all whom it knows, and acts on it."""
    given = watched(world, process)
    if given is None:
        return
    known = (given.place, *given.replicas)
    there = {place: server_at(world, process, place) for place in known}
    given = _introduced(world, process, given, [one for one in there.values() if one is not None])
    given = _told(world, process, given)
    if given.place not in there:
        there[given.place] = server_at(world, process, given.place)
    given = _with_replicas(world, process, given, there[given.place])
    before = sentinel_view(world, process)
    sight = _seen(world, process, given, there)
    world.table(SIGHTS)[process.ref] = sight
    if sight.down != before.down or sight.agreed != before.agreed:
        # Others count on what this one holds for down.
        invalidate_traffic(world)
    own = standing_of(world, process.ref)
    leads = own is not None and own.role is Role.PRIMARY
    if sight.agreed and leads:
        _fail_over(world, process, given, there)
    elif not sight.down & {given.place} and there[given.place] is not None and leads:
        _set_right(world, process, given, there)
    _remember(world, process)
    _go_on(world, process)


def _remember(world: World, process: Process) -> None:
    given, sight = watched(world, process), sentinel_view(world, process)
    if given is None:
        return
    status = "sdown" if given.place in sight.down else "ok"
    replicas = len(given.replicas)
    view = Watching(
        world.now, given.name, given.place.replace(" ", ":"), "odown" if sight.agreed else status,
        (replicas, replicas - len(sight.down & set(given.replicas))),
        (1 + len(given.sentinels), 1 + len(others(world, process))), given.quorum,
    )  # fmt: skip
    remember(world, process, view)


def _go_on(world: World, process: Process) -> None:
    """Look again in a second while anything is under way; otherwise with the next heartbeat."""
    sight, given = sentinel_view(world, process), watched(world, process)
    waits = any(place not in sight.down for place in sight.missed) or bool(sight.wrong)
    if (waits or sight.agreed) and given is not None and sight.due <= world.now:
        world.table(SIGHTS)[process.ref] = sight._replace(due=world.now + _LOOKS_S)
        world.after(_LOOKS_S, "userland.event", process.ref, "look")


def _introduced(world: World, process: Process, given: Watched, servers: list[Process]) -> Watched:
    """Say hello at each server, and get to know who else has."""
    own, found = identity(process), dict(given.sentinels)
    place = f"{process.config.pod_ip}:{process.settings['redis.port']}"
    for server in servers:
        table = world.table(HELLOS)
        heard = table.get(server.ref, {})
        if heard.get(own) != (process.ref, place):
            heard = {**heard, own: (process.ref, place)}
            table[server.ref] = heard
            invalidate_traffic(world)
        for name, (ref, where) in heard.items():
            other = process_of(world, ref)
            if name != own and other is not None and other.running and found.get(name) != where:
                if name not in found:
                    host, _, port = where.rpartition(":")
                    _say(
                        world,
                        process,
                        f"+sentinel sentinel {name} {host} {port} @ {_master(given)}",
                    )
                found[name] = where
    if tuple(found.items()) == given.sentinels:
        return given
    given = given.changed(sentinels=tuple(found.items()))
    keep(world, process, given)
    return given


def _told(world: World, process: Process, given: Watched) -> Watched:
    """Take over from other Sentinels who leads since a newer failover."""
    for other in others(world, process):
        theirs = watched(world, other)
        if theirs is None or theirs.name != given.name or theirs.epoch <= given.epoch:
            continue
        host, _, port = other.config.pod_ip, "", other.settings["redis.port"]
        _say(world, process, f"+new-epoch {theirs.epoch}")
        text = f"+config-update-from sentinel {identity(other)} {host} {port} @ {_master(given)}"
        _say(world, process, text)
        given = _switched(world, process, given, theirs.place, theirs.epoch)
    return given


def _switched(world: World, process: Process, given: Watched, place: str, epoch: int) -> Watched:
    _say(world, process, f"+switch-master {given.name} {given.place} {place}")
    replicas = [one for one in (*given.replicas, given.place) if one != place]
    given = given.changed(place=place, epoch=epoch, replicas=tuple(dict.fromkeys(replicas)))
    for one in given.replicas:
        _say(world, process, f"+slave {named(given, one)}")
    keep(world, process, given)
    sight = sentinel_view(world, process)
    world.table(SIGHTS)[process.ref] = sight._replace(
        agreed=False, missed={}, wrong={}, down=frozenset()
    )
    invalidate_traffic(world)
    return given


def _with_replicas(
    world: World, process: Process, given: Watched, master: Process | None
) -> Watched:
    """Those that the master tells of."""
    if master is None:
        return given
    found = [announced(world, one) for one in following(world, master.ref)]
    new = [one for one in found if one not in (*given.replicas, given.place)]
    if not new:
        return given
    given = given.changed(replicas=(*given.replicas, *new))
    keep(world, process, given)
    for place in new:
        _say(world, process, f"+slave {named(given, place)}")
    return given


def _seen(
    world: World, process: Process, given: Watched, there: dict[str, Process | None]
) -> SentinelView:
    """Who is missed, who is down, and whether enough others say so of the master."""
    before = sentinel_view(world, process)
    missed, down = {}, set(before.down)
    for place in (given.place, *given.replicas):
        server = there.get(place)
        if server is not None and not _astray(world, given, place, server):
            if place in down:
                down.remove(place)
                _say(world, process, f"-sdown {named(given, place)}")
            continue
        missed[place] = before.missed.get(place, world.now)
        borne_s = effective_down_after_s(world, given, place, server)
        if place not in down and world.now - missed[place] >= borne_s - 1e-6:
            down.add(place)
            _say(world, process, f"+sdown {named(given, place)}")
    wrong = {
        place: before.wrong.get(place, world.now)
        for place in given.replicas
        if (server := there.get(place)) is not None and follows(world, server) != given.place
    }
    sight = before._replace(missed=missed, wrong=wrong, down=frozenset(down))
    votes = 0
    if given.place in down:
        votes = 1 + sum(agrees(world, one, given) for one in others(world, process))
    agreed = votes >= given.quorum > 0
    if agreed and not before.agreed:
        text = f"+odown {named(given, given.place)} #quorum {votes}/{given.quorum}"
        _say(world, process, text)
    elif before.agreed and not agreed:
        _say(world, process, f"-odown {named(given, given.place)}")
    return sight._replace(agreed=agreed)


def _astray(world: World, given: Watched, place: str, server: Process | None) -> bool:
    """Whether a server that should lead follows another."""
    return server is not None and place == given.place and bool(follows(world, server))


def effective_down_after_s(
    world: World, given: Watched, place: str, server: Process | None
) -> float:
    """How long a Sentinel bears that a server does not answer, or does not lead, before it is down."""
    return given.down_after_s + (_TWO_INFOS_S if _astray(world, given, place, server) else 0.0)


def agrees(world: World, other: Process, given: Watched) -> bool:
    """Whether another Sentinel holds the same master for down."""
    theirs = watched(world, other)
    same = theirs is not None and theirs.place == given.place
    return same and given.place in sentinel_view(world, other).down


def best(
    world: World, given: Watched, there: dict[str, Process | None]
) -> tuple[str, Process] | None:
    """The replica to promote: of the lowest priority, then the newest data; None where none may be."""
    found = []
    for place in given.replicas:
        server = there.get(place)
        if server is None:
            continue
        client = Connection(world, server)
        priority = int(client.setting("replica-priority"))
        if priority and follows(world, server):
            found.append((priority, -offset_of(client), place, server))
    found.sort(key=lambda one: one[:3])
    return (found[0][2], found[0][3]) if found else None


def _fail_over(
    world: World, process: Process, given: Watched, there: dict[str, Process | None]
) -> None:
    sight, own = sentinel_view(world, process), standing_of(world, process.ref)
    assert own is not None
    if sight.tried >= 0 and world.now - sight.tried < 2 * given.timeout_s:
        return
    world.table(SIGHTS)[process.ref] = sight._replace(tried=world.now)
    promote(world, process, given, there)


def promote(
    world: World, process: Process, given: Watched, there: dict[str, Process | None]
) -> bool:
    """Let the best replica lead and the others follow it; whether there is one."""
    master, epoch = named(given, given.place), given.epoch + 1
    _say(world, process, f"+new-epoch {epoch}")
    _say(world, process, f"+try-failover {master}")
    _say(world, process, f"+vote-for-leader {identity(process)} {epoch}")
    _say(world, process, f"+elected-leader {master}")
    _say(world, process, f"+failover-state-select-slave {master}")
    found = best(world, given, there)
    if found is None:
        _say(world, process, f"-failover-abort-no-good-slave {master}")
        return False
    place, server = found
    for event in ("+selected-slave", "+failover-state-send-slaveof-noone"):
        _say(world, process, f"{event} {named(given, place)}")
    turn(world, server, "", "sentinel")
    for event, who in (
        ("+failover-state-wait-promotion", place), ("+promoted-slave", place),
        ("+failover-state-reconf-slaves", given.place),
    ):  # fmt: skip
        _say(world, process, f"{event} {named(given, who)}")
    for other in given.replicas:
        follower = there.get(other)
        if other != place and follower is not None:
            _say(world, process, f"+slave-reconf-sent {named(given, other)}")
            turn(world, follower, place, "sentinel")
            _say(world, process, f"+slave-reconf-done {named(given, other)}")
    _say(world, process, f"+failover-end {master}")
    _switched(world, process, given, place, epoch)
    return True


def _set_right(
    world: World, process: Process, given: Watched, there: dict[str, Process | None]
) -> None:
    """Let replicas follow the master that do not, when they have not for a while."""
    for place, since in sentinel_view(world, process).wrong.items():
        server = there.get(place)
        if server is None or world.now - since < _FOUR_HELLOS_S - 1e-6:
            continue
        event = "+fix-slave-config" if follows(world, server) else "+convert-to-slave"
        _say(world, process, f"{event} {named(given, place)}")
        turn(world, server, given.place, "sentinel")


def _master(given: Watched) -> str:
    return f"{given.name} {given.place}"


def _say(world: World, process: Process, text: str) -> None:
    note(
        world,
        process,
        "X",
        "#" if text.startswith(("+sdown", "-sdown", "+odown", "-odown")) else "*",
        text,
    )

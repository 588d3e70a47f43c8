"""Replication: replicas that follow a master, how far behind they are, promotion by hand."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import reach
from sregym_cluster_embedded.sdk.servers import WRITING, TableKey, counted, process_of

from sregym_server_redis.data import RedisData, load
from sregym_server_redis.journal import note
from sregym_server_redis.program import RedisProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.commands import Target
    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

    from sregym_server_redis.server import Connection

# How often a replica looks after its link, and how often it dials a master that is not there.
_CRON_S, _AGAIN_S = 1.0, 5.0
# A write of a program on the wire, and a ping of the master with how often it comes.
_WRITE_BYTES, _PING_BYTES, _PING_S = 64, 14, 10.0
_REASONS = {
    "refused": "Connection refused",
    "timeout": "Connection timed out",
    "no_route": "No route to host",
    "unreachable": "Network is unreachable",
    "reset": "Connection reset by peer",
}


class Link(NamedTuple):
    """What a replica knows of its master.

    Attributes:
        place: `HOST PORT`.
        since: Virtual second from which on it is up, or down.
        master: The process that it follows; None while the link is down.
        offset: Byte of the master's stream up to which it has all.
        heard: Virtual second of the last word from the master; negative: none yet.
        due: Virtual second of its next look.
    """

    place: str
    since: float
    master: ContainerRef | None = None
    offset: int = 0
    heard: float = -1.0
    due: float = 0.0


LINKS: TableKey[ContainerRef, Link] = TableKey("userland.redis-links")


def link_of(world: World, ref: ContainerRef) -> Link | None:
    """The link of a replica; None for a master."""
    return world.table(LINKS).get(ref)


def replicas_of(world: World, ref: ContainerRef) -> Iterator[tuple[Process, Link]]:
    """The replicas whose link to a server is up, in order of their links."""
    for replica, link in sorted(world.table(LINKS).items(), key=lambda one: one[1].since):
        process = process_of(world, replica) if link.master == ref else None
        if process is not None and process.running:
            yield process, link


def offset_of(client: Connection) -> int:
    """How many bytes of changes there have been: its own, or as a replica those it has."""
    link = link_of(client.world, client.server.ref)
    if link is not None:
        return link.offset
    seen = counted(client.world, client.server.ref)
    pings = 0
    if any(replicas_of(client.world, client.server.ref)):
        pings = int((client.world.now - client.server.started_at) / _PING_S)
    return client.data.written + _WRITE_BYTES * seen.of(*WRITING) + _PING_BYTES * pings


def history_of(client: Connection) -> str:
    """The identity of the changes that a server has: that of its master while it follows one."""
    server = client.server
    link = link_of(client.world, server.ref)
    master = process_of(client.world, link.master) if link is not None and link.master else None
    source = server if master is None else master
    text = f"replication {source.ref} {source.started_at}"
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def good_replicas(client: Connection) -> int:
    """Replicas that have heard from a server no longer ago than `min-replicas-max-lag`."""
    most = int(client.setting("min-replicas-max-lag"))
    now = client.world.now
    found = replicas_of(client.world, client.server.ref)
    return sum(now - link.heard <= most or not most for _, link in found)


def follow(client: Connection, asked_by: str = "") -> None:
    """Let a server follow the master of its setting `replicaof` from now on, or nobody."""
    world, server, place = client.world, client.server, client.setting("replicaof")
    table = world.table(LINKS)
    before = table.get(server.ref)
    if not place:
        if table.pop(server.ref, None) is not None and before is not None:
            # Its own history goes on where that of its master was.
            client.keep(replace(client.data, written=before.offset))
            note(world, server, "M", "*", "Discarding previously cached master state.")
            note(world, server, "M", "*", f"MASTER MODE enabled (user request from '{asked_by}')")
        return
    if before is not None and before.place == place:
        return
    if asked_by:
        where = place.replace(" ", ":")
        said = f"REPLICAOF {where} enabled (user request from '{asked_by}')"
        note(world, server, "S", "*", said)
    table[server.ref] = Link(place, world.now, due=world.now)
    if before is None:
        world.after(0.0, "userland.event", server.ref, "replicate")


def look(client: Connection) -> None:
    """Event: a replica looks after its link, as often as it does that."""
    world, server = client.world, client.server
    link = link_of(world, server.ref)
    if link is None:
        return
    if world.now < link.due:
        world.after(link.due - world.now, "userland.event", server.ref, "replicate")
        return
    master, target, why = _reached(client, link)
    if master is None:
        link = _lost(client, link, why)
    elif link.master != master.server.ref:
        link = _synchronised(client, link, master)
    else:
        link = _caught_up(client, link, master, target)
    pause = _CRON_S if link.master is not None else _AGAIN_S
    world.table(LINKS)[server.ref] = link._replace(due=world.now + pause)
    world.after(pause, "userland.event", server.ref, "replicate")


def _reached(client: Connection, link: Link) -> tuple[Connection | None, Target | None, str]:
    """The master, the way there, and why there is none."""
    from sregym_server_redis.server import NO_AUTH, WRONG_PASS, Connection

    world, server = client.world, client.server
    host, _, port = link.place.partition(" ")
    target = reach(world, server, host, int(port), "keyvalue", host)[0]
    if target.kind == "dns":
        return None, None, "dns"
    process = None if target.kind or target.ref is None else process_of(world, target.ref)
    if process is None or not process.running or not isinstance(process.behaviour, RedisProgram):
        return None, None, _REASONS.get(target.kind, "Connection refused")
    if process.ref == server.ref or process.served_at is None:
        return None, None, "Connection refused"
    master = Connection(world, process, server.config.pod_ip)
    password = client.setting("masterauth")
    user = client.setting("masteruser") or "default"
    if password and not master.log_in(password, user):
        return None, None, f"-{WRONG_PASS}"
    if not master.known:
        return None, None, f"-{NO_AUTH}"
    return master, target, ""


def _lost(client: Connection, link: Link, why: str) -> Link:
    world, server = client.world, client.server
    where = link.place.replace(" ", ":")
    if link.master is not None:
        note(world, server, "S", "*", "Connection with master lost.")
        note(world, server, "S", "*", "Caching the disconnected master state.")
        note(world, server, "S", "*", f"Reconnecting to MASTER {where}")
        link = link._replace(master=None, since=world.now)
    else:
        note(world, server, "S", "*", f"Connecting to MASTER {where}")
    if why == "dns":
        note(world, server, "S", "#", "Unable to connect to MASTER: No such file or directory")
        return link
    note(world, server, "S", "*", "MASTER <-> REPLICA sync started")
    if why.startswith("-"):
        note(world, server, "S", "#", f"Unable to AUTH to MASTER: {why}")
    else:
        note(world, server, "S", "#", f"Error condition on socket for SYNC: {why}")
    return link


def _synchronised(client: Connection, link: Link, master: Connection) -> Link:
    """A new link: all of the master's data, whatever the replica had."""
    world, server = client.world, client.server
    where, history, offset = link.place.replace(" ", ":"), history_of(master), offset_of(master)
    who = f"{server.config.pod_ip}:{client.setting('port')}"
    size = master.data.held_bytes() + 176
    for text in (
        f"Connecting to MASTER {where}",
        "MASTER <-> REPLICA sync started",
        "Non blocking connect for SYNC fired the event.",
        "Master replied to PING, replication can continue...",
        "Partial resynchronization not possible (no cached master)",
        f"Full resync from master: {history}:{offset}",
        f"MASTER <-> REPLICA sync: receiving {size} bytes from master to disk",
        "MASTER <-> REPLICA sync: Flushing old data",
        "MASTER <-> REPLICA sync: Loading DB in memory",
        "MASTER <-> REPLICA sync: Finished with success",
    ):
        note(world, server, "S", "*", text)
    for text in (
        f"Replica {who} asks for synchronization",
        f"Full resync requested by replica {who}",
        "Starting BGSAVE for SYNC with target: replicas sockets",
        f"Synchronization with replica {who} succeeded",
    ):
        note(world, master.server, "M", "*", text)
    _take(client, master.data)
    return link._replace(master=master.server.ref, since=world.now, offset=offset, heard=world.now)


def _caught_up(client: Connection, link: Link, master: Connection, target: Target | None) -> Link:
    """What the master has changed since, as far as it has come through."""
    world, wanted = client.world, offset_of(master)
    path = None if target is None else target.path
    if path is not None and path.bandwidth_mbit:
        most = int(path.bandwidth_mbit * 1e6 / 8 * (world.now - max(link.heard, link.since)))
        if link.offset + most < wanted:
            return link._replace(offset=link.offset + most, heard=world.now)
    if wanted != link.offset:
        _take(client, master.data)
    return link._replace(offset=wanted, heard=world.now)


def _take(client: Connection, data: RedisData) -> None:
    own = load(client.world, client.storage)
    if own.databases != data.databases:
        client.keep(replace(own, databases=data.databases))

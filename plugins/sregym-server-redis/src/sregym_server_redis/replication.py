"""Replication: replicas that follow a master, how far behind they are, promotion by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import reach
from sregym_cluster_embedded.sdk.replication import asleep, rouse, sleep
from sregym_cluster_embedded.sdk.servers import (
    invalidate_traffic,
    process_of,
)

from sregym_server_redis.connection import NO_AUTH, WRONG_PASS, Connection
from sregym_server_redis.data import RedisData, load
from sregym_server_redis.links import LINKS, Link, following, history_of, link_of, offset_of
from sregym_server_redis.program import RedisProgram, SentinelProgram
from sregym_server_redis.server_log import note
from sregym_server_redis.views import Followed, Following, remember

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Target
    from sregym_cluster_embedded.sdk.servers import Process, World

# How often a replica looks after its link, and how often it dials a master that is not there.
_CRON_S, _AGAIN_S = 1.0, 5.0
_REASONS = {
    "refused": "Connection refused",
    "timeout": "Connection timed out",
    "no_route": "No route to host",
    "unreachable": "Network is unreachable",
    "reset": "Connection reset by peer",
}


def announced(world: World, process: Process) -> str:
    """`host port` under which a replica tells its master, and others, that it can be reached."""
    client = Connection(world, process)
    host = client.setting("replica-announce-ip") or process.config.pod_ip
    return f"{host} {client.setting('port')}"


def follow(client: Connection, asked_by: str = "") -> None:
    """Let a server follow the master of its setting `replicaof` from now on, or none."""
    world, server, place = client.world, client.server, client.setting("replicaof")
    table = world.table(LINKS)
    before = table.get(server.ref)
    if not place:
        if before is not None:
            before = link_of(world, server.ref) or before
            del table[server.ref]
            rouse(world, server.ref)
            _remember(world, server, before)
            # Its own history goes on where that of its master was.
            client.keep(replace(client.data, written=before.offset))
            note(world, server, "M", "*", "Discarding previously cached master state.")
            note(world, server, "M", "*", f"MASTER MODE enabled (user request from '{asked_by}')")
        return
    if before is not None and before.place == place:
        return
    if asked_by:
        where = place.replace(" ", ":")
        message = f"REPLICAOF {where} enabled (user request from '{asked_by}')"
        note(world, server, "S", "*", message)
    table[server.ref] = Link(place, world.now, due=world.now)
    _remember(world, server, before)
    if before is None or asleep(world, server.ref):
        rouse(world, server.ref)
        world.after(0.0, "userland.event", server.ref, "replicate")


def turn(world: World, server: Process, place: str, name: str) -> None:
    """Let a server follow another from now on, or none, as a client of a name asks it to."""
    client = Connection(world, server, server.config.pod_ip)
    settings = {**client.data.settings, "replicaof": place}
    client.keep(replace(client.data, settings=settings))
    follow(client, f"id=9 addr={server.config.pod_ip}:43211 name={name} user=default")


def ended(world: World, server: Process) -> None:
    """A server has ended: it no longer counts as a replica."""
    link = world.table(LINKS).pop(server.ref, None)
    if link is not None:
        rouse(world, server.ref)
        _remember(world, server, link)


def _remember(world: World, server: Process, before: Link | None) -> None:
    """Let what a server and those whom it follows are to each other be known later, too."""
    link = world.table(LINKS).get(server.ref)
    view = Following(world.now)
    if link is not None:
        view = Following(world.now, link.place, link.master is not None)
    changed = remember(world, server, view)
    for ref in {one.master for one in (before, link) if one is not None}:
        master = None if ref is None else process_of(world, ref)
        if master is not None:
            places = tuple(announced(world, one) for one in following(world, master.ref))
            changed = remember(world, master, Followed(world.now, places)) or changed
    if changed:
        # Writes may need it, Sentinels look for it.
        invalidate_traffic(world)


def check_link(client: Connection) -> None:
    """Event: a replica looks after its link, as often as it does that."""
    world, server = client.world, client.server
    link = world.table(LINKS).get(server.ref)
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
    before = world.table(LINKS).get(server.ref)
    steady = before is not None and link.master is not None and before.master == link.master
    narrow = target is not None and target.path is not None and target.path.bandwidth_mbit
    rouse(world, server.ref)
    if steady and not narrow:
        world.table(LINKS)[server.ref] = link._replace(due=world.now)
        sleep(world, server.ref, "replicate", _CRON_S)
    else:
        pause = _CRON_S if link.master is not None else _AGAIN_S
        world.table(LINKS)[server.ref] = link._replace(due=world.now + pause)
        world.after(pause, "userland.event", server.ref, "replicate")
    _remember(world, server, before)


def _reached(client: Connection, link: Link) -> tuple[Connection | None, Target | None, str]:
    """The master, the way there, and why there is none."""
    world, server = client.world, client.server
    host, _, port = link.place.partition(" ")
    target = reach(world, server, host, int(port), "keyvalue", host)[0]
    if target.kind == "dns":
        return None, None, "dns"
    process = None if target.kind or target.ref is None else process_of(world, target.ref)
    if process is None or not process.running or not _is_store(process):
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


def _is_store(process: Process) -> bool:
    behaviour = process.behaviour
    return isinstance(behaviour, RedisProgram) and not isinstance(behaviour, SentinelProgram)


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
    _take(client, master.data)
    return link._replace(offset=wanted, heard=world.now)


def _take(client: Connection, data: RedisData) -> None:
    own = load(client.world, client.storage)
    if own.databases != data.databases:
        client.keep(replace(own, databases=data.databases))

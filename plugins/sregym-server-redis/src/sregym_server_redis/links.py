"""Links of replicas to their masters: state, offsets in the stream of changes, and who counts as good."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.replication import asleep
from sregym_cluster_embedded.sdk.servers import WRITING, TableKey, command_count, process_of

from sregym_server_redis.data import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

    from sregym_server_redis.connection import Connection

# Bytes in the stream of changes: a write of a program, and a ping of the master with its period.
_WRITE_BYTES, _PING_BYTES, _PING_S = 64, 14, 10.0


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


def looked_at(world: World, ref: ContainerRef) -> Link | None:
    """The link of a replica as it was when that looked last: whom it follows, and since when.

    None for a master. Who asks for no more spares itself the count of what the master was asked for.
    """
    return world.table(LINKS).get(ref)


def link_of(world: World, ref: ContainerRef) -> Link | None:
    """The link of a replica, with all that has come by now; None for a master."""
    link = world.table(LINKS).get(ref)
    if link is None or link.master is None or not asleep(world, ref):
        return link
    # It looks no more because nothing is late.
    master = process_of(world, link.master)
    offset = link.offset if master is None else _offset(world, master)
    return link._replace(offset=offset, heard=world.now)


def replicas_of(world: World, ref: ContainerRef) -> Iterator[tuple[Process, Link]]:
    """The replicas whose link to a server is up, in order of their links."""
    for process in following(world, ref):
        link = link_of(world, process.ref)
        if link is not None:
            yield process, link


def following(world: World, ref: ContainerRef) -> list[Process]:
    """The running replicas whose link to a server is up, in the order in which the links came up."""
    links = sorted(world.table(LINKS).items(), key=lambda one: one[1].since)
    found = (process_of(world, replica) for replica, link in links if link.master == ref)
    return [process for process in found if process is not None and process.running]


def offset_of(client: Connection) -> int:
    """How many bytes of changes there have been: its own, or as a replica those it has."""
    return _offset(client.world, client.server)


def _offset(world: World, process: Process) -> int:
    link = link_of(world, process.ref)
    if link is not None:
        return link.offset
    pings = 0
    if following(world, process.ref):
        pings = int((world.now - process.started_at) / _PING_S)
    written = load(world, process.settings["redis.storage"]).written
    return (
        written + _WRITE_BYTES * command_count(world, process.ref, *WRITING) + _PING_BYTES * pings
    )


def history_of(client: Connection) -> str:
    """The identity of the changes that a server has: that of its master while it follows one."""
    server = client.server
    link = looked_at(client.world, server.ref)
    master = process_of(client.world, link.master) if link is not None and link.master else None
    source = server if master is None else master
    text = f"replication {source.ref} {source.started_at}"
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def good_replicas(client: Connection) -> int:
    """Replicas that have heard from a server no longer ago than `min-replicas-max-lag`."""
    most = int(client.setting("min-replicas-max-lag"))
    world, found = client.world, following(client.world, client.server.ref)
    # One that looks no more because nothing is late hears all the time.
    heard = [
        world.now if asleep(world, one.ref) else world.table(LINKS)[one.ref].heard for one in found
    ]
    return sum(world.now - at <= most or not most for at in heard)

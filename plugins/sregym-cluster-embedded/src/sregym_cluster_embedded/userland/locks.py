"""Locks held in a datastore, for which commands of other sessions wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[ContainerRef, tuple[Lock, ...]] = TableKey("userland.locks")


class Lock(NamedTuple):
    """What a session of a server holds.

    Attributes:
        session: Its number among the sessions of the server.
        database: Where; empty for all of them.
        collection: Table or collection; empty for all of the database.
        reads: Whether reads wait as well, not only writes.
        user: Who holds it.
        peer: Where the session comes from.
        since: Virtual second.
        statement: What it said to get it.
    """

    session: int
    database: str = ""
    collection: str = ""
    reads: bool = False
    user: str = ""
    peer: str = ""
    since: float = 0.0
    statement: str = ""


def locks(world: World, server: ContainerRef) -> Sequence[Lock]:
    """All that is held in a server, oldest first."""
    found: Sequence[Lock] = world.table(_TABLE).get(server, ())
    return found


def hold(world: World, server: ContainerRef, lock: Lock) -> None:
    """Let a session hold a lock until it is released or the server ends."""
    world.table(_TABLE)[server] = (*locks(world, server), lock)
    _tell(world)


def release(world: World, server: ContainerRef, session: int) -> bool:
    """End what a session holds; whether it held anything."""
    known = locks(world, server)
    kept = tuple(lock for lock in known if lock.session != session)
    if len(kept) == len(known):
        return False
    world.table(_TABLE)[server] = kept
    _tell(world)
    return True


def holder(
    world: World, server: ContainerRef, database: str, collection: str, *, write: bool
) -> Lock | None:
    """The lock that a command of another session waits for, or None."""
    table = world.table(_TABLE)
    if not table:
        return None
    for lock in table.get(server, ()):
        if (
            (write or lock.reads)
            and lock.database in ("", database)
            and lock.collection in ("", collection)
        ):
            found: Lock = lock
            return found
    return None


def _tell(world: World) -> None:
    traffic = world.service_or_none(REQUEST_FLOW)
    if traffic is not None:
        traffic.changed(world)

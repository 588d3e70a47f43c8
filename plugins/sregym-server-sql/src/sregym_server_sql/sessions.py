"""Sessions of others in an SQL server: those that hold locks, as its own tables show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.exporters import Searching, searching
from sregym_cluster_embedded.sdk.servers import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    Lock,
    Peer,
    connected,
    connection_sources,
    counted,
    holder,
    locks,
    release,
)

from sregym_server_sql.engine import Result
from sregym_server_sql.sleeping import asleep

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

_PROCESS = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
_ACTIVITY = (
    "datname", "pid", "usename", "application_name", "client_addr", "backend_start", "xact_start",
    "query_start", "state_change", "wait_event_type", "wait_event", "state", "query",
    "backend_type",
)  # fmt: skip
# Processes of the server itself: what each waits for, and what it is.
_BACKGROUND = (
    ("CheckpointerMain", "checkpointer"), ("BgWriterHibernate", "background writer"),
    ("WalWriterMain", "walwriter"), ("AutoVacuumMain", "autovacuum launcher"),
    ("LogicalLauncherMain", "logical replication launcher"),
)  # fmt: skip
# What a session that holds a lock waits for, and its state.
_SLEEPS = ("Timeout", "PgSleep", "active")
_IDLES = ("Client", "ClientRead", "idle in transaction")
# The first number of sessions of programs.
_FIRST_SESSION = 71
_LOCK = ("locktype", "database", "relation", "pid", "mode", "granted")
_TABLE = re.compile(
    r"\b(?:from|into|update|table)\s+(?:if\s+(?:not\s+)?exists\s+)?[`\"]?(?:\w+\.)?(\w+)", re.I
)


class Running(NamedTuple):
    """A statement that reads all of a table at this moment.

    Attributes:
        searching: What is looked for.
        ran_s: For how long already.
    """

    searching: Searching
    ran_s: float

    def statement(self, value: str) -> str:
        """As the lists of sessions show it."""
        one = self.searching
        where = " AND ".join(f"{name} = {value}" for name in one.by)
        verb = {"delete": "DELETE", "update": "UPDATE"}.get(one.command, "SELECT *")
        if verb == "UPDATE":
            return f"UPDATE {one.collection} SET ... WHERE {where}"  # noqa: S608 - shown only
        return f"{verb} FROM {one.collection} WHERE {where}"


class _Busy:
    """Which sessions of programs read whole tables, handed out one after the other."""

    def __init__(self, world: World, server: Process) -> None:
        self._left: dict[str, list[Running]] = {}
        for one in searching(world, server.ref):
            shares = [(n + 0.5) / one.at_once for n in range(one.at_once)]
            more = [Running(one, one.took_s * share) for share in shares]
            self._left.setdefault(one.address, []).extend(more)

    def next_of(self, address: str) -> Running | None:
        """What the next session from an address does; None for one that rests."""
        left = self._left.get(address)
        return left.pop() if left else None


def waited_for(
    world: World, server: Process, database: str, statement: str, *, write: bool
) -> Lock | None:
    """The lock of another session that a statement would wait for."""
    table = _TABLE.search(statement)
    if table is None:
        return None
    return holder(world, server.ref, database, table.group(1), write=write)


def process_list(
    world: World, server: Process, own: tuple[object, ...]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Columns and rows of MySQL's `SHOW PROCESSLIST`, that of the one who asks included."""
    rows: list[tuple[object, ...]] = [
        (
            lock.session, lock.user, f"{lock.peer}:{32768 + lock.session}", lock.database or None,
            *_doing(lock, int(world.now - lock.since)),
        )
        for lock in locks(world, server.ref)
    ]  # fmt: skip
    held, busy = connection_sources(world, server), _Busy(world, server)
    for (number, peer, lock), end in zip(_clients(world, server), held, strict=True):
        state = ("Query", 0, "Waiting for table metadata lock") if lock else ("Sleep", 0, "")
        where = lock.database if lock is not None else None
        asked = f"SELECT * FROM {lock.collection}" if lock is not None else None  # noqa: S608 - shown only
        if lock is None and (search := busy.next_of(peer.address)) is not None:
            state, asked = ("Query", int(search.ran_s), "Sending data"), search.statement("?")
        where = where or peer.database or None
        host = f"{end.ip}:{end.port}"
        rows.append((number, peer.user, host, where, *state, asked))
    return _PROCESS, [*rows, own]


def _doing(lock: Lock, seconds: int) -> tuple[str, int, str, str | None]:
    """Command, time, state and statement of a session that holds a lock, as MySQL shows them."""
    if asleep(lock):
        return "Query", seconds, "User sleep", lock.statement
    return "Sleep", seconds, "", None


def waiting(world: World, server: Process) -> list[tuple[int, str, int, str]]:
    """Sessions that wait for a table: number, table, who holds it, what they ask."""
    return [
        (number, lock.collection, lock.session, f"SELECT * FROM {lock.collection}")  # noqa: S608 - shown only
        for number, _, lock in _clients(world, server)
        if lock is not None
    ]


def kill(world: World, server: Process, session: int) -> bool:
    """End a session; whether there is one."""
    return ended(world, server, session)


def server_status(world: World, server: Process) -> list[tuple[str, str]]:
    """MySQL's `SHOW GLOBAL STATUS`: the figures that metrics have, by name."""
    seen = counted(world, server.ref)
    figures = {
        "Aborted_clients": 0, "Aborted_connects": 0,
        "Bytes_received": seen.total * REQUEST_BYTES, "Bytes_sent": seen.total * ANSWER_BYTES,
        "Com_delete": seen.of("delete", "deleteOne"), "Com_insert": seen.of("insert", "insertOne"),
        "Com_select": seen.of("find", "get", "query", "select", "count"),
        "Com_update": seen.of("update", "updateOne", "set"),
        "Connections": seen.received + 8, "Max_used_connections": seen.connections + 1,
        "Queries": seen.total + 1, "Questions": seen.total + 1, "Slow_queries": 0,
        "Threads_cached": 0, "Threads_connected": seen.connections + 1,
        "Threads_created": seen.received + 1, "Threads_running": 1 + len(locks(world, server.ref)),
        "Uptime": int(world.now - server.started_at),
    }  # fmt: skip
    return [(name, str(figure)) for name, figure in figures.items()]


def _clients(world: World, server: Process) -> list[tuple[int, Peer, Lock | None]]:
    """Sessions of programs: number, whose, and the lock that each waits for."""
    kept = locks(world, server.ref)
    waits = next((lock for lock in kept if lock.collection or lock.database), None)
    peers = connected(world, server.ref)
    return [(_FIRST_SESSION + 3 * place, peer, waits) for place, peer in enumerate(peers)]


def activity(world: World, server: Process, own: tuple[object, ...]) -> Result:
    """PostgreSQL's `pg_stat_activity`: (datname, pid, usename, query) of the one who asks last."""
    database, pid, user, query = own
    now = world.timestamp()
    began = world.timestamp(server.started_at)
    rows: list[tuple[object, ...]] = [
        (None, 30 + n, None, "", None, began, None, None, None, "Activity", event, None, "", kind)
        for n, (event, kind) in enumerate(_BACKGROUND)
    ]
    busy = _Busy(world, server)
    for number, peer, lock in _clients(world, server):
        since = (began, now if lock else None, now, now)
        # What a waiting program asks for reads the table that is held.
        asked = "" if lock is None else f"SELECT * FROM {lock.collection}"  # noqa: S608 - shown only
        doing: tuple[object, ...] = ("Client", "ClientRead", "idle", "COMMIT", "client backend")
        if lock is not None:
            doing = ("Lock", "relation", "active", asked, "client backend")
        elif (search := busy.next_of(peer.address)) is not None:
            at = world.timestamp(world.now - search.ran_s)
            since = (began, at, at, at)
            doing = (None, None, "active", search.statement("$1"), "client backend")
        where = (peer.database or database) if lock is None else lock.database
        rows.append((where, number, peer.user or user, "", peer.address, *since, *doing))
    rows += [
        (
            lock.database, lock.session, lock.user, "", lock.peer,
            *(world.timestamp(lock.since),) * 4,
            *(_SLEEPS if asleep(lock) else _IDLES), lock.statement, "client backend",
        )
        for lock in locks(world, server.ref)
    ]  # fmt: skip
    own_times = (None, *(now,) * 4, None, None)
    rows.append((database, pid, user, "psql", *own_times, "active", query, "client backend"))
    return Result(_ACTIVITY, tuple(rows), 0, "select")


def locks_view(world: World, server: Process) -> Result:
    """PostgreSQL's `pg_locks`: what is held, and what is waited for."""
    rows: list[tuple[object, ...]] = [
        (
            "relation", lock.database, lock.collection or None, lock.session,
            "AccessExclusiveLock" if lock.reads else "ExclusiveLock", True,
        )
        for lock in locks(world, server.ref)
    ]  # fmt: skip
    for number, _, lock in _clients(world, server):
        if lock is not None:
            rows.append(
                ("relation", lock.database, lock.collection, number, "AccessShareLock", False)
            )
    return Result(_LOCK, tuple(rows), 0, "select")


def blockers(world: World, server: Process, session: int) -> list[int]:
    """Sessions for which a session waits."""
    return [
        lock.session
        for number, _, lock in _clients(world, server)
        if lock is not None and number == session
    ]


def ended(world: World, server: Process, session: int) -> bool:
    """End a session; whether there is one."""
    known = any(number == session for number, _, _ in _clients(world, server))
    return release(world, server.ref, session) or known

"""Sessions of others in an SQL server: those that hold locks, as its own tables show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.counted import ANSWER_BYTES, REQUEST_BYTES, counted
from sregym_cluster_embedded.userland.locks import Lock, holder, locks, release
from sregym_cluster_embedded.userland.sql.engine import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_PROCESS = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
_ACTIVITY = (
    "datname", "pid", "usename", "application_name", "client_addr", "backend_start", "xact_start",
    "query_start", "state_change", "wait_event_type", "wait_event", "state", "query",
    "backend_type",
)  # fmt: skip
_LOCK = ("locktype", "database", "relation", "pid", "mode", "granted")
_TABLE = re.compile(
    r"\b(?:from|into|update|table)\s+(?:if\s+(?:not\s+)?exists\s+)?[`\"]?(?:\w+\.)?(\w+)", re.I
)


def waited_for(
    world: World, server: Process, database: str, statement: str, *, write: bool
) -> Lock | None:
    """The lock of somebody else that a statement would wait for."""
    table = _TABLE.search(statement)
    if table is None:
        return None
    return holder(world, server.ref, database, table.group(1), write=write)


def process_list(
    world: World, server: Process, own: tuple[object, ...]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Columns and rows of MySQL's `SHOW PROCESSLIST`, that of the one who asks included."""
    rows = [
        (
            lock.session, lock.user, f"{lock.peer}:{32768 + lock.session}", lock.database or None,
            "Sleep", int(world.now - lock.since), "", None,
        )
        for lock in locks(world, server.ref)
    ]  # fmt: skip
    return _PROCESS, [*rows, own]


def kill(world: World, server: Process, session: int) -> bool:
    """End a session; whether there is one."""
    return release(world, server.ref, session)


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


def activity(world: World, server: Process, own: tuple[object, ...]) -> Result:
    """PostgreSQL's `pg_stat_activity`: (datname, pid, usename, query) of the one who asks last."""
    database, pid, user, query = own
    now = world.timestamp()
    rows: list[tuple[object, ...]] = [
        (
            lock.database, lock.session, lock.user, "", lock.peer,
            *(world.timestamp(lock.since),) * 4, "Client", "ClientRead", "idle in transaction",
            lock.statement, "client backend",
        )
        for lock in locks(world, server.ref)
    ]  # fmt: skip
    rows.append(
        (
            database,
            pid,
            user,
            "psql",
            None,
            now,
            now,
            now,
            now,
            None,
            None,
            "active",
            query,
            "client backend",
        )
    )
    return Result(_ACTIVITY, tuple(rows), 0, "select")


def held(world: World, server: Process) -> Result:
    """PostgreSQL's `pg_locks`."""
    rows = tuple(
        (
            "relation", lock.database, lock.collection or None, lock.session,
            "AccessExclusiveLock" if lock.reads else "ExclusiveLock", "t",
        )
        for lock in locks(world, server.ref)
    )  # fmt: skip
    return Result(_LOCK, rows, 0, "select")


def enders(world: World, server: Process) -> Mapping[str, Callable[[Any], str]]:
    """PostgreSQL's functions that end a session by its number; `t` when there was one."""

    def end(session: object) -> str:
        known = str(session).isdecimal() and release(world, server.ref, int(str(session)))
        return "t" if known else "f"

    return {"pg_terminate_backend": end, "pg_cancel_backend": end}

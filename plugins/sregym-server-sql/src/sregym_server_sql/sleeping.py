"""Transactions that sleep: what a session has locked stays locked until it wakes up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import Lock, hold, locks, release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import Process, World

# The first number of a session that sleeps, and the step to the next one.
_FIRST_SESSION, _STEP = 4127, 6
# The event at which a session that slept goes on.
WAKES = "wakes"
# Modes of PostgreSQL's LOCK TABLE that do not block reads.
_READABLE = re.compile(r"\bin\s+(?!access\s+exclusive)[\w\s]*\bmode\b", re.I)
_ROWS = re.compile(r"\bfrom\s+(?:only\s+)?[`\"]?([a-z_][\w.]*).*\bfor\s+(?:no\s+key\s+)?update\b", re.I | re.S)  # fmt: skip


def keeps_from_reading(statement: str) -> bool:
    """Whether a LOCK TABLE of PostgreSQL lets readers wait, too."""
    return _READABLE.search(statement) is None


def rows_locked(statement: str) -> str:
    """The table of which a SELECT locks rows; empty for other statements."""
    found = _ROWS.search(statement)
    return found.group(1) if found is not None else ""


def without_row_locks(statement: str) -> str:
    """A SELECT without the clause that locks its rows, which the engine does not know."""
    if rows_locked(statement):
        return re.sub(r"\bfor\s+(?:no\s+key\s+)?update\b.*$", "", statement, flags=re.I | re.S)
    return statement


def sleep_with(
    world: World,
    server: Process,
    tables: Mapping[str, bool],
    seconds: float,
    session: tuple[str, str, str, str],
) -> None:
    """Let a session sleep over what it has locked; nothing when it holds nothing.

    A server does not look at the connection of a session that sleeps: it keeps its locks until
    it wakes up or is ended, whatever becomes of its client.

    Args:
        world: Where the server runs.
        server: Its process.
        tables: What is locked, and whether readers wait.
        seconds: How long.
        session: Database, user, address, and what the session is doing.
    """
    if not tables or seconds <= 0:
        return
    database, user, peer, doing = session
    number = max((lock.session for lock in locks(world, server.ref)), default=0) + _STEP
    number = max(number, _FIRST_SESSION)
    for table, reads in tables.items():
        lock = Lock(number, database, table, reads, user, peer, world.now, doing)
        hold(world, server.ref, lock)
    world.after(seconds, "userland.event", server.ref, WAKES, number)


def end_sleep(world: World, server: Process, number: int) -> None:
    """A session has slept enough; its transaction ends."""
    release(world, server.ref, number)


def asleep(lock: Lock) -> bool:
    """Whether the session that holds a lock sleeps in a statement."""
    return re.search(r"\b(?:pg_)?sleep\s*\(", lock.statement, re.I) is not None

"""Starts after files were removed: with none left the directory is filled anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import RUNTIME, forget_lost, lost_at_start

from sregym_server_sql.data import forget
from sregym_server_sql.server_log import LogEntry, innodb_unread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import Process, World

# While it serves, a postmaster looks after so many seconds whether its lock file is still there.
LOCK_FILE, LOCK_CHECK_S = "postmaster.pid", 60.0
_MISSING = "No such file or directory"
_ENOENT = 2
_POSTMASTER = 1


def first_missing(world: World, process: Process, folder: str) -> str:
    """A file that a server needs and that is not there when it starts; empty for none.

    Where none of its files is left, nothing is needed: what they held is gone.
    """
    storage = process.settings["sql.storage"]
    lost = lost_at_start(world, process, storage)
    if not lost.whole:
        return lost.names[0] if lost.names else ""
    forget(world, storage)
    forget_lost(world, storage)
    world.service(RUNTIME).files(world, process).forget_removed(folder)
    return ""


def innodb_without(world: World, *, mariadb: bool) -> Sequence[LogEntry]:
    """InnoDB does not find one of its files."""
    said = innodb_unread(world, _ENOENT, _MISSING, mariadb=mariadb)
    if mariadb:
        return [*said, LogEntry("[ERROR] Aborting")]
    failed = "{at} 0 [ERROR] [MY-010020] [Server] Data Dictionary initialization failed."
    return [*said, LogEntry(failed), LogEntry("{at} 0 [ERROR] [MY-010119] [Server] Aborting")]


def postgres_without(folder: str, name: str) -> Sequence[LogEntry]:
    """A postmaster, or the entry point before it, does not find a file."""
    if name == "PG_VERSION":
        return [LogEntry(f'initdb: error: directory "{folder}" exists but is not empty')]
    return [LogEntry(f'{{at}} [{_POSTMASTER}] PANIC:  could not open file "{name}": {_MISSING}')]


def postgres_unlocked() -> Sequence[LogEntry]:
    """A postmaster does not find its lock file any more, and ends at once."""
    return [
        LogEntry(f"{{at}} [{_POSTMASTER}] LOG:  {text}")
        for text in (
            f'could not open file "{LOCK_FILE}": {_MISSING}',
            "performing immediate shutdown because data directory lock file is invalid",
            "received immediate shutdown request",
            "database system is shut down",
        )
    ]

"""What PostgreSQL does that cannot sync its log of changes: it gives up, and its recovery meets the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_server_sql.server_log import LogEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import DiskProblem

SYNC = "fsync"
# The first segment of the log, which a server of this size has not left.
_SEGMENT = "000000010000000000000001"
_POSTMASTER, _STARTUP = 1, 62


def panic(trouble: DiskProblem) -> str:
    """What the session is told whose change cannot be made sure of."""
    return f'could not fdatasync file "{_SEGMENT}": {trouble.words}'


def fall(trouble: DiskProblem, backend: int, data_dir: str, last: str) -> Sequence[LogEntry]:
    """All that it writes until it ends.

    Args:
        trouble: What each sync meets.
        backend: The process of the session.
        data_dir: Where it keeps its files.
        last: When it wrote its last checkpoint, as it writes times.
    """
    why = trouble.words
    told = (
        (backend, f"PANIC:  {panic(trouble)}"),
        (_POSTMASTER, f"LOG:  server process (PID {backend}) was terminated by signal 6: Aborted"),
        (_POSTMASTER, "LOG:  terminating any other active server processes"),
        (_POSTMASTER, "LOG:  all server processes terminated; reinitializing"),
        (_STARTUP, f"LOG:  database system was interrupted; last known up at {last}"),
        (_STARTUP, f'LOG:  could not fsync file "./base": {why}'),
        (_STARTUP, f'LOG:  could not fsync file ".": {why}'),
        (
            _STARTUP,
            "LOG:  database system was not properly shut down; automatic recovery in progress",
        ),
        (_STARTUP, f'PANIC:  could not fsync file "{data_dir}/global/pg_control": {why}'),
        (_POSTMASTER, "LOG:  shutting down due to startup process failure"),
        (_POSTMASTER, "LOG:  database system is shut down"),
    )
    return [LogEntry(f"{{at}} [{number}] {text}") for number, text in told]

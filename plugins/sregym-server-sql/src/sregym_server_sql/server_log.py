"""What PostgreSQL and MySQL servers write when they start and when they are told to end.

The entry points of their official images fill an empty data directory first, with a server of their
own that only they can reach.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line
from sregym_cluster_embedded.sdk.servers import moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sregym_cluster_embedded.sdk.servers import LogRecord, World

_LINE_S = 0.0004
_INNODB_PAGE_BYTES = 16_384


class LogEntry(NamedTuple):
    """A line and its stream.

    `{at}` in its text is its time as the server writes it, `{clock}` as the entry point does.
    """

    text: str
    stream: str = "stderr"


def lines(world: World, said: Sequence[LogEntry], form: str) -> list[Line]:
    """Lines of now, each a moment after the one before; `form` is how times are written."""
    now = moment(world, world.now)
    found = []
    for place, one in enumerate(said):
        at = now - timedelta(seconds=_LINE_S * (len(said) - 1 - place))
        text = one.text.replace("{entrypoint}", "{clock} [Note] [Entrypoint]:")
        text = text.replace("{clock}", f"{at:%Y-%m-%d %H:%M:%S}+00:00")
        text = text.replace("{at}", stamp(at, form))
        found.append(Line(text=text, raw=True, stream=one.stream))
    return found


def stamp(at: datetime, form: str) -> str:
    """A time as PostgreSQL (`postgres`) or MySQL (`mysql`) writes it."""
    if form == "postgres":
        return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC"
    return f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"


def postgres_line(record: LogRecord) -> str:
    """A line of a PostgreSQL server while it serves; the field `pid` is the backend, further lines are his."""
    head = f"{stamp(record.when, 'postgres')} [{record.fields.get('pid', '1')}]"
    return "\n".join(f"{head} {text}" for text in record.text.split("\n"))


def mysql_line(record: LogRecord) -> str:
    """A line of a MySQL server while it serves: the fields `thread`, `code` and `part` come before the text."""
    level = {"warn": "Warning", "error": "ERROR"}.get(record.line.level, "Note")
    given = {"thread": "0", "code": "MY-010000", "part": "Server", **record.fields}
    head = f"{stamp(record.when, 'mysql')} {given['thread']} [{level}] [{given['code']}]"
    return f"{head} [{given['part']}] {record.text}"


def _out(*texts: str) -> list[LogEntry]:
    return [LogEntry(text, "stdout") for text in texts]


def _log(*texts: str, pid: int = 1) -> list[LogEntry]:
    return [LogEntry(f"{{at}} [{pid}] LOG:  {text}") for text in texts]


def postgres_build(version: str) -> str:
    """What the server says of itself."""
    return (
        f"PostgreSQL {version} (Debian {version}-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by "
        "gcc (Debian 12.2.0-14) 12.2.0, 64-bit"
    )


def postgres_first(
    version: str, folder: str, database: str, scripts: Sequence[str], shut_down: str
) -> list[LogEntry]:
    """An empty directory is filled."""
    server = _log(f"starting {postgres_build(version)}", pid=48)
    ran = [f"/usr/local/bin/docker-entrypoint.sh: running {name}" for name in scripts]
    own = [] if database in ("", "postgres") else _out("CREATE DATABASE", "", "")
    return [
        *_out(
            'The files belonging to this database system will be owned by user "postgres".',
            "This user must also own the server process.",
            "",
            'The database cluster will be initialized with locale "en_US.utf8".',
            'The default database encoding has accordingly been set to "UTF8".',
            'The default text search configuration will be set to "english".',
            "",
            "Data page checksums are disabled.",
            "",
            f"fixing permissions on existing directory {folder} ... ok",
            "creating subdirectories ... ok",
            "selecting dynamic shared memory implementation ... posix",
            'selecting default "max_connections" ... 100',
            'selecting default "shared_buffers" ... 128MB',
            "selecting default time zone ... Etc/UTC",
            "creating configuration files ... ok",
            "running bootstrap script ... ok",
            "performing post-bootstrap initialization ... ok",
        ),
        LogEntry('initdb: warning: enabling "trust" authentication for local connections'),
        LogEntry(
            "initdb: hint: You can change this by editing pg_hba.conf or using the option -A, or "
            "--auth-local and --auth-host, the next time you run initdb."
        ),
        *_out(
            "syncing data to disk ... ok",
            "",
            "",
            "Success. You can now start the database server using:",
            "",
            f"    pg_ctl -D {folder} -l logfile start",
            "",
        ),
        LogEntry(f"waiting for server to start....{server[0].text}", "stdout"),
        *_log('listening on Unix socket "/var/run/postgresql/.s.PGSQL.5432"', pid=48),
        *_log(f"database system was shut down at {shut_down}", pid=51),
        *_log("database system is ready to accept connections", pid=48),
        *_out(" done", "server started"),
        *own,
        *_out(*(ran or ["/usr/local/bin/docker-entrypoint.sh: ignoring /docker-entrypoint-initdb.d/*"]), ""),
        *_log("received fast shutdown request", pid=48),
        LogEntry("waiting for server to shut down....{at} [48] LOG:  aborting any active transactions", "stdout"),
        *postgres_last(48)[2:],
        *_out(" done", "server stopped", "", "PostgreSQL init process complete; ready for start up.", ""),
    ]  # fmt: skip


def postgres_start(
    version: str, port: int, shut_down: str | None, before: str, *, follows: bool = False
) -> list[LogEntry]:
    """A server opens its port; `shut_down` is when the one before it ended in order, if it did.

    `follows` says that it is a standby.
    """
    socket = f'listening on Unix socket "/var/run/postgresql/.s.PGSQL.{port}"'
    recovered = (
        _log(f"database system was shut down at {shut_down}", pid=62)
        if shut_down is not None
        else _log(
            f"database system was interrupted; last known up at {before}",
            "database system was not properly shut down; automatic recovery in progress",
            "redo starts at 0/152BD38",
            "invalid record length at 0/152BE20: expected at least 24, got 0",
            "redo done at 0/152BDE8 system usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.00 s",
            pid=62,
        )
    )
    ready = "database system is ready to accept connections"
    if follows:
        ready = "database system is ready to accept read-only connections"
        recovered = [
            *recovered[:1],
            *_log(
                "entering standby mode", "redo starts at 0/2000028",
                "consistent recovery state reached at 0/2000120", pid=62,
            ),
        ]  # fmt: skip
    return [
        *_log(
            f"starting {postgres_build(version)}",
            f'listening on IPv4 address "0.0.0.0", port {port}',
            f'listening on IPv6 address "::", port {port}',
            socket,
        ),
        *recovered,
        *_log(ready),
    ]


def postgres_last(pid: int = 1) -> list[LogEntry]:
    """A server ends in order."""
    return [
        *_log("received fast shutdown request", "aborting any active transactions", pid=pid),
        *_log(f'background worker "logical replication launcher" (PID {pid + 64}) exited with exit code 1', pid=pid),
        *_log("shutting down", "checkpoint starting: shutdown immediate", "checkpoint complete: wrote 3 buffers (0.0%); 0 WAL file(s) added, 0 removed, 0 recycled; write=0.003 s, sync=0.002 s, total=0.009 s; sync files=2, longest=0.001 s, average=0.001 s; distance=0 kB, estimate=0 kB", pid=pid + 61),
        *_log("database system is shut down", pid=pid),
    ]  # fmt: skip


def _system(code: int, text: str, level: str = "System", part: str = "Server") -> LogEntry:
    return LogEntry(f"{{at}} 0 [{level}] [MY-{code:06d}] [{part}] {text}")


def innodb_unread(world: World, number: int, words: str, *, mariadb: bool) -> list[LogEntry]:
    """InnoDB cannot read a page: the number of the error and its words."""
    failed = f"Operating system error number {number} in a file operation."
    meaning = f"Error number {number} means '{words}'"
    return _of_innodb(world, ((12592, failed), (12596, meaning)), mariadb=mariadb)


def innodb_altered(world: World, offset: int, *, mariadb: bool) -> list[LogEntry]:
    """InnoDB has read a page whose checksum is wrong."""
    page = f"[page id: space=2, page number={offset // _INNODB_PAGE_BYTES}]"
    failed = f"Database page corruption on disk or a failed file read of page {page}."
    message = f"{failed} You may have to recover from a backup."
    return _of_innodb(world, ((11906, message),), mariadb=mariadb)


def _of_innodb(world: World, said: Sequence[tuple[int, str]], *, mariadb: bool) -> list[LogEntry]:
    """Errors of InnoDB by number and text, in the form of either server."""
    if not mariadb:
        return [_system(number, text, "ERROR", "InnoDB") for number, text in said]
    at = moment(world, world.now)
    clock = f"{at:%Y-%m-%d} {at.hour:2d}:{at:%M:%S}"
    return [LogEntry(f"{clock} 0 [ERROR] InnoDB: {text}") for _, text in said]


def mysql_entry(version: str) -> list[LogEntry]:
    """The entry point begins."""
    started = f"{{entrypoint}} Entrypoint script for MySQL Server {version}-1.el9 started."
    switched = "{entrypoint} Switching to dedicated user 'mysql'"
    return _out(started, switched, started)


def _mysqld(version: str, pid: int) -> list[LogEntry]:
    insecure = (
        "Insecure configuration for --pid-file: Location '/var/run/mysqld' in the path is "
        "accessible to all OS users. Consider choosing a different directory."
    )
    return [
        _system(10116, f"/usr/sbin/mysqld (mysqld {version}) starting as process {pid}"),
        _system(13576, "InnoDB initialization has started.", part="InnoDB"),
        _system(13577, "InnoDB initialization has ended.", part="InnoDB"),
        _system(10068, "CA certificate ca.pem is self signed.", "Warning"),
        _system(13602, "Channel mysql_main configured to support TLS. Encrypted connections are now supported for this channel."),
        _system(11810, insecure, "Warning"),
    ]  # fmt: skip


def mysql_first(version: str, database: str, user: str, scripts: Sequence[str]) -> list[LogEntry]:
    """An empty directory is filled."""
    made = [f"Creating database {database}"] if database else []
    if user:
        made.append(f"Creating user {user}")
    if user and database:
        made.append(f"Giving user {user} access to schema {database}")
    ran = [f"/usr/local/bin/docker-entrypoint.sh: running {name}" for name in scripts]
    empty = "root@localhost is created with an empty password ! Please consider switching off the --initialize-insecure option."
    ready = f"/usr/sbin/mysqld: ready for connections. Version: '{version}'  socket: '/var/run/mysqld/mysqld.sock'  port: 0  MySQL Community Server - GPL."
    return [
        *_out("{entrypoint} Initializing database files"),
        _system(13169, f"/usr/sbin/mysqld (mysqld {version}) initializing of server in progress as process 80"),
        _system(13576, "InnoDB initialization has started.", part="InnoDB"),
        _system(13577, "InnoDB initialization has ended.", part="InnoDB"),
        LogEntry(f"{{at}} 6 [Warning] [MY-010453] [Server] {empty}"),
        *_out("{entrypoint} Database files initialized", "{entrypoint} Starting temporary server"),
        *_mysqld(version, 124),
        _system(10931, ready),
        *_out("{entrypoint} Temporary server started.", "'/var/lib/mysql/mysql.sock' -> '/var/run/mysqld/mysqld.sock'"),
        *_out(*(f"{{entrypoint}} {text}" for text in made), "", *(f"{{entrypoint}} {text}" for text in ran)),
        *_out("{entrypoint} Stopping temporary server"),
        LogEntry(f"{{at}} 12 [System] [MY-013172] [Server] Received SHUTDOWN from user root. Shutting down mysqld (Version: {version})."),
        _ended(version),
        *_out("{entrypoint} Temporary server stopped", "", "{entrypoint} MySQL init process done. Ready for start up.", ""),
    ]  # fmt: skip


def mysql_start(version: str) -> list[LogEntry]:
    """A server begins; that it is ready it says once it is."""
    return _mysqld(version, 1)


def mysql_last(version: str) -> list[LogEntry]:
    """A server ends in order."""
    why = "Received SHUTDOWN from user <via user signal>. Shutting down mysqld (Version: "
    return [_system(13172, f"{why}{version})."), _ended(version)]


def _ended(version: str) -> LogEntry:
    return _system(10910, f"/usr/sbin/mysqld: Shutdown complete (mysqld {version})  MySQL Community Server - GPL.")  # fmt: skip

"""pg_basebackup: the data directory of another server, to begin a standby with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, Session

from sregym_server_sql.data import load
from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.psql import connected
from sregym_server_sql.psql_options import options
from sregym_server_sql.standby import based_on

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUED = {
    "-D": "pgdata",
    "-X": "wal",
    "-S": "slot",
    "-c": "checkpoint",
    "-r": "rate",
    "-Z": "compress",
}
_LONG = {
    "--pgdata": "-D", "--wal-method": "-X", "--slot": "-S", "--checkpoint": "-c", "--max-rate": "-r",
    "--write-recovery-conf": "-R", "--progress": "-P", "--verbose": "-v", "--create-slot": "-C",
}  # fmt: skip
_SWITCHES = ("-R", "-P", "-v", "-C", "-Fp")


def pg_basebackup(session: Session, words: list[str], _stdin: str) -> Output:
    """Copy what a server has into an empty folder; with -R for a standby of that server."""
    own, rest = _taken_apart(words)
    folder = own.get("-D", session.environment.get("PGDATA", ""))
    if not folder:
        text = "no target directory specified"
        hint = 'Try "pg_basebackup --help" for more information.'
        return Output(1, "", f"pg_basebackup: error: {text}\npg_basebackup: hint: {hint}\n")
    given = options(session, ["psql", *rest, "-d", "postgres"])
    if isinstance(given, Output):
        return given
    path = session.path(folder)
    storage = session.files.storage(path)
    if load(session.world, storage).version or session.files.read(f"{path}/PG_VERSION") is not None:
        text = f'directory "{folder}" exists but is not empty'
        return Output(1, "", f"pg_basebackup: error: {text}\n")
    try:
        client = connected(session, given, "pg_basebackup")
    except PostgresError as error:
        return Output(1, "", f"pg_basebackup: error: {error}\n")
    server = client.connection.server
    name = session.process.config.hostname
    login = f"user={given.user} password={given.password}"
    info = f"{login} host={given.host or 'localhost'} port={given.port} application_name={name}"
    based_on(session.world, storage, server, info)
    version = server.settings.get("sql.version", "").partition(".")[0]
    session.files.write(f"{path}/PG_VERSION", f"{version}\n")
    if "-R" in own:
        session.files.write(f"{path}/standby.signal", "")
        quoted = info.replace("'", "''")
        session.files.write(f"{path}/postgresql.auto.conf", f"primary_conninfo = '{quoted}'\n")
    if "-v" not in own:
        return Output(0)
    said = (
        "initiating base backup, waiting for checkpoint to complete",
        *("checkpoint completed", "base backup completed"),
    )
    return Output(0, "", "".join(f"pg_basebackup: {text}\n" for text in said))


def _taken_apart(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options of its own, and what psql would understand as well."""
    own: dict[str, str] = {}
    rest: list[str] = []
    waiting: Iterator[str] = iter(words[1:])
    for word in waiting:
        name, equals, value = word.partition("=")
        short = _LONG.get(name, word[:2] if word[:2] in _VALUED else word)
        if short in _VALUED:
            own[short] = (
                value
                if equals
                else word[2:]
                if len(word) > 2 and word[1] != "-"
                else next(waiting, "")
            )
        elif short in _SWITCHES:
            own[short] = ""
        else:
            rest.append(word)
    return own, rest

"""Commands that come with psql: createdb, dropdb, vacuumdb, pg_dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, Session

from sregym_server_sql.engine import columns_of, indexes_of
from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.postgres_views import split, type_name
from sregym_server_sql.psql import connected
from sregym_server_sql.psql_options import options
from sregym_server_sql.psql_tables import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_server_sql.postgres_server import PostgresConnection

_PREAMBLE = (
    "SET statement_timeout = 0;\nSET lock_timeout = 0;\n"
    "SET idle_in_transaction_session_timeout = 0;\nSET client_encoding = 'UTF8';\n"
    "SET standard_conforming_strings = on;\n"
    "SELECT pg_catalog.set_config('search_path', '', false);\n"
    "SET check_function_bodies = false;\nSET xmloption = content;\n"
    "SET client_min_messages = warning;\nSET row_security = off;\n\n"
)
_HEAP = "SET default_tablespace = '';\n\nSET default_table_access_method = heap;\n\n"
_VALUED = ("-t", "-f", "-n", "-T", "-F")
_LONG = {"--table": "-t", "--file": "-f", "--schema-only": "-s", "--data-only": "-a", "--all": "-a",
         "--if-exists": "-i", "--schema": "-n", "--format": "-F", "--clean": "-C"}  # fmt: skip
_SWITCHES = ("-s", "-a", "-i", "-C", "-z", "-Z", "-O", "-x", "-v", "-e")


def _taken_apart(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options of the tool itself, and what psql would understand as well."""
    own: dict[str, str] = {}
    rest: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        name, equals, value = word.partition("=")
        short = _LONG.get(name, word)
        if short in _VALUED:
            own[short] = value if equals else waiting.pop(0) if waiting else ""
        elif short in _SWITCHES:
            own[short] = ""
        else:
            rest.append(word)
    return own, rest


def createdb(session: Session, words: list[str], _stdin: str) -> Output:
    """Createdb and dropdb."""
    own, rest = _taken_apart(words[1:])
    name = words[0].rpartition("/")[2]
    given = options(session, [words[0], *rest])
    if isinstance(given, Output):
        return given
    database, given.database = given.database or given.user, "postgres"
    verb = "creation" if name == "createdb" else "removal"
    statement = f'CREATE DATABASE "{database}"' if name == "createdb" else f'DROP DATABASE {"IF EXISTS " if "-i" in own else ""}"{database}"'  # fmt: skip
    try:
        client = connected(session, given, name)
    except PostgresError as error:
        return Output(1, "", f"{name}: error: {error}\n")
    try:
        client.connection.execute(statement)
    except PostgresError as error:
        return Output(1, "", f"{name}: error: database {verb} failed: {error}\n")
    notices = "".join(f"{text}\n" for text in client.connection.notices)
    return Output(0, "", notices)


def vacuumdb(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `vacuumdb`."""
    own, rest = _taken_apart(words[1:])
    given = options(session, [words[0], *rest])
    if isinstance(given, Output):
        return given
    try:
        client = connected(session, given, "vacuumdb")
    except PostgresError as error:
        return Output(1, "", f"vacuumdb: error: {error}\n")
    known = sorted(client.connection.data.databases)
    names = [name for name in known if name != "template0"] if "-a" in own else [client.connection.database]  # fmt: skip
    return Output(0, "".join(f'vacuumdb: vacuuming database "{name}"\n' for name in names))


def pg_dump(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `pg_dump`."""
    own, rest = _taken_apart(words[1:])
    given = options(session, [words[0], *rest])
    if isinstance(given, Output):
        return given
    try:
        connection = connected(session, given, "pg_dump").connection
    except PostgresError as error:
        return Output(1, "", f"pg_dump: error: {error}\n")
    wanted = own.get("-t", "").removeprefix("public.")
    names = [name for name in connection.tables() if not wanted or name == wanted]
    if wanted and not names:
        return Output(1, "", "pg_dump: error: no matching tables were found\n")
    version = connection.setting("server_version")
    text = (
        "--\n-- PostgreSQL database dump\n--\n\n"
        f"-- Dumped from database version {version}\n-- Dumped by pg_dump version {version}\n\n{_PREAMBLE}"
    )
    if "-a" not in own:
        text += "" if wanted else _schemas(connection)
        text += _HEAP + "".join(_made(connection, name) for name in names)
    if "-s" not in own:
        text += "".join(_rows(connection, name) for name in names)
    if "-a" not in own:
        text += "".join(_keys(connection, name) for name in names)
    text += "--\n-- PostgreSQL database dump complete\n--\n\n"
    if "-f" not in own:
        return Output(0, text)
    session.files.write(session.path(own["-f"]), text)
    return Output(0)


def _titled(name: str, kind: str, owner: str) -> str:
    schema, bare = split(name)
    return f"--\n-- Name: {bare}; Type: {kind}; Schema: {schema}; Owner: {owner}\n--\n\n"


def _schemas(connection: PostgresConnection) -> str:
    owner, out = connection.owner, ""
    for name in connection.schemas():
        out += f"--\n-- Name: {name}; Type: SCHEMA; Schema: -; Owner: {owner}\n--\n\n"
        out += f"CREATE SCHEMA {name};\n\n\nALTER SCHEMA {name} OWNER TO {owner};\n\n"
    return out


def _whole(name: str) -> str:
    return ".".join(split(name))


def _made(connection: PostgresConnection, name: str) -> str:
    lines = []
    for column, kind, needed, default, key in columns_of(connection.image(), name):
        value = "" if default is None else str(default)
        value = "now()" if "virtual_now" in value else value
        end = (f" DEFAULT {value}" if value else "") + (" NOT NULL" if needed or key else "")
        lines.append(f"    {column} {type_name(kind)}{end}")
    body = ",\n".join(lines)
    made = f"CREATE TABLE {_whole(name)} (\n{body}\n);\n\n\n"
    owner = connection.owner
    return f"{_titled(name, 'TABLE', owner)}{made}ALTER TABLE {_whole(name)} OWNER TO {owner};\n\n"


def _rows(connection: PostgresConnection, name: str) -> str:
    columns = [row[0] for row in columns_of(connection.image(), name)]
    result = connection.execute(f"SELECT * FROM {_whole(name)}")  # noqa: S608 - of the simulated world
    out = _titled(name, "TABLE DATA", connection.owner).replace("-- Name", "-- Data for Name")
    out += f"COPY {_whole(name)} ({', '.join(columns)}) FROM stdin;\n"
    for row in result.rows:
        out += "\t".join(text_of(v, k, "\\N") for v, k in zip(row, _kinds(result.types, row), strict=True)) + "\n"  # fmt: skip
    return f"{out}\\.\n\n\n"


def _kinds(types: Sequence[str], row: Sequence[object]) -> Sequence[str]:
    return types or [""] * len(row)


def _keys(connection: PostgresConnection, name: str) -> str:
    out, owner = "", connection.owner
    for index, parts, unique in indexes_of(connection.image(), name):
        listed = ", ".join(parts)
        _, bare = split(name)
        if index.endswith("_pkey") or index.endswith("_key"):
            kind = "PRIMARY KEY" if index.endswith("_pkey") else "UNIQUE"
            title = _titled(name, "CONSTRAINT", owner).replace(f"Name: {bare};", f"Name: {bare} {index};")  # fmt: skip
            out += f"{title}ALTER TABLE ONLY {_whole(name)}\n    ADD CONSTRAINT {index} {kind} ({listed});\n\n\n"
        else:
            title = _titled(name, "INDEX", owner).replace(f"Name: {bare};", f"Name: {index};")
            word = "UNIQUE INDEX" if unique else "INDEX"
            out += f"{title}CREATE {word} {index} ON {_whole(name)} USING btree ({listed});\n\n\n"
    return out

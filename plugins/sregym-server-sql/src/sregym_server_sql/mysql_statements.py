"""Statements of MySQL that are about more than rows: databases, variables, transactions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.engine import Result, tables_of
from sregym_server_sql.mysql_accounts import (
    alter_user,
    create_user,
    drop_user,
    granted,
)
from sregym_server_sql.mysql_channel import (
    change_source,
    reset_replica,
    start_replica,
    stop_replica,
)
from sregym_server_sql.mysql_errors import MysqlError, unparsed
from sregym_server_sql.mysql_showing import show
from sregym_server_sql.mysql_tables import alter_table, create_index, drop_index
from sregym_server_sql.mysql_variables import FIXED, VARIABLES, in_effect, numeric, switch
from sregym_server_sql.sessions import kill
from sregym_server_sql.tables import rows_in, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_sql.mysql_server import MysqlConnection

# The table that a statement is about, with its database where it names one.
TARGET = re.compile(
    r"\b(?:from|into|update|table|join)\s+(?:if\s+(?:not\s+)?exists\s+)?`?(\w+)`?(?:\.`?(\w+)`?)?",
    re.I,
)


def dialect(text: str) -> str:
    """Clauses of CREATE TABLE, functions and options as SQLite words it."""
    for pattern, new in (
        (r"\b(?:int|integer|bigint|smallint|mediumint|tinyint)(?:\(\d+\))?(?:\s+unsigned)?((?:\s+not\s+null|\s+auto_increment)*)\s+primary\s+key(\s+auto_increment)?", r"INTEGER PRIMARY KEY"),
        (r"\bunique\s+(?:key|index)\s+`?(\w+)`?\s*\(", r"CONSTRAINT \1 UNIQUE ("),
        (r",\s*(?:key|index)\s+`?\w+`?\s*\([^)]*\)", ""),
        (r"\bcomment\s*=?\s*(?='|$)", "--"),
        (r"\bon\s+duplicate\s+key\s+update\b.*$", ""), (r"\binsert\s+ignore\b", "INSERT OR IGNORE"),
        (r"\bif\s*\((?=.*,)", '"if"('), (r"\bfor\s+update\b", ""), (r"\bunsigned\b", ""),
        (r"\b(left|right)\s*\(", r'"\1"('),
        (r"\bcurrent_user\b(?!\s*\()", "current_user()"), (r"\bseparator\b", ","),
    ):  # fmt: skip
        text = re.sub(pattern, new, text, flags=re.I | re.S)
    return text


# The stricter switch sets the other one, which takes it back.
_ALSO = {("super_read_only", "ON"): ("read_only",), ("read_only", "OFF"): ("super_read_only",)}


def _done(verb: str) -> Result:
    return Result((), (), 0, verb)


def _use(client: MysqlConnection, _statement: str, words: list[str]) -> Result:
    client.use(words[1].strip(";"))
    return _done("use")


def _kill(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    session = words[-1].strip(";")
    if not session.isdecimal():
        raise unparsed(statement, statement.find(session))
    if not kill(client.world, client.server, int(session)):
        raise MysqlError(1094, "HY000", f"Unknown thread id: {session}")
    return _done("kill")


def _describe(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    if words[0].lower() == "explain" or words[1].lower() in ("select", "update", "delete"):
        return _explain(client, statement, words)
    return show(client, f"SHOW COLUMNS FROM {words[1]}", ["show", "columns", "from", words[1]])


def _explain(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    asked = statement.split(None, 1)[1]
    found = client.execute(asked)
    del words
    target = TARGET.search(asked)
    columns = ("id", "select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref", "rows", "filtered", "Extra")  # fmt: skip
    how: tuple[str | None, ...] = ("ALL", None, None, None, None)
    table, rows = None, len(found.rows)
    if target is not None:
        table = target.group(2) or target.group(1)
        database = target.group(1) if target.group(2) else client.database
        image = client.data.databases.get(database, b"")
        condition = re.search(r"\bwhere\b(.*)$", asked, re.I | re.S)
        if table in tables_of(image):
            rows = rows_in(client.data, database, table)
            serves = serving(image, table, "" if condition is None else condition.group(1))
            if serves is not None and serves[0].endswith("_pkey"):
                how, rows = ("const", "PRIMARY", "PRIMARY", "4", "const"), 1
            elif serves is not None:
                how, rows = ("ref", serves[0], serves[0], "1022", "const"), len(found.rows)
    filtered = "Using where" if " where " in f" {asked.lower()} " and how[0] == "ALL" else None
    row = (1, "SIMPLE", table, None, *how, max(1, rows), "100.00", filtered)
    return Result(columns, (row,), 0, "explain")


def _create(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    what, data = words[1].lower(), client.data
    if what == "user":
        return create_user(client, statement)
    if what in ("index", "unique"):
        return create_index(client, statement)
    if what not in ("database", "schema"):
        return None
    rest = words[5:] if "exists" in statement.lower() else words[2:]
    name = rest[0].strip(";")
    client.demand_all(name)
    if name in data.databases and "exists" not in statement.lower():
        raise MysqlError(1007, "HY000", f"Can't create database '{name}'; database exists")
    if name not in data.databases:
        client.keep(data.with_database(name, b""))
    return Result((), (), 1, "create")


def _drop(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    what, data, name = words[1].lower(), client.data, words[-1].strip(";")
    if what == "user":
        return drop_user(client, statement)
    if what == "index":
        return drop_index(client, statement)
    if what not in ("database", "schema"):
        return None
    client.demand_all(name)
    if name not in data.databases and "exists" not in statement.lower():
        raise MysqlError(1008, "HY000", f"Can't drop database '{name}'; database doesn't exist")
    client.keep(data.with_database(name, None))
    return _done("drop")


def _alter(client: MysqlConnection, statement: str, words: list[str]) -> Result | None:
    if words[1].lower() == "user":
        return alter_user(client, statement)
    return alter_table(client, statement)


def _set(client: MysqlConnection, statement: str, _words: list[str]) -> Result:
    found = re.search(r"set\s+(?:(global|persist|session)\s+|@@(?:(global|session)\.)?)?(\w+)\s*:?=\s*'?([^';]*)'?", statement, re.I)  # fmt: skip
    if found is None or (
        statement.split()[1].startswith("@") and not statement.split()[1].startswith("@@")
    ):
        return _done("set")
    scope, name, value = (
        (found.group(1) or found.group(2) or "").lower(),
        found.group(3).lower(),
        found.group(4).strip(),
    )
    if name in ("names", "password", "character"):
        return _done("set")
    if scope in ("global", "persist"):
        client.demand("SUPER or SYSTEM_VARIABLES_ADMIN")
    if name not in VARIABLES:
        raise MysqlError(1193, "HY000", f"Unknown system variable '{name}'")
    if name in FIXED:
        raise MysqlError(1238, "HY000", f"Variable '{name}' is a read only variable")
    if numeric(name) and not value.replace(".", "", 1).isdecimal():
        raise MysqlError(1232, "42000", f"Incorrect argument type to variable '{name}'")
    if scope in ("global", "persist"):
        if switch(name):
            value = {"1": "ON", "0": "OFF"}.get(value, value.upper())
            if value not in ("ON", "OFF"):
                text = f"Variable '{name}' can't be set to the value of '{found.group(4).strip()}'"
                raise MysqlError(1231, "42000", text)
        data = client.data
        for one in (name, *_ALSO.get((name, value), ())):
            data = data.with_setting(one, value)
            if value == in_effect(client.server.settings, {}, one):
                rest = {key: held for key, held in data.settings.items() if key != one}
                data = replace(data, settings=rest)
        client.keep(data)
    return _done("set")


def _begin(client: MysqlConnection, _statement: str, _words: list[str]) -> Result:
    client.before = client.data
    return _done("begin")


def _start(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    return start_replica(client, statement, words) or _begin(client, statement, words)


def _commit(client: MysqlConnection, _statement: str, _words: list[str]) -> Result:
    client.before = None
    return _done("commit")


def _rollback(client: MysqlConnection, _statement: str, _words: list[str]) -> Result:
    if client.before is not None:
        client.keep(client.before)
    client.before = None
    return _done("rollback")


def _flush(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    known = ("privileges", "tables", "hosts", "logs", "status", "binary", "engine", "error", "slow")
    if len(words) < 2 or words[1].lower().strip(";") not in known:
        raise unparsed(statement, statement.find(words[1]) if len(words) > 1 else -1)
    if " ".join(words[1:]).lower().startswith("tables with read lock"):
        # All tables of all databases, against those who write.
        client.locked[""] = False
    return _done("flush")


def _lock(client: MysqlConnection, statement: str, _words: list[str]) -> Result:
    """LOCK TABLES: WRITE keeps all others away, READ those who write."""
    asked = re.sub(r"^lock\s+tables?\s+", "", statement, flags=re.I).rstrip("; ")
    client.locked.clear()
    for part in asked.split(","):
        name, _, kind = part.strip().replace("`", "").partition(" ")
        database, _, table = name.rpartition(".")
        database = database or client.database
        if table not in tables_of(client.data.databases.get(database, b"")):
            raise MysqlError(1146, "42S02", f"Table '{database}.{table}' doesn't exist")
        client.locked[table] = kind.strip().lower().endswith("write")
    return _done("lock")


def _unlock(client: MysqlConnection, _statement: str, _words: list[str]) -> Result:
    client.locked.clear()
    return _done("unlock")


def _grant(client: MysqlConnection, statement: str, _words: list[str]) -> Result:
    return granted(client, statement, give=True)


def _revoke(client: MysqlConnection, statement: str, _words: list[str]) -> Result:
    return granted(client, statement, give=False)


STATEMENTS: dict[str, Callable[[MysqlConnection, str, list[str]], Result | None]] = {
    "use": _use, "show": show, "kill": _kill, "describe": _describe, "desc": _describe,
    "explain": _describe, "create": _create, "drop": _drop, "alter": _alter, "set": _set,
    "begin": _begin, "start": _start, "commit": _commit, "rollback": _rollback, "flush": _flush,
    "grant": _grant, "revoke": _revoke, "lock": _lock, "unlock": _unlock,
    "stop": stop_replica, "change": change_source, "reset": reset_replica,
}  # fmt: skip

"""SHOW of MySQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import linear, pattern_quoted

from sregym_server_sql.engine import Result, indexes_of, tables_of
from sregym_server_sql.mysql_accounts import grants_of
from sregym_server_sql.mysql_channel import show_replica_status, show_replicas, source_position
from sregym_server_sql.mysql_errors import MysqlError, no_table, unparsed
from sregym_server_sql.mysql_tables import kind_of_key, next_number
from sregym_server_sql.mysql_variables import VARIABLES
from sregym_server_sql.mysql_views import described
from sregym_server_sql.sessions import process_list, server_status, waiting
from sregym_server_sql.tables import numbers_of, rows_in

if TYPE_CHECKING:
    from sregym_server_sql.mysql_server import MysqlConnection

_ENGINES = (
    ("FEDERATED", "NO", "Federated MySQL storage engine", None, None, None),
    ("MEMORY", "YES", "Hash based, stored in memory, useful for temporary tables", "NO", "NO", "NO"),
    ("InnoDB", "DEFAULT", "Supports transactions, row-level locking, and foreign keys", "YES", "YES", "YES"),
    ("PERFORMANCE_SCHEMA", "YES", "Performance Schema", "NO", "NO", "NO"),
    ("MyISAM", "YES", "MyISAM storage engine", "NO", "NO", "NO"),
    ("MRG_MYISAM", "YES", "Collection of identical MyISAM tables", "NO", "NO", "NO"),
    ("BLACKHOLE", "YES", "/dev/null storage engine (anything you write to it disappears)", "NO", "NO", "NO"),
    ("CSV", "YES", "CSV storage engine", "NO", "NO", "NO"),
    ("ARCHIVE", "YES", "Archive storage engine", "NO", "NO", "NO"),
)  # fmt: skip


def _rows(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Result:
    return Result(columns, tuple(rows), 0, "show")


def like(statement: str) -> str:
    """The pattern of a LIKE, or one for everything, as a regular expression."""
    found = re.search(r"like\s+['\"]([^'\"]*)['\"]", statement, re.I)
    return (
        ".*"
        if found is None
        else pattern_quoted(found.group(1)).replace("\\%", ".*").replace("\\_", ".")
    )


def _chosen(rows: list[tuple[str, str]], statement: str) -> Result:
    """Variables or figures that a statement asks for: by LIKE, or by WHERE."""
    form = like(statement)
    where = re.search(r"\bwhere\b(.*)$", statement, re.I | re.S)
    found = rows
    if where is not None and "like" not in where.group(1).lower():
        names = {name.lower() for name in re.findall(r"['\"]([^'\"]+)['\"]", where.group(1))}
        found = [row for row in rows if row[0].lower() in names]
    else:
        found = [row for row in rows if linear(form, ignore_case=True).fullmatch(row[0])]
    return _rows(("Variable_name", "Value"), list(found))


def show(client: MysqlConnection, statement: str, words: list[str]) -> Result:
    """What SHOW shows.

    Raises:
        MysqlError: There is nothing of that name.
    """
    what = [word.lower().strip(";") for word in words[1:] if word.lower() not in ("global", "session", "full", "extended", "replica", "slave", "master", "binary")]  # fmt: skip
    second = words[1].lower().strip(";") if len(words) > 1 else ""
    if (found := _replication(client, words)) is not None:
        return found
    first = what[0] if what else ""
    if first in ("databases", "schemas"):
        form = like(statement)
        names = [
            (name,) for name in client.databases() if linear(form, ignore_case=True).fullmatch(name)
        ]
        return _rows(("Database",), names)
    if first == "variables":
        known = [(name, client.setting(name)) for name in VARIABLES]
        return _chosen(known, statement)
    if first == "status":
        return _chosen(server_status(client.world, client.server), statement)
    if first == "processlist":
        return _rows(*process_list(client.world, client.server, client.own("init", statement)))
    if first == "grants":
        return grants_of(client, statement)
    if first in ("engines", "storage"):
        columns = ("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")
        return _rows(columns, list(_ENGINES))
    if first in ("warnings", "errors"):
        return _rows(("Level", "Code", "Message"), [])
    if first == "engine":
        return _innodb(client)
    if first in (
        "tables",
        "columns",
        "fields",
        "index",
        "indexes",
        "keys",
        "create",
        "table",
        "open",
    ):
        return _tables(client, statement, words, first)
    if first in ("plugins", "triggers", "events", "procedure", "function", "profiles"):
        return _rows(("Name",), [])
    raise unparsed(statement, statement.lower().find(second) if second else len(statement))


def _replication(client: MysqlConnection, words: list[str]) -> Result | None:
    """What it says of its source and of its replicas; None for anything else."""
    message = " ".join(word.lower().strip(";") for word in words[1:])
    if message.startswith(("master status", "binary log status", "binary logs", "master logs")):
        return source_position(client)
    if message.startswith(("replica status", "slave status")):
        return show_replica_status(client, old=message.startswith("slave"))
    if message.startswith(("replicas", "slave hosts")):
        return show_replicas(client)
    return None


def _database(client: MysqlConnection, statement: str) -> str:
    """The database that a statement names, or the present one."""
    found = re.findall(r"\b(?:from|in)\s+`?(\w+)`?(?:\.`?\w+`?)?", statement, re.I)
    dotted = re.search(r"\b(?:from|table)\s+`?(\w+)`?\.", statement, re.I)
    of_table = re.search(r"\b(?:columns|fields|index|indexes|keys)\b", statement, re.I)
    name = dotted.group(1) if dotted is not None else ""
    if not name and found and (of_table is None or len(found) > 1):
        name = found[-1]
    name = name or client.database
    if not name:
        raise MysqlError(1046, "3D000", "No database selected")
    if name not in client.databases():
        raise MysqlError(1049, "42000", f"Unknown database '{name}'")
    return name


def _tables(client: MysqlConnection, statement: str, words: list[str], first: str) -> Result:
    if first == "create" and words[2].lower() in ("database", "schema"):
        name = words[-1].strip("`;")
        if name not in client.data.databases:
            raise MysqlError(1049, "42000", f"Unknown database '{name}'")
        text = f"CREATE DATABASE `{name}` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */"
        return _rows(("Database", "Create Database"), [(name, text)])
    if first == "open" and not client.database and " from " not in statement.lower():
        return _rows(("Database", "Table", "In_use", "Name_locked"), [])
    database = _database(client, statement)
    image = client.data.databases.get(database, b"")
    names = tables_of(image)
    if first == "open":
        columns = ("Database", "Table", "In_use", "Name_locked")
        held = {table for _, table, _, _ in waiting(client.world, client.server)}
        return _rows(columns, [(database, name, 1, 0) for name in names if name in held])
    if first == "tables":
        form, pattern = like(statement), re.search(r"like\s+'([^']*)'", statement, re.I)
        title = f"Tables_in_{database}" + (f" ({pattern.group(1)})" if pattern is not None else "")
        chosen = [name for name in names if linear(form, ignore_case=True).fullmatch(name)]
        if words[1].lower() == "full":
            return _rows((title, "Table_type"), [(name, "BASE TABLE") for name in chosen])
        return _rows((title,), [(name,) for name in chosen])
    if first == "table":
        told = (
            "Name",
            "Engine",
            "Version",
            "Row_format",
            "Rows",
            "Data_length",
            "Index_length",
            "Auto_increment",
            "Collation",
        )
        form = like(statement)
        rows = [
            (
                name, "InnoDB", 10, "Dynamic", rows_in(client.data, database, name), 16_384, 0,
                next_number(client, database, name), "utf8mb4_0900_ai_ci",
            )
            for name in names
            if linear(form, ignore_case=True).fullmatch(name)
        ]  # fmt: skip
        return _rows(told, rows)
    found = re.search(r"\b(?:from|in|table)\s+(?:`?\w+`?\.)?`?(\w+)`?", statement, re.I)
    table = found.group(1) if found is not None else ""
    if table not in names:
        raise no_table(database, table)
    if first in ("columns", "fields"):
        kind = kind_of_key(numbers_of(client.data, database, table))
        shown = described(image, table, kind)
        return _rows(("Field", "Type", "Null", "Key", "Default", "Extra"), shown)
    if first == "create":
        return _rows(("Table", "Create Table"), [(table, _made(client, database, table))])
    return _indexes(image, table, rows_in(client.data, database, table))


def _indexes(image: bytes, table: str, count: int) -> Result:
    rows: list[tuple[Any, ...]] = []
    for name, columns, unique in indexes_of(image, table):
        shown = (
            "PRIMARY"
            if name.endswith("_pkey")
            else name.removeprefix(f"{table}_").removesuffix("_key")
        )
        for place, column in enumerate(columns, 1):
            rows.append((table, int(not unique), shown, place, column, "A", count, "BTREE"))
    columns = (
        "Table",
        "Non_unique",
        "Key_name",
        "Seq_in_index",
        "Column_name",
        "Collation",
        "Cardinality",
        "Index_type",
    )
    return _rows(columns, rows)


def _made(client: MysqlConnection, database: str, table: str) -> str:
    lines = []
    image = client.data.databases[database]
    numbers = numbers_of(client.data, database, table)
    for name, kind, null, _, default, extra in described(image, table, kind_of_key(numbers)):
        words = [f"  `{name}`", str(kind), *(["NOT NULL"] if null == "NO" else [])]
        words += (
            [f"DEFAULT '{default}'"]
            if default is not None
            else ["DEFAULT NULL"]
            if null == "YES"
            else []
        )
        lines.append(" ".join([*words, *([extra.upper()] if extra else [])]))
    for index, columns, unique in indexes_of(image, table):
        listed = ",".join(f"`{column}`" for column in columns)
        name = index.removeprefix(f"{table}_").removesuffix("_key")
        head = (
            "PRIMARY KEY"
            if index.endswith("_pkey")
            else f"{'UNIQUE ' if unique else ''}KEY `{name}`"
        )
        lines.append(f"  {head} ({listed})")
    body = ",\n".join(lines)
    number = next_number(client, database, table)
    counts = "" if number is None else f" AUTO_INCREMENT={number}"
    return f"CREATE TABLE `{table}` (\n{body}\n) ENGINE=InnoDB{counts} DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"


def _innodb(client: MysqlConnection) -> Result:
    at = client.now()
    line = "=" * 37
    trx = "".join(
        f"---TRANSACTION {421_000 + n}, ACTIVE 1 sec\nmysql tables in use 1, locked 1\nLOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\nMySQL thread id {n}, query id 1 executing\n{query}\n"
        for n, _, _, query in waiting(client.world, client.server)
    )
    text = (
        f"\n{line}\n{at} 140000000000000 INNODB MONITOR OUTPUT\n{line}\n"
        "Per second averages calculated from the last 20 seconds\n"
        f"------------\nTRANSACTIONS\n------------\n{trx}"
        f"----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================\n"
    )
    return _rows(("Type", "Name", "Status"), [("InnoDB", "", text)])

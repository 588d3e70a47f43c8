"""What MySQL's own databases show: tables, columns, sessions, users."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.exporters import searches_since

from sregym_server_sql.engine import (
    Result,
    StatementContext,
    columns_of,
    indexes_of,
    run,
    tables_of,
)
from sregym_server_sql.mysql_tables import kind_of_key, next_number
from sregym_server_sql.sessions import process_list, waiting
from sregym_server_sql.tables import numbers_of, rows_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_server_sql.mysql_server import MysqlConnection

# Of a row of an average table.
_ROW_BYTES = 180
SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")


def rows_of(image: bytes, table: str) -> int:
    """How many rows a table has."""
    counted, _ = run(image, f'SELECT count(*) FROM "{table}"', StatementContext())  # noqa: S608 - names of its own
    return int(counted.rows[0][0])


def described(image: bytes, table: str, key_kind: str = "int") -> list[tuple[Any, ...]]:
    """Rows of DESCRIBE; a key whose numbers the server gives out is of `key_kind`."""
    unique = {
        columns[0] for _, columns, alone in indexes_of(image, table) if alone and len(columns) == 1
    }
    some = {columns[0] for _, columns, alone in indexes_of(image, table) if not alone}
    found: list[tuple[Any, ...]] = []
    for name, kind, needed, default, key in columns_of(image, table):
        counts = key and kind.upper() == "INTEGER"
        shown = key_kind if counts else kind.lower()
        word = "PRI" if key else "UNI" if name in unique else "MUL" if name in some else ""
        value = _shown(default, kind)
        found.append(
            (
                name,
                shown,
                "NO" if needed or key else "YES",
                word,
                value,
                "auto_increment" if counts else "",
            )
        )
    return found


def _shown(default: Any, kind: str) -> Any:
    if default is None or str(default).upper() == "NULL":
        return None
    text = str(default).strip("'")
    if "virtual_now" in text:
        return "CURRENT_TIMESTAMP"
    scale = re.search(r"decimal\(\d+,\s*(\d+)\)", kind, re.I)
    return f"{float(text):.{int(scale.group(1))}f}" if scale is not None else text


def _table(columns: str, rows: Sequence[tuple[Any, ...]]) -> Result:
    return Result(tuple(columns.split()), tuple(rows), 0, "select")


def _seen(client: MysqlConnection) -> list[str]:
    return [name for name in sorted(client.data.databases) if client.account.enters(name)]


def _tables(client: MysqlConnection) -> Result:
    rows = []
    for database in _seen(client):
        image = client.data.databases[database]
        for name in tables_of(image):
            count = rows_in(client.data, database, name)
            size = max(16_384, count * _ROW_BYTES)
            number = next_number(client, database, name)
            rows.append((database, name, "BASE TABLE", "InnoDB", count, size, 0, number))
    return _table(
        "TABLE_SCHEMA TABLE_NAME TABLE_TYPE ENGINE TABLE_ROWS DATA_LENGTH INDEX_LENGTH AUTO_INCREMENT",
        rows,
    )


def _columns(client: MysqlConnection) -> Result:
    rows = []
    for database in _seen(client):
        image = client.data.databases[database]
        for name in tables_of(image):
            numbers = numbers_of(client.data, database, name)
            for n, row in enumerate(described(image, name, kind_of_key(numbers)), 1):
                kind = str(row[1]).partition("(")[0]
                rows.append((database, name, row[0], n, row[4], row[2], kind, row[1], row[3]))
    return _table(
        "TABLE_SCHEMA TABLE_NAME COLUMN_NAME ORDINAL_POSITION COLUMN_DEFAULT IS_NULLABLE DATA_TYPE COLUMN_TYPE COLUMN_KEY",
        rows,
    )


def _full_scans(client: MysqlConnection) -> Result:
    rows = []
    image = client.data.databases
    for table, count in searches_since(client.world, client.server.ref).items():
        database = next((name for name in _seen(client) if table in tables_of(image[name])), "")
        if database and count:
            each = rows_in(client.data, database, table)
            asked = f"SELECT * FROM `{table}` WHERE ..."  # noqa: S608 - shown only
            rows.append((asked, database, count, count, 0, 100, count * each))
    return _table(
        "query db exec_count no_index_used_count no_good_index_used_count no_index_used_pct rows_examined",
        rows,
    )


def _statistics(client: MysqlConnection) -> Result:
    rows = []
    for database in _seen(client):
        image = client.data.databases[database]
        for table in tables_of(image):
            count = rows_in(client.data, database, table)
            for name, columns, unique in indexes_of(image, table):
                shown = "PRIMARY" if name.endswith("_pkey") else name
                for place, column in enumerate(columns, 1):
                    rows.append((database, table, int(not unique), shown, place, column, count))
    return _table(
        "TABLE_SCHEMA TABLE_NAME NON_UNIQUE INDEX_NAME SEQ_IN_INDEX COLUMN_NAME CARDINALITY", rows
    )


def _schemata(client: MysqlConnection) -> Result:
    rows = [("def", name, "utf8mb4", "utf8mb4_0900_ai_ci") for name in client.databases()]
    return _table(
        "CATALOG_NAME SCHEMA_NAME DEFAULT_CHARACTER_SET_NAME DEFAULT_COLLATION_NAME", rows
    )


def _processes(client: MysqlConnection) -> Result:
    columns, rows = process_list(client.world, client.server, client.own("executing"))
    return Result(tuple(name.upper() for name in columns), tuple(rows), 0, "select")


def _users(client: MysqlConnection) -> Result:
    rows: list[tuple[Any, ...]] = []
    for name, account in client.data.accounts.items():
        yes = "Y" if account.superuser else "N"
        for host in ("%", "localhost") if account.superuser else ("%",):
            plugin = "caching_sha2_password"
            most, locked = max(0, account.limit), "N" if account.login else "Y"
            rows.append((host, name, yes, yes, yes, most, plugin, "N", locked))
    for name in ("mysql.infoschema", "mysql.session", "mysql.sys"):
        rows.append(("localhost", name, "N", "N", "N", 0, "caching_sha2_password", "N", "Y"))
    return _table(
        "Host User Select_priv Insert_priv Super_priv max_user_connections plugin password_expired account_locked",
        sorted(rows),
    )


def _transactions(client: MysqlConnection) -> Result:
    rows = [
        (421_000 + n, "LOCK WAIT", n, query)
        for n, _, _, query in waiting(client.world, client.server)
    ]
    return _table("trx_id trx_state trx_mysql_thread_id trx_query", rows)


def _lock_waits(client: MysqlConnection) -> Result:
    rows = [
        (table, n, query, holder)
        for n, table, holder, query in waiting(client.world, client.server)
    ]
    return _table("locked_table waiting_pid waiting_query blocking_pid", rows)


VIEWS: dict[str, Callable[[MysqlConnection], Result]] = {
    "information_schema.tables": _tables, "information_schema.columns": _columns,
    "information_schema.schemata": _schemata, "information_schema.processlist": _processes,
    "performance_schema.processlist": _processes, "information_schema.innodb_trx": _transactions,
    "mysql.user": _users, "sys.innodb_lock_waits": _lock_waits,
    "information_schema.statistics": _statistics,
    "sys.statements_with_full_table_scans": _full_scans,
}  # fmt: skip


def views_in(client: MysqlConnection, statement: str) -> tuple[str, dict[str, Result]]:
    """A statement with views of the server's own by plain names, and their rows."""
    found: dict[str, Result] = {}

    def plain(match: re.Match[str]) -> str:
        name = f"{match.group(1)}.{match.group(2)}".lower()
        if name not in VIEWS:
            return match.group()
        own = name.replace(".", "_")
        found[own] = VIEWS[name](client)
        return own

    pattern = rf"`?\b({'|'.join(SYSTEM)})\b`?\s*\.\s*`?(\w+)`?"
    text = re.sub(pattern, plain, statement, flags=re.I)
    if client.database in SYSTEM:
        bare = re.search(r"\bfrom\s+`?(\w+)`?(?!\.)", text, re.I)
        name = f"{client.database}.{bare.group(1).lower()}" if bare is not None else ""
        if bare is not None and name in VIEWS:
            found[bare.group(1)] = VIEWS[name](client)
    return text, found

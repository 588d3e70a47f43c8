"""What PostgreSQL's own catalogue shows: databases, roles, tables, settings, sessions, locks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.exporters import searches_since

from sregym_server_sql.engine import Result, columns_of, indexes_of, tables_of
from sregym_server_sql.postgres_sequences import sequence_view
from sregym_server_sql.postgres_settings import SETTINGS
from sregym_server_sql.replication_views import receiver, replication
from sregym_server_sql.sessions import activity, locks_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_server_sql.data import Account
    from sregym_server_sql.postgres_server import PostgresConnection

_LONG = {"int": "integer", "int4": "integer", "timestamptz": "timestamp with time zone", "bool": "boolean",
         "timestamp": "timestamp without time zone", "int8": "bigint", "float8": "double precision",
         "serial": "integer", "bigserial": "bigint", "decimal": "numeric", "int2": "smallint"}  # fmt: skip


def type_name(declared: str, *, short: bool = False) -> str:
    """A type as it is described; `short` without its size."""
    base, bracket, rest = declared.strip().lower().partition("(")
    name = _LONG.get(base.strip(), base.strip())
    name = re.sub(r"^varchar\b", "character varying", name)
    return name if short or not bracket else f"{name}({rest.replace(' ', '')}"


def split(name: str) -> tuple[str, str]:
    """Schema and bare name of a table."""
    schema, dot, table = name.partition(".")
    return (schema, table) if dot else ("public", name)


def _table(columns: str, rows: Sequence[tuple[Any, ...]]) -> Result:
    return Result(tuple(columns.split()), tuple(rows), 0, "select")


def _image(client: PostgresConnection) -> bytes:
    return client.data.databases.get(client.database, b"")


def _databases(client: PostgresConnection) -> Result:
    rows = [
        (16_384 + n, name, client.owner, name != "template0", -1, name.startswith("template"))
        for n, name in enumerate(sorted(client.data.databases))
    ]
    return _table("oid datname datdba datallowconn datconnlimit datistemplate", rows)


def _statistics(client: PostgresConnection) -> Result:
    names = sorted(client.data.databases)
    number = len(activity(client.world, client.server, client.own("")).rows)
    rows = [
        (16_384 + n, name, number if name == client.database else 0, 0, 0, 0, 0)
        for n, name in enumerate(names)
    ]
    return _table("datid datname numbackends xact_commit xact_rollback deadlocks conflicts", rows)


def _users(client: PostgresConnection) -> Result:
    rows = [
        (name, 10 + n, held.superuser, _has(held, "createdb"), "********", held.until or None)
        for n, (name, held) in enumerate(sorted(client.data.accounts.items()))
    ]
    return _table("usename usesysid usesuper usecreatedb passwd valuntil", rows)


def _roles(client: PostgresConnection) -> Result:
    rows = [
        (
            10 + n,
            name,
            held.superuser,
            _has(held, "createrole"),
            _has(held, "createdb"),
            held.login,
            held.limit,
        )
        for n, (name, held) in enumerate(sorted(client.data.accounts.items()))
    ]
    return _table("oid rolname rolsuper rolcreaterole rolcreatedb rolcanlogin rolconnlimit", rows)


def _has(account: Account, attribute: str) -> bool:
    return account.superuser or attribute in account.attributes


def _memberships(client: PostgresConnection) -> Result:
    numbers = {name: 10 + n for n, name in enumerate(sorted(client.data.accounts))}
    rows = [
        (numbers[role], numbers[name], 10, False)
        for name, held in sorted(client.data.accounts.items())
        for role in held.roles
        if role in numbers
    ]
    return _table("roleid member grantor admin_option", rows)


def _tables(client: PostgresConnection) -> Result:
    rows = [(*split(name), client.owner, None, True) for name in tables_of(_image(client))]
    return _table("schemaname tablename tableowner tablespace hasindexes", rows)


def _all_tables(client: PostgresConnection) -> Result:
    rows = [(client.database, *split(name), "BASE TABLE") for name in tables_of(_image(client))]
    return _table("table_catalog table_schema table_name table_type", rows)


def _columns(client: PostgresConnection) -> Result:
    rows = []
    for name in tables_of(_image(client)):
        for n, (column, kind, needed, default, key) in enumerate(
            columns_of(_image(client), name), 1
        ):
            empty = "NO" if needed or key else "YES"
            rows.append((*split(name), column, n, default, empty, type_name(kind, short=True)))
    return _table(
        "table_schema table_name column_name ordinal_position column_default is_nullable data_type",
        rows,
    )


def _indexes(client: PostgresConnection) -> Result:
    rows = []
    for name in tables_of(_image(client)):
        schema, table = split(name)
        for index, columns, unique in indexes_of(_image(client), name):
            word = "UNIQUE INDEX" if unique else "INDEX"
            text = f"CREATE {word} {index} ON {schema}.{table} USING btree ({', '.join(columns)})"
            rows.append((schema, table, index, None, text))
    return _table("schemaname tablename indexname tablespace indexdef", rows)


def _user_tables(client: PostgresConnection) -> Result:
    scans = searches_since(client.world, client.server.ref)
    rows = [
        (16_390 + n, *split(name), scans.get(name, 0), 0, client.rows_of(name), 0, None, None)
        for n, name in enumerate(tables_of(_image(client)))
    ]
    return _table(
        "relid schemaname relname seq_scan idx_scan n_live_tup n_dead_tup last_vacuum last_autovacuum",
        rows,
    )


def _classes(client: PostgresConnection) -> Result:
    rows: list[tuple[Any, ...]] = []
    for n, name in enumerate(tables_of(_image(client))):
        rows.append((16_390 + n, split(name)[1], 2200, "r", client.rows_of(name)))
    return _table("oid relname relnamespace relkind reltuples", rows)


def _namespaces(client: PostgresConnection) -> Result:
    names = ["pg_catalog", "information_schema", "public", *client.schemas()]
    return _table("oid nspname nspowner", [(11 + n, name, 10) for n, name in enumerate(names)])


def _settings(client: PostgresConnection) -> Result:
    rows = [
        (name, client.raw_setting(name), held.unit or None, held.context, "default")
        for name, held in SETTINGS.items()
    ]
    return _table("name setting unit context source", rows)


def _grants(client: PostgresConnection) -> Result:
    rows = []
    whole = ("INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
    for name in tables_of(_image(client)):
        schema, table = split(name)
        for right in whole:
            rows.append((client.owner, client.owner, client.database, schema, table, right))
        for role, account in sorted(client.data.accounts.items()):
            for right in account.tables.get(f"{client.database}/{name}", ()):
                rows.append((client.owner, role, client.database, schema, table, right))
    return _table("grantor grantee table_catalog table_schema table_name privilege_type", rows)


def _empty(columns: str) -> Callable[[PostgresConnection], Result]:
    return lambda _client: _table(columns, [])


def _extensions(_client: PostgresConnection) -> Result:
    return _table("oid extname extversion", [(13_550, "plpgsql", "1.0")])


def _background(_client: PostgresConnection) -> Result:
    rows = [(12, 3, 0, 0, 240)]
    return _table(
        "checkpoints_timed checkpoints_req buffers_checkpoint buffers_clean maxwritten_clean", rows
    )


VIEWS: dict[str, Callable[[PostgresConnection], Result]] = {
    "pg_database": _databases, "pg_stat_database": _statistics, "pg_user": _users,
    "pg_shadow": _users, "pg_auth_members": _memberships,
    "pg_roles": _roles, "pg_authid": _roles, "pg_tables": _tables,
    "information_schema_tables": _all_tables, "information_schema_columns": _columns,
    "pg_indexes": _indexes, "pg_stat_user_tables": _user_tables, "pg_stat_all_tables": _user_tables,
    "pg_statio_user_tables": _user_tables, "pg_class": _classes, "pg_namespace": _namespaces,
    "pg_settings": _settings, "information_schema_role_table_grants": _grants,
    "information_schema_table_privileges": _grants, "pg_extension": _extensions,
    "pg_stat_bgwriter": _background, "pg_sequences": sequence_view,
    "pg_stat_activity": lambda client: activity(client.world, client.server, client.own(client.said)),
    "pg_locks": lambda client: locks_view(client.world, client.server),
    "pg_stat_replication": replication, "pg_stat_wal_receiver": receiver,
    "pg_replication_slots": _empty("slot_name plugin slot_type active restart_lsn"),
    "pg_prepared_xacts": _empty("transaction gid prepared owner database"),
    "pg_stat_progress_vacuum": _empty("pid datid datname relid phase"),
    "pg_hba_file_rules": _empty("line_number type database user_name address auth_method error"),
}  # fmt: skip


def views_in(client: PostgresConnection, statement: str) -> dict[str, Result]:
    """The views that a statement names, with their present rows."""
    names = re.findall(r"\b(?:pg_|information_schema_)\w+", statement, re.I)
    return {
        name: VIEWS[name](client) for name in dict.fromkeys(map(str.lower, names)) if name in VIEWS
    }

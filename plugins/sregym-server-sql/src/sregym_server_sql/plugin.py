"""Adds MySQL, MariaDB and PostgreSQL to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_sql"
_MYSQL_PROTOCOL = WireProtocol(
    "mysql",
    3306,
    {"overloaded": "Error 1040: Too many connections"},
    call_spans=False,
    libraries=f"{_HERE}:mysql_libraries.yaml",
    commands=("count", "delete", "find", "get", "insert", "query", "select", "set", "update"),
)
_POSTGRES_PROTOCOL = WireProtocol(
    "postgres",
    5432,
    {"overloaded": "pq: sorry, too many clients already"},
    call_spans=False,
    db_system="postgresql",
    led="listed",
    libraries=f"{_HERE}:postgres_libraries.yaml",
    closes_on_http=True,
    commands=("count", "delete", "find", "get", "insert", "query", "select", "set", "update"),
)
_MYSQL = ServerKind(
    name="mysql",
    program=f"{_HERE}.program:MysqlProgram",
    behaviour=f"{_HERE}.mysql_kind:MysqlKind",
    commands=(
        Command("mysql", f"{_HERE}.mysql:mysql", prompt="mysql> "),
        Command("mariadb", f"{_HERE}.mysql:mysql", prompt="mariadb> "),
        Command("mysqladmin", f"{_HERE}.mysql:mysql"),
    ),
    tool_sets={"mysql": ("mysql", "mysqladmin"), "mariadb": ("mariadb", "mysql", "mysqladmin")},
    protocols=(_MYSQL_PROTOCOL,),
    users={"mysql": 999},
    log_formats={"mysql": f"{_HERE}.server_log:mysql_line"},
    durable={"sql": f"{_HERE}.describing:describe"},
    exporter=f"{_HERE}.exporter:MYSQL_EXPORTER",
    images=(f"{_HERE}:mysql_images.yaml",),
)
_POSTGRES = ServerKind(
    name="postgres",
    program=f"{_HERE}.program:PostgresProgram",
    behaviour=f"{_HERE}.postgres_kind:PostgresKind",
    commands=(
        Command("psql", f"{_HERE}.psql:psql", prompt="=# "),
        Command("pg_isready", f"{_HERE}.psql:pg_isready"),
        Command("createdb", f"{_HERE}.psql_tools:createdb"),
        Command("dropdb", f"{_HERE}.psql_tools:createdb"),
        Command("vacuumdb", f"{_HERE}.psql_tools:vacuumdb"),
        Command("pg_dump", f"{_HERE}.psql_tools:pg_dump"),
        Command("pg_basebackup", f"{_HERE}.base_backup:pg_basebackup"),
    ),
    tool_sets={
        "postgres": (
            *("psql", "pg_isready", "pg_dump", "pg_basebackup"),
            *("createdb", "dropdb", "vacuumdb"),
        ),
    },
    protocols=(_POSTGRES_PROTOCOL,),
    users={"postgres": 999},
    log_formats={"postgres": f"{_HERE}.server_log:postgres_line"},
    background=f"{_HERE}.refused_clients:background",
    durable={"sql": f"{_HERE}.describing:describe"},
    exporter=f"{_HERE}.exporter:POSTGRES_EXPORTER",
    images=(f"{_HERE}:postgres_images.yaml",),
)

EXTENSION = Extension(name="server-sql", server_kinds=(_MYSQL, _POSTGRES))

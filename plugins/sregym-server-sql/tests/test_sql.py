"""MySQL and PostgreSQL servers and their clients: tables, accounts, refusals, data over restarts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.sdk.servers import ConnectionLimit, Refusal, process_of
from sregym_cluster_embedded.sdk.testing import ExitState, Mount
from sregym_server_sql.postgres_limits import connection_limits

MODEL = """
application: stores
images:
  - repository: mysql
    tags: ["8.0"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mysqld]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mysql, /usr/sbin/mysqld: mysql}
    tools: [debian, mysql]
  - repository: postgres
    tags: ["16"]
    size_mib: 150
    entrypoint: [docker-entrypoint.sh]
    cmd: [postgres]
    binaries: {/usr/local/bin/docker-entrypoint.sh: postgres, /usr/bin/postgres: postgres}
    tools: [debian, postgres]
programs:
  mysql: {kind: mysql}
  postgres: {kind: postgres}
"""
INSECURE = "mysql: [Warning] Using a password on the command line interface can be insecure.\n"
ROOT = "mysql -uroot -proot"
SCRIPT = Mount(
    "files", "init", {"a.sql": "CREATE TABLE items (id INT PRIMARY KEY, name TEXT);\nINSERT INTO items VALUES (1, 'pen');"}
)  # fmt: skip


@pytest.fixture
def stores(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("idle")
    return shop


def mysql(stores: Any, attempt: int = 0, **env: str) -> Any:
    given = {
        "MYSQL_ROOT_PASSWORD": "root",
        "MYSQL_DATABASE": "shop",
        "MYSQL_USER": "app",
        "MYSQL_PASSWORD": "pw",
    }
    mounts = {"/var/lib/mysql": Mount("volume", "pv/m"), "/docker-entrypoint-initdb.d": SCRIPT}
    stores.name("db", "8")
    stores.start("db", "mysql:8.0", "8", attempt, env={**given, **env}, mounts=mounts)
    stores.run(6)
    return stores


def postgres(stores: Any, **env: str) -> Any:
    mounts = {
        "/var/lib/postgresql/data": Mount("volume", "pv/p"),
        "/docker-entrypoint-initdb.d": SCRIPT,
    }
    stores.name("pg", "7")
    stores.start("pg", "postgres:16", "7", env=env, mounts=mounts)
    stores.run(4)
    return stores


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f'{ROOT} shop -e "SELECT * FROM items"', (0, "id\tname\n1\tpen\n", INSECURE)),
        (f'{ROOT} -N -e "SHOW DATABASES"', (0, "information_schema\nmysql\nperformance_schema\nshop\nsys\n", INSECURE)),
        (f'{ROOT} -t shop -e "SELECT count(*) AS n FROM items"', (0, "+---+\n| n |\n+---+\n| 1 |\n+---+\n", INSECURE)),
        (f'{ROOT} shop -e "SELECT * FROM none"', (1, "", INSECURE + "ERROR 1146 (42S02) at line 1: Table 'shop.none' doesn't exist\n")),
        (f'{ROOT} none -e "SELECT 1"', (1, "", INSECURE + "ERROR 1049 (42000): Unknown database 'none'\n")),
        (f'{ROOT} -e "SELECT * FROM items"', (1, "", INSECURE + "ERROR 1046 (3D000) at line 1: No database selected\n")),
        ('mysql -uroot -pwrong -e "SELECT 1"', (1, "", INSECURE + "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)\n")),
        ('mysql -uapp -ppw -h idle -e "SELECT 1"', (1, "", INSECURE + "ERROR 2003 (HY000): Can't connect to MySQL server on 'idle:3306' (111)\n")),
        ("mysql -h nothing", (1, "", "ERROR 2005 (HY000): Unknown MySQL server host 'nothing' (-2)\n")),
        (f'{ROOT} -e "SET GLOBAL read_only = 1"; mysql -uapp -ppw shop -e "DELETE FROM items"', (1, "", INSECURE * 2 + "ERROR 1290 (HY000) at line 1: The MySQL server is running with the --read-only option so it cannot execute this statement\n")),
        (f'{ROOT} -e "REVOKE ALL ON shop.* FROM app"; mysql -uapp -ppw shop -e "SELECT 1"', (1, "", INSECURE * 2 + "ERROR 1044 (42000): Access denied for user 'app'@'%' to database 'shop'\n")),
        (f"{ROOT} -N -e \"SHOW VARIABLES LIKE 'max_conn%'\"", (0, "max_connect_errors\t100\nmax_connections\t151\n", INSECURE)),
        (f'{ROOT} shop -e "INSERT INTO items VALUES (1, 2)"', (1, "", INSECURE + "ERROR 1062 (23000) at line 1: Duplicate entry '1' for key 'items.PRIMARY'\n")),
        ("mysqladmin -uroot -proot ping", (0, "mysqld is alive\n", INSECURE.replace("mysql:", "mysqladmin:"))),
    ],
)  # fmt: skip
def test_mysql(stores: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert mysql(stores).shell("db", script) == expected


APP = "mysql -uapp -ppw"
DENIED = "Access denied; you need (at least one of) the {} privilege(s) for this operation"


@pytest.mark.parametrize(
    ("client", "statement", "error"),
    [
        (ROOT, "CREATE DATABASE shop", "1007 (HY000) at line 1: Can't create database 'shop'; database exists"),
        (ROOT, "DROP DATABASE none", "1008 (HY000) at line 1: Can't drop database 'none'; database doesn't exist"),
        (ROOT, "DROP USER none", "1396 (HY000) at line 1: Operation DROP USER failed for 'none'@'%'"),
        (ROOT, "ALTER USER none IDENTIFIED BY 'x'", "1396 (HY000) at line 1: Operation ALTER USER failed for 'none'@'%'"),
        (ROOT, "GRANT ALL ON shop.* TO none", "1410 (42000) at line 1: You are not allowed to create a user with GRANT"),
        (APP, "GRANT ALL ON shop.* TO app", "1044 (42000) at line 1: Access denied for user 'app'@'%' to database 'shop'"),
        (APP, "CREATE DATABASE shop", "1044 (42000) at line 1: Access denied for user 'app'@'%' to database 'shop'"),
        (APP, "DROP DATABASE other", "1044 (42000) at line 1: Access denied for user 'app'@'%' to database 'other'"),
        (APP, "CREATE USER x", f"1227 (42000) at line 1: {DENIED.format('CREATE USER')}"),
        (APP, "DROP USER root", f"1227 (42000) at line 1: {DENIED.format('CREATE USER')}"),
        (APP, "ALTER USER root IDENTIFIED BY 'x'", f"1227 (42000) at line 1: {DENIED.format('CREATE USER')}"),
        (APP, "SET GLOBAL read_only = 1", f"1227 (42000) at line 1: {DENIED.format('SUPER or SYSTEM_VARIABLES_ADMIN')}"),
        (APP, "SELECT * FROM mysql.user", "1142 (42000) at line 1: SELECT command denied to user 'app'@'localhost' for table 'user'"),
    ],
)  # fmt: skip
def test_what_mysql_refuses(stores: Any, client: str, statement: str, error: str) -> None:
    said = mysql(stores).shell("db", f'{client} -e "{statement}"')
    assert said == (1, "", f"{INSECURE}ERROR {error}\n")


def test_who_may_only_read_writes_nothing(stores: Any) -> None:
    mysql(stores).shell(
        "db", f'{ROOT} -e "REVOKE ALL ON shop.* FROM app; GRANT SELECT ON shop.* TO app"'
    )
    assert [
        stores.shell("db", f'{APP} shop -N -e "{statement}"')
        for statement in ("SELECT name FROM items", "DELETE FROM items")
    ] == [
        (0, "pen\n", INSECURE),
        (1, "", INSECURE + "ERROR 1142 (42000) at line 1: DELETE command denied to user 'app'@'localhost' for table 'items'\n"),
    ]  # fmt: skip


def test_rows_outlive_the_process_and_forks_go_apart(stores: Any) -> None:
    insert = "INSERT INTO items VALUES ({}, 'ink')"
    mysql(stores).shell("db", f'{ROOT} shop -e "{insert.format(2)}"')
    twin = stores.fork()
    twin.shell("db", f'{ROOT} shop -e "{insert.format(3)}"')
    stores.runtime.kill(stores.world, stores.ref("db"))
    mysql(stores, attempt=1, MYSQL_ROOT_PASSWORD="other")
    count = f'{ROOT} shop -N -e "SELECT count(*) FROM items"'
    assert [each.shell("db", count)[1] for each in (stores, twin)] == ["2\n", "3\n"]


def test_a_server_without_a_password_does_not_start(stores: Any) -> None:
    stores.start("db", "mysql:8.0", "8")
    stores.run(6)
    first = "+00:00 [ERROR] [Entrypoint]: Database is uninitialized and password option is not specified"
    told = [text[19:] for text in stores.texts("db") if "ERROR" in text]
    assert (stores.ended("db"), told) == (ExitState(1, "Error"), [first])


PG_HEAD = 'psql: error: connection to server at "pg" (10.96.1.2), port 5432 failed: '
ITEMS = " id | name \n----+------\n  1 | pen\n(1 row)\n\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('psql -U postgres -c "SELECT * FROM items"', (0, ITEMS, "")),
        ('psql -U postgres -tAc "SELECT count(*) FROM items"', (0, "1\n", "")),
        ('psql -U postgres -c "UPDATE items SET name = 1; DELETE FROM items"', (0, "UPDATE 1\nDELETE 1\n", "")),
        ('psql -U postgres -c "SELECT * FROM none"', (1, "", 'ERROR:  relation "none" does not exist\nLINE 1: SELECT * FROM none\n                      ^\n')),
        ("psql -U nobody -c 'SELECT 1'", (2, "", 'psql: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  role "nobody" does not exist\n')),
        ("psql -U postgres -d none -c 'SELECT 1'", (2, "", 'psql: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  database "none" does not exist\n')),
        ("PGPASSWORD=no psql -h pg -U postgres -c 'SELECT 1'", (2, "", PG_HEAD + 'FATAL:  password authentication failed for user "postgres"\n')),
        ("PGPASSWORD=pw psql -h pg -U postgres -tAc 'SELECT 1'", (0, "1\n", "")),
        ("psql -h idle -U postgres", (2, "", 'psql: error: connection to server at "idle" (10.96.1.4), port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n')),
        ("psql -h nothing", (2, "", 'psql: error: could not translate host name "nothing" to address: Name or service not known\n')),
        ("pg_isready; pg_isready -h idle", (2, "/var/run/postgresql:5432 - accepting connections\nidle:5432 - no response\n", "")),
        ("psql -U postgres -c 'ALTER SYSTEM SET default_transaction_read_only = on'; psql -U postgres -c 'DELETE FROM items'", (1, "ALTER SYSTEM\n", "ERROR:  cannot execute DELETE in a read-only transaction\n")),
        ("psql -U postgres -tAc 'SHOW max_connections'", (0, "100\n", "")),
        ("printf '\\\\dt\\nSELECT 1 AS one;\\n' | psql -U postgres -tA", (0, "public|items|table|postgres\n1\n", "")),
    ],
)  # fmt: skip
def test_postgres(stores: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert postgres(stores, POSTGRES_PASSWORD="pw").shell("pg", script) == expected


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("CREATE DATABASE postgres", 'ERROR:  database "postgres" already exists'),
        ("DROP DATABASE none", 'ERROR:  database "none" does not exist'),
        ("CREATE ROLE postgres", 'ERROR:  role "postgres" already exists'),
        ("DROP ROLE none", 'ERROR:  role "none" does not exist'),
        ("ALTER ROLE none NOLOGIN", 'ERROR:  role "none" does not exist'),
        ("GRANT SELECT ON items TO none", 'ERROR:  role "none" does not exist'),
        ("SHOW nosuch", 'ERROR:  unrecognized configuration parameter "nosuch"'),
        (r"\nosuch", "invalid command \\nosuch"),
        (r"\d nosuch", 'Did not find any relation named "nosuch".'),
    ],
)
def test_what_postgres_refuses(stores: Any, command: str, said: str) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    assert shop.shell("pg", f"psql -U postgres -c '{command}'") == (1, "", f"{said}\n")


def test_a_role_reads_only_what_it_may(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    shop.shell("pg", "psql -U postgres -c 'CREATE ROLE reader LOGIN'")
    read = "psql -U reader -d postgres -c 'SELECT * FROM items'"
    refused = (1, "", "ERROR:  permission denied for table items\n")
    assert shop.shell("pg", read) == refused
    shop.shell("pg", "psql -U postgres -c 'GRANT SELECT ON items TO reader'")
    assert shop.shell("pg", read) == (0, ITEMS, "")


def test_a_table_is_taken_from_a_role_that_has_the_whole_database(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    grant = "CREATE ROLE app LOGIN; GRANT ALL ON SCHEMA public TO app; GRANT ALL ON DATABASE postgres TO app"
    shop.shell("pg", f"psql -U postgres -c '{grant}; REVOKE SELECT ON TABLE items FROM app'")
    read, delete = ("SELECT * FROM items", "DELETE FROM items")
    ask = "psql -U app -d postgres -c"
    refused = (1, "", "ERROR:  permission denied for table items\n")
    assert shop.shell("pg", f"{ask} '{read}'") == refused
    assert shop.shell("pg", f"{ask} '{delete}'") == (0, "DELETE 1\n", "")
    shop.shell("pg", "psql -U postgres -c 'GRANT SELECT ON items TO app'")
    assert shop.shell("pg", f"{ask} 'SELECT count(*) FROM items'")[0] == 0


def test_over_the_network_postgres_wants_a_password(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    assert shop.shell("pg", "psql -h pg -U postgres -c 'SELECT 1'") == (
        2,
        "",
        f"{PG_HEAD}fe_sendauth: no password supplied\n",
    )


def test_postgres_without_a_password_does_not_start(stores: Any) -> None:
    postgres(stores)
    first = "Error: Database is uninitialized and superuser password is not specified."
    assert (stores.ended("pg"), stores.texts("pg")[0]) == (ExitState(1, "Error"), first)


def without_times(texts: list[str]) -> list[str]:
    stamps = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| UTC|\+00:00)"
    return [re.sub(stamps, "@", text) for text in texts]


def test_what_is_said_when_a_server_of_postgres_is_full(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    shop.shell("pg", "psql -U postgres -c 'CREATE ROLE app LOGIN CONNECTION LIMIT 5'")
    server = process_of(shop.world, shop.ref("pg"))
    assert server is not None
    head = "failed to connect: FATAL: "
    slots = "remaining connection slots are reserved for"
    new, old = "roles with the SUPERUSER attribute", "non-replication superuser connections"
    for version, whom in (("16.4", new), ("15.18", old)):
        as_if = replace(server, settings={**server.settings, "sql.version": version})
        assert connection_limits(shop.world, as_if, "app") == (
            ConnectionLimit(5, f'{head}too many connections for role "app"', "app"),
            ConnectionLimit(97, f"{head}{slots} {whom}"),
        )
    whole = (ConnectionLimit(100, f"{head}sorry, too many clients already"),)
    assert connection_limits(shop.world, server, "postgres") == whole


def test_what_needs_a_restart_of_postgres_waits_for_one(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw")
    show = "psql -U postgres -tAc 'SHOW max_connections'"
    shop.shell("pg", "psql -U postgres -c 'ALTER SYSTEM SET max_connections = 11'")
    assert shop.shell("pg", show) == (0, "100\n", "")
    mounts = {"/var/lib/postgresql/data": Mount("volume", "pv/p")}
    shop.runtime.kill(shop.world, shop.ref("pg"))
    shop.start("pg", "postgres:16", "7", 1, env={"POSTGRES_PASSWORD": "pw"}, mounts=mounts)
    shop.run(4)
    assert shop.shell("pg", show) == (0, "11\n", "")


def test_the_log_of_postgres_over_a_kill_and_an_end_in_order(stores: Any) -> None:
    shop = postgres(stores, POSTGRES_PASSWORD="pw", POSTGRES_DB="shop")
    first = without_times(shop.texts("pg"))
    build = (
        "PostgreSQL 16.4 (Debian 16.4-1.pgdg120+1) on x86_64-pc-linux-gnu, "
        "compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit"
    )
    opened = [
        f"@ [1] LOG:  starting {build}",
        '@ [1] LOG:  listening on IPv4 address "0.0.0.0", port 5432',
        '@ [1] LOG:  listening on IPv6 address "::", port 5432',
        '@ [1] LOG:  listening on Unix socket "/var/run/postgresql/.s.PGSQL.5432"',
    ]
    ready = "@ [1] LOG:  database system is ready to accept connections"
    in_order = [*opened, "@ [62] LOG:  database system was shut down at @", ready]
    assert first[0] == (
        'The files belonging to this database system will be owned by user "postgres".'
    )
    assert f"waiting for server to start....@ [48] LOG:  starting {build}" in first
    assert "/usr/local/bin/docker-entrypoint.sh: running /docker-entrypoint-initdb.d/a.sql" in first
    assert first[-8:] == ["PostgreSQL init process complete; ready for start up.", "", *in_order]
    mounts = {"/var/lib/postgresql/data": Mount("volume", "pv/p")}
    shop.runtime.kill(shop.world, shop.ref("pg"))
    shop.start("pg", "postgres:16", "7", 1, mounts=mounts)
    shop.run(4)
    assert without_times(shop.texts("pg"))[4:6] == [
        "@ [62] LOG:  database system was interrupted; last known up at @",
        "@ [62] LOG:  database system was not properly shut down; automatic recovery in progress",
    ]
    shop.runtime.terminate(shop.world, shop.ref("pg"))
    shop.run(2)
    assert without_times(shop.texts("pg"))[-1] == "@ [1] LOG:  database system is shut down"
    shop.runtime.kill(shop.world, shop.ref("pg"))
    shop.start("pg", "postgres:16", "7", 2, mounts=mounts)
    shop.run(4)
    assert without_times(shop.texts("pg")) == in_order


def test_the_log_of_mysql(stores: Any) -> None:
    shop = mysql(stores)
    texts = without_times(shop.texts("db"))
    entry = "@ [Note] [Entrypoint]:"
    started = f"{entry} Entrypoint script for MySQL Server 8.0.39-1.el9 started."
    assert texts[:4] == [
        started,
        f"{entry} Switching to dedicated user 'mysql'",
        started,
        f"{entry} Initializing database files",
    ]
    assert [text for text in texts if "shop" in text] == [
        f"{entry} Creating database shop",
        f"{entry} Giving user app access to schema shop",
    ]
    assert f"{entry} MySQL init process done. Ready for start up." in texts
    assert texts[-1] == (
        "@ 0 [System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. Version: "
        "'8.0.39'  socket: '/var/run/mysqld/mysqld.sock'  port: 3306  MySQL Community Server - GPL."
    )
    shop.runtime.terminate(shop.world, shop.ref("db"))
    shop.run(2)
    assert without_times(shop.texts("db"))[-2:] == [
        "@ 0 [System] [MY-013172] [Server] Received SHUTDOWN from user <via user signal>. Shutting down mysqld (Version: 8.0.39).",
        "@ 0 [System] [MY-010910] [Server] /usr/sbin/mysqld: Shutdown complete (mysqld 8.0.39)  MySQL Community Server - GPL.",
    ]


def test_tables_that_programs_fill_have_the_columns_of_their_records(stores: Any) -> None:
    mysql(stores)
    server = process_of(stores.world, stores.ref("db"))
    assert server is not None
    kind = stores.runtime.kind_of(server)
    client = Client(
        protocol="mysql", address="db:3306", user="root", password="root", database="shop"
    )
    record = '{"voucher_id": ${n}, "name": "it\'s ${n}", "price": 9.5, "seats": ["a"]}'
    for _ in range(2):  # what has rows is left alone
        kind.seed(stores.world, server, client, "voucher", 3, record)

    _, out, _ = stores.shell("db", f'{ROOT} shop -e "SELECT * FROM voucher WHERE voucher_id > 1"')
    assert out.splitlines() == [
        "voucher_id\tname\tprice\tseats",
        '2\tit\'s 2\t9.5\t["a"]',
        '3\tit\'s 3\t9.5\t["a"]',
    ]
    asked = ("voucher", ("NAME", "owner"))
    assert kind.lacks(stores.world, server, client, *asked) == Refusal(
        "server", "Error 1054 (42S22): Unknown column 'owner' in 'field list'"
    )
    stores.shell("db", f'{ROOT} shop -e "ALTER TABLE voucher ADD COLUMN owner TEXT"')
    assert kind.lacks(stores.world, server, client, *asked) is None
    assert kind.lacks(stores.world, server, client, "nothing", ("owner",)) is None

"""What psql prints, line by line as that of PostgreSQL 15.18 does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.servers import Lock, hold
from sregym_cluster_embedded.sdk.testing import ContainerTestbed, Mount

MODEL = """
application: stores
images:
  - repository: postgres
    tags: ["15"]
    size_mib: 150
    entrypoint: [docker-entrypoint.sh]
    cmd: [postgres]
    binaries: {/usr/local/bin/docker-entrypoint.sh: postgres, /usr/bin/postgres: postgres}
    tools: [debian, postgres]
programs:
  postgres: {kind: postgres, version: "15.18"}
"""
SCRIPT = """
CREATE TABLE products (id integer PRIMARY KEY, name text NOT NULL, price numeric(10,2) DEFAULT 0);
INSERT INTO products VALUES (1, 'pen', 1.5), (2, 'book', NULL);
CREATE SCHEMA catalog;
CREATE TABLE catalog.items (sku text PRIMARY KEY, qty int);
INSERT INTO catalog.items VALUES ('A1', 5);
CREATE USER app WITH PASSWORD 'pw';
CREATE ROLE reader LOGIN PASSWORD 'r';
"""
ALIGNED = (
    " id | name | price \n----+------+-------\n  1 | pen  |  1.50\n  2 | book |      \n(2 rows)\n\n"
)
NO_COLUMN = 'ERROR:  column "bad" does not exist\n'
P = "psql -U postgres -c"
A = "psql -U app -d postgres -c"
REMOTE = 'psql: error: connection to server at "10.244.0.7", port 5432 failed: FATAL:  '


@pytest.fixture
def shop(started: Any) -> Any:
    return started.fork()


@pytest.fixture(scope="module")
def started(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    mounts = {
        "/var/lib/postgresql/data": Mount("volume", "pv/p"),
        "/docker-entrypoint-initdb.d": Mount("files", "init", {"a.sql": SCRIPT}),
    }
    shop.name("pg", "7")
    shop.start("pg", "postgres:15", "7", env={"POSTGRES_PASSWORD": "x"}, mounts=mounts)
    shop.run(4)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            f"{P} 'SHOW ;'",
            (1, "", 'ERROR:  syntax error at or near ";"\nLINE 1: SHOW ;\n             ^\n'),
        ),
        *(
            (f"{P} '{said}'", (1, "", f"ERROR:  syntax error at end of input\nLINE 1: {said}\n        {' ' * len(said)}^\n"))
            for said in ("CREATE USER", "SHOW", "create database", "GRANT", "alter table", "set")
        ),
        (f"{P} 'SELECT * FROM products ORDER BY id'", (0, ALIGNED, "")),
        (f"{A} \"SELECT left('abc', 2), right('abc', -1), left(NULL, 2)\" -At", (0, "ab|bc|\n", "")),
        (f"{P} 'SELECT id, price FROM products ORDER BY id' --csv", (0, "id,price\n1,1.50\n2,\n", "")),
        (f"{P} 'SELECT id, name FROM products ORDER BY id LIMIT 1' -x", (0, "-[ RECORD 1 ]\nid   | 1\nname | pen\n\n", "")),
        (f"{P} 'SELECT id, name FROM products ORDER BY id' -xAt", (0, "id|1\nname|pen\n\nid|2\nname|book\n", "")),
        (f"{P} 'SELECT count(*), upper(name), true FROM products GROUP BY name ORDER BY 2 LIMIT 1'", (0, " count | upper | bool \n-------+-------+------\n     1 | BOOK  | t\n(1 row)\n\n", "")),
        (f"{P} 'SELECT qty FROM catalog.\"items\"' -At", (0, "5\n", "")),
        (f"{P} 'SELECT * FROM catalog.items'", (0, " sku | qty \n-----+-----\n A1  |   5\n(1 row)\n\n", "")),
        (f"{P} '\\dt catalog.*'", (0, "         List of relations\n Schema  | Name  | Type  |  Owner   \n---------+-------+-------+----------\n catalog | items | table | postgres\n(1 row)\n\n", "")),
        (f"{P} '\\d catalog.items'", (0, '               Table "catalog.items"\n Column |  Type   | Collation | Nullable | Default \n--------+---------+-----------+----------+---------\n sku    | text    |           | not null | \n qty    | integer |           |          | \nIndexes:\n    "items_pkey" PRIMARY KEY, btree (sku)\n\n', "")),
        (f"{P} '\\dn'", (0, "       List of schemas\n  Name   |       Owner       \n---------+-------------------\n catalog | postgres\n public  | pg_database_owner\n(2 rows)\n\n", "")),
        (f"{P} '\\dt nosuch'", (0, "", 'Did not find any relation named "nosuch".\n')),
        (f"{P} 'SELECT bad; SELECT 2'", (1, "", NO_COLUMN + "LINE 1: SELECT bad; SELECT 2\n               ^\n")),
        ("printf 'SELECT 1;\\nSELECT bad\\nFROM products;\\nSELECT 2;\\n' | psql -U postgres -tA", (0, "1\n2\n", NO_COLUMN + "LINE 1: SELECT bad\n               ^\n")),
        ("echo 'SELECT 1; SELECT bad;' | psql -U postgres -tA -v ON_ERROR_STOP=1", (3, "1\n", NO_COLUMN + "LINE 1: SELECT bad;\n               ^\n")),
        ("printf 'SELECT 1;\\nSELECT bad;\\n' >/tmp/x; psql -U postgres -tAf /tmp/x", (0, "1\n", "psql:/tmp/x:2: " + NO_COLUMN + "LINE 1: SELECT bad;\n               ^\n")),
        ("psql -U postgres -f /tmp/none", (1, "", "psql: error: /tmp/none: No such file or directory\n")),
        ("printf 'BEGIN;\\nDELETE FROM products;\\nROLLBACK;\\nSELECT count(*) FROM products;\\n' | psql -U postgres -tA", (0, "BEGIN\nDELETE 2\nROLLBACK\n2\n", "")),
        ("printf 'BEGIN;\\nSELECT bad;\\nSELECT 1;\\nCOMMIT;\\n' | psql -U postgres -tA", (0, "BEGIN\nROLLBACK\n", NO_COLUMN + "LINE 1: SELECT bad;\n               ^\nERROR:  current transaction is aborted, commands ignored until end of transaction block\n")),
        (f"{P} \"INSERT INTO products VALUES (1, 'x')\"", (1, "", 'ERROR:  duplicate key value violates unique constraint "products_pkey"\nDETAIL:  Key (id)=(1) already exists.\n')),
        (f"{P} \"INSERT INTO products (id, name) VALUES (9, 'x') RETURNING id\"", (0, " id \n----\n  9\n(1 row)\n\nINSERT 0 1\n", "")),
        (f"{P} 'SELECT nofunc(1)'", (1, "", "ERROR:  function nofunc(integer) does not exist\nLINE 1: SELECT nofunc(1)\n               ^\nHINT:  No function matches the given name and argument types. You might need to add explicit type casts.\n")),
        (f"{P} 'SELECT 1/0'", (1, "", "ERROR:  division by zero\n")),
        (f"{P} \"SELECT 'a'::int\"", (1, "", 'ERROR:  invalid input syntax for type integer: "a"\nLINE 1: SELECT \'a\'::int\n               ^\n')),
        (f"{P} 'DROP TABLE none'; {P} 'DROP TABLE IF EXISTS none'", (0, "DROP TABLE\n", 'ERROR:  table "none" does not exist\nNOTICE:  table "none" does not exist, skipping\n')),
        (f"{P} 'SHOW nosuch'", (1, "", 'ERROR:  unrecognized configuration parameter "nosuch"\n')),
        (f"{P} 'SET max_connections = 1'", (1, "", 'ERROR:  parameter "max_connections" cannot be changed without restarting the server\n')),
        (f"{P} \"SELECT name, setting, unit FROM pg_settings WHERE name IN ('work_mem', 'max_connections') ORDER BY 1\" -At", (0, "max_connections|100|\nwork_mem|4096|kB\n", "")),
        (f"{P} \"ALTER SYSTEM SET work_mem = '8MB'\"; {P} 'SHOW work_mem' -At", (0, "ALTER SYSTEM\n8MB\n", "")),
        (f"{P} 'DROP DATABASE postgres'", (1, "", "ERROR:  cannot drop the currently open database\n")),
        (f"{A} 'SELECT * FROM products'", (1, "", "ERROR:  permission denied for table products\n")),
        (f"{A} 'SELECT * FROM catalog.items'", (1, "", "ERROR:  permission denied for schema catalog\nLINE 1: SELECT * FROM catalog.items\n                      ^\n")),
        (f"{A} 'DROP TABLE products'", (1, "", "ERROR:  must be owner of table products\n")),
        (f"{A} 'CREATE TABLE t (a int)'", (1, "", "ERROR:  permission denied for schema public\nLINE 1: CREATE TABLE t (a int)\n                     ^\n")),
        (f"{A} 'ALTER SYSTEM SET work_mem = 1'", (1, "", 'ERROR:  permission denied to set parameter "work_mem"\n')),
        (f"{A} \"ALTER USER postgres PASSWORD 'x'\"", (1, "", "ERROR:  must be superuser to alter superuser roles or change superuser attribute\n")),
        (f"{P} 'GRANT SELECT ON products TO app'; {A} 'SELECT count(*) FROM products' -At; {A} 'DELETE FROM products'", (1, "GRANT\n2\n", "ERROR:  permission denied for table products\n")),
        (f"{P} 'GRANT SELECT ON products TO app' -q; {P} 'DROP USER app'", (1, "", 'ERROR:  role "app" cannot be dropped because some objects depend on it\nDETAIL:  privileges for table products\n')),
        (f"{P} 'GRANT SELECT ON nosuch TO app'", (1, "", 'ERROR:  relation "nosuch" does not exist\n')),
        (f"{P} 'ALTER ROLE app NOLOGIN' -q; PGPASSWORD=pw psql -h 10.244.0.7 -U app -d postgres", (2, "", REMOTE + 'role "app" is not permitted to log in\n')),
        (f"{P} 'ALTER ROLE app CONNECTION LIMIT 0' -q; PGPASSWORD=pw psql -h 10.244.0.7 -U app -d postgres", (2, "", REMOTE + 'too many connections for role "app"\n')),
        (f"{P} \"ALTER ROLE app VALID UNTIL '2020-01-01'\" -q; PGPASSWORD=pw psql -h 10.244.0.7 -U app -d postgres", (2, "", REMOTE + 'password authentication failed for user "app"\n')),
        ("psql 'host=10.244.0.7 user=app password=pw dbname=postgres' -Atc 'SELECT current_user, inet_server_port()'", (0, "app|5432\n", "")),
        (f"{P} 'LOCK TABLE products'", (1, "", "ERROR:  LOCK TABLE can only be used in transaction blocks\n")),
        (f"{P} \"SET statement_timeout = '100ms'; SELECT pg_sleep(1)\"", (1, "SET\n", "ERROR:  canceling statement due to statement timeout\n")),
        (f"{P} 'SELECT pg_terminate_backend(1)' -At", (0, "f\n", "WARNING:  PID 1 is not a PostgreSQL backend process\n")),
        (f"{P} 'COPY products TO STDOUT'", (0, "1\tpen\t1.50\n2\tbook\t\\N\n", "")),
        (f"printf '7\\tx\\n' | {P} 'COPY products (id, name) FROM STDIN'", (0, "COPY 1\n", "")),
        (f"{P} \"SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'products'\" -At", (0, "id|integer\nname|text\nprice|numeric\n", "")),
        (f"{P} \"SELECT extract(year from timestamp '2024-05-06'), now() - interval '1 hour' < now()\" -At", (0, "2024|t\n", "")),
        ("psql --nosuch", (1, "", "psql: unrecognized option '--nosuch'\npsql: hint: Try \"psql --help\" for more information.\n")),
    ],
)  # fmt: skip
def test_what_is_printed(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert shop.shell("pg", script) == expected


DATES = """
CREATE TABLE events (at timestamptz, due date, n integer);
INSERT INTO events VALUES ('2024-05-06 10:00:00+00', '2024-05-01', 1), ('2024-05-08 12:30:00+00', '2024-02-28', 2);
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT generate_series(1, 3)", "generate_series\n1\n2\n3\n"),
        ("SELECT * FROM generate_series(1, 10, 4)", "generate_series\n1\n5\n9\n"),
        ("SELECT g, g * 2 FROM generate_series(2, 1, -1) AS g", "g,?column?\n2,4\n1,2\n"),
        ("SELECT sum(x) FROM generate_series(1, 4) t(x) WHERE x > 1", "sum\n9\n"),
        ("SELECT count(*) FROM (SELECT generate_series(1, 10)) s", "count\n10\n"),
        (
            "SELECT d::date FROM generate_series('2024-02-28'::date, '2024-03-01', '1 day') d",
            "d\n2024-02-28\n2024-02-29\n2024-03-01\n",
        ),
        ("INSERT INTO events (n) SELECT g FROM generate_series(3, 5) g", "INSERT 0 3\n"),
        (
            "SELECT now()::date, current_date, '2024-05-06 10:11:12'::date, cast('2024-05-06' AS timestamp)",
            "now,current_date,date,timestamp\n2025-11-21,2025-11-21,2024-05-06,2024-05-06 00:00:00\n",
        ),
        (
            "SELECT date '2024-01-31' + interval '1 month', '2024-05-06'::date + 7, '2024-05-06'::date - '2024-05-01'::date",
            "?column?,?column?,?column?\n2024-02-29 00:00:00,2024-05-13,5\n",
        ),
        (
            "SELECT interval '90 minutes', '1 year 2 months -3 days'::interval, 2 * interval '36 hours'",
            "interval,interval,?column?\n01:30:00,1 year 2 mons -3 days,72:00:00\n",
        ),
        (
            "SELECT at::date, due + 1, due - interval '1 day', at - due FROM events ORDER BY n",
            "at,?column?,?column?,?column?\n2024-05-06,2024-05-02,2024-04-30 00:00:00,5 days 10:00:00\n"
            "2024-05-08,2024-02-29,2024-02-27 00:00:00,70 days 12:30:00\n",
        ),
        ("SELECT max(at) - min(at) FROM events", "?column?\n2 days 02:30:00\n"),
        (
            "SELECT 1 + 1, null, 5::text, 3.7::int, cast(n AS text), (SELECT max(n) FROM events), row_number() OVER (ORDER BY n) FROM events LIMIT 1",
            "?column?,?column?,text,int4,n,max,row_number\n2,,5,4,1,2,1\n",
        ),
        (
            "SELECT now()::timestamp without time zone, '7'::bigint, true::boolean, 1::varchar(3)",
            "now,int8,bool,varchar\n2025-11-21 21:20:04,7,t,1\n",
        ),
        ("SELECT 'soon'::date", 'ERROR:  invalid input syntax for type date: "soon"\n' "LINE 1: SELECT 'soon'::date\n               ^\n"),
        ("SELECT '2024-13-01'::date", 'ERROR:  date/time field value out of range: "2024-13-01"\n' "LINE 1: SELECT '2024-13-01'::date\n               ^\n"),
        ("SELECT '1 fortnight'::interval", 'ERROR:  invalid input syntax for type interval: "1 fortnight"\n' "LINE 1: SELECT '1 fortnight'::interval\n               ^\n"),
        ("SELECT '9999-12-31'::date + interval '1 year'", "ERROR:  timestamp out of range\n"),
        ("SELECT '2024-05-06'::date + 1 - 2 * 3", "?column?\n2024-05-01\n"),
        ("SELECT generate_series(1, 5, 0)", "ERROR:  step size cannot equal zero\n"),
    ],
)  # fmt: skip
def test_dates_series_and_names_of_columns(shop: Any, statement: str, expected: str) -> None:
    shop.shell("pg", f'{P} "{DATES}"')
    failed = expected.startswith("ERROR")
    told = (1, "", expected) if failed else (0, expected, "")
    assert shop.shell("pg", f'{P} "{statement}" --csv') == told


@pytest.fixture
def locked(shop: Any) -> Any:
    statement = "LOCK TABLE products IN ACCESS EXCLUSIVE MODE"
    lock = Lock(77, "postgres", "products", True, "batch", "10.244.0.9", shop.world.now, statement)
    hold(shop.world, shop.ref("pg"), lock)
    shop.run(360)
    return shop


def test_a_lock_is_found_and_its_holder_ended(locked: Any) -> None:
    query = "SELECT pid, usename, now() - query_start AS since FROM pg_stat_activity WHERE state <> 'active' AND now() - query_start > interval '5 minutes'"
    joined = "SELECT a.pid, l.mode, l.granted FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.relation = 'products'"
    asked = f'{P} "{query}" -At; {P} "{joined}" -At; {P} "SELECT pg_terminate_backend(77)" -At; {P} "SELECT count(*) FROM products" -At'
    said = "77|batch|00:06:00\n77|AccessExclusiveLock|t\nt\n2\n"
    assert locked.shell("pg", asked) == (0, said, "")


def test_who_waits_for_a_lock_waits(locked: Any) -> None:
    select = "SELECT count(*) FROM products"
    assert locked.shell("pg", f"timeout 8 {P} '{select}'; echo $?") == (0, "124\n", "")
    limited = f"{P} \"SET lock_timeout = '2s'; {select}\""
    error = "ERROR:  canceling statement due to lock timeout\n"
    assert locked.shell("pg", limited) == (1, "SET\n", error)


def test_a_session_that_sleeps_keeps_what_it_locked(shop: Any) -> None:
    lock = "BEGIN; LOCK TABLE products IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)"
    shop.shell("pg", f"nohup {P} '{lock}' >/dev/null 2>&1 &")
    shop.run(60)
    held = "SELECT relation, mode, granted FROM pg_locks WHERE granted"
    state = "SELECT state, wait_event, query FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    count = "SELECT count(*) FROM products"
    said = f"products|AccessExclusiveLock|t\nactive|PgSleep|{lock}\n124\n"
    asked = f"{P} '{held}' -At; {P} \"{state}\" -At; timeout 8 {P} '{count}'; echo $?"
    assert shop.shell("pg", asked) == (0, said, "")
    shop.run(600)
    assert shop.shell("pg", f"{P} '{count}' -At") == (0, "2\n", "")


def test_rows_that_are_locked_can_be_read(shop: Any) -> None:
    lock = "BEGIN; SELECT * FROM products WHERE id = 1 FOR UPDATE; SELECT pg_sleep(600)"
    shop.shell("pg", f"nohup {P} '{lock}' >/dev/null 2>&1 &")
    shop.run(60)
    write = "SET statement_timeout = '2s'; UPDATE products SET price = 2"
    asked = f"{P} 'SELECT count(*) FROM products' -At; {P} \"{write}\""
    error = "ERROR:  canceling statement due to statement timeout\n"
    assert shop.shell("pg", asked) == (1, "2\nSET\n", error)


def test_who_may_what_with_a_table(shop: Any) -> None:
    asked = "SELECT has_table_privilege('app', 'products', 'SELECT'), has_table_privilege('products', 'SELECT, INSERT')"
    grant = f"{P} 'GRANT SELECT ON products TO app'"
    assert shop.shell("pg", f'{P} "{asked}" -At; {grant}; {P} "{asked}" -At') == (
        0,
        "f|t\nGRANT\nt|t\n",
        "",
    )
    for words, told in (
        ("'nobody', 'products'", 'role "nobody" does not exist'),
        ("'app', 'nowhere'", 'relation "nowhere" does not exist'),
    ):
        query = f"SELECT has_table_privilege({words}, 'SELECT')"
        assert shop.shell("pg", f'{P} "{query}"') == (1, "", f"ERROR:  {told}\n")


def test_the_log_tells_who_was_not_let_in(shop: Any) -> None:
    shop.shell("pg", "PGPASSWORD=no psql -h 10.244.0.7 -U app -d postgres")
    shop.shell("pg", "PGPASSWORD=no psql -h 10.244.0.7 -U nobody; psql -U postgres -d none")
    rule = 'Connection matched pg_hba.conf line 100: "host all all all scram-sha-256"'
    told = [re.split(r"^\S+ \S+ UTC ", text)[-1] for text in shop.texts("pg")[-6:]]
    pids = re.findall(r"\[(\d+)\]", "\n".join(told))
    assert (pids[0], pids[2]) == (pids[1], pids[3])
    assert [re.sub(r"^\[\d+\] ", "", text) for text in told] == [
        'FATAL:  password authentication failed for user "app"',
        f"DETAIL:  {rule}",
        'FATAL:  password authentication failed for user "nobody"',
        'DETAIL:  Role "nobody" does not exist.',
        f"\t{rule}",
        'FATAL:  database "none" does not exist',
    ]


def test_the_log_tells_what_failed(shop: Any) -> None:
    shop.shell("pg", f"{P} 'SELECT * FROM none'; {A} 'DELETE FROM products'")
    assert [text[28:] for text in shop.texts("pg")[-4:]] == [
        '[61] ERROR:  relation "none" does not exist at character 15',
        "[61] STATEMENT:  SELECT * FROM none",
        "[61] ERROR:  permission denied for table products",
        "[61] STATEMENT:  DELETE FROM products",
    ]


DUMPED = """
CREATE TABLE catalog.items (
    sku text NOT NULL,
    qty integer
);
ALTER TABLE catalog.items OWNER TO postgres;
COPY catalog.items (sku, qty) FROM stdin;
A1\t5
\\.
ALTER TABLE ONLY catalog.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (sku);
""".strip()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("pg_dump -U postgres -t catalog.items postgres | grep -v '^--' | grep -v '^$' | tail -n +13", (0, f"{DUMPED}\n", "")),
        ("pg_dump -U postgres -t none postgres", (1, "", "pg_dump: error: no matching tables were found\n")),
        ("pg_dump -U postgres none", (1, "", 'pg_dump: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  database "none" does not exist\n')),
        ("pg_dump -U postgres -f /tmp/all.sql postgres; dropdb -U postgres none; createdb -U postgres more && psql -U postgres -qd more -f /tmp/all.sql; psql -U postgres -d more -Atc 'SELECT * FROM catalog.items'", (0, " set_config \n------------\n \n(1 row)\n\nA1|5\n", 'dropdb: error: database removal failed: ERROR:  database "none" does not exist\n')),
        ("createdb -U postgres postgres", (1, "", 'createdb: error: database creation failed: ERROR:  database "postgres" already exists\n')),
        ("vacuumdb -U postgres -d postgres; vacuumdb -U nobody", (1, 'vacuumdb: vacuuming database "postgres"\n', 'vacuumdb: error: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: FATAL:  role "nobody" does not exist\n')),
    ],
)  # fmt: skip
def test_tools_beside_psql(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert shop.shell("pg", script) == expected


@pytest.mark.parametrize("place", ["/var/lib/postgresql/data", "/var/lib/postgresql/data/pgdata"])
def test_the_data_directory_stands_where_the_environment_says(place: str) -> None:
    shop = ContainerTestbed.of(public=True)
    shop.name("pg", "7")
    env = {"POSTGRES_PASSWORD": "x", "PGDATA": place} if place.endswith("/pgdata") else {"POSTGRES_PASSWORD": "x"}  # fmt: skip
    mounts = {"/var/lib/postgresql/data": Mount("volume", "pv/p")}
    shop.start("pg", "postgres:16", "7", env=env, mounts=mounts)
    shop.run(4)
    told = shop.shell("pg", "echo $PGDATA; ls $PGDATA; ls $PGDATA/base $PGDATA/pg_wal")
    assert told == (
        0,
        f"{place}\nPG_VERSION\nbase\nglobal\npg_hba.conf\npg_ident.conf\npg_logical\npg_multixact\n"
        "pg_subtrans\npg_wal\npg_xact\npostgresql.auto.conf\npostgresql.conf\npostmaster.opts\n"
        f"postmaster.pid\n{place}/base:\n1\n4\n5\n\n{place}/pg_wal:\n000000010000000000000001\n",
        "",
    )

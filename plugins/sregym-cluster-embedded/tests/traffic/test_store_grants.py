"""What accounts of relational servers may do with tables decides what their programs get."""

from __future__ import annotations

from typing import Any

import pytest

POSTGRES = (
    "CREATE TABLE orders (id int)",
    "CREATE TABLE items (id int)",
    "CREATE ROLE app LOGIN PASSWORD 'pw'",
)
MYSQL = (
    "CREATE DATABASE d",
    "CREATE TABLE d.orders (id int)",
    "CREATE TABLE d.items (id int)",
    "CREATE USER app IDENTIFIED BY 'pw'",
)


def market_of(make_market: Any, kind: str, first: tuple[str, ...]) -> Any:
    client = {
        "protocol": kind, "address": "store:8080", "timeout_s": 1, "user": "app", "password": "pw",
        "database": "postgres" if kind == "postgres" else "d",
    }  # fmt: skip
    changes = {
        "store": {"kind": kind, "port": 8080},
        "web.clients": {"db": client},
        "web.operations.buy.calls": [
            {"call": "db.select", "collection": "orders"},
            {"call": "db.insert", "collection": "items"},
        ],
    }
    env = {"POSTGRES_HOST_AUTH_METHOD": "trust", "MYSQL_ALLOW_EMPTY_PASSWORD": "1"}
    market = make_market(changes, programs=("store", "web"), env=env, tools=["debian", kind])
    say(market, kind, *first)
    market.deploy("load")
    market.run(30)
    return market


def say(market: Any, kind: str, *statements: str) -> None:
    client = (
        "psql -h 127.0.0.1 -p 8080 -U postgres -c"
        if kind == "postgres"
        else "mysql -P 8080 -h 127.0.0.1 -e"
    )
    for statement in statements:
        told = market.shell("store", f'{client} "{statement}"')
        assert told[0] == 0, told
    market.run(3)


def errors(market: Any) -> dict[str, float]:
    market.run(2)
    (flow,) = market.history("web")[-1].flows
    return dict(flow.errors)


@pytest.mark.parametrize(
    ("kind", "first", "refused"),
    [
        ("postgres", POSTGRES, "ERROR: permission denied for table {table} (SQLSTATE 42501)"),
        ("mysql", MYSQL, "Error 1142 (42000): {right} command denied to user 'app'@'%' for table '{table}'"),
    ],
)  # fmt: skip
def test_calls_end_as_the_rights_on_their_tables_have_it(
    make_market: Any, kind: str, first: tuple[str, ...], refused: str
) -> None:
    base = "" if kind == "postgres" else "d."
    market = market_of(make_market, kind, first)
    say(market, kind, f"GRANT SELECT ON {base}orders TO app")
    assert errors(market) == {refused.format(table="items", right="INSERT"): 1.0}
    say(market, kind, f"GRANT INSERT ON {base}items TO app")
    assert errors(market) == {}
    say(market, kind, f"REVOKE SELECT ON {base}orders FROM app")
    assert errors(market) == {refused.format(table="orders", right="SELECT"): 1.0}


@pytest.mark.parametrize(
    ("kind", "gone", "back", "missing", "off", "on", "writes"),
    [
        (
            "postgres", "ALTER TABLE items RENAME TO items_old", "ALTER TABLE items_old RENAME TO items",
            'ERROR: relation "items" does not exist (SQLSTATE 42P01)',
            "ALTER SYSTEM SET default_transaction_read_only = on", "ALTER SYSTEM RESET default_transaction_read_only",
            "ERROR: cannot execute INSERT in a read-only transaction (SQLSTATE 25006)",
        ),
        (
            "mysql", "DROP TABLE d.items", "CREATE TABLE d.items (id int)",
            "Error 1146 (42S02): Table 'd.items' doesn't exist",
            "SET GLOBAL super_read_only = ON", "SET GLOBAL read_only = OFF",
            "Error 1290 (HY000): The MySQL server is running with the --super-read-only option so it cannot execute this statement",
        ),
    ],
)  # fmt: skip
def test_calls_miss_tables_that_are_gone_and_meet_modes(
    make_market: Any, kind: str, gone: str, back: str, missing: str, off: str, on: str, writes: str
) -> None:
    base = "" if kind == "postgres" else "d."
    market = market_of(make_market, kind, POSTGRES if kind == "postgres" else MYSQL)
    say(market, kind, f"GRANT SELECT ON {base}orders TO app", f"GRANT INSERT ON {base}items TO app")
    say(market, kind, gone)
    assert errors(market) == {missing: 1.0}
    say(market, kind, back, f"GRANT INSERT ON {base}items TO app")
    assert errors(market) == {}
    say(market, kind, off)
    assert errors(market) == {writes: 1.0}
    say(market, kind, on)
    assert errors(market) == {}

"""What servers take of connections, who holds them, and what becomes of calls that get none."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.traffic.openings import share_without
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.life import invalidate_traffic
from sregym_cluster_embedded.userland.process import change, process_of

FIRST = {
    "postgres": ("CREATE ROLE app LOGIN PASSWORD 'pw'", "GRANT ALL ON DATABASE postgres TO app"),
    "mysql": ("CREATE DATABASE d", "CREATE USER app IDENTIFIED BY 'pw'", "GRANT ALL ON d.* TO app"),
}
ROLE_FULL = 'failed to connect: FATAL: too many connections for role "app"'


def store_market(
    make_market: Any,
    kind: str,
    *,
    load: bool = True,
    pool: int | None = 4,
    startup: Any = ({"listen": "http"},),
    **store: Any,
) -> Any:
    client = {
        "protocol": kind, "address": "store:8080", "timeout_s": 1, "user": "app", "password": "pw",
        "database": "postgres" if kind == "postgres" else "d", "pool": pool,
    }  # fmt: skip
    changes = {
        "store": {"kind": kind, "port": 8080, **store},
        "web.clients": {"db": client},
        "web.startup": [*startup],
        "web.operations.buy.calls": [{"call": "db.select", "collection": "orders"}],
    }
    env = {"POSTGRES_HOST_AUTH_METHOD": "trust", "MYSQL_ALLOW_EMPTY_PASSWORD": "1"}
    market = make_market(changes, programs=("store",), env=env, tools=["debian", "iproute2", kind])
    say(market, kind, *FIRST[kind])
    market.deploy("web", 3)
    market.run(30)
    if load:
        market.deploy("load")
        market.run(30)
    return market


def say(market: Any, kind: str, *statements: str) -> str:
    """What the last of some statements of the superuser gives."""
    client = {
        "postgres": "psql -h 127.0.0.1 -p 8080 -U postgres -Atc",
        "mysql": "mysql -h 127.0.0.1 -P 8080 -Ne",
    }[kind]
    out = ""
    for statement in statements:
        code, out, err = market.shell("store", f'{client} "{statement}"')
        assert code == 0, err
    market.run(3)
    return str(out)


def errors(market: Any) -> list[dict[str, float]]:
    """What share of the requests of each web fails with what, in the order of their start.

    What is less than one of 10,000 does not count.
    """
    flows = [segments(market.world, SERVED, ref)[-1].flows for ref in market.refs("web")]
    return [
        {text: round(part, 4) for flow in one for text, part in flow.errors if part > 1e-4}
        for one in flows
    ]


def held(market: Any) -> list[str]:
    """How many connections each pod of the web holds, as the server shows it."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' GROUP BY client_addr ORDER BY 1"
    return say(market, "postgres", query).split()


def test_pools_are_open_before_anybody_asks(make_market: Any) -> None:
    market = store_market(make_market, "postgres", load=False)
    assert held(market) == ["4", "4", "4"]
    mysql = store_market(make_market, "mysql", load=False)
    rows = say(mysql, "mysql", "SHOW PROCESSLIST").splitlines()
    assert [row.split("\t")[1] for row in rows] == [*["app"] * 12, "root"]
    assert mysql.shell("web", "ss -Htn | grep -c 'ESTAB.*:8080 *$'") == (0, "4\n", "")


def test_a_limit_of_a_role_leaves_who_came_last_without_connections(make_market: Any) -> None:
    market = store_market(make_market, "postgres")
    assert (errors(market), held(market)) == ([{}, {}, {}], ["4", "4", "4"])
    say(market, "postgres", "ALTER ROLE app CONNECTION LIMIT 6")
    assert errors(market) == [{}, {}, {ROLE_FULL: 1.0}]
    assert held(market) == ["2", "4"]
    seen = market.seen(10)
    assert seen.failed == {"500": pytest.approx(seen.requests / 3, rel=0.02)}
    psql = "PGPASSWORD=pw psql -h store -p 8080 -U app -d postgres -c 'SELECT 1'"
    assert market.shell("store", psql)[2].endswith('FATAL:  too many connections for role "app"\n')
    say(market, "postgres", "ALTER ROLE app CONNECTION LIMIT -1")
    assert (errors(market), held(market)) == ([{}, {}, {}], ["4", "4", "4"])


def test_calls_that_find_all_connections_in_use_fail(make_market: Any) -> None:
    market = store_market(make_market, "postgres", pool=2, cpu_ms=0.2, latency_ms=30)
    say(market, "postgres", "ALTER ROLE app CONNECTION LIMIT 5")
    busy = 100 / 3 * 30.2 / 1000
    part = share_without(1, busy)
    assert part == pytest.approx(busy / (1 + busy))
    assert errors(market)[:2] == [{}, {}]
    assert errors(market)[2] == {ROLE_FULL: pytest.approx(part, abs=0.01)}


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("SET GLOBAL max_connections = 8", "Error 1040 (HY000): Too many connections"),
        ("SET GLOBAL max_user_connections = 8", "Error 1203 (42000): User app already has more than 'max_user_connections' active connections"),
        ("ALTER USER app WITH MAX_USER_CONNECTIONS 8", "Error 1226 (42000): User 'app' has exceeded the 'max_user_connections' resource (current value: 8)"),
    ],
)  # fmt: skip
def test_limits_of_mysql(make_market: Any, limit: str, words: str) -> None:
    market = store_market(make_market, "mysql")
    say(market, "mysql", limit)
    assert errors(market) == [{}, {}, {words: 1.0}]
    told = market.shell("store", "mysql -h 127.0.0.1 -P 8080 -uapp -ppw -e 'SELECT 1'")[2]
    number, _, text = words.removeprefix("Error ").partition(": ")
    assert told.splitlines()[-1] == f"ERROR {number}: {text}"


def test_programs_without_a_pool_are_let_in_as_they_started(make_market: Any) -> None:
    market = store_market(make_market, "mysql", pool=None)
    say(market, "mysql", "SET GLOBAL max_user_connections = 2")
    words = "Error 1203 (42000): User app already has more than 'max_user_connections' active connections"
    # Of two calls at once over one connection one fails.
    some = share_without(1, 100 / 3 * 0.3 / 1000)
    few = {words: pytest.approx(some, abs=1e-3)}
    assert errors(market) == [few, few, {words: 1.0}]
    assert say(market, "mysql", "SHOW PROCESSLIST").count("app") == 2


def test_the_limit_of_postgres_waits_for_a_restart(make_market: Any) -> None:
    market = store_market(make_market, "postgres")
    say(market, "postgres", "ALTER SYSTEM SET max_connections = 11")
    assert say(market, "postgres", "SHOW max_connections") == "100\n"
    assert errors(market) == [{}, {}, {}]


def test_a_server_that_is_full_turns_away_who_starts(make_market: Any) -> None:
    failed = {"log": ["${error}"], "code": 3}
    startup = [{"dial": "db", "on_failure": failed}, {"listen": "http"}]
    market = store_market(make_market, "postgres", load=False, startup=startup)
    say(market, "postgres", "ALTER ROLE app CONNECTION LIMIT 12")
    market.scale("web", 4)
    market.run(10)
    last = process_of(market.world, market.refs("web")[-1])
    assert last is not None
    assert (last.running, [line.text for line in last.lines]) == (False, [ROLE_FULL])


def plain_market(make_market: Any, kind: str, protocol: str, command: str) -> Any:
    """Three programs with pools of four connections each at a server without accounts."""
    client = {"protocol": protocol, "address": "store:8080", "timeout_s": 1, "pool": 4}
    changes = {
        "store": {"kind": kind, "port": 8080},
        "web.clients": {"db": {**client, "database": "d"}},
        "web.operations.buy.calls": [{"call": f"db.{command}", "collection": "orders"}],
    }
    programs = ("store", "web", "load")
    tools = ["debian", "mongo", "redis"]
    return make_market(changes, programs=programs, replicas={"web": 3}, tools=tools)


def test_the_limit_of_redis(make_market: Any) -> None:
    market = plain_market(make_market, "redis", "keyvalue", "get")
    redis = "redis-cli -p 8080"
    assert market.shell("store", f"{redis} client list | grep -c 10.244")[1] == "12\n"
    assert market.shell("store", f"{redis} config set maxclients 8")[1] == "OK\n"
    market.run(3)
    full = "ERR max number of clients reached"
    assert errors(market) == [{}, {}, {full: 1.0}]
    assert market.shell("store", f"{redis} ping")[1] == f"{full}\n\n"


def test_the_limit_of_mongodb(make_market: Any) -> None:
    market = plain_market(make_market, "mongodb", "mongodb", "find")
    server = process_of(market.world, market.refs("store")[-1])
    assert server is not None
    change(market.world, server.ref, settings={**server.settings, "mongod.connections": "8"})
    invalidate_traffic(market.world)
    market.run(3)
    assert errors(market) == [{}, {}, {"EOF": 1.0}]
    asked = "mongo --port 8080 --quiet --eval 'JSON.stringify(db.serverStatus().connections)'"
    assert market.shell("store", asked)[1].startswith('{"current":9,"available":-1')

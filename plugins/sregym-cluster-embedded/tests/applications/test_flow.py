"""Requests: what users see follows from processes, addresses and accounts, and comes back."""

from __future__ import annotations

import re
from statistics import fmean
from typing import Any

import pytest
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

OK = "op=buy requests=1000 ok=1000 failed=0"
BROKEN = 'op=buy requests=1000 ok=0 failed=1000 errors="http 500=1000"'


def rounds(shop: Any, count: int = 1) -> list[str]:
    """The last rounds without times, as if each were of a thousand requests: that is chance."""
    found = []
    for line in shop.rounds(count):
        text = re.sub(r" p\d+_ms=[\d.]+", "", line)
        came = text.partition("requests=")[2].partition(" ")[0]
        assert int(came) == pytest.approx(1000, abs=4 * 1000**0.5)
        found.append(re.sub(rf"={came}\b", "=1000", text))
    return found


def last(shop: Any, pod: str) -> str:
    return str(shop.texts(pod)[-1].partition(" ")[2])


def test_all_is_well(open_shop: Any) -> None:
    open_shop.run(25)
    assert rounds(open_shop, 2) == [OK, OK]


def test_a_dropped_user_fails_operations_until_it_is_back(open_shop: Any) -> None:
    shop = open_shop
    shop.mongo('db.dropUser("admin")')
    shop.run(25)
    assert rounds(shop) == [BROKEN]
    assert last(shop, "stock") == "ERR find: command find requires authentication"
    assert last(shop, "web") == (
        "ERR reserve: rpc error: code = Unknown desc = command find requires authentication"
    )
    shop.mongo(
        'db.createUser({user: "admin", pwd: "secret", roles: [{role: "readWrite", db: "stock-db"}]})'
    )
    shop.run(25)
    assert rounds(shop) == [OK]


def test_a_process_started_without_its_account_cannot_log_in(open_shop: Any) -> None:
    shop = open_shop
    shop.mongo('db.dropUser("admin")')
    shop.runtime.kill(shop.world, shop.ref("stock"))
    shop.start("stock", "ghcr.io/acme/shop:1.0", "2", 1, command=("stock",))
    shop.run(5)
    words = "PNC server returned error on SASL authentication step: Authentication failed."
    assert last(shop, "stock") == words
    assert '"msg":"Authentication failed"' in shop.texts("mongodb-stock")[-2]


def test_a_revoked_role_is_named(open_shop: Any) -> None:
    shop = open_shop
    shop.mongo('db.revokeRolesFromUser("admin", [{role: "readWrite", db: "stock-db"}])')
    shop.run(25)
    assert last(shop, "stock") == (
        'ERR find: not authorized on stock-db to execute command { find: "items", filter: {}, '
        '$db: "stock-db" }'
    )


def test_a_service_without_endpoints_is_refused(open_shop: Any) -> None:
    shop = open_shop
    shop.name("stock")
    shop.run(25)
    assert rounds(shop) == [BROKEN]
    assert last(shop, "web") == (
        "ERR reserve: rpc error: code = Unavailable desc = connection error: desc = "
        '"transport: Error while dialing: dial tcp 10.96.1.5:8081: connect: connection refused"'
    )
    shop.name("stock", "2")
    shop.run(25)
    assert rounds(shop) == [OK]


def test_a_service_that_leads_to_another_program_fails_the_protocol(open_shop: Any) -> None:
    shop = open_shop
    shop.name("stock", "1")
    shop.run(25)
    assert rounds(shop) == [BROKEN]


def test_a_name_that_is_gone_fails_connections(open_shop: Any) -> None:
    shop = open_shop
    del shop.world.table("test.names")["web"]
    shop.world.table("userland.routes").clear()
    shop.world.service(REQUEST_FLOW).changed(shop.world)
    shop.run(25)
    assert rounds(shop) == ['op=buy requests=1000 ok=0 failed=1000 errors="connect=1000"']


def test_half_of_the_endpoints_is_half_of_the_requests(open_shop: Any) -> None:
    shop = open_shop
    shop.name("price", "3", "1")
    shop.run(25)
    line = shop.rounds()[0]
    found = re.match(r"op=buy requests=(\d+) ok=(\d+) failed=(\d+) ", line)
    assert found is not None, line
    requests, ok, failed = map(int, found.groups())
    assert requests == ok + failed == pytest.approx(1000, abs=4 * 1000**0.5)
    assert abs(ok - failed) <= 1


def test_a_slow_processor_makes_users_wait(shop: Any) -> None:
    shop.open(("mongo", "stock", "price"))
    shop.name("web", "4")
    env = {"STOCK_ADDR": "stock:8081"}
    shop.start("web", "ghcr.io/acme/shop:1.0", "4", command=("web",), env=env, cpu_limit_cores=0.05)
    shop.start_load()
    shop.run(30)
    assert rounds(shop) == [OK]
    assert times(shop.rounds()[0]) == pytest.approx([22.4, 70.7, 180.6], rel=0.25)


def times(text: str) -> list[float]:
    """Percentiles that a round tells."""
    return [float(ms) for ms in re.findall(r" p\d+_ms=([\d.]+)", text)]


def test_percentiles_of_rounds_scatter_as_those_of_finitely_many_requests(open_shop: Any) -> None:
    shop = open_shop
    shop.run(205)
    found = [*zip(*map(times, shop.rounds(20)), strict=True)]
    for ms, middle, most in zip(found, (1.4, 1.9, 2.4), (0.11, 0.21, 0.6), strict=True):
        assert fmean(ms) == pytest.approx(middle, abs=0.06)
        assert max(abs(one - middle) for one in ms) <= most
    medians, _, slowest = (set(ms) for ms in found)
    assert len(slowest) > max(2, len(medians))


def test_windows_add_up_whatever_their_borders(open_shop: Any) -> None:
    shop = open_shop
    traffic, start = shop.world.service(REQUEST_FLOW), shop.world.now
    shop.run(7)
    shop.mongo('db.dropUser("admin")')
    shop.run(13)
    whole = traffic.window(shop.world, start, start + 20)[0].totals
    parts = [
        traffic.window(shop.world, start + at, start + at + 5)[0].totals for at in (0, 5, 10, 15)
    ]
    assert sum(part.requests for part in parts) == whole.requests
    assert whole.requests == pytest.approx(2000, abs=4 * 2000**0.5)
    assert sum(part.ok for part in parts) == whole.ok
    assert whole.ok + whole.failed["500"] == whole.requests


def test_a_steady_cluster_plans_nothing(open_shop: Any) -> None:
    open_shop.run(60)
    assert open_shop.world.clock.pending() == []


def test_a_fork_goes_its_own_way(open_shop: Any) -> None:
    twin = open_shop.fork()
    twin.mongo('db.dropUser("admin")')
    for shop in (open_shop, twin):
        shop.run(25)
    assert (rounds(open_shop), rounds(twin)) == ([OK], [BROKEN])


def test_the_same_happens_twice(make_shop: Any) -> None:
    logs = []
    for _ in range(2):
        shop = make_shop()
        shop.open()
        shop.mongo('db.dropUser("admin")')
        shop.run(30)
        logs.append([shop.runtime.logs(shop.world, ref) for ref in shop.started])
    assert logs[0] == logs[1]

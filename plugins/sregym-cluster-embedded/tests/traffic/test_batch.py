"""Batch programs: their work is load like any other, and ends."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic.counting import totals
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.keys import TELEMETRY

BATCH = {
    "config": {"many": {"env": "MANY", "type": "integer", "default": 120}},
    "clients": {"stock": {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1}},
    "startup": [
        {"log": "counting"},
        {
            "run": "Count",
            "times": "${many}",
            "rate": "4",
            "on_failure": {"log": ["gave up: ${error}"], "code": 3},
        },
        {"log": "counted"},
        {"exit": "0"},
    ],
    "operations": {
        "Count": {"listener": "", "log": ["counted one"], "calls": [{"call": "stock.Take"}]}
    },
}


@pytest.fixture
def market(make_market: Any) -> Any:
    return make_market({"batch": BATCH}, programs=("stock",))


def start(market: Any, name: str = "batch", kind: str = "jobs.batch", **wrap: Any) -> None:
    container = {"name": name, "image": "ghcr.io/acme/market:1.0", "command": ["batch"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = wrap or {"template": template, "backoffLimit": 0}
    if wrap:
        spec["jobTemplate"] = {"spec": {"template": template}}
    metadata = {"name": name, "namespace": "default"}
    internal_client.create(market.world, kind, {"metadata": metadata, "spec": spec})


def lines(market: Any, name: str) -> list[str]:
    ref = market.refs(name)[-1]
    process = market.world.table("userland.processes")[ref]
    return [line.text for line in market.world.service(TELEMETRY).lines(market.world, process)]


def conditions(market: Any, name: str) -> list[str]:
    job = market.world.store.get(Key("jobs.batch", "default", name))
    return [c["type"] for c in job["status"].get("conditions", ()) if c["status"] == "True"]


def done(market: Any, name: str, operation: str) -> int:
    known = segments(market.world, SERVED, market.refs(name)[-1])
    return totals(known, operation, 0.0, market.world.now).requests


def test_a_job_does_so_much_work_and_ends(market: Any) -> None:
    start(market)
    market.run(20)
    assert market.history("batch")[-1].flows[0].rate == 4.0
    assert conditions(market, "batch") == []
    market.run(30)
    assert "Complete" in conditions(market, "batch")
    # It flows from the moment on at which the traffic is worked out anew.
    assert 118 <= done(market, "batch", "Count") <= 120


def test_the_servers_that_it_asks_see_it(market: Any) -> None:
    start(market)
    market.run(45)
    assert done(market, "stock", "Take") == done(market, "batch", "Count")
    assert market.history("stock")[-1].flows == ()


def test_it_writes_of_its_work(market: Any) -> None:
    start(market)
    market.run(45)
    found = lines(market, "batch")
    assert (found[0], found[-1]) == ("counting", "counted")
    assert found.count("counted one") == done(market, "batch", "Count")


def test_it_stops_when_its_work_fails(market: Any) -> None:
    market.scale("stock", 0)
    market.run(10)
    start(market)
    market.run(15)
    assert "Failed" in conditions(market, "batch")
    assert lines(market, "batch")[-1].startswith("gave up: rpc error: code = Unavailable")


def test_it_tolerates_as_much_as_it_says(make_market: Any) -> None:
    step = {**BATCH["startup"][1], "tolerates": 1.0}
    startup = [BATCH["startup"][0], step, *BATCH["startup"][2:]]
    market = make_market({"batch": {**BATCH, "startup": startup}}, programs=())
    start(market)
    market.run(45)
    assert lines(market, "batch")[-1] == "counted"


def test_it_stops_once_more_has_failed_than_it_tolerates(make_market: Any) -> None:
    step = {**BATCH["startup"][1], "times": "400", "tolerates": 0.5}
    startup = [BATCH["startup"][0], step, *BATCH["startup"][2:]]
    batch = {**BATCH, "config": {}, "startup": startup}
    market = make_market({"batch": batch}, programs=("stock",))
    start(market)
    market.run(20)
    market.scale("stock", 0)
    market.run(15)
    assert not lines(market, "batch")[-1].startswith("gave up")
    market.run(15)
    assert lines(market, "batch")[-1].startswith("gave up: rpc error: code = Unavailable")


def test_it_looks_no_more_often_than_its_tolerance_asks_for(make_market: Any) -> None:
    step = {**BATCH["startup"][1], "times": "1000000", "tolerates": 1.0}
    startup = [BATCH["startup"][0], step, *BATCH["startup"][2:]]
    market = make_market({"batch": {**BATCH, "startup": startup}}, programs=("stock",))
    start(market)
    market.run(10)
    looks = [
        event.at - market.world.now
        for event in market.world.clock.pending()
        if event.handler == "userland.event" and "working" in event.arguments
    ]
    assert looks == [pytest.approx(250_000, abs=15)]


def test_nothing_is_done_of_nothing(make_market: Any) -> None:
    step = {**BATCH["startup"][1], "times": "0"}
    startup = [BATCH["startup"][0], step, *BATCH["startup"][2:]]
    market = make_market({"batch": {**BATCH, "startup": startup}}, programs=("stock",))
    start(market)
    market.run(10)
    assert "Complete" in conditions(market, "batch")


def test_a_cronjob_works_at_its_moments(market: Any) -> None:
    start(market, "nightly", "cronjobs.batch", schedule="*/5 * * * *")
    begun = market.world.now
    market.run(900)
    known = segments(market.world, SERVED, market.refs("stock")[-1])
    counted = [
        totals(known, "Take", begun + at, begun + at + 300).requests for at in range(0, 900, 300)
    ]
    assert sum(counted) == pytest.approx(360, abs=4)
    assert all(100 <= count <= 122 for count in counted)


def test_it_stops_when_it_is_asked_to_end(market: Any) -> None:
    start(market)
    market.run(10)
    internal_client.delete(market.world, Key("jobs.batch", "default", "batch"))
    market.run(60)
    assert market.history("stock")[-1].flows == ()


def test_a_fork_goes_on_alike(market: Any) -> None:
    start(market)
    market.run(10)
    twin = market.fork()
    for one in (market, twin):
        one.run(40)
    assert lines(market, "batch") == lines(twin, "batch")
    assert conditions(twin, "batch") == conditions(market, "batch")

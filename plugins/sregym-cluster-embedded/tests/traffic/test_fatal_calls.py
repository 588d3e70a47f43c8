"""Whose failing calls made whose requests and starts fail, as a cluster tells it."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_core.interfaces import ClusterSpec, FatalCalls, PodFailures
from sregym_testing import ClusterContract

CALLS = "web.operations.buy.calls"
STARTUP = "web.startup"


def failures(market: Any, seconds: float) -> dict[str, PodFailures]:
    """Those of the last seconds, by container."""
    cluster = EmbeddedCluster(market.world, ClusterSpec())
    now = cluster.clock.now()
    found = cluster.failures(now - seconds, now)
    ClusterContract.adds_up(found)
    return {one.pod.rpartition("-")[0].rpartition("-")[0]: one for one in found}


def test_nothing_fails_where_all_is_well(make_market: Any) -> None:
    market = make_market({})
    market.run(10)
    found = failures(market, 5)
    assert sorted(found) == ["stock", "web"]
    assert {(one.failed, one.calls) for one in found.values()} == {(0.0, ())}
    assert found["web"].requests == found["stock"].requests > 300


def test_requests_fail_by_calls_to_nobody(make_market: Any) -> None:
    market = make_market({})
    market.scale("stock", 0)
    market.run(10)
    web = failures(market, 5)["web"]
    assert web.failed == web.requests > 300
    assert web.calls == (FatalCalls("", "", "stock", web.failed),)


def test_what_a_caller_does_without_is_no_cause(make_market: Any) -> None:
    market = make_market({CALLS: [{"call": "stock.Take", "on_error": {"then": "ignore"}}]})
    market.scale("stock", 0)
    market.run(10)
    web = failures(market, 5)["web"]
    assert (web.failed, web.calls) == (0.0, ())
    assert web.requests > 300


def test_what_a_server_fails_by_itself_is_of_no_call(make_market: Any) -> None:
    """Stock has too little of a processor; those of web fail by their calls to that pod."""
    market = make_market(limits={"stock": {"cpu": "50m"}})
    market.run(60)
    found = failures(market, 30)
    stock, web = found["stock"], found["web"]
    assert stock.failed > 100
    assert stock.calls == ()
    (call,) = web.calls
    assert (call.pod, call.host, call.starts) == (stock.pod, "stock", 0)
    assert call.requests == web.failed > 100


def test_starts_fail_by_calls(make_market: Any) -> None:
    dial = {"dial": "stock", "on_failure": {"then": "exit", "code": 1}}
    market = make_market({STARTUP: [dial, {"listen": "http"}]})
    market.scale("stock", 0)
    market.scale("web", 0)
    market.run(60)
    market.scale("web", 1)
    market.run(60)
    web = failures(market, 60)["web"]
    (call,) = web.calls
    assert (web.requests, call.host, call.requests) == (0.0, "stock", 0.0)
    assert call.starts >= 3

"""What a process cannot serve waits; what waits too long is given up; then it drains."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

# Half a core serves 250 requests of 2 ms a second.
HALF = {"stock": {"cpu": "500m"}}


def loaded(make_market: Any, rate: float, **changes: Any) -> Any:
    return make_market({"load.rate": rate, **changes}, HALF)


def test_below_capacity_nothing_waits(make_market: Any) -> None:
    market = loaded(make_market, 200)
    load = market.history("stock")[-1].load
    assert (load.cpu, load.waiting, load.dropped) == (0.4, 0.0, 0.0)
    seen = market.seen(60)
    assert (seen.ok, seen.failed) == (pytest.approx(12_000, abs=4 * 12_000**0.5), {})
    assert market.world.service(REQUEST_FLOW).served(market.world, market.refs("stock")[0])[
        -1:
    ] == (market.history("stock")[-1],)


def test_beyond_capacity_answers_come_later_and_later_until_they_are_given_up(
    make_market: Any,
) -> None:
    market = make_market({"load.rate": 200, "load.schedule": [{"at_s": 60, "times": 1.5}]}, HALF)
    market.run(90)
    begun = next(segment.start for segment in market.history("stock") if segment.load.cpu > 0.4)
    waits = [
        (round(segment.start - begun), round(segment.load.waiting))
        for segment in market.history("stock")
        if segment.start >= begun
    ]
    # 50 requests more a second than can be served, until they wait twice as long as callers do.
    assert waits[1:4] == [(1, 50), (2, 100), (3, 150)]
    assert waits[-1][1] == 500
    assert market.seen(30).ok < 9
    load = market.history("stock")[-1].load
    assert (load.cpu, load.dropped, load.throttled) == (0.5, 50.0, 1.0)


def test_a_backlog_drains_when_the_load_falls(make_market: Any) -> None:
    schedule = [{"at_s": 60, "times": 2.0}, {"at_s": 90, "times": 1.0}]
    market = make_market({"load.rate": 150, "load.schedule": schedule}, HALF)
    market.run(90)
    assert market.history("stock")[-1].load.waiting == 0.0
    most = max(segment.load.waiting for segment in market.history("stock"))
    assert most == 500
    seen = market.seen(60)
    assert (seen.ok, seen.failed) == (pytest.approx(9000, abs=4 * 9000**0.5), {})


def test_when_all_is_still_nothing_is_planned(make_market: Any) -> None:
    market = loaded(make_market, 300)
    market.run(120)
    planned = [event.handler for event in market.world.clock.pending()]
    assert [handler for handler in planned if handler.startswith("traffic.")] == []


def test_workers_limit_what_is_done_at_once(make_market: Any) -> None:
    # Twenty workers, each 100 ms with a request: 200 a second, whatever the processor could do.
    changes = {
        "stock.limits": {"concurrency": 20},
        "stock.operations.Take.latency_ms": 98,
        "load.rate": 190,
    }
    market = make_market(changes)
    assert market.seen(30).ok > 5690
    changes["load.rate"] = 250
    market = make_market(changes)
    market.run(60)
    assert market.seen(30).ok <= 2


def test_a_short_queue_turns_requests_away_at_once(make_market: Any) -> None:
    market = loaded(make_market, 500, **{"stock.limits": {"queue": 10}})
    market.run(60)
    assert market.seen(30).ok == pytest.approx(7500, abs=4 * 7500**0.5)
    (flow,) = market.history("web")[-1].flows
    words = "rpc error: code = ResourceExhausted desc = server is at its limit"
    assert dict(flow.errors)[words] == 0.5
    assert market.history("stock")[-1].load.waiting == 10


def test_a_pool_of_connections_keeps_calls_from_leaving(make_market: Any) -> None:
    changes = {
        "stock.operations.Take.latency_ms": 100,
        "web.clients.stock.pool": 8,
        "load.rate": 160,
    }
    market = make_market(changes)
    reached, waited = market.history("web")[-1].flows[0].calls
    assert (reached.callee, waited.callee) == (market.refs("stock")[-1], None)
    # Eight connections, each about 0.102 s with a call.
    assert reached.rate == pytest.approx(78, abs=1)
    assert reached.rate + waited.rate == pytest.approx(160)
    assert market.history("stock")[-1].flows[0].rate == pytest.approx(reached.rate, abs=1e-5)


def test_users_who_wait_for_answers_ask_less(make_market: Any) -> None:
    market = make_market({"load": closed(80, 0.9)}, {"stock": {"cpu": "100m"}})
    market.run(120)
    # 50 a second can be served: each of 80 users waits until the others have had theirs.
    (flow,) = market.history("stock")[-1].flows
    assert flow.rate == pytest.approx(50, rel=0.02)
    assert market.history("stock")[-1].load.dropped == 0.0
    fast = make_market({"load": closed(100, 0.9)})
    (flow,) = fast.history("stock")[-1].flows
    assert flow.rate == pytest.approx(100 / 0.903, rel=0.01)


def closed(users: int, think_s: float) -> dict[str, Any]:
    return {
        "kind": "load-generator",
        "target": "http://web:8080",
        "users": users,
        "think_s": think_s,
        "timeout_s": 5,
        "mix": {"buy": {"request": "GET /buy", "weight": 1}},
    }


def test_requests_that_wait_hold_memory_until_the_limit(make_market: Any) -> None:
    changes = {
        "stock.memory": {"base_mib": 16, "per_request_kib": 256},
        "web.clients.stock.timeout_s": 4,
        "load.rate": 350,
    }
    market = make_market(changes, {"stock": {"cpu": "500m", "memory": "128Mi"}})
    market.run(60)
    pod = next(obj for obj in market.world.store.list("pods") if "stock" in obj["metadata"]["name"])
    (status,) = pod["status"]["containerStatuses"]
    assert status["lastState"]["terminated"]["reason"] == "OOMKilled"
    # 112 MiB are 448 requests, and a hundred more wait each second.
    served = [s.load.memory_bytes for s in market.history("stock") if s.load.memory_bytes]
    assert 4 <= len(served) <= 6


def test_garbage_collection_takes_more_the_less_room_there_is(make_market: Any) -> None:
    def median_ms(heap_mib: int) -> float:
        gc = {"heap_mib": heap_mib, "live_mib": 60, "per_request_kib": 512, "pause_ms": 80}
        return float(make_market({"stock.gc": gc}).seen(30).time.quantile(0.99))

    roomy, tight = median_ms(512), median_ms(72)
    assert roomy < 25
    assert tight > 3 * roomy


def used(market: Any, name: str) -> tuple[float, float]:
    """CPU seconds a second and MiB beyond rest of a process under its load."""
    load = next(s.load for s in reversed(market.history(name)) if s.flows)
    return load.cpu, load.memory_bytes / 2**20


def test_a_heap_grows_and_is_collected_as_settings_say(make_market: Any) -> None:
    def under(**settings: str | float) -> tuple[float, float]:
        gc = {"growth": "100", "live_mib": 20, "per_request_kib": 512, "cpu_ms": 2, **settings}
        return used(make_market({"stock.gc": gc}), "stock")

    usual, seldom, always = under(), under(growth="400"), under(growth="10")
    # A hundred requests a second leave 50 MiB.
    assert usual[0] == pytest.approx(seldom[0] + 2 * (2.5 - 0.625) / 1000)
    assert usual[1] == 20.0
    assert (seldom[1], always[1]) == (80.0, 2.0)
    assert always[0] == pytest.approx(usual[0] + 2 * (25 - 2.5) / 1000)
    assert under(growth="400", limit="30MiB")[1] == 10.0
    assert under(growth="off", limit="")[1] == 2000.0
    # A growth of nothing is one, too: the next collection begins when one has ended.
    assert under(growth="0", cpu_ms=0.1)[0] > 2 * under(growth="1", cpu_ms=0.1)[0]
    assert under(growth="much") == usual


def test_a_heap_beyond_the_memory_limit_is_killed(make_market: Any) -> None:
    def reasons(heap: str) -> list[str]:
        gc = {"heap_mib": heap, "live_mib": 8, "per_request_kib": 512}
        market = make_market({"stock.gc": gc}, {"stock": {"memory": "128Mi"}})
        pods = (p for p in market.world.store.list("pods") if "stock" in p["metadata"]["name"])
        ended = (s.get("lastState") for pod in pods for s in pod["status"]["containerStatuses"])
        return [state["terminated"]["reason"] for state in ended if state]

    assert (reasons("64m"), reasons("2g")) == ([], ["OOMKilled"])


def test_probes_wait_with_all_other_requests(make_market: Any) -> None:
    probe = {"grpc": {"port": 8080}, "periodSeconds": 5, "timeoutSeconds": 2, "failureThreshold": 2}
    limits = {"stock": {"cpu": "500m", "livenessProbe": probe}}
    changes = {"load.rate": 300, "web.clients.stock.timeout_s": 4}
    market = make_market(changes, limits)
    market.run(60)
    pod = next(obj for obj in market.world.store.list("pods") if "stock" in obj["metadata"]["name"])
    (status,) = pod["status"]["containerStatuses"]
    assert status["restartCount"] > 0
    messages = [event["message"] for event in market.world.store.list("events")]
    assert "Liveness probe failed: timeout: health rpc did not complete within 2s" in messages
    calm = make_market({"load.rate": 200}, limits)
    calm.run(60)
    pods = calm.world.store.list("pods")
    assert [s["restartCount"] for p in pods for s in p["status"]["containerStatuses"]].count(0) >= 3


def test_a_datastore_has_so_many_connections_and_no_more(make_market: Any) -> None:
    limits = {"concurrency": 5, "queue": 0}
    changes = {
        "db": {"kind": "redis", "port": 8080, "latency_ms": 100, "limits": limits},
        "web.clients.db": {"protocol": "keyvalue", "address": "db:8080"},
        "web.operations.buy.calls": [{"call": "db.get"}],
    }
    market = make_market(changes, programs=("db", "web", "load"))
    (call,) = market.history("web")[-1].flows[0].calls
    ((kind, text, share),) = call.errors
    assert (kind, text) == ("overloaded", "ERR max number of clients reached")
    # Five connections, a tenth of a second with each: 50 of 100 a second.
    assert share == pytest.approx(0.5, abs=0.01)


def test_many_users_without_a_pause_come_to_rest(make_market: Any) -> None:
    """Closed loops around a full server swing easily; here they settle, and nothing is planned."""
    market = make_market({"load": closed(200, 0)}, HALF)
    market.run(300)
    planned = [event.handler for event in market.world.clock.pending()]
    assert [handler for handler in planned if handler.startswith("traffic.")] == []
    (flow,) = market.history("stock")[-1].flows
    assert flow.rate == pytest.approx(250, rel=0.03)

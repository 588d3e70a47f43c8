"""What traces show of failures: where they arose, how they spread, and who writes no more."""

from __future__ import annotations

import itertools
from typing import Any

from sregym_cluster_embedded.telemetry.container_instances import instances

REFUSED = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while '
    'dialing: dial tcp {ip}:8081: connect: connection refused"'
)
LOST = "no reachable servers"


def told(trace: dict[str, Any]) -> list[tuple[str, str, dict[str, Any], list[str]]]:
    """(service, name, tags that tell of the outcome, messages) of the spans in order."""
    outcome = ("http.status_code", "response_code", "response_class", "error")
    return [
        (
            trace["processes"][span["processID"]]["serviceName"],
            span["operationName"],
            {tag["key"]: tag["value"] for tag in span["tags"] if tag["key"] in outcome},
            [log["fields"][1]["value"] for log in span["logs"]],
        )
        for span in trace["spans"]
    ]


def newest(shop: Any, **parameters: str) -> dict[str, Any]:
    (trace,) = shop.traces(service="web", operation="HTTP GET /buy", limit="1", **parameters)
    found: dict[str, Any] = trace
    return found


def address(shop: Any, name: str) -> str:
    (service,) = [
        found
        for found in shop.world.store.list("services", "shop")
        if found["metadata"]["name"] == name
    ]
    return str(service["spec"]["clusterIP"])


def test_a_refused_call_is_tried_again_and_fails_the_request(shop: Any) -> None:
    shop.scale("stock", 0)
    shop.run(20)
    trace = newest(shop)
    words = REFUSED.format(ip=address(shop, "stock"))
    failed = {"response_code": "Unavailable", "response_class": "5xx", "error": True}
    calls = [entry for entry in told(trace) if entry[0] == "web"]
    assert calls == [
        ("web", "HTTP GET /buy", {"http.status_code": 500, "error": True}, []),
        ("web", "/shop.Price/Quote", {}, []),
        *[("web", "/shop.Stock/Reserve", failed, [words])] * 3,
    ]
    tries = [span for span in trace["spans"] if span["operationName"] == "/shop.Stock/Reserve"]
    root = trace["spans"][0]
    assert {span["references"][0]["spanID"] for span in tries} == {root["spanID"]}
    for before, after in itertools.pairwise(tries):
        assert after["startTime"] >= before["startTime"] + before["duration"] + 40_000


def test_a_database_that_is_gone_shows_in_its_caller_and_up_to_the_entry(shop: Any) -> None:
    shop.scale("mongodb", 0)
    shop.run(40)
    # What the callee wrote of the last seconds has not been sent yet.
    end = str(int((shop.world.epoch + shop.world.now - 10) * 1e6))
    trace = newest(shop, tags='{"error":"true"}', end=end)
    unknown = {"response_code": "Unknown", "response_class": "0xx"}
    inner = f"rpc error: code = Unknown desc = {LOST}"
    found = [entry for entry in told(trace) if entry[2] or entry[3]]
    assert sorted(found, key=str) == sorted(
        [
            ("web", "HTTP GET /buy", {"http.status_code": 500, "error": True}, []),
            ("web", "/shop.Stock/Reserve", {**unknown, "error": True}, [inner]),
            ("stock", "/shop.Stock/Reserve", unknown, [LOST]),
            ("stock", "mongo_find", {"error": True}, [LOST]),
        ],
        key=str,
    )


def test_an_ignored_failure_leaves_the_request_well(shop: Any) -> None:
    shop.scale("price", 0)
    shop.run(30)
    found = told(newest(shop))
    assert found[0] == ("web", "HTTP GET /buy", {"http.status_code": 200}, [])
    failed = [entry[1] for entry in found if entry[2].get("error")]
    assert failed == ["/shop.Price/Quote"]


def test_a_dead_pod_writes_no_spans(shop: Any) -> None:
    dead = shop.ref("stock").pod
    shop.scale("stock", 0)
    shop.run(60)
    (instance,) = [
        process
        for process in _instances(shop)
        if process.ref.pod == dead and process.ended_at is not None
    ]
    ended = int((shop.world.epoch + instance.ended_at) * 1e6)
    found = [
        span["startTime"] + span["duration"]
        for trace in shop.traces(service="stock")
        for span in trace["spans"]
        if trace["processes"][span["processID"]]["serviceName"] == "stock"
    ]
    assert found
    assert max(found) <= ended


def _instances(shop: Any) -> list[Any]:
    return [instance.process for instance in instances(shop.world)]


def test_without_its_collector_there_are_no_traces(shop: Any) -> None:
    shop.scale("jaeger", 0)
    shop.run(60)
    assert shop.ask_text("/api/services") == (503, "no healthy upstream")


def test_a_collector_that_has_restarted_knows_nothing_of_before(shop: Any) -> None:
    shop.scale("jaeger", 0)
    shop.run(60)
    shop.scale("jaeger", 1)
    shop.run(20)
    since = min(trace["spans"][0]["startTime"] for trace in shop.traces(service="web"))
    assert since / 1e6 - shop.world.epoch > shop.world.now - 25


def test_spans_that_cannot_be_delivered_are_lost(shop: Any) -> None:
    service = {"selector": {"app": "nobody"}}
    shop.run(10)
    shop.edit("Service", "jaeger", service)
    cut = shop.world.now
    shop.run(30)
    last = max(span["startTime"] for trace in shop.traces(service="web") for span in trace["spans"])
    assert cut - 3 < last / 1e6 - shop.world.epoch < cut + 2
    shop.edit("Service", "jaeger", {"selector": {"app": "jaeger"}})
    back = shop.world.now
    shop.run(10)
    times = [trace["spans"][0]["startTime"] for trace in shop.traces(service="web")]
    gap = [at for at in times if cut + 2 < at / 1e6 - shop.world.epoch < back - 2]
    assert gap == []
    assert max(times) / 1e6 - shop.world.epoch > back


def test_only_so_many_traces_are_kept(shop: Any) -> None:
    shop.environment("jaeger", MEMORY_MAX_TRACES="50")
    shop.run(60)
    assert len(shop.traces(service="web")) in range(40, 52)


def test_a_callee_works_in_vain_on_what_its_caller_has_given_up(hasty: Any) -> None:
    late = [
        (call, served)
        for trace in hasty.traces(service="web")
        for call in trace["spans"]
        for served in trace["spans"]
        if call["operationName"] == "/shop.Price/Quote"
        and served["references"]
        and served["references"][0]["spanID"] == call["spanID"]
        and {"key": "error", "type": "bool", "value": True} in call["tags"]
    ]
    assert late
    for call, served in late:
        assert call["logs"][0]["fields"][1]["value"] == (
            "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
        )
        assert call["duration"] >= 1000
        assert served["startTime"] + served["duration"] > call["startTime"] + call["duration"]
        assert {"key": "rpc.grpc.status_code", "type": "int64", "value": 0} in served["tags"]


def test_who_ends_in_panic_tells_nothing_of_the_request(panicking: Any) -> None:
    shop = panicking
    shop.scale("memcached", 0)
    shop.run(20)
    found = [
        trace
        for trace in shop.traces(service="web", tags='{"error":"true"}')
        if any("transport is closing" in str(entry[3]) for entry in told(trace))
    ]
    assert found
    for trace in found:
        assert {entry[0] for entry in told(trace)} == {"web", "price"}

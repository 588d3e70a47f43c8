"""Traces agree with what metrics and logs count, and are the same whoever asks, and when."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.traffic.arrivals import Course
from sregym_cluster_embedded.traffic.counting import totals
from sregym_promql import Engine

OPERATIONS = {"HTTP GET /buy": "buy", "HTTP GET /browse": "browse"}


def spans(traces: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """(service, span) of all spans."""
    return [
        (trace["processes"][span["processID"]]["serviceName"], span)
        for trace in traces
        for span in trace["spans"]
    ]


def tag(span: dict[str, Any], key: str) -> Any:
    return next((entry["value"] for entry in span["tags"] if entry["key"] == key), None)


def counted(traces: list[dict[str, Any]]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (service, span["operationName"], tag(span, "span.kind")) for service, span in spans(traces)
    )


def quiet(shop: Any) -> None:
    """Let the load end, and all spans arrive."""
    shop.scale("load", 0)
    shop.run(45)


def test_spans_are_as_many_as_requests(shop: Any) -> None:
    shop.run(30)
    quiet(shop)
    found = counted(shop.traces(service="web"))
    served = shop.served("web")
    requests = {
        name: totals(served, operation, 0.0, shop.world.now).requests
        for name, operation in OPERATIONS.items()
    }
    assert {name: found["web", name, "server"] for name in requests} == requests
    stock = totals(shop.served("stock"), "Reserve", 0.0, shop.world.now)
    assert found["stock", "/shop.Stock/Reserve", "server"] == pytest.approx(stock.requests, abs=2)
    price = totals(shop.served("price"), "Quote", 0.0, shop.world.now)
    assert found["price", "Quote", "server"] == pytest.approx(price.requests, abs=2)
    assert found["stock", "cache_get", "client"] == found["stock", "/shop.Stock/Reserve", "server"]
    stored = totals(shop.served("mongodb"), "*", 0.0, shop.world.now)
    assert found["stock", "mongo_find", "client"] == pytest.approx(stored.requests, abs=3)


def test_failed_requests_are_as_many_as_errors(shop: Any) -> None:
    shop.scale("stock", 0)
    shop.run(40)
    quiet(shop)
    failed = [
        span
        for service, span in spans(shop.traces(service="web"))
        if tag(span, "http.status_code") == 500
    ]
    known = totals(shop.served("web"), "buy", 0.0, shop.world.now)
    assert len(failed) == sum(known.failed.values())
    assert len(failed) > 200


def test_durations_follow_the_distribution_of_the_operation(shop: Any) -> None:
    shop.run(60)
    served = shop.served("web")
    since = shop.world.now - 60
    start = str(int((shop.world.epoch + since) * 1e6))
    found = [
        span["duration"] / 1000
        for _, span in spans(shop.traces(service="web", operation="HTTP GET /buy", start=start))
        if span["operationName"] == "HTTP GET /buy"
    ]
    (flow,) = [flow for flow in served[-1].flows if flow.operation == "buy"]
    for level in (0.5, 0.75, 0.9, 0.95, 0.99):
        below = sum(duration <= flow.time.quantile(level) for duration in found)
        assert below / len(found) == pytest.approx(level, abs=0.02)


def test_inner_durations_follow_their_distribution(shop: Any) -> None:
    shop.run(120)
    start = str(int((shop.world.epoch + shop.world.now - 120) * 1e6))
    found = [
        span["duration"] / 1000
        for service, span in spans(shop.traces(service="stock", start=start))
        if (service, tag(span, "span.kind")) == ("stock", "server")
    ]
    (flow,) = [flow for flow in shop.served("stock")[-1].flows if flow.operation == "Reserve"]
    for level in (0.5, 0.9, 0.99):
        below = sum(duration <= flow.time.quantile(level) for duration in found)
        assert below / len(found) == pytest.approx(level, abs=0.04)


def test_calls_lie_within_their_callers(shop: Any) -> None:
    for trace in shop.traces(service="web", limit="200"):
        known = {span["spanID"]: span for span in trace["spans"]}
        for span in trace["spans"]:
            for reference in span["references"]:
                parent = known.get(reference["spanID"])
                if parent is not None:
                    assert parent["startTime"] <= span["startTime"]
                    assert (
                        span["startTime"] + span["duration"]
                        <= parent["startTime"] + parent["duration"] + 2
                    )


def test_sampling_takes_its_share_and_callees_go_along(shop: Any) -> None:
    shop.environment("web", RATIO="0.25")
    shop.run(60)
    quiet(shop)
    uid = shop.ref("web").pod
    mine = [
        trace
        for trace in shop.traces(service="web")
        if any(
            {"key": "hostname", "type": "string", "value": uid} in process["tags"]
            for process in trace["processes"].values()
        )
    ]
    found = counted(mine)
    served = shop.served("web")
    requests = totals(served, "buy", 0.0, shop.world.now).requests
    assert found["web", "HTTP GET /buy", "server"] == pytest.approx(requests / 4, abs=1)
    assert (
        found["stock", "/shop.Stock/Reserve", "server"] == found["web", "HTTP GET /buy", "server"]
    )
    assert {tag(trace["spans"][0], "sampler.param") for trace in mine} == {0.25}


def test_the_same_answers_twice_in_any_order_and_after_a_fork(shop: Any) -> None:
    shop.scale("stock", 0)
    shop.run(20)
    first = shop.ask("/api/traces", service="web").body
    twin = shop.fork(seed=99)
    assert twin.ask("/api/services").status == 200
    assert twin.ask("/api/traces", service="web").body == first
    assert shop.ask("/api/traces", service="web").body == first
    end = str(int((shop.world.epoch + shop.world.now) * 1e6))
    past = {"service": "web", "end": str(int(end) - 5_000_000)}
    before = shop.ask("/api/traces", **past).body
    twin.scale("stock", 1)
    twin.run(30)
    shop.run(30)
    assert shop.ask("/api/traces", **past).body == twin.ask("/api/traces", **past).body == before
    assert (
        shop.ask("/api/traces", service="web").body != twin.ask("/api/traces", service="web").body
    )


def test_each_trace_is_found_by_its_id(shop: Any) -> None:
    for trace in shop.traces(service="web", limit="50"):
        assert shop.traces(service="web", traceID=trace["traceID"]) == [trace]


def test_dependencies_count_the_calls_between_services(shop: Any) -> None:
    shop.environment("web", RATIO="0.4")
    shop.run(60)
    quiet(shop)
    found = counted(shop.traces(service="web"))
    answer = shop.ask("/api/dependencies").body.decode()
    web = {
        "price": found["price", "Quote", "server"],
        "stock": found["stock", "/shop.Stock/Reserve", "server"],
    }

    data = json.loads(answer)["data"]
    assert [(entry["parent"], entry["child"]) for entry in data] == [
        ("web", "price"),
        ("web", "stock"),
    ]
    for entry in data:
        # The pod that was replaced has taken the spans of its last second with it.
        assert math.isclose(entry["callCount"], web[entry["child"]], abs_tol=12)


def test_span_metrics_count_the_spans(shop: Any) -> None:
    shop.scale("mongodb", 0)
    shop.run(45)
    quiet(shop)
    traces = shop.traces(service="web")
    found = counted(traces)
    failed = Counter(
        (service, span["operationName"])
        for service, span in spans(traces)
        if (tag(span, "span.kind"), tag(span, "error")) == ("client", True)
    )
    calls = measured(shop, "sum by (service_name, span_name, span_kind) (CALLS)")
    assert {key for key in calls if key[0] in ("web", "stock", "price")} == {
        (service, name, f"SPAN_KIND_{kind.upper()}") for service, name, kind in found
    }
    for (service, name, kind), count in found.items():
        assert count == pytest.approx(calls[service, name, f"SPAN_KIND_{kind.upper()}"], abs=3)
    errors = measured(
        shop,
        "sum by (service_name, span_name) "
        '(CALLS{span_kind="SPAN_KIND_CLIENT",status_code="STATUS_CODE_ERROR"})',
    )
    assert set(errors) == set(failed) == {("stock", "mongo_find"), ("web", "/shop.Stock/Reserve")}
    for key, count in failed.items():
        assert count == pytest.approx(errors[key], abs=3)


def test_tries_are_as_many_as_calls_and_retries(hasty: Any) -> None:
    hasty.run(60)
    quiet(hasty)
    found = Counter(
        bool(tag(span, "error"))
        for _, span in spans(hasty.traces(service="web"))
        if span["operationName"] == "/shop.Price/Quote"
    )
    flows = [
        (call, Course(flow.rhythm, segment.start).elapsed(following.start))
        for segment, following in itertools.pairwise(hasty.served("web"))
        for flow in segment.flows
        for call in flow.calls
        if call.client == "price"
    ]
    tries = sum(call.rate * came for call, came in flows)
    late = sum(call.rate * (1 - call.ok) * came for call, came in flows)
    assert late > 50
    assert sum(found.values()) == pytest.approx(tries, abs=5)
    assert found[True] == pytest.approx(late, abs=5)


def measured(shop: Any, query: str) -> dict[tuple[str, ...], float]:
    """The values of a query over span metrics by the values of the labels."""
    text = query.replace("CALLS", "traces_span_metrics_calls_total")
    answer = Engine(WorldStorage(shop.world)).instant(text, shop.world.epoch + shop.world.now)
    order = ("service_name", "span_name", "span_kind")
    return {
        tuple(dict(labels)[name] for name in order if name in dict(labels)): value
        for labels, value in answer.rows
    }

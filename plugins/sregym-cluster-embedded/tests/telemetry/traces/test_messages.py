"""Traces go on beyond message queues: at once, late, again and again, or not at all."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.traffic.counting import totals
from sregym_promql import Engine

CALLS = "traces_span_metrics_calls_total"
TAKEN = "orders process"


def tag(span: dict[str, Any], key: str) -> Any:
    return next((entry["value"] for entry in span["tags"] if entry["key"] == key), None)


def spans(trace: dict[str, Any], service: str, name: str = "") -> list[dict[str, Any]]:
    return [
        span
        for span in trace["spans"]
        if trace["processes"][span["processID"]]["serviceName"] == service
        and name in ("", span["operationName"])
    ]


def since(post: Any, seconds: float) -> str:
    return str(int((post.world.epoch + post.world.now - seconds) * 1e6))


def begun(post: Any, span: dict[str, Any]) -> float:
    return float(span["startTime"] / 1e6 - post.world.epoch)


def test_who_takes_a_message_goes_on_with_its_trace(post: Any) -> None:
    (trace,) = post.traces(service="book", limit="1")
    known = {span["spanID"]: span for span in trace["spans"]}
    (taken,) = spans(trace, "book", TAKEN)
    (sent,) = spans(trace, "web", "To_orders")
    assert known[taken["references"][0]["spanID"]] == sent
    assert 0 < taken["startTime"] - sent["startTime"] < 10_000
    assert [(entry["key"], entry["value"]) for entry in taken["tags"]] == [
        ("otel.scope.name", "kafka"),
        ("messaging.system", "kafka"),
        ("messaging.destination.name", "orders"),
        ("messaging.operation", "process"),
        ("span.kind", "consumer"),
        ("internal.span.format", "otlp"),
    ]
    assert [(entry["key"], entry["value"]) for entry in sent["tags"]] == [
        ("span.kind", "producer"),
        ("component", "kafka"),
        ("message_bus.destination", "orders"),
        ("internal.span.format", "jaeger"),
    ]
    (asked,) = spans(trace, "book", "Quote")
    assert asked["references"][0]["spanID"] == taken["spanID"]
    assert len(spans(trace, "price")) == 2


def test_each_message_is_in_one_trace(post: Any) -> None:
    post.scale("load", 0)
    post.run(45)
    found = post.traces(service="web", operation="HTTP GET /buy")
    kinds = Counter(
        (tag(span, "span.kind"), span["operationName"])
        for trace in found
        for span in trace["spans"]
        if tag(span, "span.kind") in ("producer", "consumer")
    )
    sent, taken = kinds.pop(("producer", "To_orders")), kinds.pop(("consumer", TAKEN))
    assert (dict(kinds), 500 < taken <= sent) == ({}, True)
    assert sent == pytest.approx(taken, abs=2)
    answer = json.loads(post.ask("/api/dependencies").body)["data"]
    calls = {(each["parent"], each["child"]): each["callCount"] for each in answer}
    assert calls["web", "book"] == calls["book", "price"] == pytest.approx(taken, abs=2)
    # Metrics of consumers do not know of the chance with which users come.
    counted = Engine(WorldStorage(post.world)).instant(
        f'sum by (span_kind, span_name) ({CALLS}{{span_kind=~".*(PRODUCER|CONSUMER)"}})',
        post.world.epoch + post.world.now,
    )
    assert {tuple(dict(labels).values()): value for labels, value in counted.rows} == {
        ("SPAN_KIND_PRODUCER", "To_orders"): pytest.approx(sent, abs=2),
        ("SPAN_KIND_CONSUMER", TAKEN): pytest.approx(taken, rel=0.05),
    }


def test_a_consumer_of_traced_messages_begins_no_traces(post: Any) -> None:
    found = post.traces(service="book", start=since(post, 20))
    assert len(found) > 100
    assert {trace["spans"][0]["operationName"] for trace in found} == {"HTTP GET /buy"}


def test_the_names_and_kinds_of_spans_of_messages(post: Any) -> None:
    assert post.ask_text("/api/operations?service=book")[1] == (
        '{"data":[{"name":"Quote","spanKind":"client"},{"name":"orders process","spanKind":"consumer"}],'
        '"total":2,"limit":0,"offset":0,"errors":null}'
    )
    answer = post.ask(
        "/api/v3/traces",
        **{
            "query.service_name": "book",
            "query.start_time_min": "2020-01-01T00:00:00Z",
            "query.start_time_max": "2120-01-01T00:00:00Z",
            "query.num_traces": "1",
        },
    )
    kinds = {
        span["name"]: span["kind"]
        for group in json.loads(answer.body)["result"]["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    }
    assert (kinds["To_orders"], kinds[TAKEN]) == (4, 5)


def test_a_message_that_nobody_takes_ends_its_trace(post: Any) -> None:
    post.scale("book", 0)
    post.run(60)
    found = post.traces(service="web", operation="HTTP GET /buy", start=since(post, 20))
    assert len(found) > 100
    assert {len(spans(trace, "web", "To_orders")) for trace in found} == {1}
    assert [span for trace in found for span in spans(trace, "book")] == []
    (last,) = post.traces(service="book", limit="1")
    assert begun(post, spans(last, "book")[0]) < post.world.now - 25


def test_a_message_that_is_taken_late_is_told_of_in_its_trace(post: Any) -> None:
    post.scale("book", 0)
    post.run(50)
    (waiting,) = post.traces(
        service="web", operation="HTTP GET /buy", end=since(post, 5), limit="1"
    )
    assert spans(waiting, "book") == []
    begin = post.world.now
    post.scale("book", 1)
    post.run(10)
    answer = post.ask(f"/api/traces/{waiting['traceID']}")
    (trace,) = json.loads(answer.body)["data"]
    (taken,) = spans(trace, "book", TAKEN)
    assert begin < begun(post, taken) < post.world.now
    assert [span for span in trace["spans"] if span in waiting["spans"]] == waiting["spans"]
    # Who looks for what the consumer did lately finds what was sent long ago.
    lately = str(int((post.world.epoch + begin) * 1e6))
    found = post.traces(service="book", operation=TAKEN, start=lately)
    assert trace["traceID"] in {each["traceID"] for each in found}
    # The producer's spans of the last second are still on their way.
    delays = [
        spans(each, "book", TAKEN)[0]["startTime"] - sent[0]["startTime"]
        for each in found
        if (sent := spans(each, "web", "To_orders"))
    ]
    assert max(delays) > 15e6
    assert min(delays) < 10e3


def test_a_message_whose_work_fails_is_tried_again_in_its_trace(post: Any) -> None:
    post.scale("price", 0)
    post.run(90)
    failed = '{"error":"true"}'
    found = post.traces(service="book", tags=failed, start=since(post, 60))
    assert 1 <= len(found) <= 4
    tries = spans(found[0], "book", TAKEN)
    assert len(tries) > 20
    assert {tag(span, "error") for span in tries} == {True}
    assert begun(post, tries[-1]) > post.world.now - 30
    again = post.traces(service="book", tags=failed, start=since(post, 60))
    assert again == found
    post.scale("price", 1)
    post.run(60)
    answer = post.ask(f"/api/traces/{found[0]['traceID']}")
    (trace,) = json.loads(answer.body)["data"]
    outcomes = [tag(span, "error") for span in spans(trace, "book", TAKEN)]
    assert outcomes == [True] * (len(outcomes) - 1) + [None]
    assert len(outcomes) > len(tries)
    assert post.traces(service="book", tags=failed, start=since(post, 20)) == []


def test_a_message_of_an_untraced_sender_begins_a_trace(post: Any) -> None:
    post.scale("load", 0)
    post.run(40)
    begin = post.world.now
    post.scale("till", 1)
    post.run(60)
    found = post.traces(service="book", start=str(int((post.world.epoch + begin) * 1e6)))
    assert {len(trace["spans"]) for trace in found} == {3}
    sent = totals(post.served("till"), "Sell", begin, post.world.now).requests
    assert len(found) == pytest.approx(sent, abs=3)
    first = found[0]["spans"][0]
    assert (first["operationName"], first["references"], tag(first, "span.kind")) == (
        (TAKEN, [], "consumer")
    )


def test_traced_and_untraced_senders_share_a_topic(post: Any) -> None:
    begin = post.world.now
    post.scale("till", 1)
    post.run(60)
    found = post.traces(service="book", start=str(int((post.world.epoch + begin) * 1e6)))
    own = sum(trace["spans"][0]["operationName"] == TAKEN for trace in found)
    sent = totals(post.served("till"), "Sell", begin, post.world.now).requests
    assert own == pytest.approx(sent, abs=8)
    taken = totals(post.served("book"), "Book", begin, post.world.now).requests
    assert len(found) == pytest.approx(taken, abs=12)


def test_searches_of_what_was_sent_build_no_other_traces(post: Any) -> None:
    assert post.traces(service="book", tags='{"error":"true"}') == []
    assert post.traces(service="book", minDuration="10s") == []


def test_the_same_question_has_the_same_answer_after_a_fork(post: Any) -> None:
    assert post.fork().traces(service="book", limit="20") == post.traces(service="book", limit="20")

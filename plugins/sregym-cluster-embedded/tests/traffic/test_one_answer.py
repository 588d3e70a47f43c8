"""What a server in front answers is one status: to its caller, in its log, its metrics, its spans."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle
from sregym_cluster_embedded.telemetry.traces.trace_assembly import Builder
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_promql import Engine

TRACED = {"service": "front", "collector": "jaeger:4317"}
CHANGES = {
    "load.target": "http://front:8080",
    "web.operations.buy.failure": {"status": 503, "body": "${error}\n"},
}


def proxied(make_market: Any, flavour: str, **more: Any) -> Any:
    route = {"request": "GET /buy", "upstream": "http://web:8080", "timeout_s": 1}
    front = {"kind": "http-proxy", "flavour": flavour, "port": 8080, "routes": {"buy": route}}
    changes = {**CHANGES, "front": {**front, "tracing": TRACED}, **more}
    return make_market(changes, programs=("stock", "web", "front", "load"))


def slow(_: Any) -> None:
    """It is slow from the beginning."""


def without(name: str) -> Any:
    return lambda market: market.scale(name, 0)


def logged(market: Any) -> set[str]:
    """The statuses of the requests of the last seconds, as the log has them."""
    (ref,) = market.refs("front")
    lines = market.world.service(RUNTIME).logs(market.world, ref)
    recent = [line.text for line in lines if line.at > market.world.now - 10]
    return {
        word
        for text in recent
        if "GET /buy" in text and "[error]" not in text
        for word in text.replace('"', " ").split()
        if word.isdecimal() and 200 <= int(word) < 600 and len(word) == 3
    } - {"217", "198"}


def counted(market: Any) -> set[str]:
    """As the metrics of the server have them."""
    world = market.world
    engine = Engine(WorldStorage(world))
    query = 'increase(http_server_request_duration_seconds_count{service="front"}[1m]) > 0'
    rows = engine.instant(query, world.epoch + world.now).rows
    return {dict(labels)["http_response_status_code"] for labels, _ in rows}


def traced(market: Any) -> set[str]:
    """As the spans of the server have them."""
    chronicle = Chronicle(market.world)
    builder, found = Builder(chronicle), set()
    for origin in chronicle.origins():
        number = int(origin.numbering.count(market.world.now))
        if origin.numbering.count(market.world.now) > origin.numbering.count(market.world.now - 9):
            span = builder.build(origin, number)[0].span
            found.add(str(dict(span.tags)["http.response.status_code"]))
    return found


SLOW = {"web.operations.buy.latency_ms": 30000}


@pytest.mark.parametrize(
    ("flavour", "change", "more", "status"),
    [
        ("nginx", slow, SLOW, "504"),
        ("nginx", without("web"), {}, "502"),
        ("nginx", without("stock"), {}, "503"),
        ("haproxy", slow, SLOW, "504"),
        ("haproxy", without("web"), {}, "503"),
        ("envoy", slow, SLOW, "504"),
    ],
)
def test_callers_logs_metrics_and_spans_have_one_status(
    make_market: Any, flavour: str, change: Any, more: dict[str, Any], status: str
) -> None:
    market = proxied(make_market, flavour, **more)
    change(market)
    market.run(90)
    seen = market.seen(10)
    assert (seen.ok, {*seen.failed}) == (0, {status})
    _, _, told = market.shell("load", "wget -O- http://front:8080/buy")
    assert f"HTTP/1.1 {status} " in told
    assert (logged(market), counted(market), traced(market)) == ({status}, {status}, {status})


def test_a_server_that_is_full_counts_what_its_callers_get(make_market: Any) -> None:
    limits = {"concurrency": 1, "queue": 0}
    changes = {"web.limits": limits, "web.operations.buy.latency_ms": 40}
    market = make_market(changes)
    seen = market.seen(60)
    assert {*seen.failed} == {"503"}
    world = market.world
    query = 'sum(increase(http_server_request_duration_seconds_count{service="web",http_response_status_code!="200"}[1m])) by (http_response_status_code)'
    rows = Engine(WorldStorage(world)).instant(query, world.epoch + world.now).rows
    assert [dict(labels)["http_response_status_code"] for labels, _ in rows] == ["503"]

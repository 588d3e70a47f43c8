"""`${names}` in what programs ask for: requests, topics, errors, and the lines about them."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle
from sregym_cluster_embedded.telemetry.traces.trace_assembly import Builder
from sregym_cluster_embedded.traffic.segments import QUEUES
from sregym_cluster_embedded.userland.keys import RUNTIME

CHANGES: dict[str, Any] = {
    "web.config": {"topic": {"default": "orders"}, "item": {"default": "bolt"}},
    "web.tracing": {
        "service": "web",
        "collector": "jaeger:4317",
        "spans": {"broker.produce": "send"},
    },
    "web.clients": {
        "shelf": {"protocol": "http", "address": "http://shelf:8080", "timeout_s": 1},
        "broker": {"protocol": "kafka", "address": "broker:8080"},
    },
    "web.operations.buy.calls": [
        {
            "call": "shelf.GET /item/${item}",
            "on_error": {
                "returns": "no ${item}: ${error}",
                "log": [{"level": "error", "text": "cannot take ${item} by ${operation}"}],
            },
        },
        {
            "call": "broker.produce",
            "collection": "${topic}",
            "on_error": {"log": [{"level": "error", "text": "cannot send to ${collection}"}]},
        },
    ],
    "shelf": {
        "startup": [{"listen": "http"}],
        "listeners": {"http": {"protocol": "http", "port": 8080}},
        "operations": {"take": {"listener": "http", "route": "GET /item/bolt"}},
    },
    "broker": {"kind": "kafka", "port": 8080, "topics": {"orders": {"partitions": 1}}},
    "worker": {
        "startup": [],
        "config": {"topic": {"default": "orders"}},
        "clients": {"broker": {"protocol": "kafka", "address": "broker:8080"}},
        "operations": {"Book": {"listener": "", "cpu_ms": 1}},
        "consumers": {
            "orders": {
                "client": "broker", "topic": "${topic}", "group": "booking", "operation": "Book",
            }
        },
    },
    "load.config": {"page": {"default": "buy"}},
    "load.mix": {"buy": {"request": "GET /${page}", "weight": 1}},
}  # fmt: skip
PROGRAMS = ("broker", "shelf", "worker", "web", "load")


def texts(market: Any, name: str) -> list[str]:
    lines = market.world.service(RUNTIME).logs(market.world, market.refs(name)[-1])
    return [line.text for line in lines]


def test_settings_are_filled_in_where_programs_ask(make_market: Any) -> None:
    market = make_market(CHANGES, programs=PROGRAMS)
    seen = market.seen(10)
    assert seen.failed == {}
    flow = market.history("web")[-1].flows[0]
    assert [(call.operation, call.collection) for call in flow.calls] == [
        ("take", ""), ("produce", "orders"),
    ]  # fmt: skip
    ((_, topic, group),) = market.world.table(QUEUES)
    assert (topic, group) == ("orders", "booking")


def test_settings_are_filled_in_where_programs_tell_of_it(make_market: Any) -> None:
    market = make_market(CHANGES, programs=PROGRAMS)
    market.scale("shelf", 0)
    market.run(20)
    flow = market.history("web")[-1].flows[0]
    assert [text.partition(": ")[0] for text, _ in flow.errors] == ["no bolt"]
    assert texts(market, "web")[-1].endswith("cannot take bolt by GET /item/bolt")
    market.scale("shelf", 1)
    market.scale("broker", 0)
    market.run(30)
    assert texts(market, "web")[-1].endswith("cannot send to orders")


def test_spans_name_the_whole_address(make_market: Any) -> None:
    market = make_market(CHANGES, programs=PROGRAMS)
    chronicle = Chronicle(market.world)
    (origin,) = (o for o in chronicle.origins() if o.operation == "buy")
    spans = [written.span for written in Builder(chronicle).build(origin, 50)]
    (asked,) = (span for span in spans if span.kind == "client" and span.name == "GET")
    tags = dict(asked.tags)
    assert (tags["url.full"], tags["server.address"], tags["server.port"]) == (
        "http://shelf:8080/item/bolt", "shelf", 8080,
    )  # fmt: skip

"""Requests that pass a message queue: those who take from the topic answer, as long as there are any."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.process import process_of

ASK = {"protocol": "kafka", "address": "broker:8080"}
CHANGES = {
    "broker": {"kind": "kafka", "port": 8080, "topics": {"orders": {"partitions": 2}}},
    "web.clients.broker": ASK,
    "web.clients.workers": {
        "protocol": "tcp",
        "registry": "broker",
        "name": "orders",
        "errors": {"unavailable": "nobody takes from ${name}"},
    },
    "web.operations.buy.calls": [
        {"call": "broker.produce", "collection": "orders"},
        {
            "call": "workers.Book",
            "on_error": {"log": [{"level": "error", "text": "buy: ${error}"}]},
        },
    ],
    "worker": {
        "startup": [],
        "clients": {
            "broker": ASK,
            "stock": {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1},
        },
        "operations": {
            "Take": {"listener": "", "cpu_ms": 0.1},
            "Book": {"listener": "", "cpu_ms": 4, "calls": [{"call": "stock.Take"}]},
        },
        "consumers": {
            "orders": {"client": "broker", "topic": "orders", "group": "booking", "operation": "Take"}
        },
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def calm(make_market: Any) -> Any:
    programs = ("stock", "broker", "worker", "web", "load")
    return make_market(CHANGES, programs=programs, replicas={"worker": 2})


@pytest.fixture
def market(calm: Any) -> Any:
    return calm.fork()


def bought(market: Any) -> tuple[float, set[str]]:
    """The share of purchases that succeed, and the errors of the others."""
    (flow,) = market.history("web")[-1].flows
    return flow.ok, {text for call in flow.calls for _, text, _ in call.errors}


def booked(market: Any) -> list[float]:
    """Bookings a second of each worker."""
    instances = [segments(market.world, SERVED, ref)[-1] for ref in market.refs("worker")]
    return [
        sum(flow.rate for flow in instance.flows if flow.operation == "Book")
        for instance in instances
    ]


def test_takers_share_the_requests_and_callers_wait_for_them(market: Any) -> None:
    assert bought(market) == (1.0, set())
    assert booked(market) == pytest.approx([50, 50])
    (flow,) = market.history("web")[-1].flows
    assert flow.time.mean_ms > 4
    (stock,) = market.history("stock")[-1].flows
    assert stock.rate == pytest.approx(100)


def test_nobody_answers_where_nobody_takes(market: Any) -> None:
    market.scale("worker", 0)
    market.run(60)
    assert bought(market) == (0.0, {"nobody takes from orders"})
    market.scale("worker", 2)
    market.run(60)
    assert bought(market) == (1.0, set())


def test_the_callers_feel_what_those_who_take_meet(market: Any) -> None:
    market.scale("stock", 0)
    market.run(60)
    ok, errors = bought(market)
    assert ok == 0.0
    assert len(errors) == 1
    assert "Unavailable" in next(iter(errors))


def test_no_connection_leads_past_the_broker(market: Any) -> None:
    _, out, _ = market.shell("web", "netstat -tn")
    assert ":8080" in out  # at the broker
    workers = [process_of(market.world, ref) for ref in market.refs("worker")]
    assert not any(worker.config.pod_ip in out for worker in workers if worker is not None)

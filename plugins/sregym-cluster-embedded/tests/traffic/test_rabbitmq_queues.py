"""Queues of RabbitMQ: messages wait for consumers, commands and metrics tell the same of them."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.traffic.segments import QUEUES
from sregym_promql import Engine

CHANGES = {
    "broker": {"kind": "rabbitmq", "port": 8080, "queues": {"orders": {}}},
    "web.clients.broker": {"protocol": "amqp", "address": "amqp://guest:guest@broker:8080"},
    "web.operations.buy.calls": [
        {
            "call": "broker.publish",
            "collection": "orders",
            "on_error": {"log": [{"level": "error", "text": "publish: ${error}"}]},
        }
    ],
    "worker": {
        "startup": [],
        "clients": {
            "broker": {"protocol": "amqp", "address": "broker:8080"},
            "stock": {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1},
        },
        "operations": {"Book": {"listener": "", "cpu_ms": 4, "calls": [{"call": "stock.Take"}]}},
        "consumers": {
            "orders": {"client": "broker", "topic": "orders", "group": "any", "operation": "Book"}
        },
    },
}


@pytest.fixture
def market(make_market: Any) -> Any:
    made = make_market(
        CHANGES,
        programs=("stock", "broker", "worker", "web", "load"),
        replicas={"worker": 2},
        tools=("busybox", "rabbitmq"),
    )
    made.run(10)
    return made


def listed(market: Any) -> list[int]:
    code, out, _ = market.shell("broker", "rabbitmqctl -s list_queues messages consumers")
    assert code == 0
    return [int(cell) for cell in out.split()]


def test_consumers_keep_up_with_what_is_published(market: Any) -> None:
    ((_, topic, group),) = market.world.table(QUEUES)
    assert (topic, group) == ("orders", "orders")
    assert listed(market) == [0, 2]
    (flow,) = market.history("stock")[-1].flows
    assert flow.rate == pytest.approx(100)


def test_messages_wait_without_consumers_until_they_are_back_or_purged(market: Any) -> None:
    market.scale("worker", 0)
    market.run(60)
    waiting, consumers = listed(market)
    assert (2500 < waiting < 6200, consumers) == (True, 0)
    twin = market.fork()
    market.scale("worker", 2)
    market.run(120)
    assert listed(market) == [0, 2]
    assert twin.shell("broker", "rabbitmqctl -q purge_queue orders")[0] == 0
    twin.run(1)
    assert listed(twin)[0] < 150


def test_a_password_that_is_wrong_is_refused_in_the_words_of_the_library(market: Any) -> None:
    assert market.shell("broker", "rabbitmqctl -q change_password guest other") == (0, "", "")
    market.run(5)
    (flow,) = market.history("web")[-1].flows
    (call,) = flow.calls
    assert [(kind, text) for kind, text, _ in call.errors] == [
        ("auth", 'Exception (403) Reason: "username or password not allowed"')
    ]


def test_a_queue_that_nobody_reads_grows(make_market: Any) -> None:
    programs = ("stock", "broker", "web", "load")
    made = make_market(CHANGES, programs=programs, tools=("busybox", "rabbitmq"))
    made.run(60)
    before = listed(made)[0]
    made.run(10)
    assert before > 1000
    assert listed(made)[0] - before == pytest.approx(1000, abs=5)


def asked(market: Any, query: str) -> float:
    engine = Engine(WorldStorage(market.world))
    ((_, value),) = engine.instant(query, market.world.epoch + market.world.now).rows
    return float(value)


def test_metrics_tell_what_the_command_does(market: Any) -> None:
    names = ("messages", "messages_ready", "messages_unacked", "consumers")
    market.scale("worker", 0)
    market.run(60)
    waiting = listed(market)[0]
    # Ten seconds of the rate at most lie between a scrape and the command.
    found = [asked(market, f"rabbitmq_queue_{name}") for name in names]
    assert found == [pytest.approx(waiting, abs=1500), found[0], 0, 0]
    assert asked(market, "rate(rabbitmq_queue_messages_published_total[30s])") == pytest.approx(
        100, rel=0.01
    )
    assert asked(market, "rabbitmq_queues") == 1
    assert asked(market, "rabbitmq_alarms_memory_used_watermark") == 0

"""What CPU limits make of times: queues as of so many processors, and the laws that bind them."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("limit", "cpu_ms", "busy", "mean_ms"),
    [
        # One processor: cpu / (1 - busy).
        ("1", 2, 0.5, 4.0),
        ("1", 2, 0.8, 10.0),
        # A tenth of one is a queue ten times as slow; what is worked on alone is not.
        ("100m", 1, 0.5, 1 + 10 * 0.5 / 0.5),
        ("100m", 1, 0.8, 1 + 10 * 0.8 / 0.2),
        # Four share the queue: Sakasegawa's formula.
        ("4", 20, 0.8, 20 + 5 * 0.8 ** (10**0.5 - 1) / 0.2),
        # 30 ms need two periods of 20 ms each: the process stands still in between.
        ("200m", 30, 0.001, 30 + (30 - 20) * (1 / 0.2 - 1) + 0.15),
    ],
)
def test_queues_are_those_of_so_many_processors(
    make_market: Any, limit: str, cpu_ms: float, busy: float, mean_ms: float
) -> None:
    cores = float(limit.removesuffix("m")) / (1000 if limit.endswith("m") else 1)
    changes = {"load.rate": busy * cores * 1000 / cpu_ms, "stock.operations.Take.cpu_ms": cpu_ms}
    market = make_market(changes, {"stock": {"cpu": limit}})
    segment = market.history("stock")[-1]
    (flow,) = segment.flows
    assert flow.time.mean_ms == pytest.approx(mean_ms, rel=1e-3)
    # The laws of utilisation and of Little.
    assert segment.load.cpu == pytest.approx(busy * cores, rel=1e-6)
    assert segment.load.in_flight == pytest.approx(flow.rate * mean_ms / 1000, rel=1e-3, abs=1e-6)


def test_what_is_beyond_a_limit_stands_still_in_every_period(make_market: Any) -> None:
    market = make_market({"load.rate": 80}, {"stock": {"cpu": "100m"}})
    market.run(60)
    load = market.history("stock")[-1].load
    assert (load.cpu, load.throttled) == (pytest.approx(0.1), 1.0)
    assert load.waiting > 0


def test_a_limiter_lets_so_many_through_and_the_others_wait(make_market: Any) -> None:
    limits = {"rate": "${qps}", "queue": "12"}
    config = {"qps": {"env": "QPS", "default": "40"}}
    market = make_market({"load.rate": 60, "stock.limits": limits, "stock.config": config})
    market.run(30)
    load = market.history("stock")[-1].load
    assert (load.waiting, load.cpu < 0.5) == (12, True)
    (flow,) = market.history("stock")[-1].flows
    # What waits is begun in its turn; what finds the queue full is turned away.
    assert flow.time.mean_ms == pytest.approx(12 / 40 * 1000, rel=0.05)
    assert market.history("web")[-1].flows[0].ok == pytest.approx(40 / 60, rel=0.05)

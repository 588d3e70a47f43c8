"""Circuit breakers: they open by failures, let a few calls through after a while, and close again."""

from __future__ import annotations

from typing import Any

import pytest

BREAKER = {
    "rate": "0.5", "calls": "20", "window": "10", "open": "30", "trials": "5",
    "log": [{"text": "CircuitBreaker '${name}' changed state from ${from} to ${to}"}],
}  # fmt: skip


def guarded(make_market: Any, **more: Any) -> Any:
    """A hundred requests a second, each of which calls `stock` through a breaker."""
    client = {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1}
    return make_market({"web.clients": {"stock": {**client, "breaker": {**BREAKER, **more}}}})


@pytest.fixture(scope="module")
def market(make_market: Any) -> Any:
    return guarded(make_market)


def changes(market: Any) -> list[str]:
    """State by state, as the log of the caller tells them."""
    return [line.rpartition(" ")[2] for line in market.logs("web") if "CircuitBreaker" in line]


def reached(market: Any) -> float:
    """Requests a second that come to `stock`."""
    known = market.history("stock")
    return sum(flow.rate for flow in known[-1].flows) if known else 0.0


def test_it_stays_closed_while_calls_succeed(market: Any) -> None:
    own = market.fork()
    assert own.seen(60).failed == {}
    assert changes(own) == []


def test_it_opens_by_failures_and_calls_fail_at_once(market: Any) -> None:
    own = market.fork()
    own.scale("stock", 0)
    own.run(60)
    assert changes(own)[0] == "OPEN"
    (flow,) = own.history("web")[-1].flows
    assert flow.errors == (("circuit breaker open", 1.0),)
    assert [(call.errors, call.callee) for call in flow.calls] == [
        ((("open", "circuit breaker open", 1.0),), None)
    ]
    assert flow.failed_time.mean_ms < 1.0


def test_it_tries_again_after_its_pause_and_opens_anew(market: Any) -> None:
    own = market.fork()
    own.scale("stock", 0)
    own.run(120)
    found = changes(own)
    assert found[:5] == ["OPEN", "HALF_OPEN", "OPEN", "HALF_OPEN", "OPEN"]


def test_it_closes_when_trials_succeed(market: Any) -> None:
    own = market.fork()
    own.scale("stock", 0)
    own.run(60)
    own.scale("stock", 1)
    own.run(120)
    assert changes(own)[-2:] == ["HALF_OPEN", "CLOSED"]
    assert own.seen(30).failed == {}
    assert reached(own) == pytest.approx(100, rel=0.01)


def test_too_few_calls_are_no_reason_to_open(make_market: Any) -> None:
    own = guarded(make_market, calls="5000")
    own.scale("stock", 0)
    own.run(120)
    assert changes(own) == []


def test_fewer_failures_than_its_rate_are_no_reason_to_open(make_market: Any) -> None:
    client = {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1, "breaker": BREAKER}
    variants = [{"when": "true", "fails": "0.3", "error": "sold out"}]
    operations = {"Take": {"listener": "grpc", "cpu_ms": 2, "variants": variants}}
    own = make_market({"web.clients": {"stock": client}, "stock.operations": operations})
    seen = own.seen(120)
    assert changes(own) == []
    assert sum(seen.failed.values()) == pytest.approx(0.3 * seen.requests, rel=0.15)


def test_settings_may_switch_it_off(make_market: Any) -> None:
    own = guarded(make_market, rate="")
    own.scale("stock", 0)
    own.run(60)
    assert changes(own) == []

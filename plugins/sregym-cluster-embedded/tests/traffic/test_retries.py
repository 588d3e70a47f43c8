"""Calls that are made again: how much more there is to do, and when that does not end."""

from __future__ import annotations

from typing import Any

import pytest

HALF = {"stock": {"cpu": "500m"}}


def policy(timeout: str, times: int, **more: Any) -> dict[str, Any]:
    retry = {"times": times, **more}
    return {"web.clients.stock.timeout": timeout, "web.clients.stock.retry": retry}


def burst(make_market: Any, timeout: str, times: int) -> Any:
    """A market at 80 of 250 requests a second, with twenty seconds of five times that."""
    bursts = [{"every_s": 100_000, "for_s": 20, "times": 5, "from_s": 60}]
    changes = {"load.rate": 80, "load.bursts": bursts, **policy(timeout, times)}
    market = make_market(changes, HALF)
    market.run(90)
    return market


def test_eager_retries_keep_a_system_down_after_what_set_them_off(make_market: Any) -> None:
    market = burst(make_market, "50ms", 30)
    market.run(120)
    assert market.seen(600).ok < 600
    (flow,) = market.history("web")[-1].flows
    (call,) = flow.calls
    assert call.rate == pytest.approx(80 * 31, rel=0.001)
    assert call.retries == pytest.approx(80 * 30, rel=0.001)


def test_patient_retries_let_it_recover(make_market: Any) -> None:
    market = burst(make_market, "1s", 1)
    market.run(30)
    seen = market.seen(600)
    assert (seen.ok, seen.failed) == (pytest.approx(48_000, abs=4 * 48_000**0.5), {})


def test_a_system_that_is_down_recovers_when_the_load_is_taken_off(make_market: Any) -> None:
    market = burst(make_market, "50ms", 30)
    market.scale("load", 0)
    market.run(60)
    market.scale("load", 1)
    market.run(40)
    assert market.seen(10).failed == {}


def test_refused_connections_are_tried_again(make_market: Any) -> None:
    market = make_market(policy("1s", 3))
    market.scale("stock", 0)
    market.run(60)
    (flow,) = market.history("web")[-1].flows
    (call,) = flow.calls
    assert (flow.rate, call.rate, call.retries, call.ok) == (100.0, 400.0, 300.0, 0.0)
    assert [kind for kind, _, _ in call.errors] == ["refused"]


def test_only_chosen_kinds_are_tried_again(make_market: Any) -> None:
    market = make_market(policy("1s", 3, on=["timeout"]))
    market.scale("stock", 0)
    market.run(60)
    (call,) = market.history("web")[-1].flows[0].calls
    assert (call.rate, call.retries) == (100.0, 0.0)


def test_pauses_between_attempts_make_users_wait(make_market: Any) -> None:
    market = make_market(policy("1s", 2, backoff="200ms", growth=2))
    market.scale("stock", 0)
    market.run(60)
    (flow,) = market.history("web")[-1].flows
    # Three refusals of a millisecond, and pauses of 200 and 400 ms.
    assert flow.failed_time.mean_ms == pytest.approx(603, abs=1)


def test_no_attempt_begins_when_nobody_waits_any_more(make_market: Any) -> None:
    changes = {"stock.operations.Take.latency_ms": 50_000, **policy("1s", 30)}
    market = make_market(changes)
    (call,) = market.history("web")[-1].flows[0].calls
    # Users wait five seconds: five attempts of one.
    assert (round(call.rate), round(call.retries)) == (500, 400)


def test_retries_come_from_settings_of_the_process(make_market: Any) -> None:
    changes = {
        "web.config": {
            "timeout": {"env": "RPC_TIMEOUT", "default": "50ms"},
            "times": {"env": "RPC_RETRIES", "default": "4"},
        },
        "web.clients.stock.timeout": "${timeout}",
        "web.clients.stock.retry": {"times": "${times}"},
    }
    market = make_market(changes)
    (ref,) = market.refs("web")
    client = market.world.table("userland.processes")[ref].clients["stock"]
    assert (client.timeout_s, client.retry.times) == (0.05, "4")


def test_attempts_and_arrivals_are_one_count(make_market: Any) -> None:
    market = burst(make_market, "50ms", 30)
    market.run(60)
    calls = [
        (segment.start, call.rate)
        for segment in market.history("web")
        for flow in segment.flows
        for call in flow.calls
    ]
    served = [(s.start, flow.rate) for s in market.history("stock") for flow in s.flows]
    assert calls[-1] == served[-1]
    assert {at: rate for at, rate in calls if at in dict(served)} == {
        at: rate for at, rate in served if at in dict(calls)
    }


def test_asked_in_steps_or_at_once_the_past_is_the_same(make_market: Any) -> None:
    market = burst(make_market, "50ms", 30)
    twin = market.fork()
    market.run(60)
    for _ in range(60):
        twin.run(1)
    assert market.history("stock") == twin.history("stock")
    assert market.world.digest() == twin.world.digest()

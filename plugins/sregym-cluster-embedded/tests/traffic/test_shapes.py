"""Load that changes with time, and caches that are cold after a restart."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.model import LoadGeneratorProgram, ServiceModelError, parse_service_model
from sregym_cluster_embedded.traffic.load_schedules import factor, next_change

BURSTS = [{"every_s": 60, "for_s": 10, "times": 3, "from_s": 20}]
SCHEDULE = [{"at_s": 0, "times": 0.5}, {"at_s": 100, "times": 2}]


def generator(**fields: Any) -> LoadGeneratorProgram:
    mix = {"all": {"request": "GET /", "weight": 1}}
    return LoadGeneratorProgram.model_validate(
        {"kind": "load-generator", "target": "http://web", "rate": 10, "mix": mix, **fields}
    )


def test_factors_over_time() -> None:
    bursty, planned = generator(bursts=BURSTS), generator(schedule=SCHEDULE, repeat_s=200)
    assert [factor(bursty, at, {}) for at in (0, 19.9, 20, 29.9, 30, 80, 90)] == [
        1,
        1,
        3,
        3,
        1,
        3,
        1,
    ]
    assert [factor(planned, at, {}) for at in (0, 99, 100, 199, 200, 300)] == [
        0.5,
        0.5,
        2,
        2,
        0.5,
        2,
    ]


def test_each_change_is_known_before() -> None:
    program, moments, at = generator(bursts=BURSTS, schedule=SCHEDULE, repeat_s=200), [], 0.0
    while at < 290:
        upcoming = next_change(program, at, {})
        assert upcoming is not None
        moments.append(upcoming)
        at = upcoming
    assert moments == [20, 30, 80, 90, 100, 140, 150, 200, 210, 260, 270, 300]
    assert next_change(generator(schedule=SCHEDULE), 100, {}) is None
    assert next_change(generator(), 0, {}) is None


def test_stages_follow_settings() -> None:
    program = generator(
        stages=[{"for_s": "${calm}"}, {"for_s": "${peak}", "times": "${height}"}],
        cycle_s="${pause}",
    )
    facts = {"calm": "60", "peak": "30", "height": "6", "pause": ""}
    at = (0, 59, 60, 89, 90, 160, 1000)
    assert [factor(program, age, facts) for age in at] == [1, 1, 6, 6, 1, 1, 1]
    assert [next_change(program, age, facts) for age in (0, 60, 90)] == [60, 90, None]
    again = {**facts, "pause": "10"}
    assert [factor(program, age, again) for age in at] == [1, 1, 6, 6, 1, 6, 1]
    assert [next_change(program, age, again) for age in (0, 60, 90, 100)] == [60, 90, 100, 160]
    flat = {**facts, "peak": "0"}
    assert [factor(program, age, flat) for age in at] == [1] * 7


def test_bursts_reach_users_and_processes(make_market: Any) -> None:
    market = make_market({"load.bursts": [{"every_s": 60, "for_s": 20, "times": 3}]})
    start = market.history("web")[0].start
    market.run(120)
    began = next(s.start for s in market.history("web") if s.flows) if start else 0.0
    rates = [
        (round(segment.start - began), segment.flows[0].rate)
        for segment in market.history("web")
        if segment.flows
    ]
    assert rates[:4] == [(0, 300.0), (20, 100.0), (60, 300.0), (80, 100.0)]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ("users: 5", "a load generator needs either 'rate' or 'users'"),
        (
            "schedule: [{at_s: 5, times: 1}, {at_s: 5, times: 2}]",
            "the phases of 'schedule' stand in the order of their 'at_s'",
        ),
        (
            "schedule: [{at_s: 50, times: 1}]\n    repeat_s: 50",
            "the last phase of 'schedule' begins before 'repeat_s' is over",
        ),
        (
            "mix: {all: {request: GET /, weight: 1}, more: {request: GET /, weight: 1, counts_as: al}}",
            "'more' counts as 'al', which 'mix' does not have; it has all, more",
        ),
    ],
)
def test_loads_that_make_no_sense_are_refused(fields: str, error: str) -> None:
    text = f"""application: shop
programs:
  load:
    kind: load-generator
    target: http://web
    rate: 10
    {"" if "mix" in fields else "mix: {all: {request: GET /, weight: 1}}"}
    {fields}
"""
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(text, "shop.yaml")
    assert str(caught.value) == f"shop.yaml:3: programs.load: {error}"


CACHED = {
    "web.clients.cache": {"protocol": "memcached", "address": "cache:8080"},
    "web.operations.buy.calls": [
        {"cache": "cache", "hit_rate": 0.9, "keys": 2000, "miss": [{"call": "stock.Take"}]}
    ],
}


def test_a_cache_is_cold_after_a_restart(make_market: Any) -> None:
    market = make_market(CACHED, programs=("stock", "cache", "web", "load"))
    market.run(240)
    (flow,) = market.history("stock")[-1].flows
    assert flow.rate == pytest.approx(10, rel=0.01)
    market.scale("cache", 0)
    market.run(10)
    assert market.history("stock")[-1].flows[0].rate == 100
    market.scale("cache", 1)
    market.run(20)
    rates = [segment.flows[0].rate for segment in market.history("stock")[-10:]]
    # 100 looks a second fill 2,000 keys with a time constant of 20 s.
    assert rates == sorted(rates, reverse=True)
    assert 35 < rates[-1] < 75
    market.run(240)
    assert market.history("stock")[-1].flows[0].rate == pytest.approx(10, rel=0.01)


@pytest.mark.parametrize(("cpu", "warms"), [("60m", False), ("250m", True)])
def test_a_cold_cache_can_keep_down_what_is_behind_it(
    make_market: Any, cpu: str, warms: bool
) -> None:
    """What is never answered is never cached: of 100 a second 60m can do 30, and 250m all."""
    limits = {"stock": {"cpu": cpu}}
    market = make_market(CACHED, limits, programs=("stock", "cache", "web", "load"))
    market.run(240)
    assert (market.seen(60).failed == {}) is warms
    assert market.history("stock")[-1].flows[0].rate == pytest.approx(
        10 if warms else 100, rel=0.03
    )

"""Counters as whole parts of integrals, and scrapes as moments of a grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sregym_cluster_embedded.telemetry.metrics.exposition import Row, Steps, Target
from sregym_cluster_embedded.telemetry.metrics.integrals import (
    Integral,
    Outcomes,
    Parts,
    shares_within,
)
from sregym_cluster_embedded.telemetry.metrics.scraping import Scrapes, offset_ms
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.world import SimulationSpec, World
from sregym_promql import is_stale

FINE = np.linspace(0, 40, 4001)


def mixed() -> Outcomes:
    """Seven a second, then three, then none; two kinds of errors from second 10 to 20."""
    shares = {"500": [0.0, 0.35, 0.0], "503": [0.0, 0.2, 0.0], "": [1.0, 0.45, 1.0]}
    return Outcomes([0.0, 10.0, 20.0], [7.0, 3.0, 0.5], 35.0, shares)


def test_an_integral_stops_with_the_process() -> None:
    flow = Integral([5.0, 10.0], [2.0, 4.0], 12.0)
    assert flow(np.array([0.0, 5.0, 7.0, 11.0, 12.0, 99.0])).tolist() == [0, 0, 4, 14, 18, 18]
    assert flow.reached(np.array([4.0, 14.0])).tolist() == [7.0, 11.0]


def test_counters_of_outcomes_add_up_and_never_go_back() -> None:
    outcomes = mixed()
    parts = [outcomes.count(name, FINE) for name in outcomes.names]
    total = outcomes.total(FINE)
    assert sum(parts).tolist() == total.tolist()
    assert all((np.diff(part) >= 0).all() for part in (*parts, total))
    assert [part[-1] for part in parts] == [10, 6, 91]
    assert total[-1] == math.floor(70 + 30 + 7.5)


def test_an_outcome_begins_when_it_is_first_possible() -> None:
    outcomes = mixed()
    assert [outcomes.since(name) for name in outcomes.names] == [10.0, 10.0, 0.0]
    never = Outcomes([0.0], [1.0], 9.0, {"x": [0.0], "": [1.0]})
    assert never.since("x") == math.inf


def test_buckets_stay_within_their_outcome_and_never_go_back() -> None:
    outcomes = mixed()
    shares = np.array([[0.1, 0.5, 1.0], [0.0, 0.3, 0.9], [0.2, 0.6, 1.0]])
    parts = Parts(outcomes, "", shares, 0.3)
    rows = np.array([parts.count(number, FINE) for number in range(3)])
    assert (np.diff(rows, axis=0) >= 0).all()
    assert (np.diff(rows, axis=1) >= 0).all()
    assert (rows[-1] <= outcomes.count("", FINE)).all()


def test_shares_within_bounds_are_those_of_the_distribution() -> None:
    times = [Time(10.0, 16.0), Time(3.0, 0.0), Time()]
    bounds = [5.0, 10.0, 20.0]
    found = shares_within(times, bounds)
    expected = [[1 - time.beyond(bound) for bound in bounds] for time in times]
    assert found == pytest.approx(np.array(expected), abs=2e-7)


def target(since: float, until: float, *answers: tuple[float, float]) -> Target:
    return Target("pool", "http://x/metrics", (("job", "a"),), None, since, until, False, answers)


def scraped(one: Target, start: float, end: float, now: float = 1000.0) -> Scrapes:
    world = World(SimulationSpec(), 0, 5000)
    world.run_until(now)
    return Scrapes(world, one, round((5000 + start) * 1000), round((5000 + end) * 1000))


def test_scrapes_lie_on_a_grid_from_the_start_of_the_target_to_now() -> None:
    one = target(100.0, math.inf, (0.0, math.inf))
    scrapes = scraped(one, 0.0, 400.0, 200.0)
    offset = offset_ms(one) / 1000
    assert 0 <= offset < 15
    assert set(np.diff(scrapes.times).tolist()) == {15000}
    assert scrapes.seconds[0] - offset in (90.0, 105.0)
    assert 100 <= scrapes.seconds[0] < 115
    assert 185 <= scrapes.seconds[-1] < 200


def test_the_grid_does_not_depend_on_what_is_asked() -> None:
    one = target(100.0, math.inf, (0.0, math.inf))
    whole, part = scraped(one, 0.0, 400.0), scraped(one, 217.3, 300.0)
    inside = (whole.seconds >= 217.3) & (whole.seconds <= 300.0)
    assert part.times.tolist() == whole.times[inside].tolist()


def test_a_series_that_ends_is_marked_once() -> None:
    scrapes = scraped(target(0.0, math.inf, (0.0, math.inf)), 0.0, 100.0)
    taken = scrapes.taken(Row((), Steps([0.0, 30.0], [1.0, 2.0]), 10.0, 50.0))
    assert taken is not None
    times, values = taken
    seconds = times / 1000 - 5000
    assert [bool(mark) for mark in is_stale(values)] == [*[False] * (len(values) - 1), True]
    assert seconds[0] >= 10
    assert seconds[-2] < 50 <= seconds[-1] < 65
    assert values[:-1].tolist() == [1.0 if at < 30 else 2.0 for at in seconds[:-1]]


def test_a_row_outside_of_the_span_has_no_samples() -> None:
    scrapes = scraped(target(0.0, math.inf, (0.0, math.inf)), 0.0, 100.0)
    assert scrapes.taken(Row((), 1.0, 200.0)) is None
    assert scrapes.taken(Row((), 1.0, 30.0, 30.001)) is None


def test_a_target_that_does_not_answer_has_no_samples_but_is_known_to_be_down() -> None:
    scrapes = scraped(target(0.0, 150.0, (0.0, 40.0), (80.0, 150.0)), 0.0, 300.0)
    taken = scrapes.taken(Row((), 1.0))
    assert taken is not None
    seconds = taken[0] / 1000 - 5000
    present = ~is_stale(taken[1])
    assert all(at < 40 or 80 <= at < 150 for at in seconds[present])
    assert (~present).sum() == 2
    own = scrapes.taken(Row((), scrapes.good_at, until=150.0), own=True)
    assert own is not None
    up = {at: value for at, value in zip(own[0] / 1000 - 5000, own[1], strict=True) if at < 150}
    assert up == {at: float(at < 40 or at >= 80) for at in up}


def test_series_that_last_equally_long_share_their_times() -> None:
    scrapes = scraped(target(0.0, math.inf, (0.0, math.inf)), 0.0, 100.0)
    first, second = scrapes.taken(Row((), 1.0)), scrapes.taken(Row((("a", "b"),), 2.0))
    assert first is not None
    assert second is not None
    assert first[0] is second[0]

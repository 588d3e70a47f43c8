"""Requests come as chance has it: counts scatter about their mean, and all who count agree."""

from __future__ import annotations

import itertools
import math
from statistics import fmean, pvariance
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.telemetry.event_times import moments
from sregym_cluster_embedded.traffic.arrivals import (
    STEPS,
    Course,
    RateModulation,
    RateModulations,
    blended,
    by_outcome,
    rate_modulation_of,
    walk,
)
from sregym_cluster_embedded.traffic.counting import Counting, Totals, totals
from sregym_cluster_embedded.traffic.segments import SENT, segments
from sregym_cluster_embedded.world import World

REF = ContainerRef("shop", "load-1", "uid-1", "load", 0)


def counts(rhythm: RateModulations, rate: float, window_s: float, windows: int = 400) -> list[int]:
    """Requests in windows after each other."""
    course = Course(rhythm, 3.3)
    come = [math.floor(rate * course.elapsed(10 + window_s * n)) for n in range(windows + 1)]
    return [after - before for before, after in itertools.pairwise(come)]


@pytest.mark.parametrize("window_s", [15.0, 60.0, 300.0])
@pytest.mark.parametrize("rate", [1.0, 3.0, 25.0, 60.0, 1000.0])
def test_counts_of_a_window_vary_by_about_their_mean(rate: float, window_s: float) -> None:
    found = counts(rate_modulation_of(REF, f"at {rate}", rate), rate, window_s)
    assert fmean(found) == pytest.approx(rate * window_s, rel=0.02)
    assert pvariance(found) / fmean(found) == pytest.approx(1.0, abs=0.3)


def test_what_comes_seldom_varies_less_but_varies() -> None:
    found = counts(rate_modulation_of(REF, "seldom", 0.1), 0.1, 60.0)
    assert fmean(found) == pytest.approx(6.0, rel=0.05)
    assert 0.4 < pvariance(found) / fmean(found) < 1.0


def test_without_a_rhythm_requests_come_evenly() -> None:
    assert set(counts((), 2.0, 15.0)) == {30}
    assert rate_modulation_of(REF, "buy", 0.0) == ()


def test_the_walk_leads_back_to_where_it_began() -> None:
    known = walk()
    assert (len(known), known[0]) == (STEPS + 1, 0.0)
    assert known[-1] == pytest.approx(0.0, abs=1e-9)
    steps = [after - before for before, after in itertools.pairwise(known)]
    assert pvariance(steps) == pytest.approx(1.0, abs=0.02)
    assert max(map(abs, steps)) < 1.75


def test_rhythms_are_the_same_in_every_process() -> None:
    assert rate_modulation_of(REF, "buy", 60.0) == (RateModulation(16337, 1, 0.129099445),)
    assert rate_modulation_of(REF, "buy", 0.5) == (RateModulation(16337, 16, 1.414213562),)
    course = Course(rate_modulation_of(REF, "buy", 60.0), 5.0)
    assert [round(course.elapsed(at), 6) for at in (5.0, 20.0, 35.0, 3605.0)] == [
        0.0,
        15.556301,
        30.896477,
        3592.820379,
    ]


def test_time_never_goes_back_and_every_moment_is_found_again() -> None:
    rhythm = blended(
        ((60.0, rate_modulation_of(REF, "a", 60.0)), (0.2, rate_modulation_of(REF, "b", 0.2))), 60.2
    )
    course = Course(rhythm, 7.77)
    at = [7.77 + 0.37 * number for number in range(4000)]
    come = [course.elapsed(moment) for moment in at]
    assert come[0] == 0.0
    assert all(after > before for before, after in itertools.pairwise(come))
    assert [course.reached(elapsed) for elapsed in come] == pytest.approx(at, abs=1e-9)


def test_moments_are_as_many_as_are_counted() -> None:
    rhythm = rate_modulation_of(REF, "buy", 8.0)
    whole = list(moments(8.0, 11.1, 11.1, 400.0, 0.3, rhythm))
    assert [number for number, _ in whole] == list(range(len(whole)))
    assert len(whole) == pytest.approx(8.0 * Course(rhythm, 11.1).elapsed(400.0), abs=1)
    part = list(moments(8.0, 11.1, 123.4, 234.5, 0.3, rhythm))
    assert part == [pair for pair in whole if 123.4 <= pair[1] < 234.5]
    gaps = [after - before for (_, before), (_, after) in itertools.pairwise(whole)]
    assert max(gaps) > 2 * min(gaps)


def test_a_callee_counts_what_its_callers_count() -> None:
    rates = (40.0, 0.7)
    rhythms = [rate_modulation_of(REF, name, rate) for name, rate in zip("ab", rates, strict=True)]
    whole = Course(blended(tuple(zip(rates, rhythms, strict=True)), 40.7), 9.0)
    for at in (9.5, 33.0, 1234.5):
        parts = [
            rate * Course(rhythm, 9.0).elapsed(at)
            for rate, rhythm in zip(rates, rhythms, strict=True)
        ]
        assert 40.7 * whole.elapsed(at) == pytest.approx(sum(parts), abs=1e-5)
    # What nobody sends comes evenly.
    half = Course(blended(((5.0, rhythms[0]),), 10.0), 9.0)
    own = Course(rhythms[0], 9.0)
    assert half.elapsed(99.0) - 90 == pytest.approx((own.elapsed(99.0) - 90) / 2, abs=1e-6)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_whom_a_partial_fault_hits_is_chance(share: float) -> None:
    rhythm = rate_modulation_of(REF, "buy", 60.0)
    good, bad = (Course(part, 2.0) for part in by_outcome(rhythm, share, share))
    found = [60.0 * share * (bad.elapsed(at + 60) - bad.elapsed(at)) for at in range(60, 24060, 60)]
    assert pvariance(found) / fmean(found) == pytest.approx(1.0, abs=0.3)
    course = Course(rhythm, 2.0)
    before = (0.0, 0.0)
    for second in range(3, 4000):
        now = (good.elapsed(second), bad.elapsed(second))
        assert now > before
        assert now[1] > before[1]
        mixed = (1 - share) * now[0] + share * now[1]
        assert mixed == pytest.approx(course.elapsed(second), abs=1e-5)
        before = now


def test_where_all_calls_fail_nothing_is_left_to_chance() -> None:
    rhythm = rate_modulation_of(REF, "buy", 60.0)
    assert by_outcome(rhythm, 0.1, 1.0) == (rhythm, rhythm)
    assert by_outcome(rhythm, 1.0, 0.3) == (rhythm, rhythm)
    assert by_outcome((), 0.3, 0.3) == ((), ())


def test_what_is_counted_from_span_to_span_is_what_each_span_has(make_market: Any) -> None:
    market = make_market()
    market.run(120)
    sent = segments(market.world, SENT, market.refs("load")[0])
    counting = Counting(sent, "buy")
    spans = [(at * 3.5, (at + 1) * 3.5) for at in range(40)]
    assert [counting.totals(*span) for span in spans] == [totals(sent, "buy", *s) for s in spans]
    assert sum(totals(sent, "buy", *span).ok for span in spans) > 100


def test_users_web_and_stock_count_the_same_in_every_window(make_market: Any) -> None:
    market = make_market()
    market.run(120)
    end = market.world.now
    (load,) = market.refs("load")
    sent = segments(market.world, SENT, load)
    seen = []
    for second in range(int(end) - 100, int(end) - 10, 7):
        window = (float(second), second + 7.0)
        one = totals(sent, "buy", *window)
        web = totals(market.history("web"), "buy", *window)
        stock = totals(market.history("stock"), "Take", *window)
        assert one.requests == one.ok
        assert web.requests == pytest.approx(one.requests, abs=1)
        assert stock.requests == pytest.approx(one.requests, abs=1)
        seen.append(one.requests)
    assert max(seen) - min(seen) > 20


def test_the_past_is_the_same_after_a_fork_and_from_later_on(make_market: Any) -> None:
    market = make_market()
    market.run(30)
    end = market.world.now
    twin = market.fork()
    windows = [(end - 25.0, end - 10.0), (end - 10.0, end)]
    before = [market.between(*window) for window in windows]
    market.scale("stock", 0)
    market.run(40)
    twin.run(60)
    assert [twin.between(*window) for window in reversed(windows)] == before[::-1]
    assert [market.between(*window) for window in windows] == before


def test_forks_count_on_from_what_was_counted_before_and_each_counts_its_own(
    make_market: Any,
) -> None:
    market = make_market()
    for replicas in (0, 1) * 5:
        market.scale("stock", replicas)
        market.run(20)
    ref = market.refs("load")[0]
    begun = segments(market.world, SENT, ref)[0].start
    spans = [(begun + at * 9.0, begun + (at + 1) * 9.0) for at in range(30)]

    def counted(world: World) -> tuple[int, list[Totals]]:
        """What is counted once others have, from the last span on and then span by span."""
        sent = segments(world, SENT, ref)
        alone = [totals(sent, "buy", *span) for span in spans]
        assert Counting(sent, "buy", world.shared_cache).totals(*spans[-1]) == alone[-1]
        for first in (0, 9, 29):
            counting = Counting(sent, "buy", world.shared_cache)
            assert [counting.totals(*span) for span in spans[first:]] == alone[first:]
        return len(sent), alone

    twin = market.world.fork()
    before, healthy = counted(market.world)
    assert before > 8
    market.scale("stock", 0)
    market.run(60)
    changed, broken = counted(market.world)
    assert changed > before
    twin.run_until(twin.now + 60)
    assert counted(twin) == (before, healthy)
    assert broken != healthy

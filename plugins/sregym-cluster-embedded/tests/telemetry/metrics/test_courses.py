"""Counters scatter as arrivals do: alike for all that count, one by one and together."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.telemetry.metrics.arrival_integrals import Progress, Progresses, Shared
from sregym_cluster_embedded.telemetry.metrics.operations import calls_of, operations_of
from sregym_cluster_embedded.traffic.arrivals import Course, RateModulations, rate_modulation_of
from sregym_cluster_embedded.traffic.counting import totals

REF = ContainerRef("shop", "load-1", "uid-1", "load", 0)
BUY, LOOK = rate_modulation_of(REF, "buy", 40.0), rate_modulation_of(REF, "look", 0.7)
SECONDS = np.arange(1.5, 900.0, 0.73)


def by_hand(starts: list[float], rhythms: list[RateModulations], at: float) -> float:
    """The sum of the courses of all stretches up to a moment."""
    ends = [*starts[1:], float("inf")]
    parts = zip(starts, ends, rhythms, strict=True)
    return starts[0] + sum(
        Course(rhythm, start).elapsed(min(end, at)) for start, end, rhythm in parts if start < at
    )


@pytest.mark.parametrize("count", [1, 3, 40])
def test_many_moments_are_as_one_by_one(count: int) -> None:
    starts = [1.0 + 7.3 * number for number in range(count)]
    rhythms = [(BUY, LOOK, (), (*BUY, *LOOK))[number % 4] for number in range(count)]
    progress = Progress(np.array(starts), rhythms)
    expected = [by_hand(starts, rhythms, at) for at in SECONDS.tolist()]
    assert progress(SECONDS) == pytest.approx(np.array(expected), abs=1e-9)
    assert progress.places.tolist() == pytest.approx([by_hand(starts, rhythms, s) for s in starts])
    assert (np.diff(progress(SECONDS)) > 0).all()
    assert progress.at(float("inf")) == float("inf")


def test_several_are_as_each_of_them() -> None:
    few = Progress(np.array([2.0]), [BUY])
    many = Progress(np.array([1.0, 300.0, 500.0]), [LOOK, BUY, ()])
    even = Progress(np.array([3.0, 9.0]), [(), ()])
    rows = [few, many, few, even]
    for seconds in (SECONDS, SECONDS[SECONDS < 250], SECONDS[:1]):
        expected = np.array([one(seconds) for one in rows])
        assert Progresses(rows)(seconds) == pytest.approx(expected, abs=1e-9)
    assert Progresses([even, even])(SECONDS).tolist() == [SECONDS.tolist()] * 2


def test_courses_of_the_same_rhythms_are_one() -> None:
    shared, starts = Shared(), np.array([1.0])
    assert shared(starts, [BUY]) is shared(starts, [BUY])
    assert shared(starts, [LOOK]) is not shared(starts, [BUY])


def test_rates_scatter_about_the_mean(booth: Any) -> None:
    booth.run(900)
    for name, rate in (("buy", 200 / 3), ("look", 100 / 3)):
        (series,) = booth.series("locust_requests_num_requests", name=name)
        counts = np.diff(series.values[-60:])
        expected = rate * 15
        assert counts.mean() == pytest.approx(expected, rel=0.02)
        assert counts.var() / expected == pytest.approx(1.0, abs=0.5)
        assert (series.values == np.floor(series.values)).all()


def test_at_every_moment_callees_have_counted_what_their_callers_have(booth: Any) -> None:
    """Of the requests of both, at the same moments and not when each was scraped."""
    booth.edit("Service", "stock", lambda obj: obj["spec"].update(sessionAffinity="ClientIP"))
    booth.run(200)
    seconds = booth.world.now - np.arange(100.0, 0.0, -1.0)
    made = sum(
        served.outcomes.total(seconds)
        for instance in booth.instances("web")
        for _, served in calls_of(
            instance, lambda flow: ((c.client, c) for c in flow.calls if c.client == "stock"), str
        )
    )
    counted = sum(
        served.outcomes.total(seconds)
        for instance in booth.instances("stock")
        for _, served in operations_of(instance, lambda _, words: words)
    )
    grown = np.diff(made)
    assert np.abs(grown - np.diff(counted)).max() <= 2
    assert grown.std() > 3


def test_all_who_count_agree_at_every_moment_whatever_happens(booth: Any) -> None:
    """Kind by kind, before and after pods went, processors were short and packets were lost."""
    chance = random.Random(5)
    booth.delete("pods", booth.pods("web")[0])
    booth.run(40)
    links.set_link(booth.world, "*", f"pod:{booth.ref('stock').pod_uid}", links.Link(loss=0.4))
    booth.run(60)
    limits = {"cpu": "20m"}
    booth.edit(
        "Deployment",
        "stock",
        lambda obj: obj["spec"]["template"]["spec"]["containers"][0].update(
            resources={"limits": limits}
        ),
    )
    booth.run(80)
    moments = sorted(chance.uniform(0, booth.world.now) for _ in range(60))
    kinds = set()
    for instance in [*booth.instances("web"), *booth.instances("stock"), *booth.instances("book")]:
        for name, served in operations_of(instance, lambda _, words: words):
            outcomes, end = served.outcomes, instance.ended(booth.world.now)
            for at in moments:
                counted = totals(instance.served, name, 0.0, min(at, end))
                found = {
                    kind: int(outcomes.count(kind, np.array([at]))[0]) for kind in outcomes.names
                }
                assert found.pop("") == counted.ok
                assert {kind: count for kind, count in found.items() if count} == counted.failed
                assert int(outcomes.total(np.array([at]))[0]) == counted.requests
                kinds |= set(counted.failed)
    assert len(kinds) >= 3

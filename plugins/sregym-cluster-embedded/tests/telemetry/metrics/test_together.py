"""Values that are worked out together are those that are worked out one by one, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sregym_cluster_embedded.telemetry.metrics.batch_evaluation import Plan
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.exposition import Steps
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral, Outcomes, Parts
from sregym_cluster_embedded.telemetry.metrics.operations import Count
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.values import Floored, Member, Scaled, Summed
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_promql import Matcher, StoredSeries
from sregym_promql.storage import Laid

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.metrics.exposition import Value

SECONDS = np.linspace(-3.0, 130.0, 267)


def starts(chance: np.random.Generator, changes: int) -> list[float]:
    return sorted(chance.uniform(0.0, 100.0, changes).round(1).tolist())


def integral(seed: int, changes: int) -> Integral:
    chance = np.random.default_rng(seed)
    rates = chance.choice([0.0, 0.3, 7.7, 1e3], changes)
    return Integral(starts(chance, changes), rates, float(chance.choice([70.0, np.inf])))


def outcomes(seed: int, changes: int, errors: int) -> Outcomes:
    chance = np.random.default_rng(seed)
    shares = {f"e{number}": chance.uniform(0.0, 0.3, changes) for number in range(errors)}
    left = 1.0 - sum(shares.values(), np.zeros(changes))
    rates = chance.choice([0.0, 0.7, 55.5], changes)
    end = float(chance.choice([90.0, np.inf]))
    return Outcomes(starts(chance, changes), rates.tolist(), end, {**shares, "": left})  # type: ignore[dict-item]


def counts(seed: int) -> list[Value]:
    found: list[Value] = []
    for number, (changes, errors) in enumerate([(1, 0), (1, 0), (4, 0), (40, 0), (3, 2), (1, 1)]):
        of = outcomes(seed + number, changes, errors)
        for name in of.names:
            shares = np.random.default_rng(number).uniform(0.0, 1.0, (changes, 5)).cumsum(axis=1)
            parts = Parts(of, name, np.minimum(shares / 3, 1.0), number / 7)
            found.extend(Count(of, name, parts, bucket) for bucket in (4, 0, 2))
            found.append(Count(of, name))
    return found


def integrals(seed: int) -> list[Value]:
    return [integral(seed + number, changes) for number, changes in enumerate((1, 3, 1, 50, 2))]


def sums(_: int) -> list[Value]:
    parts = [integral(number, 1 + number % 3) for number in range(9)]
    return [
        Summed([Member(part, 10.0, 60.0) for part in parts[:count]], stays=count % 2 == 0)
        for count in (1, 4, 9, 2)
    ]


def others(seed: int) -> list[Value]:
    return [
        *(Scaled(integral(seed + number, 1 + number), 0.1 + number) for number in range(4)),
        Scaled(Steps([0.0, 20.0], [3.0, 4.0]), 0.7),
        Floored(Scaled(integral(seed, 2), 3.3)),
        42.5,
        Steps([5.0, 50.0, 60.0], [1.0, 9.0, -2.0]),
        lambda seconds: np.sin(seconds),
    ]


@pytest.mark.parametrize("make", [counts, integrals, sums, others])
def test_a_plan_gives_what_each_value_gives(make: Callable[[int], list[Value]]) -> None:
    for seed in range(5):
        values = make(seed * 100)
        plan = Plan(values)
        expected = np.array([v(SECONDS) if callable(v) else np.full(267, v) for v in values])
        assert plan.over(SECONDS).tobytes() == expected.tobytes()
        one_by_one = np.array([plan.at(float(second)) for second in SECONDS]).T
        # Minus zero is as good as zero.
        assert one_by_one.tolist() == expected.tolist()


def _nothing(_: Any) -> None:
    pass


def _changed(booth: Any) -> None:
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=1))
    booth.run(25)
    for pod in booth.pods("stock"):
        booth.delete("pods", pod)
    booth.run(40)


def plain(found: list[StoredSeries]) -> list[tuple[Any, bytes, bytes]]:
    return [(one.labels, one.times.tobytes(), one.values.tobytes()) for one in found]


@pytest.mark.parametrize("change", [pytest.param(_nothing, marks=pytest.mark.thorough), _changed])
def test_series_that_are_laid_out_are_those_that_are_put_together(
    booth: Any, change: Callable[[Any], None]
) -> None:
    change(booth)
    world, laid = booth.world, 0
    now_ms = round((world.epoch + world.now) * 1000)
    storage = WorldStorage(world)
    for start_ms, end_ms in ((now_ms - 60_000, now_ms), (now_ms - 250_000, now_ms - 31_500)):
        # By a pattern of names series are put together one by one.
        others: dict[str, list[StoredSeries]] = {}
        for one in storage.select([Matcher("__name__", "=~", ".+")], start_ms, end_ms):
            others.setdefault(dict(one.labels)["__name__"], []).append(one)
        for name in Catalogue(with_in_tree()).by_sample:
            found = storage.select([Matcher("__name__", "=", name)], start_ms, end_ms)
            assert plain(list(found)) == plain(others.get(name, []))
            laid += isinstance(found, Laid) and len(found) > 0
    assert laid > 100

"""Series of many targets are evaluated together: each as if it were alone."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from sregym_promql import Engine, Matcher, StoredSeries, labels_of

QUERIES = (
    "m",
    "m offset 47s",
    "rate(m[2m])",
    "increase(m[31s])",
    "delta(m[5m])",
    "rate(m[1h] @ 900)",
)


class Fixed:
    def __init__(self, series: Sequence[StoredSeries]) -> None:
        self._series = series

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        return self._series


def evenly(chance: Random, number: int) -> list[int]:
    return [number * 37 + step * 15_000 for step in range(100)]


def at_odds(chance: Random, number: int) -> list[int]:
    begin = chance.randrange(400_000)
    return [begin + step * 15_000 + chance.randrange(9000) for step in range(60 + number % 9)]


def with_gaps(chance: Random, number: int) -> list[int]:
    return [at for at in evenly(chance, number) if chance.random() < 0.8]


def series(how: object, number: int) -> StoredSeries:
    chance = Random(number)
    times = how(chance, number)  # type: ignore[operator]
    total, values = 0.0, []
    for _ in times:
        total = 0.0 if chance.random() < 0.05 else total + chance.randrange(9)
        values.append(total)
    labels = labels_of({"__name__": "m", "pod": f"p{number:02}"})
    return StoredSeries(labels, np.array(times, dtype=np.int64), np.array(values))


@pytest.mark.parametrize("how", [evenly, at_odds, with_gaps])
@pytest.mark.parametrize("query", QUERIES)
def test_together_as_alone(query: str, how: object) -> None:
    every = [series(how, number) for number in range(12)]
    together = Engine(Fixed(every))

    for start, end, step in ((0, 1600, 20), (731, 731, 1), (5000, 5100, 50)):
        alone = [
            (row.labels, row.times.tolist(), row.values.tolist())
            for one in every
            for row in Engine(Fixed([one])).range(query, start, end, step).series
        ]
        found = together.range(query, start, end, step).series
        assert [(row.labels, row.times.tolist(), row.values.tolist()) for row in found] == alone

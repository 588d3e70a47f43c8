"""What queries cost on 500 series of one metric, a sample every 15 s. Prints CPU milliseconds, the best of several runs.

python benchmarks/promql.py
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from sregym_promql import Engine, StoredSeries, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_promql import Matcher

SERIES = 500
POINTS = 120
STEP_S = 15
QUERIES = ("requests_total", "rate(requests_total[5m])", "sum by (job) (rate(requests_total[5m]))")


class Counters:
    """500 counters, scraped together or each on its own."""

    def __init__(self, *, together: bool) -> None:
        chance = np.random.default_rng(1)
        times = np.arange(600, dtype=np.int64) * STEP_S * 1000
        self._series = [
            StoredSeries(
                labels_of(
                    {"__name__": "requests_total", "pod": f"p{number:03}", "job": f"j{number % 7}"}
                ),
                times if together else times + number,
                np.cumsum(chance.random(len(times))),
            )
            for number in range(SERIES)
        ]

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        return self._series


def best_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(15):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken) * 1000


def main() -> None:
    for together in (True, False):
        engine = Engine(Counters(together=together))
        how = "one moment for all" if together else "a moment for each"
        for query in QUERIES:
            instant = best_ms(lambda query=query, engine=engine: engine.instant(query, 3000))
            ranged = best_ms(
                lambda query=query, engine=engine: engine.range(
                    query, 2000, 2000 + (POINTS - 1) * STEP_S, STEP_S
                )
            )
            print(
                f"{how:20} {query:45} instant {instant:6.2f} ms, {POINTS} points {ranged:6.2f} ms"
            )


if __name__ == "__main__":
    main()

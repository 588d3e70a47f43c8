"""What PromQL costs: reading queries, and evaluating them on 500 series of one metric, a sample every 15 s.

python benchmarks/promql.py

Prints CPU time, the best of several runs. Reading is compared with the package promql-parser (Rust) where that is
installed, and evaluating in both dialects.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sregym_promql import DIALECTS, PROMETHEUS_3, Engine, ParseError, StoredSeries, labels_of, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_promql import Matcher

SERIES = 500
POINTS = 120
STEP_S = 15
ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "plugins/sregym-promql/tests/data/queries.txt"
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
    reading()
    for together in (True, False):
        for dialect in DIALECTS:
            evaluating(Engine(Counters(together=together), dialect=dialect), together=together)


def reading() -> None:
    """Read each query of the corpus that all can read; nothing is kept between the runs."""
    queries = [line for line in CORPUS.read_text(encoding="utf-8").splitlines() if line]
    readers: dict[str, Callable[[str], object]] = {
        "sregym-promql": lambda query: parse.__wrapped__(query, PROMETHEUS_3)
    }
    try:
        import promql_parser
    except ImportError:
        print("promql-parser is not installed, reading is compared with nothing")
    else:
        readers["promql-parser"] = promql_parser.parse
    good = [query for query in queries if all(can_read(read, query) for read in readers.values())]
    for name, read in readers.items():
        known = sum(can_read(read, query) for query in queries)
        taken = best_ms(lambda read=read: [read(query) for query in good])
        each = taken / len(good) * 1000
        print(f"{name:20} reads {known} of {len(queries)} queries, {each:6.1f} us each")


def can_read(read: Callable[[str], object], query: str) -> bool:
    try:
        read(query)
    except (ParseError, ValueError):
        return False
    return True


def evaluating(engine: Engine, *, together: bool) -> None:
    how = "one moment for all" if together else "a moment for each"
    end = 2000 + (POINTS - 1) * STEP_S
    for query in QUERIES:
        instant = best_ms(lambda query=query: engine.instant(query, 3000))
        ranged = best_ms(lambda query=query: engine.range(query, 2000, end, STEP_S))
        print(
            f"{how:20} {engine.dialect.name:5} {query:45} instant {instant:6.2f} ms, "
            f"{POINTS} points {ranged:6.2f} ms"
        )


if __name__ == "__main__":
    main()

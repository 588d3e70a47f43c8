"""Of rows with the same value, `topk` and `bottomk` give those that Prometheus gives."""

from __future__ import annotations

import pytest
from sregym_promql import Engine
from sregym_promql.memory import Memory, parse_openmetrics


@pytest.mark.parametrize(
    ("values", "query", "rows"),
    [
        # What was smallest so far goes first when something larger comes: of two, the first.
        ("2 2 3", "topk(2, m)", "c b"),
        ("3 3 2", "bottomk(2, m)", "c b"),
        ("3 3 2", "topk(2, m)", "a b"),
        ("1 2 2 2", "topk(3, m)", "c b d"),
        ("1 1 1 1", "topk(1, m)", "a"),
        ("NaN 2 NaN 1", "topk(3, m)", "b d a"),
        ("NaN NaN 1", "bottomk(3, m)", "c a b"),
        ("2 1", "topk(0, m)", ""),
        ("2 1", "topk(9, m)", "a b"),
    ],
)
def test_which_rows_stay(values: str, query: str, rows: str) -> None:
    samples = [f'm{{r="{"abcd"[n]}"}} {value} 0' for n, value in enumerate(values.split())]
    engine = Engine(Memory(parse_openmetrics("\n".join(samples))))

    assert [dict(labels)["r"] for labels, _ in engine.instant(query, 0).rows] == rows.split()
    ranged = engine.range(query, 0, 60, 60).series
    assert [dict(series.labels)["r"] for series in ranged] == sorted(rows.split())

"""Aggregations and operators: query over a few lines -> all rows at second 10."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_logql import Engine

NS = 1_000_000_000

# Seconds 1 to 6; of `p` two streams, one line of `q`.
LINES = (
    "app=p pod=x :: v=1 l=i",
    "app=p pod=y :: v=10 l=e",
    "app=p pod=x :: v=2 l=i",
    "app=p pod=y :: v=20 l=i",
    "app=p pod=x :: v=4 l=e",
    "app=q :: v=7 d=1500ms s=2KB",
)
OVER_RANGE = [
    # At second 10 a range of 10 seconds holds all, one of 6 seconds those after second 4.
    ('count_over_time({app="p"}[10s])', "app=p pod=x 3", "app=p pod=y 2"),
    ('count_over_time({app="p"}[6s])', "app=p pod=x 1"),
    ('count_over_time({app="p"}[7s])', "app=p pod=x 1", "app=p pod=y 1"),
    ('count_over_time({app="p"}[10s] offset 6s)', "app=p pod=x 2", "app=p pod=y 2"),
    ('count_over_time({app="p"}[10s] offset -1s)', "app=p pod=x 2", "app=p pod=y 2"),
    ('count_over_time({app="nope"}[10s])',),
    ('count_over_time({app="p"} |= "l=e" [10s])', "app=p pod=x 1", "app=p pod=y 1"),
    ('count_over_time({app="p"}[10s] |= "l=e")', "app=p pod=x 1", "app=p pod=y 1"),
    ('count_over_time(({app="p"} |= "l=e")[10s])', "app=p pod=x 1", "app=p pod=y 1"),
    ('count_over_time({app="p"} | logfmt | l="e" | drop v [10s])', "app=p l=e pod=x 1", "app=p l=e pod=y 1"),
    ('count_over_time({app="p"} | logfmt [10s] offset 6s)', "app=p l=e pod=y v=10 1", "app=p l=i pod=x v=1 1", "app=p l=i pod=x v=2 1", "app=p l=i pod=y v=20 1"),
    ('rate({app="p"}[10s])', "app=p pod=x 0.3", "app=p pod=y 0.2"),
    ('rate({app="p"} | logfmt | unwrap v | drop_nothing="" [10s])', "app=p l=e pod=x 0.4", "app=p l=e pod=y 1", "app=p l=i pod=x 0.3", "app=p l=i pod=y 2"),
    ('bytes_over_time({app="p"}[10s])', "app=p pod=x 21", "app=p pod=y 16"),
    ('bytes_rate({app="p"}[10s])', "app=p pod=x 2.1", "app=p pod=y 1.6"),
    ('absent_over_time({app="p"}[10s])',),
    ('absent_over_time({app="p"}[4s])', "app=p 1"),
    ('absent_over_time({app="nope", pod=~".+"}[10s])', "app=nope 1"),
    ('absent_over_time({app="nope", app="none"}[10s])', "1"),
    ('absent_over_time({app="p"} | logfmt | l="none" [10s])', "app=p 1"),
    ('sum_over_time({app="p"} | logfmt | unwrap v [10s])', "app=p l=e pod=x 4", "app=p l=e pod=y 10", "app=p l=i pod=x 3", "app=p l=i pod=y 20"),
    ('sum_over_time({app="p"}[10s] | logfmt | unwrap v)', "app=p l=e pod=x 4", "app=p l=e pod=y 10", "app=p l=i pod=x 3", "app=p l=i pod=y 20"),
    ('avg_over_time({app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 2.333333333333333", "pod=y 15"),
    ('avg_over_time({app="p"} | logfmt | unwrap v [10s]) without (l, app)', "pod=x 2.333333333333333", "pod=y 15"),
    ('avg_over_time({app="p"} | logfmt | unwrap v [10s]) by ()', "7.4"),
    ('max_over_time({app="p"} | logfmt | unwrap v [10s]) by (l)', "l=e 10", "l=i 20"),
    ('min_over_time({app="p"} | logfmt | unwrap v [10s]) by (l)', "l=e 4", "l=i 1"),
    ('first_over_time({app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 1", "pod=y 10"),
    ('last_over_time({app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 4", "pod=y 20"),
    ('stdvar_over_time({app="p"} | logfmt | unwrap v [10s]) by (l)', "l=e 9", "l=i 76.22222222222221"),
    ('stddev_over_time({app="p"} | logfmt | unwrap v [10s]) by (l)', "l=e 3", "l=i 8.73053390247253"),
    ('quantile_over_time(0.5, {app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 2", "pod=y 15"),
    ('quantile_over_time(1, {app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 4", "pod=y 20"),
    ('quantile_over_time(0, {app="p"} | logfmt | unwrap v [10s]) by (pod)', "pod=x 1", "pod=y 10"),
    ('sum_over_time({app="q"} | logfmt | unwrap duration(d) [10s])', "app=q s=2KB v=7 1.5"),
    ('sum_over_time({app="q"} | logfmt | unwrap duration_seconds(d) [10s])', "app=q s=2KB v=7 1.5"),
    ('sum_over_time({app="q"} | logfmt | unwrap bytes(s) [10s])', "app=q d=1500ms v=7 2000"),
    ('sum_over_time({app="q"} | logfmt | unwrap v | v > 5 [10s])', "app=q d=1500ms s=2KB 7"),
    ('sum_over_time({app="q"} | logfmt | unwrap v | v > 50 [10s])',),
    ('sum_over_time({app="q"} | logfmt | unwrap nope [10s])',),
    ('sum_over_time({app="q"} | logfmt | unwrap d | __error__="" [10s])',),
    ('sum_over_time({app="p"} | logfmt | unwrap v [10s] offset 6s)', "app=p l=e pod=y 10", "app=p l=i pod=x 3", "app=p l=i pod=y 20"),
    ('count_over_time({app="p"} | json | __error__="" [10s])',),
    ('count_over_time({app="p"} | json | __error__!="" | drop __error__, __error_details__ [10s])', "app=p pod=x 3", "app=p pod=y 2"),
]  # fmt: skip

COUNTS = 'count_over_time({app=~"p|q"}[10s])'  # 3 of x, 2 of y, 1 of q
OVER_VECTOR = [
    (f"sum({COUNTS})", "6"),
    (f"sum by (app) ({COUNTS})", "app=p 5", "app=q 1"),
    (f"sum({COUNTS}) by (app)", "app=p 5", "app=q 1"),
    (f"sum without (pod) ({COUNTS})", "app=p 5", "app=q 1"),
    (f"sum by (nope) ({COUNTS})", "6"),
    (f"sum by () ({COUNTS})", "6"),
    (f"avg by (app) ({COUNTS})", "app=p 2.5", "app=q 1"),
    (f"min({COUNTS})", "1"),
    (f"max({COUNTS})", "3"),
    (f"count by (app) ({COUNTS})", "app=p 2", "app=q 1"),
    (f"stddev by (app) ({COUNTS})", "app=p 0.5", "app=q 0"),
    (f"stdvar by (app) ({COUNTS})", "app=p 0.25", "app=q 0"),
    (f"topk(1, {COUNTS})", "app=p pod=x 3"),
    (f"topk(2, {COUNTS})", "app=p pod=x 3", "app=p pod=y 2"),
    (f"topk by (app) (1, {COUNTS})", "app=p pod=x 3", "app=q 1"),
    (f"bottomk(1, {COUNTS})", "app=q 1"),
    (f"approx_topk(1, {COUNTS})", "app=p pod=x 3"),
    (f"sort({COUNTS})", "app=q 1", "app=p pod=y 2", "app=p pod=x 3"),
    (f"sort_desc({COUNTS})", "app=p pod=x 3", "app=p pod=y 2", "app=q 1"),
    (f"max(sum by (app) ({COUNTS}))", "5"),
    ('sum by (l) (count_over_time({app="p"} | logfmt [10s]))', "l=e 2", "l=i 3"),
    ('sum(count_over_time({app="p"} | json [10s]))', "5"),
    (f"SUM BY (app) ({COUNTS})", "app=p 5", "app=q 1"),
]

OPERATORS = [
    ("1 + 2 * 3 ^ 2", "19"),
    ("2 ^ 3 ^ 2", "512"),
    ("(1 + 2) * 3", "9"),
    ("10 % 4 - 1", "1"),
    ("-1 + 3", "2"),
    ("1 / 0", "NaN"),
    ("2 > 1", "1"),
    ("2 == bool 1", "0"),
    ("vector(1) + vector(2)", "3"),
    ("vector(0)", "0"),
    (f"sum({COUNTS}) or vector(0)", "6"),
    ('sum(count_over_time({app="nope"}[10s])) or vector(0)', "0"),
    (f"{COUNTS} * 2", "app=p pod=x 6", "app=p pod=y 4", "app=q 2"),
    (f"10 - {COUNTS}", "app=p pod=x 7", "app=p pod=y 8", "app=q 9"),
    (f"{COUNTS} / 0", "app=p pod=x NaN", "app=p pod=y NaN", "app=q NaN"),
    (f"{COUNTS} > 1", "app=p pod=x 3", "app=p pod=y 2"),
    (f"{COUNTS} > bool 1", "app=p pod=x 1", "app=p pod=y 1", "app=q 0"),
    (f"{COUNTS} >= 2", "app=p pod=x 3", "app=p pod=y 2"),
    (f"{COUNTS} < 2", "app=q 1"),
    (f"{COUNTS} <= 1", "app=q 1"),
    (f"{COUNTS} == 2", "app=p pod=y 2"),
    (f"{COUNTS} != 2", "app=p pod=x 3", "app=q 1"),
    (f"2 < {COUNTS}", "app=p pod=x 3"),
    (f"{COUNTS} + {COUNTS}", "app=p pod=x 6", "app=p pod=y 4", "app=q 2"),
    (f"{COUNTS} and {COUNTS} > 2", "app=p pod=x 3"),
    (f"{COUNTS} unless {COUNTS} > 2", "app=p pod=y 2", "app=q 1"),
    (f"{COUNTS} > 2 or {COUNTS} < 2", "app=p pod=x 3", "app=q 1"),
    (f"{COUNTS} and on (app) {COUNTS} > 2", "app=p pod=x 3", "app=p pod=y 2"),
    (f"{COUNTS} / on (app) group_left sum by (app) ({COUNTS})", "app=p pod=x 0.6", "app=p pod=y 0.4", "app=q 1"),
    (f"{COUNTS} / ignoring (pod) group_left () sum by (app) ({COUNTS})", "app=p pod=x 0.6", "app=p pod=y 0.4", "app=q 1"),
    (f"sum by (app) ({COUNTS}) * on (app) group_right {COUNTS}", "app=p pod=x 15", "app=p pod=y 10", "app=q 1"),
    (f"sum by (app) ({COUNTS}) / on (app) sum by (app) ({COUNTS})", "app=p 1", "app=q 1"),
    (f'label_replace({COUNTS}, "to", "$1-x", "app", "(.*)")', "app=p pod=x to=p-x 3", "app=p pod=y to=p-x 2", "app=q to=q-x 1"),
    (f'label_replace({COUNTS}, "app", "", "pod", "x")', "pod=x 3", "app=p pod=y 2", "app=q 1"),
    (f"sum({COUNTS}) # all\n/ # of\nsum({COUNTS})", "1"),
]  # fmt: skip


@pytest.mark.parametrize("row", OVER_RANGE + OVER_VECTOR + OPERATORS, ids=lambda row: row[0])
def test_values(ask_value: Any, row: tuple[str, ...]) -> None:
    query, *expected = row
    assert ask_value(query, LINES) == expected


def test_a_counter_that_starts_again(ask_value: Any) -> None:
    """Second 1 to 5: 2, 4, 1, 3, 5. It grew by 2 + 1 + 2 + 2 in 4 s, less than 5 s from the ends."""
    lines = [f"app=c :: v={value}" for value in (2, 4, 1, 3, 5)]
    # As Prometheus: half a step is added at the end, the beginning is bound by the value zero.
    rows = ask_value('rate_counter({app="c"} | logfmt | unwrap v [10s])', lines)
    assert rows == ["app=c 0.9625000000000001"]


def test_lines_of_one_moment_all_count() -> None:
    from sregym_logql import Entry
    from sregym_logql.memory import Memory

    labels = (("app", "a"),)
    engine = Engine(Memory([(labels, Entry(5 * NS, "same"))] * 3))
    assert engine.instant('count_over_time({app="a"}[1s])', 5 * NS).rows == [(labels, 3.0)]
    # A range is open at its old end.
    assert engine.instant('count_over_time({app="a"}[1s])', 6 * NS).rows == []


def test_a_range_of_steps(lines_of: Any) -> None:
    engine = Engine(lines_of(LINES))
    answer = engine.range('count_over_time({app="p"}[2s])', 2 * NS, 8 * NS, 2 * NS)
    found = [(one.labels, one.times.tolist(), one.values.tolist()) for one in answer.series]
    assert found == [
        ((("app", "p"), ("pod", "x")), [2000, 4000, 6000], [1.0, 1.0, 1.0]),
        ((("app", "p"), ("pod", "y")), [2000, 4000], [1.0, 1.0]),
    ]
    constant = engine.range("vector(3)", 0, 4 * NS, 2 * NS)
    assert [(one.labels, one.values.tolist()) for one in constant.series] == [((), [3.0, 3.0, 3.0])]

"""Warnings and infos are those of Prometheus 3, with their places."""

from __future__ import annotations

import pytest
from sregym_promql import Engine
from sregym_promql.memory import Memory, Sample
from sregym_promql.response_json import annotations_json
from sregym_promql.samples import labels_of
from sregym_promql.script import run_script

LOAD = """
load 1m
  temperature{room="a"} 1 2 3 4
  temperature{room="b"} 1 2 3 4
  requests_total 0+60x3
  took_bucket{le="1"} 0+10x3
  took_bucket{le="5"} 0+7x3
  took_bucket{le="+Inf"} 0+20x3
  close_bucket{le="1"} 1.00000000000001 1.00000000000001 1.00000000000001 1.00000000000001
  close_bucket{le="+Inf"} 1 1 1 1
  odd_bucket{le="much"} 1 1 1 1
  odd_bucket 1 1 1 1

"""
COUNTER = (
    "PromQL info: metric might not be a counter, name does not end in "
    '_total/_sum/_count/_bucket: "temperature"'
)
QUANTILE = "PromQL warning: quantile value should be between 0 and 1, got"
FORCED = (
    "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
    "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)"
)
BOUND = 'PromQL warning: bucket label "le" is missing or has a malformed value of'


@pytest.fixture(scope="module")
def engine() -> Engine:
    rows = {
        ("temperature", "room", "a"): (1.0, 2.0, 3.0, 4.0),
        ("temperature", "room", "b"): (1.0, 2.0, 3.0, 4.0),
        ("requests_total", "", ""): (0.0, 60.0, 120.0, 180.0),
        ("took_bucket", "le", "1"): (0.0, 10.0, 20.0, 30.0),
        ("took_bucket", "le", "5"): (0.0, 7.0, 14.0, 21.0),
        ("took_bucket", "le", "+Inf"): (0.0, 20.0, 40.0, 60.0),
        ("close_bucket", "le", "1"): (1 + 1e-14,) * 4,
        ("close_bucket", "le", "+Inf"): (1.0,) * 4,
        ("odd_bucket", "le", "much"): (1.0,) * 4,
        ("odd_bucket", "", ""): (1.0,) * 4,
    }
    samples = [
        Sample(labels_of({"__name__": name, label: value}), minute * 60_000, number)
        for (name, label, value), numbers in rows.items()
        for minute, number in enumerate(numbers)
    ]
    return Engine(Memory(samples))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rate(requests_total[3m])", {}),
        ("rate(temperature[3m])", {"infos": [f"{COUNTER} (1:6)"]}),
        ("sum(increase(temperature[3m]))", {"infos": [f"{COUNTER} (1:14)"]}),
        ("delta(temperature[3m])", {}),
        ("irate(temperature[3m])", {}),
        # Nothing comes of it, so nothing is said.
        ("rate(temperature[1s])", {}),
        ("rate(nothing[3m])", {}),
        ('rate({__name__=~"temp.*|req.*"}[3m])', {"infos": [f"{COUNTER} (1:6)"]}),
        ("rate(temperature[3m:1m])", {"infos": [f"{COUNTER} (1:6)"]}),
        ("rate((temperature + 0)[3m:1m])", {}),
        (
            "sum(rate(temperature[3m])) /\n  sum(rate(temperature[3m]))",
            {"infos": [f"{COUNTER} (1:10)", f"{COUNTER} (2:12)"]},
        ),
        ("max_over_time(rate(temperature[1m])[2m:1m])", {"infos": [f"{COUNTER} (1:20)"]}),
        ("quantile(0.5, temperature)", {}),
        ("quantile(1.5, temperature)", {"warnings": [f"{QUANTILE} 1.5 (1:10)"]}),
        ("quantile(-0.25, nothing)", {"warnings": [f"{QUANTILE} -0.25 (1:10)"]}),
        ("quantile by (room) (NaN, temperature)", {"warnings": [f"{QUANTILE} NaN (1:21)"]}),
        ("quantile(1e6, temperature)", {"warnings": [f"{QUANTILE} 1e+06 (1:10)"]}),
        ("quantile(123456, temperature)", {"warnings": [f"{QUANTILE} 123456 (1:10)"]}),
        ("quantile(-0.00001, temperature)", {"warnings": [f"{QUANTILE} -1e-05 (1:10)"]}),
        ("quantile_over_time(2, temperature[3m])", {"warnings": [f"{QUANTILE} 2 (1:20)"]}),
        ("quantile_over_time(2, nothing[3m])", {}),
        ("quantile_over_time((+Inf), temperature[3m])", {"warnings": [f"{QUANTILE} +Inf (1:20)"]}),
        ("histogram_quantile(7, nothing)", {"warnings": [f"{QUANTILE} 7 (1:20)"]}),
        ("histogram_quantile(0.5, took_bucket)", {"infos": [f"{FORCED} (1:25)"]}),
        ("histogram_quantile(-1, took_bucket)", {"warnings": [f"{QUANTILE} -1 (1:20)"]}),
        ("histogram_quantile(0.5, close_bucket)", {}),
        ('histogram_quantile(0.5, took_bucket{le!="+Inf"})', {}),
        (
            "histogram_quantile(0.5, odd_bucket)",
            {
                "warnings": [
                    f'{BOUND} "" for metric name "odd_bucket" (1:25)',
                    f'{BOUND} "much" for metric name "odd_bucket" (1:25)',
                ]
            },
        ),
        (
            "histogram_quantile(0.5, sum by (le) (rate(odd_bucket[3m])))",
            {"warnings": [f'{BOUND} "" (1:25)', f'{BOUND} "much" (1:25)']},
        ),
    ],
)
def test_what_is_said_of_an_answer(
    engine: Engine, query: str, expected: dict[str, list[str]]
) -> None:
    assert annotations_json(engine.instant(query, 180.0).notes, query) == expected
    ranged = engine.range(query, 180.0, 180.0, 60.0)
    assert annotations_json(ranged.notes, query) == expected


def test_of_many_levels_ten_are_told(engine: Engine) -> None:
    query = "quantile(time(), temperature)"
    found = annotations_json(engine.range(query, 2.0, 15.0, 1.0).notes, query)
    levels = (10, 11, 12, 13, 14, 15, 2, 3, 4, 5)
    told = [f"{QUANTILE} {level} (1:10)" for level in levels]
    assert found == {"warnings": [*told, "4 more warning annotations omitted"]}


@pytest.mark.parametrize(
    ("query", "expect", "why"),
    [
        ("quantile(2, temperature)", "expect warn", ""),
        ("quantile(0.5, temperature)", "expect warn", "expected a warning, got none"),
        ("rate(temperature[3m])", "expect info", ""),
        (
            "rate(temperature[3m])",
            "expect info msg: something else",
            f"expected an info 'something else', got {[COUNTER]}",
        ),
        (
            "rate(temperature[3m])",
            "expect info regex: some.* else",
            f"expected an info like 'some.* else', got {[COUNTER]}",
        ),
        ("rate(temperature[3m])", "expect no_info", f"not expected: {COUNTER!r}"),
        ("rate(temperature[3m])", "expect no_warn", ""),
        ("rate(temperature[3m])", f"expect info msg: {COUNTER}", ""),
        (
            "quantile(2, rate(temperature[3m])) + quantile(3, temperature)",
            f"expect warn msg: {QUANTILE} 2",
            f"not expected: '{QUANTILE} 3'",
        ),
    ],
)
def test_scripts_check_what_is_said(query: str, expect: str, why: str) -> None:
    (checked,) = run_script(
        f"{LOAD}eval instant at 3m count({query}) * 0\n  {expect}\n  {{}} 0\n"
    ).checked
    assert (checked.ok, checked.why) == (not why, why)

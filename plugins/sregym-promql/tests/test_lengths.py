"""Lengths of ranges, steps and offsets that are expressions."""

from __future__ import annotations

import pytest
from sregym_promql import (
    PROMETHEUS_3,
    Engine,
    EvaluationError,
    Memory,
    ParseError,
    line,
    parse,
    parse_as_written,
    run_script,
)
from sregym_promql.lengths import Query, resolved
from sregym_promql.nodes import Range, Selector, Subquery


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("300", 300_000),
        ("1.5", 1500),
        ("5m + 1m", 360_000),
        ("1h - 2 * 10m", 2_400_000),
        ("(1h - 2) * 10", 35_980_000),
        ("2 ^ 3 ^ 2", 512_000),
        ("1h / 4 % 7m", 60_000),
        ("-1m + 2m", 60_000),
        ("-(2 - 3)", 1000),
        ("step()", 30_000),
        ("STEP() * 2", 60_000),
        ("range() / 2", 300_000),
        ("min(step(), 10s)", 10_000),
        ("max(step(), 10s) + 1", 31_000),
    ],
)
def test_a_range_is_as_long_as_its_expression(text: str, milliseconds: int) -> None:
    query = Query(step_s=30, span_s=600)

    ranged = resolved(parse(f"m[{text}]", PROMETHEUS_3), query)
    moved = resolved(parse(f"m offset -({text})", PROMETHEUS_3), query)
    stepped = resolved(parse(f"m[1h:{text}]", PROMETHEUS_3), query)

    assert isinstance(ranged, Range)
    assert isinstance(moved, Selector)
    assert isinstance(stepped, Subquery)
    found = (ranged.range_ms, moved.moment.offset_ms, stepped.step_ms)
    assert found == (milliseconds, -milliseconds, milliseconds)


def test_steps_are_those_of_the_query() -> None:
    script = """\
load 10s
  m 0+1x60

eval range from 5m to 6m step 30s count_over_time(m[step()])
  {} 3 3 3

eval range from 5m to 6m step 30s m offset (2 * step())
  m 24 27 30

eval range from 5m to 6m step 30s m offset step() * 2
  {} 54 60 66

eval range from 5m to 6m step 30s sum_over_time(m[1m:min(step(), 20s)]) + range()
  {} 141 153 153
"""
    outcome = run_script(script, PROMETHEUS_3)
    assert [one.why for one in outcome.checked[:3]] == ["", "", ""]
    assert outcome.checked[3].got["result"][0]["metric"] == {}


@pytest.mark.parametrize(
    "query",
    [
        "m[5m + 1m]",
        "m[(5m + 1m) * 2s]",
        "m[5m - (1m - 1s)]",
        "m[2s ^ 3s ^ 2s]",
        "m[(2s ^ 3s) ^ 2s]",
        "m[-step() + 1h]",
        "m[1h:min(step(), 20s)] offset (1m * 2s)",
        "m offset step()",
        "rate(m[5m] smoothed offset 1m)",
        "m smoothed",
        'sum by ("a b") ({"m.n","x y"="1",z="2"})',
        "a + on (x) group_left (y) fill (0) b",
        "a + fill_left (1) fill_right (2) b",
    ],
)
def test_what_is_read_is_written(query: str) -> None:
    written = line(parse_as_written(query, PROMETHEUS_3))

    assert written == query
    assert parse(written, PROMETHEUS_3) == parse(query, PROMETHEUS_3)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (f"m[1{' + 1' * 101}]", "1:3: parse error: too many operators in a duration: 100"),
        (f"m[{'(' * 999}1{')' * 999}]", "1:1: parse error: the query is nested too deeply"),
        (f"m[{'-' * 999}1]", "1:1: parse error: the query is nested too deeply"),
    ],
)
def test_lengths_of_too_many_parts_are_refused(query: str, why: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse(query, PROMETHEUS_3)
    assert str(raised.value) == why


@pytest.mark.parametrize("text", ["(1e308 * 10) % 2", "(-2) ^ 0.5", "0 ^ -1", "9 ^ 9 ^ 9 ^ 9"])
def test_lengths_that_are_no_numbers_are_refused(text: str) -> None:
    with pytest.raises(EvaluationError):
        Engine(Memory([]), dialect=PROMETHEUS_3).instant(f"m[{text}]", 0)
    with pytest.raises(EvaluationError):
        Engine(Memory([]), dialect=PROMETHEUS_3).instant(f"m offset ({text})", 0)


def test_a_step_of_less_than_a_millisecond_is_that_of_the_engine() -> None:
    script = "load 1m\n  m 1+1x9\n\neval instant at 5m count_over_time(m[5m:0.0001])\n  {} 5\n"
    assert [one.why for one in run_script(script, PROMETHEUS_3).checked] == [""]

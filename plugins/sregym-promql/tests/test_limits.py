"""Queries that are refused, and never by running out of memory."""

from __future__ import annotations

import pytest
from sregym_promql import Engine, EvaluationError, ParseError
from sregym_promql.memory import (
    Memory,
    SamplesError,
    parse_openmetrics,
)

SAMPLES = 'up{job="a"} 1 0\nup{job="b"} 1 0\nup{job="a"} 0 60\n'
TOO_MANY = "query processing would load too many samples into memory in query execution"


@pytest.fixture
def engine() -> Engine:
    return Engine(Memory(parse_openmetrics(SAMPLES)), most_samples=100)


@pytest.mark.parametrize(
    "query", ["sum_over_time(vector(1)[10y:1ms])", "count_over_time(up[2h:1m])"]
)
def test_too_many_samples(engine: Engine, query: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        engine.instant(query, 3600)

    assert str(refused.value) == TOO_MANY


def test_too_many_points(engine: Engine) -> None:
    with pytest.raises(ParseError) as refused:
        engine.range("up", 0, 11_001, 1)

    assert str(refused.value) == (
        "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
        "resolution (?step=XX)"
    )


@pytest.mark.parametrize(
    ("query", "kind"),
    [("up[5m]", "range vector"), ("up[5m:1m]", "range vector"), ('"a"', "string")],
)
def test_ranges_of_what_is_no_vector(engine: Engine, query: str, kind: str) -> None:
    with pytest.raises(ParseError) as refused:
        engine.range(query, 0, 60, 15)

    assert str(refused.value) == (
        f'invalid expression type "{kind}" for range query, must be Scalar or instant Vector'
    )


@pytest.mark.parametrize(
    "query",
    ["(" * 5000 + "1" + ")" * 5000, "1" + "+0" * 5000, "up" + " or up" * 900, "-" * 900 + "up"],
)
def test_queries_nested_too_deeply(engine: Engine, query: str) -> None:
    with pytest.raises(ParseError) as refused:
        engine.instant(query, 0)

    assert str(refused.value) == "1:1: parse error: the query is nested too deeply"


def test_long_chains_of_operators(engine: Engine) -> None:
    assert engine.instant("1" + "+1" * 200, 0).rows == (((), 201.0),)
    assert len(engine.instant("up" + " or up" * 200, 0).rows) == 2


@pytest.mark.parametrize("query", ["", "  ", "# nothing"])
def test_queries_that_are_empty(engine: Engine, query: str) -> None:
    with pytest.raises(ParseError) as refused:
        engine.instant(query, 0)

    assert str(refused.value) == "1:1: parse error: no expression found in input"


@pytest.mark.parametrize("at", [1e300, -1e300, 2**62])
def test_moments_beyond_all_samples(engine: Engine, at: float) -> None:
    assert engine.instant("up", at).rows == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("up 1", "line 1: the sample has no time: 'up 1'"),
        ("# c\nup", "line 2: not a sample: 'up'"),
        ("up{a=b} 1 2", "line 1: labels that cannot be read: 'a=b'"),
        ("up one 2", "line 1: not a number: 'one'"),
    ],
)
def test_samples_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(SamplesError) as refused:
        parse_openmetrics(text)

    assert str(refused.value) == message


def test_quantiles_of_histograms_that_differ_in_nothing_but_their_names() -> None:
    rows = [f'{name}_bucket{{le="{le}"}} 1 0\n' for name in ("a", "b") for le in ("1", "+Inf")]
    alike = Engine(Memory(parse_openmetrics("".join(rows))))

    with pytest.raises(EvaluationError) as refused:
        alike.instant('histogram_quantile(0.5, {le=~".+"})', 0)

    assert str(refused.value) == "vector cannot contain metrics with the same labelset"
    assert alike.instant("histogram_quantile(0.5, a_bucket)", 0).rows == [((), 0.5)]

"""What Prometheus 3 reads and answers otherwise than 2.42, each with both of them side by side."""

from __future__ import annotations

import pytest
from sregym_promql import (
    DIALECTS,
    PROMETHEUS_2,
    PROMETHEUS_3,
    Dialect,
    Engine,
    EvaluationError,
    Memory,
    ParseError,
    Sample,
    dialect_named,
    labels_of,
    run_script,
)

LOADED = """\
load 1m
  hits_total{pod="a"} 0+6x20
  hits_total{pod="b"} 0+12x20
  errors_total{pod="a"} 0+1x20
  depth{pod="a"} 1 2 8 2 1 1 1 1 1 1 1
  depth{pod="b"} 5 4 3 2 1 0 1 2 3 4 5

"""


def good(evaluation: str, dialect: Dialect, loaded: str = LOADED) -> list[str]:
    """What differs from a script's expectation; nothing when all is as expected."""
    outcome = run_script(loaded + evaluation, dialect)
    assert [one.why for one in outcome.unread] == []
    return [one.why or "ok" for one in outcome.checked]


@pytest.mark.parametrize(
    ("query", "in_2", "in_3"),
    [
        # A sample at the very begin of a range.
        ('count_over_time(hits_total{pod="a"}[5m])', '{pod="a"} 6', '{pod="a"} 5'),
        ('sum_over_time(hits_total{pod="a"}[2m:1m])', '{pod="a"} 162', '{pod="a"} 114'),
        ('count_over_time(hits_total{pod="a"}[5m] offset 1m)', '{pod="a"} 6', '{pod="a"} 5'),
        # Names of metrics below a function.
        ("sum by (__name__) (rate(errors_total[5m]))", "{} 0.0166666666", "{} 0.0166666666"),
        (
            'label_replace(abs(errors_total), "what", "$1", "__name__", "(.*)")',
            '{pod="a"} 10',
            '{pod="a", what="errors_total"} 10',
        ),
        (
            'label_replace(abs(errors_total), "__name__", "x_$1", "__name__", "(.*)")',
            '{__name__="x_", pod="a"} 10',
            'x_errors_total{pod="a"} 10',
        ),
        (
            'sum(rate({__name__=~"(hits|errors)_total", pod="a"}[5m]))',
            None,
            "{} 0.1166666666",
        ),
        ('errors_total atan2 1', 'errors_total{pod="a"} 1.4711276743', '{pod="a"} 1.4711276743'),
        ("-errors_total", '{pod="a"} -10', '{pod="a"} -10'),
        ("errors_total > bool 3", '{pod="a"} 1', '{pod="a"} 1'),
    ],
)  # fmt: skip
def test_answers(query: str, in_2: str | None, in_3: str) -> None:
    for dialect, expected in ((PROMETHEUS_2, in_2), (PROMETHEUS_3, in_3)):
        wanted = "  expect fail" if expected is None else f"  {expected}"
        assert good(f"eval instant at 10m {query}\n{wanted}\n", dialect) == ["ok"]


def test_the_look_back_leaves_out_its_very_begin() -> None:
    engines = [Engine(Memory([Sample(labels_of({"a": "b"}), 0, 1.0)]), dialect=d) for d in DIALECTS]

    found = [[len(one.instant('{a="b"}', at).rows) for at in (299.999, 300)] for one in engines]

    assert found == [[1, 1], [1, 0]]


def test_two_metrics_that_lose_their_names_are_one_only_in_the_end() -> None:
    loaded = "load 1m\n  a 1\n  b 2\n\n"
    both = 'abs({__name__=~"a|b"})'

    assert good(f"eval instant at 0 {both}\n  expect fail\n", PROMETHEUS_3, loaded) == ["ok"]
    assert good(f"eval instant at 0 sum({both})\n  {{}} 3\n", PROMETHEUS_3, loaded) == ["ok"]
    assert good(f"eval instant at 0 sum({both})\n  expect fail\n", PROMETHEUS_2, loaded) == ["ok"]


def test_a_dot_matches_a_newline() -> None:
    storage = Memory([Sample(labels_of({"__name__": "m", "text": "a\nb"}), 0, 1.0)])
    queries = ('m{text=~"a.b"}', 'm{text!~"a.b"}')

    found = {
        dialect.name: [len(Engine(storage, dialect=dialect).instant(q, 0).rows) for q in queries]
        for dialect in DIALECTS
    }

    assert found == {"2.42": [0, 1], "3": [1, 0]}
    relabelled = 'label_replace(m, "found", "$1", "text", "(a.b)")'
    [(labels, _)] = Engine(storage, dialect=PROMETHEUS_3).instant(relabelled, 0).rows
    assert dict(labels) == {"__name__": "m", "text": "a\nb", "found": "a\nb"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Some series, whatever their values are.
        ("count(limitk(1, hits_total) and hits_total)", ["{} 1"]),
        ("count(limitk(9, hits_total))", ["{} 2"]),
        ("limitk(0, hits_total)", []),
        ("count(limitk by (pod) (1, hits_total))", ["{} 2"]),
        ("count(limit_ratio(0.3, hits_total) or limit_ratio(-0.7, hits_total))", ["{} 2"]),
        ("limit_ratio(0.3, hits_total) and limit_ratio(-0.7, hits_total)", []),
        ("count(limit_ratio(-1, hits_total))", ["{} 2"]),
        # Functions that came later.
        ('first_over_time(depth{pod="a"}[9m])', ['depth{pod="a"} 8']),
        ('mad_over_time(depth{pod="b"}[9m])', ['{pod="b"} 1']),
        ('ts_of_first_over_time(depth{pod="a"}[9m])', ['{pod="a"} 120']),
        ('ts_of_last_over_time(depth{pod="a"}[9m])', ['{pod="a"} 600']),
        ('ts_of_max_over_time(depth{pod="a"}[9m])', ['{pod="a"} 120']),
        ('ts_of_min_over_time(depth{pod="a"}[9m])', ['{pod="a"} 600']),
        ('double_exponential_smoothing(hits_total{pod="a"}[5m], 0.5, 0.5)', ['{pod="a"} 60']),
        ("start() + end() + step() + range()", ["1200"]),
        ("5m / 1m + 1_000", ["1005"]),
        # What rounding takes is known.
        ("sum(label_replace(vector(1e100), \"a\", \"1\", \"\", \"\") or label_replace(vector(1), \"a\", \"2\", \"\", \"\") or label_replace(vector(-1e100), \"a\", \"3\", \"\", \"\"))", ["{} 1"]),
        # What stands for rows that a side does not have.
        ("hits_total + on (pod) fill(0) errors_total", ['{pod="a"} 70', '{pod="b"} 120']),
        ("errors_total + on (pod) fill_left(-5) hits_total", ['{pod="a"} 70', '{pod="b"} 115']),
        ("errors_total + on (pod) fill_right(1) hits_total", ['{pod="a"} 70']),
        ("errors_total < bool on (pod) fill_left(1) hits_total", ['{pod="a"} 1', '{pod="b"} 1']),
        # Ends of ranges.
        ('increase(hits_total{pod="a"}[150s] anchored)', ['{pod="a"} 18']),
        ('increase(hits_total{pod="a"}[150s] smoothed)', ['{pod="a"} 15']),
        ('rate(hits_total{pod="a"}[150s] smoothed)', ['{pod="a"} 0.1']),
        ('changes(depth{pod="a"}[9m] anchored)', ['{pod="a"} 3']),
        ('resets(depth{pod="b"}[9m] anchored)', ['{pod="b"} 4']),
        ('depth{pod="b"} smoothed offset 30s', ['depth{pod="b"} 4.5']),
    ],
)  # fmt: skip
def test_what_prometheus_3_has_besides(query: str, expected: list[str]) -> None:
    rows = "".join(f"  {row}\n" for row in expected)
    assert good(f"eval instant at 10m {query}\n{rows}", PROMETHEUS_3) == ["ok"]


def test_buckets_of_classic_histograms() -> None:
    loaded = 'load 1m\n  h_bucket{le="1"} 2\n  h_bucket{le="3"} 6\n  h_bucket{le="+Inf"} 8\n\n'
    evaluations = """\
eval instant at 0 histogram_fraction(-Inf, 2, h_bucket)
  {} 0.5

eval instant at 0 histogram_fraction(1, +Inf, h_bucket)
  {} 0.75

eval instant at 0 histogram_fraction(3, 1, h_bucket)
  {} 0

eval instant at 0 histogram_quantiles(h_bucket, "q", 0.25, 0.5)
  {q="0.25"} 1
  {q="0.5"} 2
"""
    assert good(evaluations, PROMETHEUS_3, loaded) == ["ok"] * 4


def test_rows_in_the_order_of_their_labels() -> None:
    loaded = 'load 1m\n  m{v="v10"} 1\n  m{v="v9"} 2\n  m{v="v100"} 3\n\n'
    evaluations = """\
eval instant at 0 sort_by_label(m, "v")
  expect ordered
  m{v="v9"} 2
  m{v="v10"} 1
  m{v="v100"} 3

eval instant at 0 sort_by_label_desc(m, "v")
  expect ordered
  m{v="v100"} 3
  m{v="v10"} 1
  m{v="v9"} 2
"""
    assert good(evaluations, PROMETHEUS_3, loaded) == ["ok", "ok"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('{"a.b"}', '{"a.b", "c d"="e", f="g"} 1'),
        ('{"a.b", "c d"="e"}', '{"a.b", "c d"="e", f="g"} 1'),
        ('{"a.b", "c d"=~"."}', '{"a.b", "c d"="e", f="g"} 1'),
        ('sum by ("c d") ({"a.b"})', '{"c d"="e"} 1'),
        ('sum without ("c d") ({"a.b"})', '{f="g"} 1'),
        ('label_replace({"a.b"}, "x.y", "$1", "c d", "(.*)")', '{"a.b", "c d"="e", f="g", "x.y"="e"} 1'),
        ('count_values("how many", {"a.b"})', '{"how many"="1"} 1'),
    ],
)  # fmt: skip
def test_names_in_quotes(query: str, expected: str) -> None:
    loaded = 'load 1m\n  {"a.b", "c d"="e", f="g"} 1\n\n'
    assert good(f"eval instant at 0 {query}\n  {expected}\n", PROMETHEUS_3, loaded) == ["ok"]
    with pytest.raises((ParseError, EvaluationError)):
        Engine(Memory([])).instant(query, 0)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("holt_winters(m[5m], 0.5, 0.5)", '1:1: parse error: unknown function with name "holt_winters"'),
        ("a and fill(0) b", "1:3: parse error: filling in missing series not allowed for set operators"),
        ("a + fill(0) 1", "1:3: parse error: filling in missing series only allowed between instant vectors"),
        ("rate(m[5m]) smoothed", "1:1: parse error: smoothed modifier must be preceded by a vector selector or range selector"),
        ('m{"n"}', '1:1: parse error: metric name must not be set twice: "m" or "n"'),
        ("info(m, n)", "1:9: parse error: expected label selectors only"),
        ("m[]", '1:3: parse error: unexpected "]" in subquery selector, expected number or duration'),
        ("m[0]", "1:3: parse error: duration must be greater than 0"),
        ("m[1e300]", "1:3: parse error: duration out of range"),
        ("m offset x", '1:10: parse error: unexpected identifier "x" in offset, expected number or duration'),
    ],
)  # fmt: skip
def test_what_prometheus_3_refuses(query: str, why: str) -> None:
    with pytest.raises(ParseError) as raised:
        Engine(Memory([]), dialect=PROMETHEUS_3).instant(query, 0)
    assert str(raised.value) == why


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("deriv(m[5m] smoothed)", "smoothed modifier can only be used with: delta, increase, rate - not with deriv"),
        ("deriv(m[5m] anchored)", "anchored modifier can only be used with: changes, delta, increase, rate, resets - not with deriv"),
        ("limit_ratio(NaN, m)", "Ratio value NaN is NaN"),
        ("m[5m - 5m]", "duration must be greater than 0, at character 3"),
        ("m[5m ^ 1h]", "duration is out of range, at character 3"),
        ("m[5m / 0]", "division by zero, at character 3"),
        ("m[5m % 0]", "modulo by zero, at character 3"),
        ("m[step()]", "duration must be greater than 0, at character 3"),
    ],
)  # fmt: skip
def test_what_prometheus_3_cannot_carry_out(query: str, why: str) -> None:
    storage = Memory([Sample(labels_of({"__name__": "m"}), 0, 1.0)])
    with pytest.raises(EvaluationError) as raised:
        Engine(storage, dialect=PROMETHEUS_3).instant(query, 0)
    assert str(raised.value) == why


def test_shares_beyond_all_are_warned_of() -> None:
    engine = Engine(Memory([Sample(labels_of({"__name__": "m"}), 0, 1.0)]), dialect=PROMETHEUS_3)
    answers = [engine.instant(f"limit_ratio({ratio}, m)", 0) for ratio in ("1.5", "-2", "1")]

    assert [[note.shown("limit_ratio(1.5, m)") for note in one.notes] for one in answers] == [
        ["PromQL warning: ratio value should be between -1 and 1, got 1.5, capping to 1 (1:13)"],
        ["PromQL warning: ratio value should be between -1 and 1, got -2, capping to -1 (1:13)"],
        [],
    ]


def test_dialects_have_names() -> None:
    assert [dialect_named(name) for name in ("2.42", "3")] == [PROMETHEUS_2, PROMETHEUS_3]
    with pytest.raises(ValueError) as raised:
        dialect_named("4")
    assert str(raised.value) == "no dialect of PromQL: '4'; there are 2.42, 3"


@pytest.mark.parametrize(
    ("loaded", "query", "expected"),
    [
        # The spread of what overflows is infinite.
        ("m -1e300 1e300", "stddev_over_time(m[5m])", "{} +Inf"),
        # The last sample keeps the name, whatever was made of it.
        ("m 1 4", "last_over_time((sqrt(m))[5m:1m])", "m 2"),
        # Nobody knows where the first bucket begins.
        ('m_bucket{le="1"} 2\n  m_bucket{le="+Inf"} 4', "histogram_fraction(0, 1, m_bucket)", "{} NaN"),
        ('m_bucket{le="1"} 2\n  m_bucket{le="+Inf"} 4', "histogram_fraction(-Inf, 1, m_bucket)", "{} 0.5"),
        # What rounding makes is no observation.
        (
            'm_bucket{le="1"} 1\n  m_bucket{le="2"} 1.0000000000001\n  m_bucket{le="+Inf"} 1.0000000000001',
            "histogram_quantile(1, m_bucket)",
            "{} 1",
        ),
        # Sizes count where there is something to choose from.
        ("m 1", "topk(NaN, nothing)", ""),
        ("m 1", "limitk(NaN, nothing)", ""),
        ("m 0+1x9", "m offset --2m", "m 0"),
        ('m{a="b"} 1', "sum by (a:b) (m)", "{} 1"),
    ],
)  # fmt: skip
def test_edges_of_prometheus_3(loaded: str, query: str, expected: str) -> None:
    rows = f"  {expected}\n" if expected else ""
    script = f"load 1m\n  {loaded}\n\neval instant at 2m {query}\n{rows}"
    assert [one.why for one in run_script(script, PROMETHEUS_3).checked] == [""]


def test_a_label_of_broken_text_is_refused() -> None:
    storage = Memory([Sample(labels_of({"__name__": "m"}), 0, 1.0)])
    with pytest.raises(EvaluationError) as raised:
        Engine(storage, dialect=PROMETHEUS_3).instant('count_values("\\xff", m)', 0)
    assert str(raised.value) == 'invalid label name "\\xff"'

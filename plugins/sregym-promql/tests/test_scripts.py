"""Scripts in the format of Prometheus' own tests."""

from __future__ import annotations

import pytest
from sregym_promql.script import run_script

GOOD = r"""
# Samples every five minutes from the epoch on.
load 5m
  http_requests{job="api", instance="0"}  0+10x10
  http_requests{job="api", instance="1"}	0+20x5 _x3 stale 7
  x{a="q\"\\\n"} 1x3 -2-1x2 NaN Inf -Inf 1e3
	{__name__="y",b="c"} _ 3 _x2 4x2

eval instant at 50m sum by (job) (http_requests)
  {job="api"} 107

eval instant at 40m sort_desc(http_requests)
  expect ordered
  http_requests{job="api", instance="0"} 80

eval range from 0 to 10m step 5m http_requests{instance="0"}
  http_requests{job="api", instance="0"} 0 10 20

eval instant at 5m {b="c"}
  y{b="c"} 3

eval instant at 0 1 + 1
  2

eval instant at 0 "abc"
  expect string "abc"

eval_fail instant at 0 sum(
  expected_fail_message 1:5: parse error: unclosed left parenthesis

eval_fail instant at 0 sum(
  expected_fail_regexp unclosed .* parenthesis

eval instant at 10m topk(NaN, x)
  expect fail msg: Scalar value NaN overflows int64

eval instant at 10m topk(NaN, x)
  expect fail regex: Scalar .* overflows .*

eval instant at 10m x
  expect no_warn
  expect no_info
  x{a="q\"\\\n"} 1

eval_ordered instant at 50m sort_desc(http_requests)
  http_requests{job="api", instance="0"} 100
  http_requests{job="api", instance="1"} 7

eval_warn instant at 50m quantile(-0.5, http_requests)
  {} -Inf

eval_info instant at 50m rate(http_requests{instance="0"}[50m])
  {job="api", instance="0"} 0.03333333333333333

eval instant at 50m quantile(1.5, rate(http_requests{instance="0"}[50m]))
  expect warn msg: PromQL warning: quantile value should be between 0 and 1, got 1.5
  expect info regex: might not be a counter.*"http_requests"
  {} Inf

eval instant at 12m x[5m]
  expect range vector from 10m to 10m step 5m
  x{a="q\"\\\n"} 1

clear

eval instant at 5m http_requests
"""
LOADED = 'load 1m\n  m{a="b"} 1 2 3\n\n'


def test_everything_the_format_has_is_understood() -> None:
    outcome = run_script(GOOD)
    checked = outcome.checked

    assert (outcome.unread, outcome.left_out) == ([], 0)
    assert [(one.query, one.why) for one in checked if not one.ok] == []
    assert len(checked) == 17


@pytest.mark.parametrize(
    ("evaluation", "why"),
    [
        (
            'eval instant at 1m m\n  m{a="b"} 5',
            "{'__name__': 'm', 'a': 'b'} at 60000 ms: expected 5.0, got 2.0",
        ),
        ("eval instant at 1m m", "not expected: {'__name__': 'm', 'a': 'b'}"),
        ('eval instant at 1m nothing\n  m{a="b"} 5', "missing: {'__name__': 'm', 'a': 'b'}"),
        ("eval instant at 1m m\n  3", "expected a scalar, got a vector"),
        ("eval instant at 1m 1 + 1\n  3", "expected 3.0, got 2.0"),
        ("eval instant at 1m 1 + 1\n  {} 3", "expected a vector, got a scalar"),
        ('eval instant at 1m "a"\n  expect string "b"', "expected 'b', got 'a'"),
        ('eval instant at 1m m\n  expect string "b"', "expected a string, got a vector"),
        ("eval_fail instant at 1m m", "expected an error"),
        (
            "eval instant at 1m m{",
            "unexpected error: 1:3: parse error: unexpected end of input inside braces",
        ),
        (
            "eval_fail instant at 1m m{\n  expected_fail_message something",
            "expected the error 'something'",
        ),
        (
            "eval instant at 1m m{\n  expect fail regex: some.*",
            "expected an error like 'some.*'",
        ),
        (
            'eval range from 0 to 2m step 1m m\n  m{a="b"} 1 _ 3',
            "{'__name__': 'm', 'a': 'b'}: values at other times than expected",
        ),
    ],
)
def test_what_differs_is_said(evaluation: str, why: str) -> None:
    checked = run_script(LOADED + evaluation).checked

    assert [(one.ok, one.why) for one in checked] == [(False, why)]


@pytest.mark.parametrize(
    ("script", "line", "why", "left_out"),
    [
        ("lod 5m", 1, "not a command: 'lod 5m'", 0),
        ("loads 5m", 1, "not a command: 'loads 5m'", 0),
        ("load 5x\n  m 1", 1, "not a number: '5x'", 0),
        ("load 5m\n  m{a=b} 1", 2, "labels that cannot be read: 'a=b'", 0),
        ("load 5m\n  m 1 two\n  n 1", 2, "not a number: 'two'", 0),
        (
            "load 5m\n  m {{schema:0 sum:1}}",
            2,
            "native histograms are not supported: only float samples and classic histograms",
            0,
        ),
        (
            "eval range from 0 to 5m step 0 1",
            1,
            "a step has to be longer than nothing: '0'",
            1,
        ),
        (
            "\neval range from 5m to 0 step 1m 1",
            2,
            "the end '0' lies before the start '5m'",
            1,
        ),
        (
            "load_with_nhcb 5m\n  m 1",
            1,
            "load_with_nhcb makes native histograms, which are not supported",
            0,
        ),
        ("eval instant at soon 1\n  1", 1, "not a number: 'soon'", 1),
        ("eval instant at 0 1\n  expect nothing", 1, "not an expectation: 'expect nothing'", 1),
        ("eval at noon", 1, "not a command: 'eval at noon'", 1),
    ],
)
def test_a_script_goes_on_behind_what_cannot_be_read(
    script: str, line: int, why: str, left_out: int
) -> None:
    outcome = run_script(f"{script}\n\neval instant at 0 2\n  2\n")

    assert [(one.line, one.why) for one in outcome.unread] == [(line, why)]
    assert outcome.left_out == left_out
    assert [(one.query, one.ok) for one in outcome.checked] == [("2", True)]


@pytest.mark.parametrize(
    ("query", "left_out"),
    [
        ("m", True),
        ("n + sum(rate(m[5m]))", True),
        ('{__name__=~"m|z"}', True),
        ('{a="b"}', True),
        ("n", False),
        ('{__name__!="m",a!=""}', False),
        ("m{", False),
    ],
)
def test_an_evaluation_is_left_out_when_its_samples_may_be_missing(
    query: str, left_out: bool
) -> None:
    script = f"load 5m\n  m {{{{schema:0}}}}\n  n 1\n\neval instant at 0 {query}\n"
    before, cleared = run_script(script), run_script(script.replace("\neval", "\nclear\neval"))

    assert (before.left_out, len(before.checked)) == (int(left_out), int(not left_out))
    assert (cleared.left_out, len(cleared.checked)) == (0, 1)


def test_buckets_that_could_not_be_loaded_lack_under_the_name_of_their_histogram() -> None:
    script = 'load_with_nhcb 5m\n  h_bucket{le="1"} 1\n\n'
    queries = ("h_bucket", "h", "other")
    found = {query: run_script(f"{script}eval instant at 0 {query}").left_out for query in queries}

    # The classic series are there; what is made of them is not.
    assert found == {"h_bucket": 0, "h": 1, "other": 0}

"""Scripts in the format of Prometheus' own tests."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.telemetry.promql.script import ScriptError, run_script

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
    checked = run_script(GOOD)

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
    checked = run_script(LOADED + evaluation)

    assert [(one.ok, one.why) for one in checked] == [(False, why)]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("lod 5m", "line 1: not a command: 'lod 5m'"),
        ("load 5x\n  m 1", "line 1: not a number: '5x'"),
        ("load 5m\n  m{a=b} 1", "line 2: labels that cannot be read: 'a=b'"),
        ("load 5m\n  m 1 two", "line 2: not a number: 'two'"),
        (
            "load 5m\n  m {{schema:0 sum:1}}",
            "line 2: native histograms are not supported: only float samples and classic histograms",
        ),
        ("eval range from 0 to 5m step 0 1", "line 1: a step has to be longer than nothing: '0'"),
        (
            "\neval range from 5m to 0 step 1m 1",
            "line 2: the end '0' lies before the start '5m'",
        ),
        (
            "load_with_nhcb 5m\n  m 1",
            "line 1: load_with_nhcb makes native histograms, which are not supported",
        ),
        (
            "eval instant at 0 1\n  expect nothing",
            "line 2: not an expectation: 'expect nothing'",
        ),
    ],
)
def test_scripts_that_cannot_be_read(script: str, message: str) -> None:
    with pytest.raises(ScriptError) as refused:
        run_script(script)

    assert str(refused.value) == message

"""`info`: which info series count, and what of them is taken over."""

from __future__ import annotations

import pytest
from sregym_promql import (
    PROMETHEUS_3,
    Engine,
    EvaluationError,
    Memory,
    parse_openmetrics,
    run_script,
)

LOADED = """\
load 1m
  requests{job="shop", instance="s1", path="/"} 5 6 7
  requests{job="shop", instance="s2", path="/"} 1 1 1
  requests{path="/nowhere"} 9 9 9
  target_info{job="shop", instance="s1", region="north", path="ignored"} 1 1 1
  build_info{job="shop", instance="s1", version="1.2"} 1 1 1
  flips{job="shop", instance="s3"} 1 2 3
  flip_info{job="shop", instance="s3", state="old"} 1 1 _
  flip_info{job="shop", instance="s3", state="new"} _ _ 1

"""
ONE = 'requests{job="shop", instance="s1", path="/"'
OTHERS = ('requests{job="shop", instance="s2", path="/"} 1', 'requests{path="/nowhere"} 9')


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("info(requests)", [ONE + ', region="north"} 7', *OTHERS]),
        ('info(requests, {region=~".+"})', [ONE + ', region="north"} 7']),
        ('info(requests, {region="south"})', []),
        ('info(requests, {region=~".*", nothing=""})', [ONE + ', region="north"} 7', *OTHERS]),
        ('info(requests, {__name__="build_info"})', [ONE + ', version="1.2"} 7', *OTHERS]),
        (
            'info(requests, {__name__=~"(build|target)_info"})',
            [ONE + ', region="north", version="1.2"} 7', *OTHERS],
        ),
        ('info(requests, {__name__!="target_info", version=~".+"})', [ONE + ', version="1.2"} 7']),
        # What others are enriched with stays as it is.
        ("info(target_info)", ['target_info{job="shop", instance="s1", region="north", path="ignored"} 1']),
        ("sum(info(rate(requests[2m])))", ["{} 0.0166666666"]),
    ],
)  # fmt: skip
def test_labels_are_taken_over(query: str, expected: list[str]) -> None:
    rows = "".join(f"  {row}\n" for row in expected)
    outcome = run_script(f"{LOADED}eval instant at 2m {query}\n{rows}", PROMETHEUS_3)
    assert [one.why for one in outcome.checked] == [""]


def test_the_newest_of_two_counts_at_each_step() -> None:
    evaluation = """\
eval range from 0 to 2m step 1m info(flips, {__name__="flip_info"})
  flips{job="shop", instance="s3", state="old"} 1 2 _
  flips{job="shop", instance="s3", state="new"} _ _ 3
"""
    outcome = run_script(LOADED + evaluation, PROMETHEUS_3)
    assert [one.why for one in outcome.checked] == [""]


def test_two_kinds_of_info_that_differ_are_refused() -> None:
    samples = 'm{job="a"} 1 0\nx_info{job="a",v="1"} 1 0\ny_info{job="a",v="2"} 1 0\n# EOF\n'
    engine = Engine(Memory(parse_openmetrics(samples)), dialect=PROMETHEUS_3)

    with pytest.raises(EvaluationError) as raised:
        engine.instant('info(m, {__name__=~"._info"})', 0)
    assert str(raised.value) == "conflicting label: v"

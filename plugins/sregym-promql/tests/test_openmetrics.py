"""The text form of samples: what is read, and how the rest is refused."""

from __future__ import annotations

import math

import pytest
from sregym_promql.memory import (
    Sample,
    SamplesError,
    parse_openmetrics,
)


def read(text: str) -> list[tuple[dict[str, str], int, float]]:
    return [(dict(one.labels), one.at_ms, one.value) for one in parse_openmetrics(text)]


def test_metadata_exemplars_and_escapes_are_understood() -> None:
    text = r"""
# HELP requests What "comes" \n in.
# TYPE requests counter
# UNIT requests seconds
# any other comment
requests_total{path="/a}b",q="say \"#1\"\n\\"} 7 1000.5 # {trace_id="a b"} 0.3 1000.4
requests_bucket{le="+Inf",} 5 1000 # {} 1
spaced { a = "1" , b="" } 2 1e3
bare 3 -1
# EOF
"""
    assert read(text) == [
        (
            {"__name__": "requests_total", "path": "/a}b", "q": 'say "#1"\n\\'},
            1_000_500,
            7.0,
        ),
        ({"__name__": "requests_bucket", "le": "+Inf"}, 1_000_000, 5.0),
        ({"__name__": "spaced", "a": "1"}, 1_000_000, 2.0),
        ({"__name__": "bare"}, -1000, 3.0),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        (".5", 0.5),
        ("5.", 5.0),
        ("-0x1p3", -8.0),
        ("0X1F", 31.0),
        ("+Inf", math.inf),
        ("-infinity", -math.inf),
        ("Inf", math.inf),
    ],
)
def test_numbers(text: str, value: float) -> None:
    assert parse_openmetrics(f"a {text} 1") == [Sample((("__name__", "a"),), 1000, value)]


def test_no_number_is_a_number() -> None:
    (found,) = parse_openmetrics("a NaN 1")
    assert math.isnan(found.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 1_0 5", "line 1: not a number: '1_0'"),
        ("a x 5", "line 1: not a number: 'x'"),
        ("a 0x 5", "line 1: not a number: '0x'"),
        ("a 1 1_0", "line 1: not a number: '1_0'"),
        ("a 1 NaN", "line 1: not a time: 'NaN'"),
        ("a 1 1e300", "line 1: not a time: '1e300'"),
        ("a 1", "line 1: the sample has no time: 'a 1'"),
        ("a1", "line 1: not a sample: 'a1'"),
        ("1a 1 5", "line 1: not a sample: '1a 1 5'"),
        ("a 1 5 6", "line 1: not a sample: 'a 1 5 6'"),
        ('{"a.b"} 1 5', "line 1: not a sample: '{\"a.b\"} 1 5'"),
        ('a{x="1} 1 5', "line 1: not a sample: 'a{x=\"1} 1 5'"),
        ('a{x="1" y="2"} 1 5', 'line 1: labels that cannot be read: \'x="1" y="2"\''),
        ('a{"x.y"="1"} 1 5', 'line 1: labels that cannot be read: \'"x.y"="1"\''),
        ('a{x="1",x="2"} 1 5', "line 1: the label 'x' is there twice"),
        ("\na 1 5\n# EOF\n\nb 1 5", "line 5: text after '# EOF': 'b 1 5'"),
        ("# TYPE a foo", "line 1: not a type of metrics: 'foo'"),
        ("a 1 5\n# TYPE a", "line 2: not a type of metrics: ''"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, words: str) -> None:
    with pytest.raises(SamplesError) as caught:
        parse_openmetrics(text)
    assert str(caught.value) == words

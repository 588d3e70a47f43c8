"""How queries are written: on one line, and broken where that would be too long."""

from __future__ import annotations

import pytest
from sregym_logql.formatter import line, pretty
from sregym_logql.parsing import parse


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ('{a="b",c=~"d.*"}', '{a="b", c=~"d.*"}'),
        ('{a="b"}|="x"or"y"!~`z"`', '{a="b"} |= "x" or "y" !~ "z\\""'),
        ('{a="b"} |= ip("10.0.0.0/8")', '{a="b"} |= ip("10.0.0.0/8")'),
        ('{a="b"} |> "<_> x" !> "y<_>"', '{a="b"} |> "<_> x" !> "y<_>"'),
        (
            '{a="b"}|json|logfmt --keep-empty --strict|unpack',
            '{a="b"} | json | logfmt --strict --keep-empty | unpack',
        ),
        (
            '{a="b"}|json x="y.z",w|logfmt --strict u="v"',
            '{a="b"} | json x="y.z",w="w" | logfmt --strict u="v"',
        ),
        (
            '{a="b"}|regexp "(?P<x>.)"|pattern "<y> _"',
            '{a="b"} | regexp "(?P<x>.)" | pattern "<y> _"',
        ),
        (
            '{a="b"} | x = "1" or y != 2 and z >= 1500ms, w < 5MiB',
            '{a="b"} | ( x="1" or ( y!=2 , ( z>=1.5s , w<5.2MB ) ) )',
        ),
        ('{a="b"} | x = 2.50 | y == 20ms', '{a="b"} | x==2.5 | y==20ms'),
        ('{a="b"} | x > 1h | y >= 90m | z < 5B', '{a="b"} | x>1h0m0s | y>=1h30m0s | z<5B'),
        ('{a="b"} | x = ip("::1") | y!=ip("::2")', '{a="b"} | x=ip("::1") | y!=ip("::2")'),
        (
            '{a="b"}|line_format "{{.x}}"|label_format y=x,z="{{.w}}"|decolorize',
            '{a="b"} | line_format "{{.x}}" | label_format y=x,z="{{.w}}" | decolorize',
        ),
        ('{a="b"}|drop x,y="z"|keep w', '{a="b"} | drop x,y="z" | keep w'),
        ('rate({a="b"}[90s] offset 1h)', 'rate({a="b"}[1m30s] offset 1h0m0s)'),
        (
            'quantile_over_time(.95,{a="b"}|json|unwrap duration(x)|__error__=""[5m])by(y,z)',
            'quantile_over_time(0.95,{a="b"} | json | unwrap duration(x) | __error__=""[5m]) by (y,z)',
        ),
        ('sum(rate({a="b"}[1m]))by(x,y)', 'sum by (x,y)(rate({a="b"}[1m]))'),
        ('sum by()(rate({a="b"}[1m]))', 'sum(rate({a="b"}[1m]))'),
        ('sum without()(rate({a="b"}[1m]))', 'sum without ()(rate({a="b"}[1m]))'),
        ('topk(3,sort(rate({a="b"}[1m])))', 'topk(3,sort(rate({a="b"}[1m])))'),
        (
            'rate({a="b"}[1m])/on(x)group_left(y)rate({a="c"}[1m])>bool 2*3+.5',
            '((rate({a="b"}[1m]) / on (x) group_left (y) rate({a="c"}[1m])) > bool 6.5)',
        ),
        ('vector(5) or rate({a="b"}[1m])', '(vector(5.000000) or rate({a="b"}[1m]))'),
        (
            'label_replace(rate({a="b"}[1m]),"x","$1","y","(.*)")',
            'label_replace(rate({a="b"}[1m]),"x","$1","y","(.*)")',
        ),
        ("1/0", "NaN"),
        ("2^3^2", "512"),
        ("10^400", "+Inf"),
        ("(-8)^0.5", "NaN"),
        ("1e21*1", "1e+21"),
    ],
)
def test_queries_on_one_line(query: str, written: str) -> None:
    assert line(parse(query)) == written
    assert pretty(parse(query)) == written


LONG = "a_value_that_is_long_enough_to_fill_a_line_of_a_query"


@pytest.mark.parametrize(
    ("query", "written"),
    [
        (
            f'{{a="{LONG}"}}|="x"!="y"|logfmt|decolorize|level="error" and took>1s|drop level,b',
            f"""{{a="{LONG}"}}
  |= "x" != "y"
  | logfmt
| decolorize
  | ( level="error" , took>1s )
  | drop level,b""",
        ),
        (
            f'{{a="b"}}|="{LONG}"!="{LONG}"|json',
            f"""{{a="b"}}
  |= "{LONG}"
  != "{LONG}"
  | json""",
        ),
        (
            f'sum(quantile_over_time(0.9,{{a="{LONG}"}}|json|unwrap bytes(x)|x>1[5m]offset 1h)by(y,z)) by (y,z)',
            f"""sum by (y, z)(
  quantile_over_time(
    0.9,
    {{a="{LONG}"}} | json
      | unwrap bytes(x)
      | x>1 [5m] offset 1h
  ) by (y, z)
)""",
        ),
        (
            f'topk(3,sum without()(rate({{a="{LONG}"}}[1m])))/on(x,y)group_left rate({{a="{LONG}"}}[1m])',
            f"""  topk(3,sum without ()(rate({{a="{LONG}"}}[1m])))
/ on (x, y) group_left
  rate({{a="{LONG}"}}[1m])""",
        ),
        (
            f'topk(3,label_replace(rate({{a="{LONG}"}}[1m]),"x","$1","y","(.*)"))>1 or vector(1)',
            f"""    topk(
      3,
      label_replace(
        rate({{a="{LONG}"}}[1m]),
        "x",
        "$1",
        "y",
        "(.*)"
      )
    )
  >
    1
or
  vector(1.000000)""",
        ),
    ],
)  # fmt: skip
def test_queries_that_are_broken(query: str, written: str) -> None:
    assert pretty(parse(query)) == written
    assert line(parse(written)) == line(parse(query))

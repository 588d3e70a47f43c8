"""How queries are written: as they stood, and broken where a line would be too long."""

from __future__ import annotations

import pytest
from sregym_promql.formatter import line, pretty
from sregym_promql.nodes import Passthrough
from sregym_promql.parsing import parse, parse_as_written


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("( up )", "(up)"),
        ("sum(((up)))by(b,a)", "sum by (b, a) (((up)))"),
        ("(a+b)*c+(d)", "(a + b) * c + (d)"),
        ("a - on(b) group_left() (c)", "a - on (b) group_left () (c)"),
        ("a >bool ignoring(b)group_right(d) c", "a > bool ignoring (b) group_right (d) c"),
        ('{__name__="a"}', '{__name__="a"}'),
        ('a{b=~"x",c="d"} offset -1m @ 5', 'a{b=~"x",c="d"} @ 5.000 offset -1m'),
        ("-(1)^2", "-(1) ^ 2"),
        ("+up - +(up)", "+up - +(up)"),
        ("rate(a[90s]@end() offset 1h)", "rate(a[1m30s] @ end() offset 1h)"),
        ("max_over_time((a)[1h:5m])", "max_over_time((a)[1h:5m])"),
        ('count_values(("x"),a)', 'count_values(("x"), a)'),
        ("quantile without()(.5,a)", "quantile without () (0.5, a)"),
        ("1e3 + 0x10 + Inf", "1000 + 16 + +Inf"),
    ],
)
def test_queries_on_one_line(query: str, written: str) -> None:
    assert line(parse_as_written(query)) == written
    assert pretty(parse_as_written(query)) == written
    assert line(parse_as_written(written)) == written
    assert parse(written) == parse(query)


LONG = "a_metric_whose_name_is_so_long_that_two_of_them_fill_a_line"


@pytest.mark.parametrize(
    ("query", "written"),
    [
        (
            f"(sum by(a)(rate({LONG}[5m]))/ -sum(rate({LONG}[5m])))*100",
            f"""  (
      sum by (a) (rate({LONG}[5m]))
    /
      -sum(rate({LONG}[5m]))
  )
*
  100""",
        ),
        (
            f"-(max_over_time(({LONG} + {LONG})[1h:]))",
            f"""-(
  max_over_time(
    (
        {LONG}
      +
        {LONG}
    )[1h:]
  )
)""",
        ),
        (
            f"+label_replace(topk(3,sum_over_time({LONG}[1h:5m])),'a','b','c','d')",
            f"""+label_replace(
  topk(3, sum_over_time({LONG}[1h:5m])),
  "a",
  "b",
  "c",
  "d"
)""",
        ),
        (
            f"sum_over_time({LONG}[1h:5m] @ 1767258000.000 offset 5m) + {LONG}",
            f"""  sum_over_time(
{LONG}[1h:5m] @ 1767258000.000 offset 5m
  )
+
  {LONG}""",
        ),
    ],
)
def test_queries_that_are_broken(query: str, written: str) -> None:
    assert pretty(parse_as_written(query)) == written
    assert parse(written) == parse(query)


def test_what_changes_nothing_is_not_evaluated() -> None:
    assert isinstance(parse_as_written("(up)"), Passthrough)
    assert parse("(+up)") == parse("up")

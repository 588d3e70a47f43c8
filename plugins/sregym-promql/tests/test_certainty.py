"""The right side of `and` and `unless` is left out only where it could not have failed."""

from __future__ import annotations

import pytest
from sregym_promql import Engine, EvaluationError
from sregym_promql.certainty import cannot_fail
from sregym_promql.memory import Memory, parse_openmetrics
from sregym_promql.parsing import parse

SAMPLES = 'a{x="1"} 1 0\na{x="2"} 2 0\nb{y="1"} 1 0\nb{y="2"} 1 0\n'


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a", True),
        ('{x="1"}', False),
        ("rate(a[5m]) > 3", True),
        ('rate({__name__=~"a|b"}[5m])', False),
        ("rate(a[5m:1m])", False),
        ('sum by (x) (rate(a[5m])) / sum by (x) ({x="1"}) > 0.1', True),
        ("a > 3 * max_over_time(a[30m] offset 5m)", True),
        ("a * on (x) b", False),
        ("a * on () group_left () b", False),
        ("a and b", False),
        ('label_replace(a, "x", "", "", "")', False),
        ('count_values("0", a)', False),
        ("quantile_over_time(0.5, a[5m])", False),
        ("holt_winters(a[5m], 2, 2)", False),
    ],
)
def test_what_cannot_fail(query: str, expected: bool) -> None:
    assert cannot_fail(parse(query)) is expected


@pytest.mark.parametrize("operator", ["and", "unless"])
def test_what_fails_does_so_though_nothing_is_left(operator: str) -> None:
    engine = Engine(Memory(parse_openmetrics(SAMPLES)))
    assert engine.instant(f"a > 5 {operator} b", 0).rows == []
    message = (
        "multiple matches for labels: many-to-one matching must be explicit "
        "(group_left/group_right)"
    )
    with pytest.raises(EvaluationError) as caught:
        engine.instant(f'a > 5 {operator} (a * on () b{{y="1"}})', 0)
    assert str(caught.value) == message

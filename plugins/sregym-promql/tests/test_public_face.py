"""What programs use: places of errors, cancelling, walking, and the runner of scripts."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import sregym_promql
from sregym_promql import (
    Budget,
    CancelledError,
    Engine,
    Matcher,
    OutOfMemoryError,
    OutOfStepsError,
    ParseError,
    Selector,
    StoredSeries,
    labels_of,
    parse,
    under,
    walk,
)
from sregym_promql.__main__ import main

GOOD = "load 1m\n  m 1+1x9\n\neval instant at 5m m\n  m 6\n\n"
NATIVE = "load 1m\n  h {{schema:0 sum:1 count:1}}\n\neval instant at 0 h\n  h {{schema:0}}\n\n"


class Endless:
    """A storage that is cancelled while it is asked."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def select(self, matchers: list[Matcher], start_ms: int, end_ms: int) -> list[StoredSeries]:
        other = threading.Thread(target=self._budget.cancel)
        other.start()
        other.join()
        return [StoredSeries(labels_of({"a": "b"}), np.array([start_ms]), np.array([1.0]))]


def test_all_names_are_there() -> None:
    assert [name for name in sregym_promql.__all__ if not hasattr(sregym_promql, name)] == []


@pytest.mark.parametrize(
    ("query", "offset", "line", "column"),
    [
        ("sum(", 4, 1, 5),
        ("up +\n  sum(rate(up))", 16, 2, 12),
        ('{a="ä"} + {b="c" d}', 17, 1, 19),
        ("", 0, 1, 1),
    ],
)
def test_errors_say_where(query: str, offset: int, line: int, column: int) -> None:
    with pytest.raises(ParseError) as raised:
        parse(query)
    error = raised.value
    assert (error.offset, error.line, error.column) == (offset, line, column)
    assert str(error).startswith(f"{line}:{column}: parse error: ")


def test_what_is_wrong_with_a_whole_query_has_no_place() -> None:
    with pytest.raises(ParseError) as raised:
        Engine(Endless(Budget(0, 0)), most_points=10).range("1", 0, 100, 1)
    error = raised.value
    assert (error.offset, error.line, error.column) == (None, None, None)
    assert str(error) == (
        "exceeded maximum resolution of 10 points per timeseries. Try decreasing the query "
        "resolution (?step=XX)"
    )


def test_a_query_that_is_cancelled_ends() -> None:
    budget = Budget(steps=1_000_000, memory_bytes=1 << 30)
    with under(budget), pytest.raises(CancelledError):
        Engine(Endless(budget)).range("sum(a) + sum(b)", 0, 100, 1)


@pytest.mark.parametrize(
    ("budget", "error"),
    [(Budget(100, 1 << 30), OutOfStepsError), (Budget(1 << 30, 100), OutOfMemoryError)],
)
def test_a_query_that_costs_too_much_ends(budget: Budget, error: type[Exception]) -> None:
    with under(budget), pytest.raises(error):
        Engine(Endless(Budget(0, 0))).instant("sum_over_time(vector(1)[1w:1s])", 0)


def test_a_tree_is_walked_outer_parts_first() -> None:
    tree = parse("sum(rate(a[5m])) / count(b)")

    kinds = [type(node).__name__ for node in walk(tree)]
    assert kinds == ["Binary", "Aggregate", "Call", "Range", "Selector", "Aggregate", "Selector"]
    assert [node.name for node in walk(tree) if isinstance(node, Selector)] == ["a", "b"]


def test_a_folder_of_scripts_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.test").write_text(f"{GOOD}eval instant at noon m\n  m 6\n\n{GOOD}{NATIVE}")
    (tmp_path / "b.test").write_text(GOOD + "eval instant at 5m m\n  m 7\n")
    (tmp_path / "c.txt").write_text("nothing to run")

    assert main([str(tmp_path), "--failed"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a.test:7: cannot be read: not a number: 'noon'",
        "a.test:17: cannot be read: native histograms are not supported: only float samples and "
        "classic histograms",
        "a.test:19: cannot be read: native histograms are not supported: only float samples and "
        "classic histograms",
        "b.test:7: m: {'__name__': 'm'} at 300000 ms: expected 7.0, got 6.0",
        "file                                 passed  total   share  native",
        "a.test                                    2      3   66.7%       1",
        "b.test                                    1      2   50.0%       0",
        "all                                       3      5   60.0%       1",
    ]


def test_the_dialect_of_scripts_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = "load 1m\n  m 1+1x9\n\neval instant at 5m count_over_time(m[5m])\n  {} 5\n"
    (tmp_path / "a.test").write_text(script)

    assert [main([str(tmp_path), "--dialect", name]) for name in ("2.42", "3")] == [1, 0]
    capsys.readouterr()


def test_a_folder_without_scripts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"python -m sregym_promql: error: no *.test files in {tmp_path}"

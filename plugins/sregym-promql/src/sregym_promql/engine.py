"""Evaluates queries over a storage: at one moment, or at each step of a range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.durations import milliseconds
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.grid_evaluation import Run
from sregym_promql.lengths import N, Query, resolved
from sregym_promql.nodes import (
    Call,
    Range,
    Subquery,
    Text,
)
from sregym_promql.ordering import sorted_rows
from sregym_promql.parsing import parse
from sregym_promql.results import InstantAnswer, RangeAnswer
from sregym_promql.samples import (
    SAME_LABELS,
    Series,
    Storage,
    rows_of,
    without_doomed,
)
from sregym_promql.series_selection import (
    Budget,
    Grid,
)

if TYPE_CHECKING:
    from sregym_promql.calls import Value

_NO_NUMBERS = "unexpected result in StepInvariantExpr evaluation: *parser.StepInvariantExpr"


@dataclass(frozen=True)
class Engine:
    """Answers queries about one storage.

    Work under a `sregym_regex.budget.Budget` (`with under(budget):`) ends with one of its errors
    when it costs more, or when `budget.cancel()` is called.

    Args:
        storage: Where samples come from.
        lookback_s: For how long a sample stands for the moments after it.
        interval_s: The step of subqueries that name none.
        most_samples: A query that would look at more fails.
        dialect: Which PromQL is spoken.
        most_points: A range of more steps is refused.
    """

    storage: Storage
    lookback_s: float = 300.0
    interval_s: float = 60.0
    most_samples: int = 50_000_000
    dialect: Dialect = PROMETHEUS_2
    most_points: int = 11_000

    def instant(self, query: str, at_s: float) -> InstantAnswer:
        """The value of a query at a moment, Unix seconds.

        Raises:
            ParseError: The query cannot be read.
            EvaluationError: It cannot be carried out.
        """
        node = parse(query, self.dialect)
        # What stands in parentheses and is always the same is worked out once: as a vector.
        once = query.lstrip().startswith("(")
        if isinstance(node, Text):
            if once:
                raise EvaluationError(_NO_NUMBERS)
            return InstantAnswer("string", text=node.value)
        at = milliseconds(at_s)
        node = self._resolved(node, Query(0.0, 0.0))
        run = Run(self, Grid(at, at, 1, (at, at)), Budget(self.most_samples), set())
        if isinstance(node, Range | Subquery):
            moment = node.moment if isinstance(node, Subquery) else node.selector.moment
            with np.errstate(all="ignore"):
                series = self._finished_series(run.matrix(node))
            if once and moment.at is not None and any(len(row.times) != 1 for row in series):
                message = "unexpected number of samples"
                raise EvaluationError(message)
            return InstantAnswer(
                "matrix", series=series, notes=sorted(run.notes), samples=run.spent
            )
        with np.errstate(all="ignore"):
            value = self._finished(run.value(node))
        if isinstance(value, np.ndarray):
            number = (((), float(value[0])),)
            return InstantAnswer("scalar", number, notes=sorted(run.notes), samples=run.spent)
        numbers, present = value.values[:, 0].tolist(), value.present[:, 0].tolist()
        rows = [(labels, numbers[row]) for row, labels in enumerate(value.labels) if present[row]]
        if isinstance(node, Call):
            rows = sorted_rows(node, rows)
        return InstantAnswer("vector", rows, notes=sorted(run.notes), samples=run.spent)

    def range(self, query: str, start_s: float, end_s: float, step_s: float) -> RangeAnswer:
        """The values of a query from `start_s` to `end_s`.

        Raises:
            ParseError: The query cannot be read, or is no vector and no number.
            EvaluationError: It cannot be carried out, or has too many steps.
        """
        node = parse(query, self.dialect)
        if isinstance(node, Text | Range | Subquery):
            found = "string" if isinstance(node, Text) else "range vector"
            message = (
                f'invalid expression type "{found}" for range query, must be Scalar or '
                "instant Vector"
            )
            raise ParseError(message)
        start, end, step = (milliseconds(part) for part in (start_s, end_s, step_s))
        if (end - start) // step > self.most_points:
            message = (
                f"exceeded maximum resolution of {self.most_points:,} points per timeseries. Try decreasing the "
                "query resolution (?step=XX)"
            )
            raise ParseError(message)
        node = self._resolved(node, Query(step / 1000, (end - start) / 1000))
        run = Run(self, Grid(start, end, step, (start, end)), Budget(self.most_samples), set())
        run.step_s = step / 1000
        with np.errstate(all="ignore"):
            value = self._finished(run.value(node))
        times = run.grid.times
        if isinstance(value, np.ndarray):
            return RangeAnswer([Series((), times, value)], sorted(run.notes), run.spent)
        series = sorted(rows_of(value, times), key=lambda one: one.labels)
        return RangeAnswer(series, sorted(run.notes), run.spent)

    def _resolved(self, node: N, query: Query) -> N:
        return resolved(node, query) if self.dialect.expressions_of_durations else node

    def _finished(self, value: Value) -> Value:
        """As it is answered: without the names of metrics that were to be removed."""
        if isinstance(value, np.ndarray) or not self.dialect.delayed_names:
            return value
        kept = [without_doomed(labels) for labels in value.labels]
        return value.renamed(kept) if kept != [*value.labels] else value

    def _finished_series(self, series: list[Series]) -> list[Series]:
        if not self.dialect.delayed_names:
            return series
        kept = [replace(one, labels=without_doomed(one.labels)) for one in series]
        if len({one.labels for one in kept}) < len(kept):
            raise EvaluationError(SAME_LABELS)
        return sorted(kept, key=lambda one: one.labels)

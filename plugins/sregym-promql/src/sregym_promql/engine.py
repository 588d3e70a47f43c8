"""Evaluates queries over a storage: at one moment, or at each step of a range."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sregym_regex.go_text import quoted

from sregym_promql import binary, functions, over_time
from sregym_promql.aggregation import aggregate
from sregym_promql.calls import Calls, Value
from sregym_promql.data import (
    SAME_LABELS,
    Floats,
    Labels,
    Mask,
    Series,
    Storage,
    Vector,
    rows_of,
    stacked,
    unique,
    without_doomed,
)
from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.durations import milliseconds
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.lengths import N, Query, resolved
from sregym_promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Negation,
    Node,
    Number,
    Range,
    Selector,
    Subquery,
    Text,
)
from sregym_promql.notes import is_counter, of_counters, of_levels
from sregym_promql.ordering import sorted_rows
from sregym_promql.parsing import parse
from sregym_promql.results import InstantAnswer, RangeAnswer
from sregym_promql.selecting import (
    Budget,
    Grid,
    Sought,
    Windows,
    in_order,
    instant,
    labels_of_all,
    ranged,
    stored_rows,
    windows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_promql.notes import Note

_MOST_POINTS = 11_000
_NO_NUMBERS = "unexpected result in StepInvariantExpr evaluation: *parser.StepInvariantExpr"
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")

# Functions of ranges of which more may be said than what they give.
_NOTED = frozenset({"increase", "quantile_over_time", "rate"})


@dataclass(frozen=True)
class Engine:
    """Answers queries about one storage.

    Args:
        storage: Where samples come from.
        lookback_s: For how long a sample stands for the moments after it.
        interval_s: The step of subqueries that name none.
        most_samples: A query that would look at more fails.
        dialect: Which PromQL is spoken.
    """

    storage: Storage
    lookback_s: float = 300.0
    interval_s: float = 60.0
    most_samples: int = 50_000_000
    dialect: Dialect = PROMETHEUS_2

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
        run = _Run(self, Grid(at, at, 1, (at, at)), Budget(self.most_samples), set())
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
        if (end - start) // step > _MOST_POINTS:
            message = (
                "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the "
                "query resolution (?step=XX)"
            )
            raise ParseError(message)
        node = self._resolved(node, Query(step / 1000, (end - start) / 1000))
        run = _Run(self, Grid(start, end, step, (start, end)), Budget(self.most_samples), set())
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


class _Run(Calls):
    """One evaluation on one grid."""

    def __init__(self, engine: Engine, grid: Grid, budget: Budget, notes: set[Note]) -> None:
        super().__init__(grid, notes, engine.dialect)
        self._engine = engine
        self._budget = budget
        # Parts that stand in a query more than once: a rate and its share, most often.
        self._vectors: dict[Node, Vector] = {}

    @property
    def spent(self) -> int:
        """How many samples were looked at."""
        return self._engine.most_samples - self._budget.left

    def value(self, node: Node) -> Value:
        """The value of an expression that is no range and no string."""
        if isinstance(node, Number):
            return np.full(self._steps, node.value)
        if isinstance(node, Selector | Aggregate):
            known = self._vectors.get(node)
            if known is None:
                said = len(self.notes)
                known = (
                    self._selected(node)[0] if isinstance(node, Selector) else self._aggregate(node)
                )
                # What is said of one place is said of the next one, too.
                if len(self.notes) == said:
                    self._vectors[node] = known
            return known
        if isinstance(node, Negation):
            inner = self.value(node.inner)
            return (
                -inner if isinstance(inner, np.ndarray) else inner.mapped(np.negative, self._drop)
            )
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, Call):
            return self._call(node)
        message = f"unexpected expression: {type(node).__name__}"
        raise ParseError(message)

    def matrix(self, node: Range | Subquery) -> list[Series]:
        """The samples of a range at the grid's only step."""
        found = []
        for given in self._windows(node):
            low, high = int(given.low[0]), int(given.high[0])
            for row, labels in enumerate(given.group.labels):
                if high > low:
                    times, values = given.group.times[low:high], given.group.values[row, low:high]
                    found.append(Series(labels, times, values))
        return sorted(found, key=lambda series: series.labels)

    def _selected(self, node: Selector) -> tuple[Vector, Floats]:
        lookback = round(self._engine.lookback_s * 1000) - self.dialect.left_open
        return instant(self._engine.storage, node, self.grid, lookback, self._budget)

    def _binary(self, node: Binary) -> Value:
        left = self.value(node.left)
        if binary.is_settled(node, left):
            return left
        right = self.value(node.right)
        if isinstance(left, np.ndarray):
            if isinstance(right, np.ndarray):
                return binary.scalars(node, left, right)
            return binary.with_scalar(node, right, left, self.dialect, swapped=True)
        if isinstance(right, np.ndarray):
            return binary.with_scalar(node, left, right, self.dialect, swapped=False)
        return binary.vectors(node, left, right, self.dialect)

    def _aggregate(self, node: Aggregate) -> Vector:
        parameter: Floats | str | None = None
        if isinstance(node.parameter, Text):
            parameter = node.parameter.value
            quoted_names = self.dialect.quoted_names and parameter
            if not (quoted_names or _LABEL.fullmatch(parameter)):
                message = f"invalid label name {quoted(node.parameter.bare)}"
                raise EvaluationError(message)
        elif node.parameter is not None:
            parameter = self._scalar(node.parameter)
            if node.op == "quantile":
                self.notes |= of_levels(parameter.tolist(), node.place)
        return aggregate(node, self._vector(node.inner), parameter, self.dialect)

    def _windows(self, node: Range | Subquery) -> list[Windows]:
        return windows(self._sought(node), self.grid, self._budget)

    def _sought(self, node: Range | Subquery) -> Sought:
        """What the windows of a range or a subquery are about."""
        if isinstance(node, Range):
            left_open = self.dialect.left_open
            return ranged(self._engine.storage, node, self.grid, left_open=left_open)
        ends = self.grid.looked_at(node.moment)
        starts = ends - node.range_ms
        step = node.step_ms or round(self._engine.interval_s * 1000)
        first = step * (int(starts.min()) // step)
        if first < int(starts.min()) + self.dialect.left_open:
            first += step
        last = int(ends.max())
        if first > last:
            return Sought((), starts, ends, self.dialect.left_open)
        self._budget.allow((last - first) // step)
        inner = Grid(first, last, step, self.grid.bounds)
        run = _Run(self._engine, inner, self._budget, self.notes)
        run.step_s = step / 1000
        value = run.value(node.inner)
        if isinstance(value, np.ndarray):
            value = Vector([()], value[np.newaxis], np.ones((1, len(value)), dtype=np.bool_))
        found = stored_rows(value, inner.times)
        return Sought(found, starts, ends, self.dialect.left_open)

    def _call(self, node: Call) -> Value:
        name, arguments = node.name, node.arguments
        if name in over_time.NAMES:
            return self._over_time(node)
        if name in functions.PLAIN:
            return self._vector(arguments[0]).mapped(functions.PLAIN[name], self._drop)
        if name in functions.WITH_SCALARS:
            return self._with_scalars(name, arguments)
        if name in functions.CALENDAR:
            vector = self._vector(arguments[0]) if arguments else self._now()
            return vector.mapped(functions.CALENDAR[name], self._drop)
        if name == "histogram_quantile":
            return self._histogram_quantile(node)
        method = getattr(self, f"_do_{name}", None)
        if method is None:
            message = f'unknown function with name "{name}"'
            raise ParseError(message)
        value: Value = method(arguments)
        return value

    def _over_time(self, node: Call) -> Vector:
        name, arguments = node.name, node.arguments
        span = next(part for part in arguments if isinstance(part, Range | Subquery))
        scalars = [self._scalar(part) for part in arguments if part is not span]
        sought = self._sought(span)
        owners: list[Sequence[Labels]] = []
        results: list[over_time.Result] = []
        with np.errstate(all="ignore"):
            for some, result in self._looked_over(name, span, sought, scalars):
                owners.append(some)
                results.append(result)
        labels: Sequence[Labels]
        if not owners:
            return stacked([], self._steps)
        if len(results) == 1:
            labels, (values, present) = labels_of_all(sought.found, owners[0]), results[0]
        else:
            every = [one for some in owners for one in some]
            order = in_order(sought.found, every)
            labels = labels_of_all(sought.found, [every[row] for row in order])
            values, present = (np.concatenate(parts)[order] for parts in zip(*results, strict=True))
        if name in _NOTED:
            self._note(node, span, labels, present, scalars)
        if name not in over_time.KEEPS_NAME:
            labels = self._drop(labels)
        return unique(labels, values, present)

    def _note(
        self,
        node: Call,
        span: Range | Subquery,
        labels: Sequence[Labels],
        present: Mask,
        scalars: list[Floats],
    ) -> None:
        """Warn of levels that are none, and of rates of what does not look like a counter."""
        if node.name == "quantile_over_time":
            levels = scalars[0][np.logical_or.reduce(present, axis=0)]
            self.notes |= of_levels(levels.tolist(), node.places[0])
        elif not (isinstance(span, Range) and is_counter(span.selector.name)):
            there = np.logical_or.reduce(present, axis=1).tolist()
            known = (one for one, is_there in zip(labels, there, strict=True) if is_there)
            self.notes |= of_counters(known, node.places[0])

    def _looked_over(
        self, name: str, span: Range | Subquery, sought: Sought, scalars: list[Floats]
    ) -> Iterator[tuple[Sequence[Labels], over_time.Result]]:
        """What a function makes of the windows, for some series after the other."""
        if isinstance(span, Range):
            samples = sought.table(self._budget) if name in over_time.UNALIGNED else None
            if samples is not None:
                yield samples.labels, over_time.unaligned(name, samples, sought, self.dialect)
                return
        for given in windows(sought, self.grid, self._budget):
            over_time.check(name, given, scalars)
            yield given.group.labels, over_time.of_dialect(name, self.dialect)(given, scalars)

    def _with_scalars(self, name: str, arguments: tuple[Node, ...]) -> Vector:
        vector = self._vector(arguments[0])
        scalars = [self._scalar(part) for part in arguments[1:]]
        if name == "round" and not scalars:
            scalars = [np.ones(self._steps)]
        if name == "clamp":
            crossed = scalars[0] > scalars[1]
            vector = Vector(vector.labels, vector.values, vector.present & ~crossed)
        return vector.mapped(
            lambda values: functions.WITH_SCALARS[name](values, *scalars), self._drop
        )

"""One evaluation of an expression: at all steps of a grid at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from sregym_regex.budget import spend
from sregym_regex.go_text import BROKEN, quoted

from sregym_promql import binary, extended, functions, over_time, rates
from sregym_promql.aggregation import aggregate
from sregym_promql.calls import Calls, Value
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.labels import with_kept_name
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
from sregym_promql.notes import is_counter, of_counters, of_levels, of_ratios
from sregym_promql.samples import (
    Floats,
    Labels,
    Mask,
    Series,
    Vector,
    stacked,
    unique,
)
from sregym_promql.series_selection import (
    Budget,
    Grid,
    SelectedRange,
    Windows,
    in_order,
    instant,
    labels_of_all,
    matchers_of,
    ranged,
    stored_rows,
    windows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_promql.engine import Engine
    from sregym_promql.notes import Note
    from sregym_promql.reducing import Result

_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")

# Functions of ranges of which more may be said than what they give.
_NOTED = frozenset({"increase", "quantile_over_time", "rate"})


class Run(Calls):
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
        # A cancellation of the query takes effect here at the latest.
        spend(0)
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
        lookback = self._lookback_ms - self.dialect.left_open
        if node.edges == "smoothed":
            return self._between(node), np.empty((0, self._steps))
        return instant(self._engine.storage, node, self.grid, lookback, self._budget)

    @property
    def _lookback_ms(self) -> int:
        return round(self._engine.lookback_s * 1000)

    def _between(self, node: Selector) -> Vector:
        """Values in the middle of samples."""
        at = self.grid.looked_at(node.moment)
        beside = self._lookback_ms
        matchers = matchers_of(node)
        first, last = int(at.min()) - beside, int(at.max()) + beside
        found = self._engine.storage.select(matchers, first, last)
        sought = SelectedRange(found, at, at, self.dialect.left_open, beside)
        parts = []
        for given in windows(sought, self.grid, self._budget):
            values, present = extended.interpolated(given.group, at, beside)
            parts.append(Vector(given.group.labels, values, present))
        return stacked(parts, self._steps)

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
            good = parameter and BROKEN.search(node.parameter.bare) is None
            quoted_names = self.dialect.quoted_names and good
            if not (quoted_names or _LABEL.fullmatch(parameter)):
                message = f"invalid label name {quoted(node.parameter.bare)}"
                raise EvaluationError(message)
        elif node.parameter is not None:
            parameter = self._scalar(node.parameter)
            if node.op == "limit_ratio" and not np.isnan(parameter).any():
                self.notes |= of_ratios(parameter.tolist(), node.place)
            if node.op == "quantile":
                self.notes |= of_levels(parameter.tolist(), node.place)
        return aggregate(node, self._vector(node.inner), parameter, self.dialect)

    def _windows(self, node: Range | Subquery) -> list[Windows]:
        return windows(self._sought(node), self.grid, self._budget)

    def _sought(self, node: Range | Subquery) -> SelectedRange:
        """What the windows of a range or a subquery are about."""
        if isinstance(node, Range):
            return ranged(
                self._engine.storage,
                node,
                self.grid,
                left_open=self.dialect.left_open,
                beside_ms=self._lookback_ms if node.selector.edges else 0,
            )
        ends = self.grid.looked_at(node.moment)
        starts = ends - node.range_ms
        step = node.step_ms or round(self._engine.interval_s * 1000)
        first = step * (int(starts.min()) // step)
        if first < int(starts.min()) + self.dialect.left_open:
            first += step
        last = int(ends.max())
        if first > last:
            return SelectedRange((), starts, ends, self.dialect.left_open)
        self._budget.allow((last - first) // step)
        inner = Grid(first, last, step, self.grid.bounds)
        run = Run(self._engine, inner, self._budget, self.notes)
        run.step_s = step / 1000
        value = run.value(node.inner)
        if isinstance(value, np.ndarray):
            value = Vector([()], value[np.newaxis], np.ones((1, len(value)), dtype=np.bool_))
        found = stored_rows(value, inner.times)
        return SelectedRange(found, starts, ends, self.dialect.left_open)

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
        results: list[Result] = []
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
        elif self.dialect.delayed_names and isinstance(span, Subquery):
            labels = [with_kept_name(one) for one in labels]
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
        self, name: str, span: Range | Subquery, sought: SelectedRange, scalars: list[Floats]
    ) -> Iterator[tuple[Sequence[Labels], Result]]:
        """What a function makes of the windows, for some series after the other."""
        if isinstance(span, Range) and span.selector.edges:
            yield from self._extended(name, span.selector.edges, sought)
            return
        if isinstance(span, Range):
            samples = sought.table(self._budget) if name in over_time.UNALIGNED else None
            if samples is not None:
                yield samples.labels, rates.unaligned(name, samples, sought, self.dialect)
                return
        for given in windows(sought, self.grid, self._budget):
            over_time.check(name, given, scalars)
            yield given.group.labels, over_time.of_dialect(name, self.dialect)(given, scalars)

    def _extended(
        self, name: str, edges: str, sought: SelectedRange
    ) -> Iterator[tuple[Sequence[Labels], Result]]:
        """The same with the samples beside the windows."""
        extended.check_use(edges, name)
        beside = self._lookback_ms
        for given in windows(sought, self.grid, self._budget):
            if edges == "smoothed":
                yield given.group.labels, extended.smoothed(name, given, beside)
                continue
            wider = extended.anchored(given, beside)
            if name in ("changes", "resets"):
                yield given.group.labels, over_time.FUNCTIONS[name](wider, [])
            else:
                yield given.group.labels, extended.change(name, wider)

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

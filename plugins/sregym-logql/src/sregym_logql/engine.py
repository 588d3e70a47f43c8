"""Evaluates queries over a storage: lines of a span, or numbers at steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sregym_promql import PROMETHEUS_2, Aggregate, EvaluationError, InstantAnswer, RangeAnswer
from sregym_promql import Binary as PromqlBinary
from sregym_promql import Number as PromqlNumber
from sregym_promql.evaluation import (
    Vector,
    aggregate,
    binary_of_scalars,
    binary_of_vectors,
    binary_with_scalar,
    label_replace,
)
from sregym_promql.storage import Floats, Series
from sregym_regex.go_text import readable

from sregym_logql.errors import (
    LogqlError,
    PipelineError,
    too_many_series,
)
from sregym_logql.nodes import (
    Binary,
    Decolorize,
    Grouping,
    LabelReplace,
    LineFilter,
    Logs,
    Metric,
    Number,
    Parser,
    RangeAggregation,
    VectorAggregation,
    VectorOf,
)
from sregym_logql.parsing import parse
from sregym_logql.pipeline import Order, order_of, pipeline
from sregym_logql.ranging import aggregated
from sregym_logql.streams import Entry, Storage, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_promql.storage import Labels, Times

# Whose operators and relabelling metric queries have.
_DIALECT = PROMETHEUS_2
_NS = 1_000_000_000
_MOST_STEPS = 11_000
_FIRST_PIECE_NS = 5 * _NS
_SUMMED = ("bytes_over_time", "bytes_rate", "count_over_time", "rate", "sum_over_time")
_PLAIN_STAGES = (Decolorize, LineFilter, Parser)

Value: TypeAlias = Floats | Vector
# Labels and the lines that have them.
_Row: TypeAlias = tuple[dict[str, str], list[Entry]]
# When a line was written, its labels, the same as a dict when that is sorted, and the line.
_Line: TypeAlias = tuple[int, Order, tuple[str, ...], dict[str, str] | None, Entry]


@dataclass(frozen=True)
class LogAnswer:
    """The lines that a log query found, by their labels behind the pipeline.

    Attributes:
        rows: Labels, sorted by name, and the lines that have them; where each line has labels of
            its own there are thousands.
    """

    rows: Sequence[tuple[dict[str, str], Sequence[Entry]]]

    @property
    def streams(self) -> Sequence[Stream]:
        """The same as streams."""
        return [Stream(tuple(labels.items()), entries) for labels, entries in self.rows]


@dataclass(frozen=True)
class Engine:
    """Answers queries about one storage.

    Args:
        storage: Where lines come from.
        most_lines: Limit of a log query whose caller names none.
        most_series: Rows that a metric query may have; None for any number.
        now_ns: When it is asked, in nanoseconds since 1970.
    """

    storage: Storage
    most_lines: int = 100
    most_series: int | None = None
    now_ns: int = 0

    def is_logs(self, query: str) -> bool:
        """Whether a query asks for lines, not numbers.

        Raises:
            LogqlError: It cannot be read.
        """
        return isinstance(parse(query), Logs)

    def logs(
        self,
        query: str,
        start_ns: int,
        end_ns: int,
        limit: int | None = None,
        *,
        forward: bool = False,
    ) -> LogAnswer:
        """The newest lines from `start_ns` on and before `end_ns`; the oldest when `forward`.

        Raises:
            LogqlError: The query cannot be read, or asks for numbers.
        """
        node = parse(query)
        if not isinstance(node, Logs):
            message = "only log selector is supported"
            raise LogqlError(message)
        most = self.most_lines if limit is None else limit
        found: list[_Line] = []
        for first_ns, last_ns in _pieces(start_ns, end_ns - 1, forward=forward):
            found.extend(self._piece(node, first_ns, last_ns, forward=forward))
            if len(found) >= most:
                break
        return _by_labels(found[:most])

    def _piece(self, node: Logs, first_ns: int, last_ns: int, *, forward: bool) -> list[_Line]:
        found: list[_Line] = []
        stages = pipeline(node.stages, None, self.now_ns)
        keeps_labels = stages.keeps_labels
        for stream in self.storage.select(node.matchers, first_ns, last_ns):
            run = stages.over(stream.labels)
            names: tuple[str, ...] | None = None
            order, in_order = order_of(()), True
            values: tuple[str, ...] = ()
            for entry, labels, line in run(stream.entries):
                at_ns, text = entry
                if not keeps_labels or names is None:
                    if (found_names := tuple(labels)) != names:
                        names = found_names
                        order = order_of(names)
                        in_order = names == order.names
                    values = order.values(labels)
                same = entry if line is text else Entry(at_ns, line)
                found.append((at_ns, order, values, labels if in_order else None, same))
        found.sort(key=itemgetter(0), reverse=not forward)
        return found

    def instant(self, query: str, at_ns: int) -> InstantAnswer:
        """The value of a metric query at a moment.

        Raises:
            LogqlError: The query cannot be read, or asks for lines.
            PipelineError: Its stages met lines that they could not take.
        """
        node = self._metric(query)
        value = self._checked(
            _Run(self.storage, np.array([at_ns], dtype=np.int64), self.now_ns).value(node)
        )
        if isinstance(value, np.ndarray):
            return InstantAnswer("scalar", (((), float(value[0])),))
        rows = [
            (labels, float(value.values[row, 0]))
            for row, labels in enumerate(value.labels)
            if value.present[row, 0]
        ]
        if isinstance(node, VectorAggregation) and node.op in ("sort", "sort_desc"):
            sign = -1.0 if node.op == "sort_desc" else 1.0
            # What is no number comes last, whichever way is asked for.
            rows.sort(key=lambda row: (math.isnan(row[1]), sign * row[1]))
        return InstantAnswer("vector", rows)

    def range(self, query: str, start_ns: int, end_ns: int, step_ns: int) -> RangeAnswer:
        """The values of a metric query from `start_ns` to `end_ns`; times in milliseconds.

        Raises:
            LogqlError: The query cannot be read, asks for lines, or has too many steps.
            PipelineError: Its stages met lines that they could not take.
        """
        node = self._metric(query)
        if (end_ns - start_ns) // step_ns > _MOST_STEPS:
            message = (
                "exceeded maximum resolution of 11,000 points per time series. Try increasing the "
                "value of the step parameter"
            )
            raise LogqlError(message)
        steps = np.arange(start_ns, end_ns + 1, step_ns, dtype=np.int64)
        value = self._checked(_Run(self.storage, steps, self.now_ns).value(node))
        times = steps // 1_000_000
        if isinstance(value, np.ndarray):
            return RangeAnswer([Series((), times, value)])
        series = [
            Series(labels, times[value.present[row]], value.values[row, value.present[row]])
            for row, labels in enumerate(value.labels)
            if value.present[row].any()
        ]
        return RangeAnswer(sorted(series, key=lambda one: one.labels))

    def _checked(self, value: Value) -> Value:
        most = self.most_series
        if most is not None and isinstance(value, Vector) and len(value.labels) > most:
            raise LogqlError(too_many_series(most))
        return value

    def _metric(self, query: str) -> Metric:
        node = parse(query)
        if isinstance(node, Logs):
            message = "log queries are not supported as an instant query type, please change your query to a range query type"
            raise LogqlError(message)
        return node


def _by_labels(found: Sequence[_Line]) -> LogAnswer:
    """Lines by their labels, in the order of these as text."""
    orders: dict[tuple[str, ...], tuple[Order, dict[tuple[str, ...], _Row]]] = {}
    names: tuple[str, ...] | None = None
    grouped: dict[tuple[str, ...], _Row] = {}
    for _, order, values, labels, entry in found:
        if order.names is not names:
            names = order.names
            grouped = orders.setdefault(names, (order, {}))[1]
        if values in grouped:
            grouped[values][1].append(entry)
        else:
            # As many values as names, by the order's making: to look again costs as much as the dict.
            row = dict(zip(names, values)) if labels is None else labels  # noqa: B905
            grouped[values] = (row, [entry])
    rows = [row for _, members in orders.values() for row in members.values()]
    # Sorted as text: comparing thousands of label sets pair by pair takes longer.
    texts = _texts([*orders.values()])
    return LogAnswer([rows[place] for place in sorted(range(len(rows)), key=texts.__getitem__)])


def _texts(orders: Sequence[tuple[Order, Iterable[tuple[str, ...]]]]) -> list[str]:
    """What label sets are sorted by."""
    if len(orders) == 1:
        ((order, members),) = orders
        texts = [",".join(values) for values in members]
        # Between texts of the same names only a comma within a value makes these matter.
        if ",".join(texts).count(",") == len(texts) * len(order.names) - 1:
            return texts
    return [order.words % values for order, members in orders for values in members]


def _no_zeros(value: Value) -> Value:
    """A divisor without zeros: Loki divides by nothing, not to infinity."""
    if isinstance(value, np.ndarray):
        return np.where(value == 0, np.nan, value)
    values = np.where(value.values == 0, np.nan, value.values)
    return Vector(value.labels, values, value.present)


def _summed_early(node: VectorAggregation) -> Metric:
    """What is aggregated; sums are made line by line, with the labels of the sum only.

    When a sum of counts has no labels, parsers do nothing, and so find nothing wrong either.
    """
    inner = node.inner
    if (
        node.op != "sum"
        or not isinstance(inner, RangeAggregation)
        or inner.op not in _SUMMED
        or inner.grouping is not None
    ):
        return inner
    grouping = node.grouping or Grouping((), without=False)
    stages = inner.logs.stages
    bare = not grouping.labels and not grouping.without
    if bare and inner.unwrap is None and all(isinstance(stage, _PLAIN_STAGES) for stage in stages):
        stages = tuple(stage for stage in stages if not isinstance(stage, Parser))
    return replace(inner, logs=Logs(inner.logs.matchers, stages), grouping=grouping)


def _pieces(first_ns: int, last_ns: int, *, forward: bool) -> Iterator[tuple[int, int]]:
    """A span in pieces, each longer than the one before: few lines are wanted of many."""
    length_ns = _FIRST_PIECE_NS
    while first_ns <= last_ns:
        if forward:
            yield first_ns, min(first_ns + length_ns - 1, last_ns)
            first_ns += length_ns
        else:
            yield max(last_ns - length_ns + 1, first_ns), last_ns
            last_ns -= length_ns
        length_ns *= 4


def _relabelled(rows: Sequence[Labels], words: tuple[str, str, str, str]) -> list[Labels]:
    target, replacement, source, pattern = words
    return label_replace(rows, readable(target), readable(replacement), source, pattern, _DIALECT)


class _Run:
    """One evaluation at some steps."""

    def __init__(self, storage: Storage, steps: Times, now_ns: int) -> None:
        self._storage = storage
        self._steps = steps
        self._now_ns = now_ns

    def value(self, node: Metric) -> Value:
        """Numbers at the steps, or rows of them."""
        count = len(self._steps)
        if isinstance(node, Number):
            return np.full(count, node.value)
        if isinstance(node, VectorOf):
            return Vector(
                [()], np.full((1, count), node.value), np.ones((1, count), dtype=np.bool_)
            )
        if isinstance(node, RangeAggregation):
            return aggregated(self._storage, node, self._steps, self._now_ns)
        if isinstance(node, VectorAggregation):
            return self._aggregate(node)
        if isinstance(node, LabelReplace):
            vector = self._vector(node.inner)
            try:
                return vector.renamed(_relabelled(vector.labels, node.words))
            except EvaluationError as error:
                raise LogqlError(str(error)) from None
        return self._binary(node)

    def _vector(self, node: Metric) -> Vector:
        value = self.value(node)
        if isinstance(value, Vector):
            return value
        shape = (1, len(self._steps))
        return Vector([()], value.reshape(shape), np.ones(shape, dtype=np.bool_))

    def _aggregate(self, node: VectorAggregation) -> Vector:
        vector = self._vector(_summed_early(node))
        if node.op in ("sort", "sort_desc"):
            return vector
        grouping = node.grouping
        labels = () if grouping is None else grouping.labels
        without = grouping is not None and grouping.without
        op = "topk" if node.op == "approx_topk" else node.op
        parameter = None
        if node.parameter is not None:
            parameter = np.full(len(self._steps), node.parameter)
        inner = PromqlNumber(0.0)
        return aggregate(Aggregate(op, inner, None, labels, without), vector, parameter)

    def _binary(self, node: Binary) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if node.op in ("/", "%"):
            right = _no_zeros(right)
        same = PromqlBinary(
            node.op, PromqlNumber(0.0), PromqlNumber(0.0), node.returns_bool, node.matching
        )
        try:
            if isinstance(left, np.ndarray):
                if isinstance(right, np.ndarray):
                    return binary_of_scalars(same, left, right)
                return binary_with_scalar(same, right, left, _DIALECT, swapped=True)
            if isinstance(right, np.ndarray):
                return binary_with_scalar(same, left, right, _DIALECT, swapped=False)
            return binary_of_vectors(same, left, right, _DIALECT)
        except EvaluationError as error:
            raise PipelineError(str(error)) from None

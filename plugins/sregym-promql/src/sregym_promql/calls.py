"""Functions that are evaluated each in a way of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sregym_regex.go_text import BROKEN

from sregym_promql import relabelling
from sregym_promql.aggregation import value_text
from sregym_promql.histograms import histogram_fraction, histogram_quantile, notes_of
from sregym_promql.info import InfoSelector, enriched
from sregym_promql.nodes import Moment, Node, Range, Selector, Subquery, Text
from sregym_promql.samples import Floats, Vector, bare, doomed, stacked
from sregym_promql.series_selection import matchers_of

if TYPE_CHECKING:
    from sregym_promql.dialect import Dialect
    from sregym_promql.nodes import Call
    from sregym_promql.notes import Note
    from sregym_promql.samples import Labels, Mask
    from sregym_promql.series_selection import Grid, Windows

# Numbers at each step, or rows at each step.
Value: TypeAlias = Floats | Vector


class Calls:
    """The part of an evaluation that knows these functions: `_do_NAME` of the arguments.

    Args:
        grid: The steps.
        notes: Where warnings and infos go.
        dialect: What is answered otherwise.
    """

    def __init__(self, grid: Grid, notes: set[Note], dialect: Dialect) -> None:
        self.grid = grid
        self.dialect = dialect
        # How the name of a metric goes.
        self._drop = doomed if dialect.delayed_names else bare
        self.notes = notes
        self._steps = len(grid.times)
        # From one step of the query to the next; subqueries have others.
        self.step_s = 0.0

    def value(self, node: Node) -> Value:
        """The value of an expression that is no range and no string."""
        raise NotImplementedError

    def _selected(self, node: Selector) -> tuple[Vector, Floats]:
        raise NotImplementedError

    def _windows(self, node: Range | Subquery) -> list[Windows]:
        raise NotImplementedError

    def _vector(self, node: Node) -> Vector:
        value = self.value(node)
        assert isinstance(value, Vector)
        return value

    def _scalar(self, node: Node) -> Floats:
        value = self.value(node)
        assert isinstance(value, np.ndarray)
        return value

    def _now(self) -> Vector:
        times = self.grid.times / 1000.0
        return Vector([()], times[np.newaxis], np.ones((1, self._steps), dtype=np.bool_))

    def _do_time(self, _: tuple[Node, ...]) -> Value:
        return self.grid.times / 1000.0

    def _do_start(self, _: tuple[Node, ...]) -> Value:
        return np.full(self._steps, self.grid.bounds[0] / 1000.0)

    def _do_end(self, _: tuple[Node, ...]) -> Value:
        return np.full(self._steps, self.grid.bounds[1] / 1000.0)

    def _do_range(self, _: tuple[Node, ...]) -> Value:
        first, last = self.grid.bounds
        return np.full(self._steps, (last - first) / 1000.0)

    def _do_step(self, _: tuple[Node, ...]) -> Value:
        return np.full(self._steps, self.step_s)

    def _do_info(self, arguments: tuple[Node, ...]) -> Value:
        base, *data = arguments
        matchers = [one for part in data if isinstance(part, Selector) for one in matchers_of(part)]
        wanted = InfoSelector(matchers)
        infos, sampled = self._selected(Selector("", tuple(wanted.matchers()), Moment()))
        return enriched(self._vector(base), infos, sampled, wanted)

    def _do_pi(self, _: tuple[Node, ...]) -> Value:
        return np.full(self._steps, np.pi)

    def _do_vector(self, arguments: tuple[Node, ...]) -> Value:
        scalar = self._scalar(arguments[0])
        return Vector([()], scalar[np.newaxis], np.ones((1, self._steps), dtype=np.bool_))

    def _do_scalar(self, arguments: tuple[Node, ...]) -> Value:
        vector = self._vector(arguments[0])
        single = vector.present.sum(axis=0) == 1
        total = np.where(vector.present, vector.values, 0.0).sum(axis=0)
        return np.where(single, total, np.nan)

    def _do_timestamp(self, arguments: tuple[Node, ...]) -> Value:
        if isinstance(arguments[0], Selector):
            vector, sampled = self._selected(arguments[0])
            return vector.renamed(self._drop(vector.labels), sampled)
        times = self.grid.times / 1000.0
        return self._vector(arguments[0]).mapped(
            lambda values: np.broadcast_to(times, values.shape), self._drop
        )

    def _do_sort(self, arguments: tuple[Node, ...]) -> Value:
        """As it is: answers alone have an order."""
        return self._vector(arguments[0])

    _do_sort_desc = _do_sort_by_label = _do_sort_by_label_desc = _do_sort

    def _do_absent(self, arguments: tuple[Node, ...]) -> Value:
        found = self._vector(arguments[0]).present
        there: Mask = np.logical_or.reduce(found, axis=0)
        return self._missing(there, relabelling.of_absent(arguments[0]))

    def _do_absent_over_time(self, arguments: tuple[Node, ...]) -> Value:
        span = arguments[0]
        assert isinstance(span, Range | Subquery)
        there = np.zeros(self._steps, dtype=np.bool_)
        for given in self._windows(span):
            there |= given.high > given.low
        return self._missing(there, relabelling.of_absent(span))

    def _missing(self, there: Mask, labels: Labels) -> Vector:
        return Vector([labels], np.ones((1, self._steps)), ~there[np.newaxis])

    def _do_label_replace(self, arguments: tuple[Node, ...]) -> Value:
        vector = self._vector(arguments[0])
        target, replacement, source, pattern = (_text(part) for part in arguments[1:])
        if isinstance(arguments[-1], Text) and BROKEN.search(arguments[-1].bare):
            raise relabelling.refused_pattern(pattern)
        if isinstance(arguments[1], Text) and BROKEN.search(arguments[1].bare):
            raise relabelling.refused_name("label_replace", "destination", target)
        return vector.renamed(
            relabelling.replaced(vector.labels, target, replacement, source, pattern, self.dialect)
        )

    def _do_label_join(self, arguments: tuple[Node, ...]) -> Value:
        vector = self._vector(arguments[0])
        target, separator, *sources = (_text(part) for part in arguments[1:])
        return vector.renamed(
            relabelling.joined(vector.labels, target, separator, sources, self.dialect)
        )

    def _of_native(self, arguments: tuple[Node, ...]) -> Value:
        """Functions of native histograms pass over floats: there are no others here."""
        for part in arguments:
            self.value(part)
        return stacked([], self._steps)

    def _do_histogram_fraction(self, arguments: tuple[Node, ...]) -> Value:
        if not self.dialect.later_functions:
            return self._of_native(arguments)
        low, high = self._scalar(arguments[0]), self._scalar(arguments[1])
        return histogram_fraction(low, high, self._vector(arguments[2]))

    def _do_histogram_quantiles(self, arguments: tuple[Node, ...]) -> Value:
        vector, label, *levels = arguments
        buckets, name = self._vector(vector), _text(label)
        parts = []
        for level in map(self._scalar, levels):
            found = histogram_quantile(level, buckets, self.dialect)
            text = value_text(float(level[0])) if len(level) else ""
            labels = relabelling.with_label(found.labels, name, text)
            parts.append(found.renamed(labels))
        return stacked(parts, self._steps)

    _do_histogram_count = _do_histogram_sum = _of_native
    _do_histogram_avg = _do_histogram_stddev = _do_histogram_stdvar = _of_native

    def _histogram_quantile(self, node: Call) -> Value:
        levels, buckets = (self._scalar(node.arguments[0]), self._vector(node.arguments[1]))
        self.notes |= notes_of(levels, buckets, node.places)
        return histogram_quantile(levels, buckets, self.dialect)


def _text(node: Node) -> str:
    assert isinstance(node, Text)
    return node.value

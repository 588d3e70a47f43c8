"""Range aggregations: numbers from the lines of each step's window.

A window is open at its old end, as Loki's: a line exactly one range old is no part of it.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from sregym_promql.evaluation import OVER_TIME, Group, Vector, Windows, empty
from sregym_promql.storage import Floats, format_labels, labels_of

from sregym_logql.errors import (
    LogqlError,
    PipelineError,
    too_many_series,
)
from sregym_logql.extraction import DETAILS, ERROR
from sregym_logql.nodes import (
    Decolorize,
    LabelFilter,
    LineFilter,
    Parser,
    condition_labels,
)
from sregym_logql.pipeline import number_of, pipeline, sorted_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_promql.storage import Labels, Mask, Times

    from sregym_logql.nodes import RangeAggregation
    from sregym_logql.streams import Entry, Storage

_NS = 1_000_000_000
# Rows times steps; more would fill the memory before anything could be aggregated.
_MOST_NUMBERS = 10_000_000
# What a range aggregation does with the numbers of a window, by the function of PromQL.
_SAME = {
    "avg_over_time": "avg_over_time",
    "bytes_over_time": "sum_over_time",
    "count_over_time": "sum_over_time",
    "last_over_time": "last_over_time",
    "max_over_time": "max_over_time",
    "min_over_time": "min_over_time",
    "quantile_over_time": "quantile_over_time",
    "rate_counter": "rate",
    "stddev_over_time": "stddev_over_time",
    "stdvar_over_time": "stdvar_over_time",
    "sum_over_time": "sum_over_time",
}
_PER_SECOND = ("rate", "bytes_rate")
# What of a single line is its number, or that divided by the seconds.
_ALONE = frozenset(
    {
        *_PER_SECOND,
        "avg_over_time",
        "bytes_over_time",
        "count_over_time",
        "first_over_time",
        "last_over_time",
        "max_over_time",
        "min_over_time",
        "sum_over_time",
    }
)


def aggregated(storage: Storage, node: RangeAggregation, steps: Times, now_ns: int = 0) -> Vector:
    """The rows of a range aggregation at the steps.

    Raises:
        PipelineError: A stage met a line that it could not take.
        LogqlError: There would be more numbers than anybody reads.
    """
    ends = steps - node.offset_ns
    starts = ends - node.range_ns
    samples = _samples(storage, node, int(starts.min()) + 1, int(ends.max()), now_ns)
    if node.op == "absent_over_time":
        return _absent(node, samples, starts, ends)
    if not samples:
        return empty(len(steps))
    if len(samples) * len(steps) > _MOST_NUMBERS:
        raise LogqlError(too_many_series())
    values = np.empty((len(samples), len(steps)))
    present = np.empty(values.shape, dtype=np.bool_)
    alone: list[int] = []
    for row, points in enumerate(samples.values()):
        if len(points) == 1 and node.op in _ALONE:
            alone.append(row)
        else:
            values[row], present[row] = _over_window(node, points, starts, ends)
    if alone:
        # Where each line has labels of its own there are thousands of them.
        points = [several[0] for several in samples.values() if len(several) == 1]
        times = np.array([[at] for at, _ in points], dtype=np.int64)
        present[alone] = (times > starts) & (times <= ends)
        numbers = np.array([[value] for _, value in points], dtype=np.float64)
        values[alone] = numbers / (node.range_ns / _NS) if node.op in _PER_SECOND else numbers
    return Vector(list(samples), values, present)


def _samples(
    storage: Storage, node: RangeAggregation, start_ns: int, end_ns: int, now_ns: int
) -> dict[Labels, list[tuple[int, float]]]:
    """Times and numbers, by the labels of the row that they belong to."""
    found: dict[Labels, list[tuple[int, float]]] = {}
    measure = _measure(node)
    stages = pipeline(node.logs.stages, _wanted(node), now_ns)
    row = _row(node)
    for stream in storage.select(node.logs.matchers, start_ns, end_ns):
        run = stages.over(stream.labels)
        plain = node.unwrap is None and stages.keeps_labels
        points = found.setdefault(row(dict(stream.labels)), []) if plain else []
        for entry, labels, line in run(stream.entries):
            value = measure(labels, line)
            if value is None:
                continue
            if not plain:
                if labels.get(ERROR):
                    _refuse(node, stream.labels, entry, now_ns)
                points = found.setdefault(row(labels), [])
            points.append((entry[0], value))
    for several in found.values():
        several.sort(key=itemgetter(0))
    return {labels: several for labels, several in sorted(found.items()) if several}


def _measure(node: RangeAggregation) -> Callable[[dict[str, str], str], float | None]:
    """What a line counts for; nothing when it has no number."""
    if node.unwrap is not None:
        number = number_of(node.unwrap)
        return lambda labels, _: number(labels)
    if node.op.startswith("bytes_"):
        return lambda _, line: float(len(line.encode()))
    return lambda _, __: 1.0


def _wanted(node: RangeAggregation) -> frozenset[str] | None:
    """The labels that decide about rows and numbers; None when all may."""
    if node.grouping is None or node.grouping.without:
        return None
    found = {ERROR, DETAILS, *node.grouping.labels}
    filters = node.unwrap.filters if node.unwrap is not None else ()
    for stage in (*node.logs.stages, *filters):
        if isinstance(stage, LabelFilter):
            found.update(condition_labels(stage.condition))
        elif not isinstance(stage, Decolorize | LineFilter | Parser):
            return None
    if node.unwrap is not None:
        found.add(node.unwrap.label)
    return frozenset(found)


def _refuse(node: RangeAggregation, stream: Labels, entry: Entry, now_ns: int) -> None:
    """Say what is wrong with a line, with all labels that it has."""
    ((_, labels, line),) = pipeline(node.logs.stages, None, now_ns).over(stream)([entry])
    _measure(node)(labels, line)
    kind = labels[ERROR]
    message = (
        f"pipeline error: '{kind}' for series: '{format_labels(labels_of(labels))}'.\n"
        "Use a label filter to intentionally skip this error. "
        f'(e.g | __error__!="{kind}").\n'
        'To skip all potential errors you can match empty errors.(e.g __error__="")\n'
        "The label filter can also be specified after unwrap. "
        '(e.g | unwrap latency | __error__="" )\n'
    )
    raise PipelineError(message)


def _row(node: RangeAggregation) -> Callable[[dict[str, str]], Labels]:
    """From the labels of a line to those of the row that it counts for."""
    grouping = node.grouping
    if grouping is not None and not grouping.without:
        names = tuple(sorted(set(grouping.labels)))
        if len(names) == 1:
            (single,) = names
            return lambda labels: ((single, labels[single]),) if labels.get(single) else ()
        return lambda labels: tuple([(name, labels[name]) for name in names if labels.get(name)])
    left_out = {ERROR, DETAILS, *(() if grouping is None else grouping.labels)}
    if node.unwrap is not None:
        left_out.add(node.unwrap.label)

    def row(labels: dict[str, str]) -> Labels:
        kept = labels.copy()
        for name in left_out:
            kept.pop(name, None)
        return sorted_labels(kept)

    return row


def _over_window(
    node: RangeAggregation, points: list[tuple[int, float]], starts: Times, ends: Times
) -> tuple[Floats, Mask]:
    times = np.array([at for at, _ in points], dtype=np.int64)
    numbers = np.array([[value for _, value in points]], dtype=np.float64)
    low = np.searchsorted(times, starts, side="right")
    high = np.searchsorted(times, ends, side="right")
    # The functions of PromQL count in milliseconds.
    group = Group([()], times // 1_000_000, numbers)
    windows = Windows(group, low, high, starts // 1_000_000, ends // 1_000_000, ends // 1_000_000)
    with np.errstate(all="ignore"):
        if node.op in _PER_SECOND:
            found, there = OVER_TIME["sum_over_time"](windows, [])
            return found / (node.range_ns / _NS), there
        if node.op == "first_over_time":
            first = np.minimum(low, len(times) - 1)
            return numbers[:, first], (high > low)[np.newaxis]
        scalars = [] if node.parameter is None else [np.full(len(ends), node.parameter)]
        return OVER_TIME[_SAME[node.op]](windows, scalars)


def _absent(
    node: RangeAggregation,
    samples: dict[Labels, list[tuple[int, float]]],
    starts: Times,
    ends: Times,
) -> Vector:
    there = np.zeros(len(ends), dtype=np.bool_)
    for points in samples.values():
        times = np.array([at for at, _ in points], dtype=np.int64)
        low = np.searchsorted(times, starts, side="right")
        there |= np.searchsorted(times, ends, side="right") > low
    named: dict[str, str] = {}
    unclear = set()
    for matcher in node.logs.matchers:
        if matcher.op == "=" and matcher.name not in named:
            named[matcher.name] = matcher.value
        else:
            unclear.add(matcher.name)
    labels = labels_of({name: value for name, value in named.items() if name not in unclear})
    return Vector([labels], np.ones((1, len(ends))), ~there[np.newaxis])

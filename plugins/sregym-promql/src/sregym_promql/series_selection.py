"""Selectors: from stored series to values at the steps of a grid, and to windows of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_regex.budget import allocate, spend

from sregym_promql.errors import TOO_MANY, EvaluationError
from sregym_promql.samples import (
    NAME,
    Floats,
    Labels,
    Laid,
    Matcher,
    Newest,
    Rows,
    Storage,
    StoredSeries,
    Times,
    Vector,
    cached_result,
    empty,
    is_quick,
    is_stale,
)
from sregym_promql.unaligned import Table, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_promql.nodes import Moment, Range, Selector

_MOST_STEPS = 5_000_000


class Grid(NamedTuple):
    """The steps at which an expression is evaluated.

    Attributes:
        start: Milliseconds of the first step.
        end: Not before it; steps lie at start + k * step up to end.
        step: Milliseconds.
        bounds: What `start()` and `end()` are: those of the whole query, in its subqueries too.
    """

    start: int
    end: int
    step: int
    bounds: tuple[int, int]

    @property
    def times(self) -> Times:
        """All steps."""
        return np.arange(self.start, self.end + 1, self.step, dtype=np.int64)

    def looked_at(self, moment: Moment) -> Times:
        """The moment that a selector looks at, for each step."""
        if moment.at is None:
            return self.times - moment.offset_ms
        at = dict(zip(("start", "end"), self.bounds, strict=True)).get(str(moment.at), moment.at)
        return np.full(len(self.times), int(at) - moment.offset_ms, dtype=np.int64)


# What a sample takes while it is looked at: its time, its value, and a copy of both.
_SAMPLE_BYTES = 24
# What a step of a subquery takes, for the few series that most have.
_STEP_BYTES = 200
# Samples that are looked at again and again, in a step: of wide windows, and of others.
_WIDE, _WIDE_PER_STEP, _PER_STEP = 10_000, 6, 10


@dataclass
class Budget:
    """How many samples a query may still look at."""

    left: int

    def spend(self, samples: int) -> None:
        """Count samples.

        Raises:
            EvaluationError: There were too many.
        """
        allocate(_SAMPLE_BYTES * samples)
        self.left -= samples
        if self.left < 0:
            raise EvaluationError(TOO_MANY)

    def allow(self, steps: int) -> None:
        """Refuse a subquery of more steps than memory is meant for.

        Raises:
            EvaluationError: There are too many.
        """
        allocate(_STEP_BYTES * steps)
        if steps > _MOST_STEPS:
            raise EvaluationError(TOO_MANY)


class Group(NamedTuple):
    """Series with the same sample times, as rows.

    Attributes:
        labels: One set a row.
        times: Milliseconds, ascending.
        values: Rows by samples; no stale marks.
    """

    labels: Sequence[Labels]
    times: Times
    values: Floats


class Windows(NamedTuple):
    """The samples of a group in each step's window: `times[low:high]`.

    Attributes:
        group: The samples.
        low: For each step.
        high: For each step; equal to `low` when the window is empty.
        starts: Where each window begins, in milliseconds.
        ends: And ends.
        steps: The moments of the steps themselves; windows end before them by the offset.
    """

    group: Group
    low: Times
    high: Times
    starts: Times
    ends: Times
    steps: Times


def matchers_of(selector: Selector) -> list[Matcher]:
    """All matchers, that of the name among them."""
    named = [Matcher(NAME, "=", selector.name)] if selector.name else []
    return [*named, *selector.matchers]


def instant(
    storage: Storage, selector: Selector, grid: Grid, lookback_ms: int, budget: Budget
) -> tuple[Vector, Floats]:
    """The newest sample at each step that is not older than the lookback, and its time in s."""
    wanted = grid.looked_at(selector.moment)
    if len(wanted) == 1 and is_quick(storage):
        quick = storage.newest(matchers_of(selector), int(wanted[0]), lookback_ms)
        if quick is not None:
            budget.spend(len(quick.labels))
            return _of_newest(quick)
    found = storage.select(
        matchers_of(selector), int(wanted.min()) - lookback_ms, int(wanted.max())
    )
    budget.spend(len(found) * len(wanted))
    if not found:
        return empty(len(wanted)), np.empty((0, len(wanted)))
    samples = _table(found, int(wanted.min()) - lookback_ms, int(wanted.max()))
    if samples is not None:
        return _newest(samples, wanted, lookback_ms)
    labels: list[Labels] = []
    values, present, sampled = [], [], []
    for times, members in _by_times(found):
        labels.extend(members.labels)
        newest = np.searchsorted(times, wanted, side="right") - 1
        known = newest >= 0
        newest = np.maximum(newest, 0)
        if len(times):
            at = times[newest]
            known &= at >= wanted - lookback_ms
            taken = members.taken(newest)
        else:
            at = np.zeros(len(wanted), dtype=np.int64)
            taken = np.zeros((len(members.labels), len(wanted)))
        values.append(taken)
        present.append(known & ~is_stale(taken))
        sampled.append(np.broadcast_to(at / 1000.0, taken.shape))
    if len(values) == 1:
        return Vector(labels_of_all(found, labels), values[0], present[0]), sampled[0]
    order = in_order(found, labels)
    vector = Vector(
        labels_of_all(found, [labels[row] for row in order]),
        np.concatenate(values)[order],
        np.concatenate(present)[order],
    )
    return vector, np.concatenate(sampled)[order]


def labels_of_all(found: Sequence[StoredSeries], labels: Sequence[Labels]) -> Sequence[Labels]:
    """The labels of all series in order: of such as are asked for again, the very same rows."""
    return found.labels if isinstance(found, Laid) and len(found) == len(labels) else labels


def _table(found: Sequence[StoredSeries], start: int, end: int) -> Table | None:
    return cached_result(found, ("table", start, end), lambda: table(found, start, end))


def in_order(found: Sequence[StoredSeries], labels: Sequence[Labels]) -> list[int]:
    """The rows with these labels in the order of the series that they were made of.

    So sums do not depend on which series were looked at together.
    """
    rows = {id(owner): row for row, owner in enumerate(labels)}
    every = found.labels if isinstance(found, Laid) else [series.labels for series in found]
    order = [rows[id(one)] for one in every if id(one) in rows]
    return order if len(order) == len(labels) else list(range(len(labels)))


def _of_newest(newest: Newest) -> tuple[Vector, Floats]:
    values = np.array(newest.values, dtype=np.float64)[:, np.newaxis]
    times = np.array(newest.times, dtype=np.int64)[:, np.newaxis]
    return Vector(newest.labels, values, ~is_stale(values)), times / 1000.0


def _newest(samples: Table, wanted: Times, lookback_ms: int) -> tuple[Vector, Floats]:
    newest = samples.until(wanted, inclusive=True) - 1
    places = np.maximum(newest, 0)
    flat = samples.flat(places)
    values, times = samples.values.ravel()[flat], samples.times.ravel()[flat]
    present = (newest >= 0) & (times >= wanted - lookback_ms)
    if samples.stale:
        present &= ~is_stale(values)
    return Vector(samples.labels, values, present), times / 1000.0


class SelectedRange(NamedTuple):
    """What a range selector finds, and from when to when each step looks.

    With `left_open` a sample at the very begin of a window does not belong to it; `beside_ms` is
    how far beside the windows samples are of interest, too.
    """

    found: Sequence[StoredSeries]
    starts: Times
    ends: Times
    left_open: bool = False
    beside_ms: int = 0

    def table(self, budget: Budget) -> Table | None:
        """The series together, where they share no times and none ends within the span."""
        if not self.found:
            return None
        samples = _table(self.found, int(self.starts.min()), int(self.ends.max()))
        if samples is None or samples.stale:
            return None
        budget.spend(samples.values.size)
        return samples


def ranged(
    storage: Storage, node: Range, grid: Grid, *, left_open: bool = False, beside_ms: int = 0
) -> SelectedRange:
    """Ask a storage for what a range selector is about."""
    ends = grid.looked_at(node.selector.moment)
    starts = ends - node.range_ms
    matchers = matchers_of(node.selector)
    first, last = int(starts.min()) - beside_ms, int(ends.max()) + beside_ms
    found = storage.select(matchers, first, last)
    return SelectedRange(found, starts, ends, left_open, beside_ms)


def stored_rows(vector: Vector, times: Times) -> list[StoredSeries]:
    """The rows of a vector at the steps of a subquery, as series."""
    stored = []
    for labels, values, there in zip(vector.labels, vector.values, vector.present, strict=True):
        if there.all():
            stored.append(StoredSeries(labels, times, values))
        elif there.any():
            stored.append(StoredSeries(labels, times[there], values[there]))
    return stored


def windows(sought: SelectedRange, grid: Grid, budget: Budget) -> list[Windows]:
    """The samples in the window of each step, for each group of series."""
    starts, ends = sought.starts, sought.ends
    beside = sought.beside_ms
    span = (int(starts.min()) - beside, int(ends.max()) + beside)
    groups = cached_result(sought.found, span, lambda: [*grouped(sought.found, *span)])
    return [window(group, sought, grid, budget) for group in groups]


def window(group: Group, sought: SelectedRange, grid: Grid, budget: Budget) -> Windows:
    """Where each step's window lies; its end belongs to it."""
    starts, ends = sought.starts, sought.ends
    low = np.searchsorted(group.times, starts, side="right" if sought.left_open else "left")
    high = np.searchsorted(group.times, ends, side="right")
    widest = int((high - low).max(initial=0))
    budget.spend(widest * len(group.labels))
    looked_at = int((high - low).sum()) * len(group.labels)
    spend(looked_at >> (_WIDE_PER_STEP if widest > _WIDE else _PER_STEP))
    return Windows(group, low, high, starts, ends, grid.times)


def grouped(
    found: Sequence[StoredSeries], start: int | None = None, end: int | None = None
) -> Iterator[Group]:
    """Series with equal times together, without their stale marks; only samples of a span."""
    if isinstance(found, Laid):
        for block in found.blocks:
            first = 0 if start is None else int(np.searchsorted(block.times, start, side="left"))
            last = None if end is None else int(np.searchsorted(block.times, end, side="right"))
            yield Group(
                found.labels_of(block), block.times[first:last], block.values[:, first:last]
            )
        yield from grouped([*found.others.values()], start, end)
        return
    for all_times, several in _by_series(found):
        members = several.series
        first = 0 if start is None else int(np.searchsorted(all_times, start, side="left"))
        last = None if end is None else int(np.searchsorted(all_times, end, side="right"))
        times = all_times[first:last]
        values = np.array([series.values[first:last] for series in members])
        stale = is_stale(values)
        if not stale.any():
            yield Group(Rows([series.labels for series in members]), times, values)
            continue
        marked = np.logical_or.reduce(stale, axis=1).tolist()
        clean = [row for row in range(len(members)) if not marked[row]]
        if clean:
            labels = [members[row].labels for row in clean]
            yield Group(labels, times, values if len(clean) == len(members) else values[clean])
        for row in (row for row, is_marked in enumerate(marked) if is_marked):
            keep = ~stale[row]
            yield Group([members[row].labels], times[keep], values[row : row + 1, keep])


class _Several(NamedTuple):
    """Series with the same sample times."""

    series: Sequence[StoredSeries]

    @property
    def labels(self) -> Sequence[Labels]:
        """Of the series."""
        return [series.labels for series in self.series]

    def taken(self, places: Times) -> Floats:
        """The values at some places, rows by places."""
        members = self.series
        if len(places) == 1:
            place = int(places[0])
            return np.array([[series.values[place]] for series in members], dtype=np.float64)
        low, high = int(places[0]), int(places[-1]) + 1
        if low <= int(places.min()) and int(places.max()) < high:
            together = np.array([series.values[low:high] for series in members], dtype=np.float64)
            found: Floats = together[:, places - low]
            return found
        return np.array([series.values[places] for series in members], dtype=np.float64)


class _Block(NamedTuple):
    """Series with the same sample times that lie together already."""

    labels: Sequence[Labels]
    values: Floats

    def taken(self, places: Times) -> Floats:
        """The values at some places, rows by places."""
        found: Floats = self.values[:, places]
        return found


def _by_times(found: Sequence[StoredSeries]) -> Sequence[tuple[Times, _Several | _Block]]:
    """Series with the same sample times together: most often those of one target."""
    if not isinstance(found, Laid):
        return _by_series(found)
    blocks = [(block.times, _Block(found.labels_of(block), block.values)) for block in found.blocks]
    return [*blocks, *_by_series([*found.others.values()])]


def _by_series(found: Sequence[StoredSeries]) -> list[tuple[Times, _Several]]:
    same_array: dict[int, list[StoredSeries]] = {}
    for series in found:
        same_array.setdefault(id(series.times), []).append(series)
    if len(same_array) == 1:
        return [(found[0].times, _Several(found))]
    groups: dict[bytes, tuple[Times, list[StoredSeries]]] = {}
    for members in same_array.values():
        times = members[0].times
        groups.setdefault(times.tobytes(), (times, []))[1].extend(members)
    return [(times, _Several(members)) for times, members in groups.values()]

"""Samples: label sets, stored series, matchers, and vectors over a grid of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from sregym_regex.go import compiled

from sregym_promql.errors import EvaluationError
from sregym_promql.labels import NAME as NAME
from sregym_promql.labels import Doomed as Doomed
from sregym_promql.labels import Labels as Labels
from sregym_promql.labels import format_labels as format_labels
from sregym_promql.labels import labels_of as labels_of
from sregym_promql.labels import value_of as value_of
from sregym_promql.labels import with_doomed_name as with_doomed_name
from sregym_promql.labels import without_doomed as without_doomed
from sregym_promql.labels import without_name as without_name

Floats: TypeAlias = NDArray[np.float64]
Times: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
T = TypeVar("T")

SAME_LABELS = "vector cannot contain metrics with the same labelset"
# The NaN by which a scrape says that a series has ended.
_STALE_BITS = 0x7FF0000000000002
STALE: float = float(np.array([_STALE_BITS], dtype=np.uint64).view(np.float64)[0])


def is_stale(values: Floats) -> Mask:
    """Which values mark the end of a series."""
    marks: Mask = np.equal(values.view(np.uint64), np.uint64(_STALE_BITS))
    return marks


class Rows(tuple[Labels, ...]):
    """Label sets of rows, all different.

    What is made of them is kept with them: queries make the same of the same rows again and again.
    """

    @cached_property
    def _made(self) -> dict[object, Any]:
        return {}

    def made(self, key: object, work_out: Callable[[], T]) -> T:
        """What `work_out` makes of these rows; it may depend on nothing but them and the key."""
        known = self._made
        if key not in known:
            known[key] = work_out()
        found: T = known[key]
        return found

    @cached_property
    def bare(self) -> Sequence[Labels]:
        """Without metric names; `Rows` if they are still different then."""
        found = [without_name(labels) for labels in self]
        # What differs though it has one name differs without it.
        of_one_name = len({labels[:1] for labels in self}) == 1 and self[0][:1] != found[0][:1]
        return Rows(found) if of_one_name or len(set(found)) == len(found) else found

    @cached_property
    def doomed(self) -> Rows:
        """With metric names that are to be removed at the end."""
        return Rows(with_doomed_name(labels) for labels in self)


def bare(labels: Sequence[Labels]) -> Sequence[Labels]:
    """Label sets without metric names."""
    return labels.bare if isinstance(labels, Rows) else [without_name(one) for one in labels]


def doomed(labels: Sequence[Labels]) -> Sequence[Labels]:
    """Label sets with metric names that are to be removed at the end."""
    if isinstance(labels, Rows):
        return labels.doomed
    return [with_doomed_name(one) for one in labels]


class StoredSeries(NamedTuple):
    """What a storage hands out.

    Attributes:
        labels: The labels of the samples.
        times: Milliseconds since 1970, ascending. Series of one target share the very same array:
            they are then evaluated together.
        values: As many.
    """

    labels: Labels
    times: Times
    values: Floats

    def in_span(self, start_ms: int, end_ms: int) -> bool:
        """Whether it has samples in a span, both ends included."""
        inside = (self.times >= start_ms) & (self.times <= end_ms)
        return bool((inside & ~is_stale(self.values)).any())


class Found(Sequence[StoredSeries]):
    """Series that a storage hands out more than once: what is made of them is kept with them."""

    def __init__(self, series: Iterable[StoredSeries]) -> None:
        self._series = list(series)
        self.made: dict[object, Any] = {}

    def __len__(self) -> int:
        return len(self._series)

    def __iter__(self) -> Iterator[StoredSeries]:
        return iter(self._listed)

    @overload
    def __getitem__(self, place: int) -> StoredSeries: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[StoredSeries]: ...

    def __getitem__(self, place: int | slice) -> StoredSeries | Sequence[StoredSeries]:
        return self._listed[place]

    @property
    def _listed(self) -> list[StoredSeries]:
        return self._series


class Block(NamedTuple):
    """Series with the same times and without stale marks.

    Attributes:
        rows: Which of the series.
        times: Milliseconds since 1970, ascending.
        values: Rows by samples.
    """

    rows: tuple[int, ...]
    times: Times
    values: Floats


class Laid(Found):
    """Series that lie in blocks already.

    Args:
        labels: Of all series, in their order.
        blocks: The samples of most of them.
        others: The other ones, by row.
    """

    def __init__(
        self, labels: Rows, blocks: Sequence[Block], others: Mapping[int, StoredSeries]
    ) -> None:
        super().__init__(())
        self.labels, self.blocks, self.others = labels, blocks, others

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def kinds(self) -> int:
        """How many arrays of times there are."""
        return len(self.blocks) + len({id(series.times) for series in self.others.values()})

    def labels_of(self, block: Block) -> Rows:
        """The labels of a block's rows."""
        if len(block.rows) == len(self.labels):
            return self.labels
        rows, labels = block.rows, self.labels
        return labels.made(("rows", rows), lambda: Rows([labels[row] for row in rows]))

    @cached_property
    def _listed(self) -> list[StoredSeries]:
        found = dict(self.others)
        for rows, times, values in self.blocks:
            for row, own in zip(rows, values, strict=True):
                found[row] = StoredSeries(self.labels[row], times, own)
        return [found[row] for row in range(len(self.labels))]


def cached_result(found: Sequence[StoredSeries], key: object, work_out: Callable[[], T]) -> T:
    """What `work_out` makes of series; kept with those that are handed out more than once."""
    if not isinstance(found, Found):
        return work_out()
    if key not in found.made:
        found.made[key] = work_out()
    made: T = found.made[key]
    return made


class Matcher(NamedTuple):
    """One label matcher: `op` is `=`, `!=`, `=~` or `!~`.

    `newlines` says whether in its pattern `.` matches a newline.
    """

    name: str
    op: str
    value: str
    newlines: bool = False

    def matches(self, value: str) -> bool:
        """Whether a label's value is selected; a missing label has the empty one."""
        if self.op == "=":
            return value == self.value
        if self.op == "!=":
            return value != self.value
        pattern = f"(?s:{self.value})" if self.newlines else self.value
        found = compiled(pattern).fullmatch(value) is not None
        return found if self.op == "=~" else not found


class Newest(NamedTuple):
    """The newest samples at one moment.

    Attributes:
        labels: Of the series that are there, sorted.
        values: As many.
        times: When they were taken, milliseconds since 1970.
    """

    labels: Sequence[Labels]
    values: Sequence[float]
    times: Sequence[int]


class Storage(Protocol):
    """Where samples come from."""

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        """The series that all matchers select, with their samples of a span, both ends included.

        Sorted by labels. Samples outside of the span do no harm.
        """


class Quick(Storage, Protocol):
    """A storage that may know the newest samples at a moment without looking at those before."""

    def newest(self, matchers: Sequence[Matcher], at_ms: int, lookback_ms: int) -> Newest | None:
        """The newest samples that are not older than the lookback; None when it must look."""


def is_quick(storage: Storage) -> TypeGuard[Quick]:
    """Whether a storage can be asked for the newest samples alone."""
    return hasattr(storage, "newest")


@dataclass(frozen=True)
class Series:
    """One row of an answer.

    Attributes:
        labels: Of the row.
        times: Milliseconds since 1970.
        values: As many.
    """

    labels: Labels
    times: Times
    values: Floats


@dataclass(frozen=True)
class Vector:
    """An instant vector at each step of a grid.

    Attributes:
        labels: One set a row, all different.
        values: Rows by steps; of no meaning where nothing is present.
        present: Rows by steps.
    """

    labels: Sequence[Labels]
    values: Floats
    present: Mask

    def mapped(
        self,
        change: Callable[[Floats], Floats],
        drop: Callable[[Sequence[Labels]], Sequence[Labels]] = bare,
    ) -> Vector:
        """With other values, and without metric names as `drop` leaves them, as functions give."""
        with np.errstate(all="ignore"):
            values = change(self.values)
        return self.renamed(drop(self.labels), values)

    def renamed(
        self, labels: Sequence[Labels], values: Floats | None = None, present: Mask | None = None
    ) -> Vector:
        """With other labels, and possibly values; rows that became alike are made one.

        Raises:
            EvaluationError: Two rows of one label set have a value at the same step.
        """
        return unique(
            labels,
            self.values if values is None else values,
            self.present if present is None else present,
        )


def empty(steps: int) -> Vector:
    """No row at all."""
    return Vector((), np.empty((0, steps)), np.empty((0, steps), dtype=np.bool_))


def unique(labels: Sequence[Labels], values: Floats, present: Mask) -> Vector:
    """A vector of rows among which some may have the same labels.

    Raises:
        EvaluationError: Two rows of one label set have a value at the same step.
    """
    if isinstance(labels, Rows) or len(set(labels)) == len(labels):
        return Vector(labels, values, present)
    rows: dict[Labels, list[int]] = {}
    for row, found in enumerate(labels):
        rows.setdefault(found, []).append(row)
    merged_values = np.empty((len(rows), values.shape[1]))
    merged_present = np.zeros((len(rows), values.shape[1]), dtype=np.bool_)
    for position, members in enumerate(rows.values()):
        counted = present[members].sum(axis=0)
        if (counted > 1).any():
            raise EvaluationError(SAME_LABELS)
        for row in members:
            merged_values[position] = np.where(present[row], values[row], merged_values[position])
        merged_present[position] = counted > 0
    return Vector(list(rows), merged_values, merged_present)


def stacked(parts: Sequence[Vector], steps: int) -> Vector:
    """Several vectors as one.

    Raises:
        EvaluationError: Two rows of one label set have a value at the same step.
    """
    kept = [part for part in parts if len(part.labels)]
    if not kept:
        return empty(steps)
    labels = [found for part in kept for found in part.labels]
    return unique(
        labels,
        np.concatenate([part.values for part in kept]),
        np.concatenate([part.present for part in kept]),
    )


def rows_of(vector: Vector, times: Times) -> list[Series]:
    """The rows of a vector that are there at some step, with their values there."""
    found = []
    whole: Mask = np.logical_and.reduce(vector.present, axis=1)
    some: Mask = np.logical_or.reduce(vector.present, axis=1)
    for row, labels in enumerate(vector.labels):
        if whole[row]:
            found.append(Series(labels, times, vector.values[row]))
        elif some[row]:
            present = vector.present[row]
            found.append(Series(labels, times[present], vector.values[row, present]))
    return found

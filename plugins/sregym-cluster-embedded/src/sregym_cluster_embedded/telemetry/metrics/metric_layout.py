"""All series of one metric, selected and laid out once for many moments and many forks.

What there is depends on objects and instances of containers, not on the moment of a question. So series are put in
order, told apart and grouped when they are asked for first; a question at another moment, or of
another fork in which they are the same, works out their values alone.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_promql.storage import Rows, value_of

from sregym_cluster_embedded.telemetry.metrics.batch_evaluation import Plan
from sregym_cluster_embedded.telemetry.metrics.exposition import Row
from sregym_cluster_embedded.telemetry.metrics.series_cache import (
    may_be,
    scrape_notes,
    series_group,
    targets,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_promql.storage import Labels, Matcher

    from sregym_cluster_embedded.telemetry.metrics.exposition import (
        Exporter,
        Pairs,
        Part,
        Target,
    )
    from sregym_cluster_embedded.telemetry.metrics.series_cache import CachedSeries
    from sregym_cluster_embedded.telemetry.metrics.view import View

# How many selections of a metric are kept, and how many layouts of each.
_MOST = 64

# The series of a target that are there: none, all, or some (by number): those that are there all
# the time of a question, and those that are not.
Present: TypeAlias = bool | tuple[tuple[int, ...], tuple[int, ...]]


class Stand(NamedTuple):
    """Where a part of a target stands.

    Attributes:
        target: The target.
        labels: As those of `Part`.
        since: Virtual second.
        until: Virtual second.
    """

    target: Target
    labels: Pairs
    since: float
    until: float


class Gathered(NamedTuple):
    """The selected series of one target.

    Attributes:
        target: The target.
        first: Number of the first of them.
        end: One behind the last.
        since: When the last of them began.
        until: When the first of them ends.
    """

    target: Target
    first: int
    end: int
    since: float
    until: float


class Layout:
    """Series in their order.

    Args:
        entries: All series of the selection.
        groups: By target, the numbers of those that are there all the time, and of others.
    """

    def __init__(
        self,
        entries: Sequence[CachedSeries],
        groups: Sequence[tuple[Sequence[int], Sequence[int]]],
    ) -> None:
        owners: dict[str, int] = {}
        for whole, others in groups:
            for number in (*whole, *others):
                owners[entries[number].key] = number
        ordered = [owners[key] for key in sorted(owners)]
        places = {number: row for row, number in enumerate(ordered)}
        self.labels = Rows([entries[number].labels for number in ordered])
        # Whether each series is there but once.
        self.single = len(ordered) == sum(len(a) + len(b) for a, b in groups)
        chosen = [[number for number in whole if number in places] for whole, _ in groups]
        chosen = [sorted(numbers, key=places.__getitem__) for numbers in chosen]
        # By target: rows, and what gives their values; others are (row, number of the series).
        self.rows = [tuple(places[number] for number in numbers) for numbers in chosen]
        self._values = [[entries[number].row.value for number in numbers] for numbers in chosen]
        self.others = sorted((places[n], n) for _, rest in groups for n in rest if n in places)

    @cached_property
    def plans(self) -> Sequence[Plan]:
        """What gives the values of each target's rows."""
        return [Plan(values) for values in self._values]


class Selection:
    """Series that matchers select.

    Args:
        found: Series by target; those of a target come one after the other.
    """

    def __init__(self, found: Sequence[tuple[Target, Sequence[CachedSeries]]]) -> None:
        self.entries: list[CachedSeries] = []
        self.groups: list[Gathered] = []
        members: list[CachedSeries] = []
        for place, (target, some) in enumerate(found):
            members.extend(some)
            last = place + 1 == len(found) or found[place + 1][0] is not target
            if last and members:
                first = len(self.entries)
                self.entries.extend(members)
                since = max(entry.row.since for entry in members)
                until = min(entry.row.until for entry in members)
                self.groups.append(Gathered(target, first, len(self.entries), since, until))
            if last:
                members = []
        self._layouts: dict[tuple[Present, ...], Layout] = {}
        # By first series of a target.
        self._labels: dict[int, list[Labels]] = {}
        self._kinds: dict[int, dict[int, tuple[str, ...]]] = {}
        self._values: dict[tuple[int, str], list[str]] = {}

    def labels_of(self, group: Gathered) -> Sequence[Labels]:
        """The label sets of the series of a target."""
        known = self._labels.get(group.first)
        if known is None:
            known = [entry.labels for entry in self.entries[group.first : group.end]]
            self._labels[group.first] = known
        return known

    def kinds_of(self, group: Gathered) -> Mapping[int, tuple[str, ...]]:
        """The names of the labels of the series of a target, each tuple of them by its identity."""
        known = self._kinds.get(group.first)
        if known is None:
            every = (entry.names for entry in self.entries[group.first : group.end])
            known = self._kinds[group.first] = {id(names): names for names in every}
        return known

    def values_of(self, group: Gathered, name: str) -> Sequence[str]:
        """The values of a label of the series of a target, empty where one has none."""
        key = (group.first, name)
        known = self._values.get(key)
        if known is None:
            known = [value_of(labels, name) for labels in self.labels_of(group)]
            self._values[key] = known
        return known

    def layout(self, present: tuple[Present, ...]) -> Layout:
        """The series that are there, of each target, in their order."""
        known = self._layouts.get(present)
        if known is None:
            groups: list[tuple[Sequence[int], Sequence[int]]] = [
                (range(group.first, group.end), ())
                if there is True
                else ((), ())
                if there is False
                else there
                for group, there in zip(self.groups, present, strict=True)
            ]
            if len(self._layouts) >= _MOST:
                self._layouts.clear()
            known = self._layouts[present] = Layout(self.entries, groups)
        return known


class Rack:
    """The parts of one metric at all targets of its exporter.

    Args:
        stands: Where they are.
    """

    def __init__(self, stands: Sequence[Stand]) -> None:
        self.stands = stands
        self._candidates: dict[tuple[Matcher, ...], _Candidates] = {}
        self.selections: dict[object, Selection] = {}

    def candidates(
        self, matchers: tuple[Matcher, ...], span: tuple[float, float]
    ) -> tuple[int, ...]:
        """The stands whose series matchers may select, and that are there in a span."""
        known = self._candidates.get(matchers)
        if known is None:
            if len(self._candidates) >= _MOST:
                self._candidates.clear()
            known = self._candidates[matchers] = self._may_be(matchers)
        if known.begun <= span[1] and known.until >= span[0]:
            return known.numbers
        stands = self.stands
        return tuple(
            number
            for number in known.numbers
            if stands[number].since <= span[1] and stands[number].until >= span[0]
        )

    def _may_be(self, matchers: tuple[Matcher, ...]) -> _Candidates:
        numbers = [
            number
            for number, stand in enumerate(self.stands)
            if (stand.target.honours or may_be(stand.target.labels, matchers))
            and may_be(stand.labels, matchers)
        ]
        return _Candidates(
            tuple(numbers),
            max((self.stands[number].since for number in numbers), default=0.0),
            min((self.stands[number].until for number in numbers), default=0.0),
        )


class _Candidates(NamedTuple):
    """Stands that may be selected.

    Attributes:
        numbers: Of the stands.
        begun: When the last of them began.
        until: When the first of them ends.
    """

    numbers: tuple[int, ...]
    begun: float
    until: float


def selected(
    view: View,
    exporter: Exporter,
    sample: str,
    matchers: tuple[Matcher, ...],
    span: tuple[float, float],
) -> Selection:
    """The series of one metric that matchers select.

    Args:
        view: The cluster.
        exporter: The exporter of the metric.
        sample: Its name.
        matchers: Of other labels than the name.
        span: Virtual seconds; series that are not there in between may be left out.
    """
    rack = rack_of(view, exporter, sample)
    numbers = rack.candidates(matchers, span)
    key = (matchers, numbers)
    known = rack.selections.get(key)
    if known is None:
        parts = _parts(view, exporter, sample)
        found = []
        for number in numbers:
            target, part = parts[number]
            shelf = series_group(view, target, sample, part)
            found.append((target, shelf.selected(matchers)))
        if len(rack.selections) >= _MOST:
            rack.selections.clear()
        known = rack.selections[key] = Selection(found)
    return known


def rack_of(view: View, exporter: Exporter, sample: str) -> Rack:
    """Where the series of one metric stand."""
    basis = (targets(view, exporter), *view.basis(exporter.reads_for(sample)))
    work = partial(_rack, view, exporter, sample)
    return view.remembered(("rack", exporter, sample), basis, work, shared=True)


def _rack(view: View, exporter: Exporter, sample: str) -> Rack:
    parts = _parts(view, exporter, sample)
    return Rack(tuple(Stand(target, part.labels, part.since, part.until) for target, part in parts))


def _parts(view: View, exporter: Exporter, sample: str) -> Sequence[tuple[Target, Part]]:
    """The parts of one metric at all targets, as long as a view stands: they may know of it."""

    def work() -> Sequence[tuple[Target, Part]]:
        return [
            (target, part)
            for target in targets(view, exporter)
            for part in exporter.parts(view, target, sample)
        ]

    return view.answered(("parts", exporter, sample), work)


def first_of(view: View, exporter: Exporter, sample: str) -> tuple[Target, Row] | None:
    """The first series of one metric; not all are worked out for it."""
    basis = (targets(view, exporter), *view.basis(exporter.reads_for(sample)))
    work = partial(_first, view, exporter, sample)
    return view.remembered(("first", sample), basis, work, shared=True)


def _first(view: View, exporter: Exporter, sample: str) -> tuple[Target, Row] | None:
    for target in targets(view, exporter):
        for part in exporter.parts(view, target, sample):
            for row in part.rows():
                return target, row
    return None


def scrape_series(view: View, name: str, exporters: Sequence[Exporter]) -> Rack:
    """What Prometheus notes of the scrapes of all targets, as a rack with one selection."""
    every = [targets(view, exporter) for exporter in exporters]
    return view.remembered(("noted", name), every, partial(_noted, every), shared=True)


def _noted(every: Sequence[Sequence[Target]]) -> Rack:
    return Rack(
        tuple(
            Stand(target, target.labels, target.since, target.until)
            for targets_ in every
            for target in targets_
        )
    )


def select_scrape_series(rack: Rack, name: str, matchers: tuple[Matcher, ...]) -> Selection:
    """What is noted of the scrapes of the targets that matchers select."""
    known = rack.selections.get(matchers)
    if known is None:
        found = []
        for stand in rack.stands:
            entry = scrape_notes(name, stand.target, Row((), 0.0, until=stand.target.until))
            labels = dict(entry.labels)
            if all(matcher.matches(labels.get(matcher.name, "")) for matcher in matchers):
                found.append((stand.target, [entry]))
        if len(rack.selections) >= _MOST:
            rack.selections.clear()
        known = rack.selections[matchers] = Selection(found)
    return known

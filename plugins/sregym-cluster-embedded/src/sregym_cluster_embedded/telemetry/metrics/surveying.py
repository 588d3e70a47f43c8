"""What series there were in a span: their labels, without working out a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_promql.storage import NAME

from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.metric_layout import (
    first_of,
    scrape_series,
    select_scrape_series,
    selected,
)
from sregym_cluster_embedded.telemetry.metrics.scraping import SCRAPE_NAMES, Scrapes
from sregym_cluster_embedded.telemetry.metrics.series_cache import targets
from sregym_cluster_embedded.telemetry.metrics.view import view_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_promql.storage import Labels, Matcher

    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Target
    from sregym_cluster_embedded.telemetry.metrics.metric_layout import Gathered, Selection
    from sregym_cluster_embedded.world import World


class Survey:
    """The series of a world that had samples in a span.

    Args:
        world: The world of the series; it stands still as long as this is asked.
        start_ms: First moment of the span, Unix milliseconds.
        end_ms: Last moment.
    """

    def __init__(self, world: World, start_ms: int, end_ms: int) -> None:
        self._world, self._view = world, view_of(world)
        self._catalogue = catalogue_of(world)
        self._bounds = (start_ms, end_ms)
        self._span = (start_ms / 1000 - world.epoch, end_ms / 1000 - world.epoch)
        self._scrapes: dict[int, _Scraped] = {}

    def labels(self, matchers: Sequence[Matcher]) -> set[Labels]:
        """The label sets of those that matchers select."""
        found: set[Labels] = set()
        for selection, group, there in self._present(matchers):
            if there is None:
                found.update(selection.labels_of(group))
            else:
                found.update(selection.entries[number].labels for number in there)
        return found

    def label_names(self, matchers: Sequence[Matcher]) -> set[str]:
        """The names of their labels."""
        if matchers:
            return _names_in(self._present(matchers))
        # What is noted of scrapes has the labels of the targets alone.
        found = _names_in(self._of_one(SCRAPE_NAMES[0], ()))
        of_targets: dict[Exporter, set[str]] = {}
        for sample, exporter in self._catalogue.by_sample.items():
            taken = of_targets.get(exporter)
            if taken is None:
                every = targets(self._view, exporter)
                taken = {name for one in every if not one.honours for name, _ in one.labels}
                of_targets[exporter] = taken
            if not (exporter.alike(sample) and self._adds_none(exporter, sample, taken, found)):
                found |= _names_in(self._of_one(sample, ()))
        return found

    def _adds_none(self, exporter: Exporter, sample: str, taken: set[str], found: set[str]) -> bool:
        """Whether series that are alike have labels of known names alone, by the first of them.

        Its own labels are added when it is there. Labels that targets have, too, are renamed at
        some of them: of these nothing is said.
        """
        first = first_of(self._view, exporter, sample)
        if first is None:
            return True
        target, row = first
        names = {name for name, _ in row.labels}
        if names <= found:
            return taken.isdisjoint(names)
        scraped = self._scraped(target)
        since, last = scraped.good
        if since <= last and (row.since <= last < row.until or scraped.scrapes.parts(row)):
            found.update(name for name, value in row.labels if value and name not in taken)
        return names <= found and taken.isdisjoint(names)

    def values(self, name: str, matchers: Sequence[Matcher]) -> set[str]:
        """The values of one of their labels; the empty one when some have it not."""
        found: set[str] = set()
        for selection, group, there in self._present(matchers):
            values = selection.values_of(group, name)
            if there is None:
                found.update(values)
            else:
                found.update(values[number - group.first] for number in there)
        return found

    def metrics(self) -> set[str]:
        """The names of all metrics."""
        # What was there at a moment of the past will always have been: by name, one such moment.
        seen = self._view.remembered("seen", (), dict[str, int])
        found = set()
        for name in (*SCRAPE_NAMES, *self._catalogue.by_sample):
            at_ms = seen.get(name)
            if at_ms is None or not self._bounds[0] <= at_ms <= self._bounds[1]:
                at_ms = self._seen(name)
            if at_ms is not None:
                seen[name] = at_ms
                found.add(name)
        return found

    def metrics_by_target(self) -> Iterator[tuple[Target, str]]:
        """Who has which metrics, without what is noted of scrapes."""
        for name in self._catalogue.by_sample:
            for _, group, _ in self._of_one(name, ()):
                yield group.target, name

    def _seen(self, name: str) -> int | None:
        """A moment of the span at which a metric had a sample."""
        if name not in SCRAPE_NAMES:
            # Most often its first series tells; of many metrics there is none.
            first = first_of(self._view, self._catalogue.by_sample[name], name)
            if first is None:
                return None
            scrapes = self._scraped(first[0]).scrapes
            runs = scrapes.parts(first[1]) if scrapes.count else ()
            if runs:
                return int(scrapes.times[runs[0][0]])
        for selection, group, there in self._of_one(name, ()):
            if there is None or there:
                number = group.first if there is None else there[0]
                scraped = self._scraped(group.target)
                row = selection.entries[number].row
                runs = scraped.scrapes.parts(row, own=name in SCRAPE_NAMES)
                return int(scraped.scrapes.times[runs[0][0]])
        return None

    def _present(
        self, matchers: Sequence[Matcher]
    ) -> Iterator[tuple[Selection, Gathered, Sequence[int] | None]]:
        """The series by target: the numbers of those that are there; None for all."""
        named = [matcher for matcher in matchers if matcher.name == NAME]
        rest = tuple(matcher for matcher in matchers if matcher.name != NAME)
        only = next((matcher.value for matcher in named if matcher.op == "="), None)
        known = (*SCRAPE_NAMES, *self._catalogue.by_sample)
        for name in known if only is None else [only] if only in known else []:
            if all(matcher.matches(name) for matcher in named):
                yield from self._of_one(name, rest)

    def _of_one(
        self, name: str, rest: tuple[Matcher, ...]
    ) -> Iterator[tuple[Selection, Gathered, Sequence[int] | None]]:
        own = name in SCRAPE_NAMES
        if own:
            found = select_scrape_series(
                scrape_series(self._view, name, self._catalogue.exporters), name, rest
            )
        else:
            exporter = self._catalogue.by_sample[name]
            found = selected(self._view, exporter, name, rest, self._span)
        for group in found.groups:
            scraped = self._scraped(group.target)
            # What is there at the last one was there at some.
            first, last = scraped.noted if own else scraped.good
            if first > last:
                continue
            if group.since <= last < group.until:
                yield found, group, None
                continue
            there = []
            for number in range(group.first, group.end):
                row = found.entries[number].row
                if row.since <= last < row.until or scraped.scrapes.parts(row, own=own):
                    there.append(number)
            if there:
                yield found, group, there

    def _scraped(self, target: Target) -> _Scraped:
        known = self._scrapes.get(id(target))
        if known is None:
            scrapes = Scrapes(self._world, target, *self._bounds)
            known = self._scrapes[id(target)] = _Scraped(
                scrapes, scrapes.span_of(own=True), scrapes.span_of(own=False)
            )
        return known


def _names_in(present: Iterable[tuple[Selection, Gathered, Sequence[int] | None]]) -> set[str]:
    """The names of the labels of some series."""
    kinds: dict[int, tuple[str, ...]] = {}
    for selection, group, there in present:
        if there is None:
            kinds.update(selection.kinds_of(group))
        else:
            every = (selection.entries[number].names for number in there)
            kinds.update((id(names), names) for names in every)
    return {name for names in kinds.values() for name in names}


class _Scraped(NamedTuple):
    """The scrapes of a target.

    Attributes:
        scrapes: These.
        noted: When the first and the last of them was; the first behind the last without any.
        good: The first and the last of those that succeeded.
    """

    scrapes: Scrapes
    noted: tuple[float, float]
    good: tuple[float, float]

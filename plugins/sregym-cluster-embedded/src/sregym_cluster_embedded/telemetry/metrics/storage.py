"""The samples of a world, for the PromQL engine: what a Prometheus that watched it has stored.

No sample is stored: it is worked out from the history of objects and of traffic when it is
selected, at the moments at which its target was scraped. What series there are is kept for as long
as nothing changes in what they are made of. Whatever is asked before or after, and on whatever
fork, a sample is the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sregym_promql import EvaluationError
from sregym_promql.evaluation import TOO_MANY
from sregym_promql.storage import (
    NAME,
    Block,
    Floats,
    Found,
    Labels,
    Laid,
    Matcher,
    Newest,
    StoredSeries,
    Times,
    is_stale,
)

from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.metric_layout import (
    Gathered,
    Present,
    Selection,
    scrape_series,
    select_scrape_series,
    selected,
)
from sregym_cluster_embedded.telemetry.metrics.scraping import (
    SCRAPE_NAMES,
    Scrapes,
    answered,
    last_scrape_ms,
    scrape_row,
)
from sregym_cluster_embedded.telemetry.metrics.series_cache import (
    CachedSeries,
    SeriesGroup,
    cached_series,
    may_be,
    scrape_notes,
    targets,
)
from sregym_cluster_embedded.telemetry.metrics.view import view_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Row, Target
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.world import World

_UP = "up"


class WorldStorage:
    """Implements `promql.data.Storage`.

    Args:
        world: The world of the metrics.
        once: Whether the world stands still as long as this is asked.
        most_samples: More are not worked out at once.
    """

    def __init__(self, world: World, *, once: bool = False, most_samples: int = 50_000_000) -> None:
        self._world = world
        self._most_samples = most_samples
        self._view = view_of(world) if once else None

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        """The series that all matchers select, with the samples from `start_ms` to `end_ms`.

        Raises:
            EvaluationError: There are more samples than a query may load.
        """
        view = self._view or view_of(self._world)
        key = ("selected", tuple(matchers), start_ms, end_ms, self._world.now)
        return view.answered(key, lambda: self._found(matchers, start_ms, end_ms))

    def _found(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        laid = self._laid(matchers, start_ms, end_ms)
        return Found(self._selected(matchers, start_ms, end_ms)) if laid is None else laid

    def _laid(self, matchers: Sequence[Matcher], start_ms: int, end_ms: int) -> Laid | None:
        """What `_selected` gives, quicker, of one metric whose series are each there but once."""
        view, epoch, world = self._view or view_of(self._world), self._world.epoch, self._world
        name, rest = _only(matchers)
        exporter = catalogue_of(self._world).by_sample.get(name)
        if exporter is None:
            return None
        span = (start_ms / 1000 - epoch, end_ms / 1000 - epoch)
        found = selected(view, exporter, name, rest, span)
        left, present, scraped = self._most_samples, list[Present](), list[Scrapes]()
        pieces: dict[int, tuple[Times, Floats]] = {}
        for group in found.groups:
            scrapes = Scrapes(world, group.target, start_ms, end_ms)
            scraped.append(scrapes)
            left -= scrapes.count * (group.end - group.first)
            if left < 0:
                raise EvaluationError(TOO_MANY)
            present.append(_there(found, group, scrapes, pieces))
        layout = found.layout(tuple(present))
        if not layout.single:
            return None
        several = zip(layout.rows, layout.plans, scraped, strict=True)
        blocks = [
            Block(rows, scrapes.times, plan.over(scrapes.seconds))
            for rows, plan, scrapes in several
            if rows
        ]
        others = {
            row: StoredSeries(found.entries[number].labels, *pieces[number])
            for row, number in layout.others
        }
        return Laid(layout.labels, blocks, others)

    def _selected(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Iterable[StoredSeries]:
        found: dict[str, tuple[Labels, list[tuple[Times, Floats]]]] = {}
        left = self._most_samples
        for scrapes, of_scrapes, members in self._matching(matchers, start_ms, end_ms):
            left -= scrapes.count * len(members)
            if left < 0:
                raise EvaluationError(TOO_MANY)
            taken = scrapes.taken
            for labels, row, _, key in members:
                piece = taken(row, own=of_scrapes)
                if piece is not None:
                    if key in found:
                        found[key][1].append(piece)
                    else:
                        found[key] = (labels, [piece])
        ordered = [found[key] for key in sorted(found)]
        return [
            StoredSeries(labels, *(pieces[0] if len(pieces) == 1 else _joined(pieces)))
            for labels, pieces in ordered
        ]

    def newest(self, matchers: Sequence[Matcher], at_ms: int, lookback_ms: int) -> Newest | None:
        """What `select` gives, at one moment: quicker than all samples before it.

        A series that ends is marked at the next scrape: so what its target's last scrape before
        the moment did not give is not there.
        """
        view = self._view or view_of(self._world)
        key = ("newest", tuple(matchers), at_ms, lookback_ms, self._world.now)
        return view.answered(key, lambda: self._newest(matchers, at_ms, lookback_ms))

    def _newest(self, matchers: Sequence[Matcher], at_ms: int, lookback_ms: int) -> Newest | None:
        view, epoch = self._view or view_of(self._world), self._world.epoch
        name, rest = _only(matchers)
        exporter = catalogue_of(self._world).by_sample.get(name)
        moment = at_ms / 1000 - epoch
        if exporter is not None:
            span = (moment - lookback_ms / 1000, moment)
            found = selected(view, exporter, name, rest, span)
        elif name == _UP:
            found = select_scrape_series(
                scrape_series(view, _UP, catalogue_of(self._world).exporters), _UP, rest
            )
        else:
            return None
        scraped, present = list[tuple[int, float, bool]](), list[Present]()
        for group in found.groups:
            target = group.target
            taken_ms = last_scrape_ms(self._world, target, at_ms)
            second = (taken_ms - epoch * 1000) / 1000.0
            known = taken_ms >= at_ms - lookback_ms and second < target.until
            good = known and answered(target, second)
            scraped.append((taken_ms, second, good))
            present.append(known and (exporter is None or (good and _at(found, group, second))))
        layout = found.layout(tuple(present))
        numbers, times = [0.0] * len(layout.labels), [0] * len(layout.labels)
        for place, (rows, (taken_ms, second, good)) in enumerate(
            zip(layout.rows, scraped, strict=True)
        ):
            if not rows:
                continue
            values = [float(good)] if exporter is None else layout.plans[place].at(second)
            for row, value in zip(rows, values, strict=True):
                numbers[row] = value
                times[row] = taken_ms
        return Newest(layout.labels, numbers, times)

    def _matching(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Iterator[tuple[Scrapes, bool, Sequence[CachedSeries]]]:
        """Scrapes, whether what follows is noted of them, and the series that matchers select."""
        view, epoch = self._view or view_of(self._world), self._world.epoch
        span = (start_ms / 1000 - epoch, end_ms / 1000 - epoch)
        rest = [matcher for matcher in matchers if matcher.name != NAME]
        noted = _noted(matchers)
        for exporter, samples in _wanted(catalogue_of(self._world), matchers, noted).items():
            for target in targets(view, exporter):
                if target.until < span[0] or target.since > span[1]:
                    continue
                if not target.honours and not may_be(target.labels, rest):
                    continue
                scrapes = Scrapes(self._world, target, start_ms, end_ms)
                if not scrapes.count:
                    continue
                for name in noted:
                    exported = partial(_exported, view, exporter, target)
                    row = scrape_row(name, target, scrapes, exported)
                    yield (
                        scrapes,
                        True,
                        SeriesGroup([scrape_notes(name, target, row)]).selected(rest),
                    )
                for sample in samples:
                    for shelf in cached_series(view, exporter, target, sample, rest, span):
                        yield scrapes, False, shelf.selected(rest)


def _only(matchers: Sequence[Matcher]) -> tuple[str, tuple[Matcher, ...]]:
    """The one name that is asked for, and the other matchers; empty when there may be more."""
    named = [matcher for matcher in matchers if matcher.name == NAME]
    rest = tuple(matcher for matcher in matchers if matcher.name != NAME)
    return (named[0].value if len(named) == 1 and named[0].op == "=" else ""), rest


def _at(found: Selection, group: Gathered, second: float) -> Present:
    """Which series of a target are there at a moment."""
    if group.since <= second < group.until:
        return True
    entries, numbers = found.entries, range(group.first, group.end)
    there = tuple(n for n in numbers if entries[n].row.since <= second < entries[n].row.until)
    return (there, ()) if there else False


def _there(
    found: Selection, group: Gathered, scrapes: Scrapes, pieces: dict[int, tuple[Times, Floats]]
) -> Present:
    """Which series of a target all of its scrapes have, and the samples of others."""
    if not scrapes.count:
        return False
    entries, numbers = found.entries, range(group.first, group.end)
    whole: Sequence[int] = ()
    if scrapes.whole:
        first, last = scrapes.ends
        if group.since <= first and group.until > last:
            return True
        whole = [
            n for n in numbers if entries[n].row.since <= first and entries[n].row.until > last
        ]
    others = []
    for number in sorted({*numbers}.difference(whole)):
        piece = scrapes.taken(entries[number].row)
        if piece is not None:
            pieces[number] = piece
            others.append(number)
    return tuple(whole), tuple(others)


def _noted(matchers: Sequence[Matcher]) -> Sequence[str]:
    """The names of what is noted of scrapes that are wanted."""
    named = [matcher for matcher in matchers if matcher.name == NAME]
    return [name for name in SCRAPE_NAMES if all(matcher.matches(name) for matcher in named)]


def _wanted(
    catalogue: Catalogue, matchers: Sequence[Matcher], noted: Sequence[str]
) -> Mapping[Exporter, Sequence[str]]:
    """The exporters to be asked, and for which samples."""
    known = catalogue.by_sample
    named = [matcher for matcher in matchers if matcher.name == NAME]
    only = next((matcher.value for matcher in named if matcher.op == "="), None)
    candidates = known if only is None else [only] if only in known else []
    # What is noted of scrapes is noted of the targets of all exporters.
    found: dict[Exporter, list[str]] = {}
    if noted:
        found = {exporter: [] for exporter in catalogue.exporters}
    for name in candidates:
        if all(matcher.matches(name) for matcher in named):
            found.setdefault(known[name], []).append(name)
    return found


def _exported(view: View, exporter: Exporter, target: Target) -> Sequence[Row]:
    """All that a target exports."""
    basis = (target, *view.basis(exporter.reads))
    return view.remembered(
        ("exported", target.labels),
        basis,
        lambda: [entry.row for entry in _of(view, exporter, target)],
    )


def _of(view: View, exporter: Exporter, target: Target) -> Sequence[CachedSeries]:
    """All series of a target."""
    return [
        entry
        for family in exporter.families
        for name in family.samples
        for shelf in cached_series(view, exporter, target, name)
        for entry in shelf.entries
    ]


def _joined(pieces: list[tuple[Times, Floats]]) -> tuple[Times, Floats]:
    """The pieces of one series in time; where one begins as another ends, samples win."""
    times = np.concatenate([piece[0] for piece in pieces])
    values = np.concatenate([piece[1] for piece in pieces])
    order = np.lexsort((~is_stale(values), times))
    times, values = times[order], values[order]
    last = np.append(times[1:] != times[:-1], True)
    return times[last], values[last]

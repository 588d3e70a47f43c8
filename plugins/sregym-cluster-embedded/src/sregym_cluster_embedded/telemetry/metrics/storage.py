"""The samples of a world, for the PromQL engine: what a Prometheus that watched it has stored.

No sample is stored: it is worked out from the history of objects and of traffic when it is
selected, at the moments at which its target was scraped. What series there are is kept for as long
as nothing changes in what they are made of. Whatever is asked before or after, and on whatever
fork, a sample is the same.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.catalogue import exporters, exporters_by_sample
from sregym_cluster_embedded.telemetry.metrics.exposition import Row
from sregym_cluster_embedded.telemetry.metrics.scraping import (
    SCRAPE_FAMILIES,
    Scrapes,
    answered,
    last_scrape_ms,
    scrape_row,
)
from sregym_cluster_embedded.telemetry.metrics.shelves import (
    Kept,
    Shelf,
    kept,
    may_be,
    own,
    targets,
)
from sregym_cluster_embedded.telemetry.metrics.view import view_of
from sregym_cluster_embedded.telemetry.promql.data import (
    NAME,
    Floats,
    Found,
    Labels,
    Matcher,
    Newest,
    Rows,
    StoredSeries,
    Times,
    is_stale,
)
from sregym_cluster_embedded.telemetry.promql.errors import TOO_MANY, EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Target
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.world import World

_UP = "up"
_SCRAPE_NAMES = tuple(family.name for family in SCRAPE_FAMILIES)


class WorldStorage:
    """Implements `promql.data.Storage`.

    Args:
        world: Whose metrics.
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
        return view.answered(key, lambda: Found(self._selected(matchers, start_ms, end_ms)))

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
        rest = [matcher for matcher in matchers if matcher.name != NAME]
        noted = _noted(matchers)
        wanted = _wanted(matchers, noted)
        if noted and (noted != [_UP] or any(wanted.values())):
            return None
        moment = at_ms / 1000 - epoch
        span = (moment - lookback_ms / 1000, moment)
        found: dict[str, tuple[Labels, float, int]] = {}
        for exporter, samples in wanted.items():
            for target in targets(view, exporter):
                if not target.honours and not may_be(target.labels, rest):
                    continue
                taken_ms = last_scrape_ms(self._world, target, at_ms)
                second = (taken_ms - epoch * 1000) / 1000.0
                if taken_ms < at_ms - lookback_ms or second >= target.until:
                    continue
                good = answered(target, second)
                if noted:
                    row = Row((), float(good), until=target.until)
                    shelves: Iterable[Shelf] = (Shelf([own(_UP, target, row)]),)
                else:
                    shelves = (
                        shelf
                        for sample in samples
                        for shelf in kept(view, exporter, target, sample, rest, span)
                        if good
                    )
                seconds = np.array([second])
                for shelf in shelves:
                    for entry in shelf.selected(rest):
                        row = entry.row
                        if row.since <= second < row.until:
                            value = row.value
                            number = float(value(seconds)[0]) if callable(value) else value
                            found[entry.key] = (entry.labels, number, taken_ms)
        ordered = [found[key] for key in sorted(found)]
        return Newest(
            Rows([labels for labels, _, _ in ordered]),
            [number for _, number, _ in ordered],
            [taken_ms for _, _, taken_ms in ordered],
        )

    def labels(self, matchers: Sequence[Matcher], start_ms: int, end_ms: int) -> Iterable[Labels]:
        """The label sets of what `select` would give, without working out samples."""
        return {entry.labels for entry in self.present(matchers, start_ms, end_ms)}

    def present(self, matchers: Sequence[Matcher], start_ms: int, end_ms: int) -> Iterator[Kept]:
        """What `select` would give samples of; a series may be there in several pieces."""
        if any(matcher.name == NAME and matcher.op == "=" for matcher in matchers):
            found = self._matching(matchers, start_ms, end_ms)
        else:
            found = self._matching_every(matchers, start_ms, end_ms)
        for scrapes, of_scrapes, members in found:
            parts = scrapes.parts
            for entry in members:
                if parts(entry.row, own=of_scrapes):
                    yield entry

    def names(self, start_ms: int, end_ms: int) -> Iterable[str]:
        """The names of all metrics that have samples in a span."""
        view = self._view or view_of(self._world)
        # What was there at a moment of the past will always have been: by name, one such moment.
        seen = view.remembered("seen", (), dict[str, int])
        found = set()
        for name in (*_SCRAPE_NAMES, *exporters_by_sample()):
            at_ms = seen.get(name)
            if at_ms is None or not start_ms <= at_ms <= end_ms:
                at_ms = self._seen(view, name, start_ms, end_ms)
            if at_ms is not None:
                seen[name] = at_ms
                found.add(name)
        return found

    def _seen(self, view: View, name: str, start_ms: int, end_ms: int) -> int | None:
        """A moment of a span at which a metric had a sample."""
        exporter = exporters_by_sample().get(name)
        if exporter is None:
            for scrapes, _, _ in self._matching([Matcher(NAME, "=", name)], start_ms, end_ms):
                return int(scrapes.times[0])
            return None
        every = partial(_rows, view, exporter, name)
        # Many metrics are about things of which there are none.
        basis = view.basis(exporter.reads_for(name))
        first = view.remembered(
            ("first", name), basis, lambda: next(every(), None), shared=exporter.shared
        )
        for target, row in () if first is None else chain((first,), every()):
            scrapes = Scrapes(self._world, target, start_ms, end_ms)
            runs = scrapes.parts(row) if scrapes.count else ()
            if runs:
                return int(scrapes.times[runs[0][0]])
        return None

    def _matching_every(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Iterator[tuple[Scrapes, bool, Sequence[Kept]]]:
        """As `_matching`, from all that there is: quicker when most of it is wanted."""
        view = self._view or view_of(self._world)
        noted = _noted(matchers)
        for exporter in exporters():
            basis = view.basis(exporter.reads)
            # Put together of what forks share, but too large to keep each.
            known = view.remembered(("every", exporter), basis, partial(_every, view, exporter))
            for target, shelf in known:
                scrapes = Scrapes(self._world, target, start_ms, end_ms)
                if scrapes.count:
                    rows = [
                        own(name, target, scrape_row(name, target, scrapes, list)) for name in noted
                    ]
                    yield scrapes, True, Shelf(rows).selected(matchers)
                    yield scrapes, False, shelf.selected(matchers)

    def _matching(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Iterator[tuple[Scrapes, bool, Sequence[Kept]]]:
        """Scrapes, whether what follows is noted of them, and the series that matchers select."""
        view, epoch = self._view or view_of(self._world), self._world.epoch
        span = (start_ms / 1000 - epoch, end_ms / 1000 - epoch)
        rest = [matcher for matcher in matchers if matcher.name != NAME]
        noted = _noted(matchers)
        for exporter, samples in _wanted(matchers, noted).items():
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
                    yield scrapes, True, Shelf([own(name, target, row)]).selected(rest)
                for sample in samples:
                    for shelf in kept(view, exporter, target, sample, rest, span):
                        yield scrapes, False, shelf.selected(rest)


def _noted(matchers: Sequence[Matcher]) -> Sequence[str]:
    """The names of what is noted of scrapes that are wanted."""
    named = [matcher for matcher in matchers if matcher.name == NAME]
    return [name for name in _SCRAPE_NAMES if all(matcher.matches(name) for matcher in named)]


def _wanted(matchers: Sequence[Matcher], noted: Sequence[str]) -> Mapping[Exporter, Sequence[str]]:
    """The exporters to be asked, and for which samples."""
    known = exporters_by_sample()
    named = [matcher for matcher in matchers if matcher.name == NAME]
    only = next((matcher.value for matcher in named if matcher.op == "="), None)
    candidates = known if only is None else [only] if only in known else []
    # What is noted of scrapes is noted of the targets of all exporters.
    found: dict[Exporter, list[str]] = {exporter: [] for exporter in exporters()} if noted else {}
    for name in candidates:
        if all(matcher.matches(name) for matcher in named):
            found.setdefault(known[name], []).append(name)
    return found


def _rows(view: View, exporter: Exporter, name: str) -> Iterator[tuple[Target, Row]]:
    """The rows of one name, not all of which are worked out when the first one is enough."""
    for target in targets(view, exporter):
        for part in exporter.parts(view, target, name):
            for row in part.rows():
                yield target, row


def _exported(view: View, exporter: Exporter, target: Target) -> Sequence[Row]:
    """All that a target exports."""
    basis = (target, *view.basis(exporter.reads))
    return view.remembered(
        ("exported", target.labels),
        basis,
        lambda: [entry.row for entry in _of(view, exporter, target)],
    )


def _every(view: View, exporter: Exporter) -> Sequence[tuple[Target, Shelf]]:
    """All targets of an exporter with all of their series."""
    return [(target, Shelf(_of(view, exporter, target))) for target in targets(view, exporter)]


def _of(view: View, exporter: Exporter, target: Target) -> Sequence[Kept]:
    """All series of a target."""
    return [
        entry
        for family in exporter.families
        for name in family.samples
        for shelf in kept(view, exporter, target, name)
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

"""Series as they are kept: rows of exporters with all of their labels, ready to be selected."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from sregym_promql.storage import NAME, labels_of, value_of
from sregym_regex.budget import spend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_promql.storage import Labels, Matcher

    from sregym_cluster_embedded.telemetry.metrics.exposition import (
        Exporter,
        Pairs,
        Part,
        Row,
        Target,
    )
    from sregym_cluster_embedded.telemetry.metrics.view import View


class CachedSeries(NamedTuple):
    """One series of a target.

    Attributes:
        labels: As they are stored.
        row: Its values, and how long it is there.
        names: Of the labels; most often the same object for many series.
        key: The labels as one text, which sorts as they do: it is compared, and looked up, at once.
    """

    labels: Labels
    row: Row
    names: tuple[str, ...]
    key: str


class SeriesGroup:
    """Series that are worked out together.

    Args:
        entries: The series.
    """

    def __init__(self, entries: Sequence[CachedSeries]) -> None:
        self.entries = entries
        self._columns: dict[str, list[str]] = {}

    def selected(self, matchers: Sequence[Matcher]) -> Sequence[CachedSeries]:
        """The series that all matchers select."""
        chosen: Sequence[CachedSeries] = self.entries
        spend(2 * len(matchers))
        for position, matcher in enumerate(matchers):
            if position == 0:
                pairs = zip(self.entries, self._column(matcher.name), strict=True)
            else:
                name = matcher.name
                pairs = ((entry, value_of(entry.labels, name)) for entry in chosen)  # type: ignore[assignment]
            matches = matcher.matches
            chosen = [entry for entry, value in pairs if matches(value)]
        return chosen

    def _column(self, name: str) -> list[str]:
        """The values of one label, empty where a series has none."""
        known = self._columns.get(name)
        if known is None:
            known = [value_of(entry.labels, name) for entry in self.entries]
            self._columns[name] = known
        return known


def targets(view: View, exporter: Exporter) -> Sequence[Target]:
    """All targets of an exporter that there ever were."""
    basis = view.basis(exporter.reads if exporter.found_by is None else exporter.found_by)
    work = partial(exporter.targets, view)
    return view.remembered(("targets", exporter), basis, work, shared=True)


def cached_series(
    view: View,
    exporter: Exporter,
    target: Target,
    sample: str,
    matchers: Sequence[Matcher] = (),
    span: tuple[float, float] = (float("-inf"), float("inf")),
) -> Iterator[SeriesGroup]:
    """The series of one sample name at a target.

    Args:
        view: The cluster.
        exporter: The exporter that is meant.
        target: Which one.
        sample: The name.
        matchers: Series that they do not select may be left out.
        span: Virtual seconds; series that are not there in between may be left out.
    """
    for part in exporter.parts(view, target, sample):
        if part.until < span[0] or part.since > span[1]:
            continue
        if matchers and not may_be(part.labels, matchers):
            continue
        yield series_group(view, target, sample, part)


def series_group(view: View, target: Target, sample: str, part: Part) -> SeriesGroup:
    """The series of one part of a target."""
    key = (sample, target.labels, part.key)
    work = partial(_shelf, sample, target, part)
    return view.remembered(key, part.basis, work, shared=True)


def may_be(labels: Pairs, matchers: Sequence[Matcher]) -> bool:
    """Whether matchers may select series with these labels among others."""
    for matcher in matchers:
        for name, value in labels:
            if name == matcher.name and not matcher.matches(value):
                return False
    return True


def scrape_notes(name: str, target: Target, row: Row) -> CachedSeries:
    """What Prometheus itself notes of a target."""
    return _alone(name, target, row)


def _shelf(sample: str, target: Target, part: Part) -> SeriesGroup:
    found = []
    fixed = (*target.labels, (NAME, sample))
    names = tuple(name for name, _ in fixed)
    before: tuple[str, ...] | None = None
    pick: Callable[[Pairs], Pairs] | None = None
    sorted_names: tuple[str, ...] = ()
    for row in part.rows():
        given = row.labels
        # Transposed at once: there are thousands of rows.
        own_names, values = zip(*given, strict=True) if given else ((), ())
        if "" in values:
            given = tuple(pair for pair in given if pair[1])
            own_names = _names_of(given)
        if own_names != before:
            # Rows after each other most often have the same labels: they are sorted alike.
            before, pick = own_names, _order(names, own_names)
            sorted_names = () if pick is None else _names_of(pick((*fixed, *given)))
        if pick is None:
            found.append(_alone(sample, target, row))
        else:
            labels = pick((*fixed, *given))
            found.append(CachedSeries(labels, row, sorted_names, _key(labels)))
    return SeriesGroup(found)


def _alone(name: str, target: Target, row: Row) -> CachedSeries:
    labels = _merged(name, target, row.labels)
    return CachedSeries(labels, row, _names_of(labels), _key(labels))


def _names_of(labels: Labels) -> tuple[str, ...]:
    return tuple(label for label, _ in labels)


def _key(labels: Labels) -> str:
    # What ends a word sorts before all that words are made of.
    return "\0".join(chain.from_iterable(labels))


@lru_cache(maxsize=4096)
def _order(names: tuple[str, ...], own_names: tuple[str, ...]) -> Callable[[Pairs], Pairs] | None:
    """How labels are sorted; None when a target and a row have one in common."""
    every = (*names, *own_names)
    if len({*every}) < len(every):
        return None
    return itemgetter(*sorted(range(len(every)), key=every.__getitem__))


def _merged(name: str, target: Target, given: Pairs) -> Labels:
    """All labels; what the target says wins unless it honours those of samples."""
    found = dict(target.labels)
    for label, value in given:
        if label in found and not target.honours:
            label = f"exported_{label}"
        found[label] = value
    found[NAME] = name
    return labels_of(found)

"""Scrapes of a target: when they are taken, whether they succeed, and what is noted of each."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_promql.storage import STALE, Floats, Times

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    INTERVAL_S,
    Family,
    Pairs,
    Row,
    Target,
    Value,
)
from sregym_cluster_embedded.telemetry.metrics.jitter import About

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_cluster_embedded.world import World

# From the request to the first byte, for each sample, and until a connection is refused.
_FIRST_BYTE_S, _PER_SAMPLE_S, _REFUSED_S = 0.0018, 6e-6, 0.0004
_SPREAD = 0.3
_NEVER_MS = -(2**62)
_INTERVAL_MS = round(INTERVAL_S * 1000)

SCRAPE_FAMILIES = (
    Family("up", "gauge", "1 if the last scrape of the target succeeded, 0 if it failed."),
    Family("scrape_duration_seconds", "gauge", "Duration of the scrape."),
    Family("scrape_samples_scraped", "gauge", "The number of samples the target exposed."),
    Family(
        "scrape_samples_post_metric_relabeling",
        "gauge",
        "The number of samples remaining after metric relabeling was applied.",
    ),
    Family("scrape_series_added", "gauge", "The approximate number of new series in this scrape."),
)

SCRAPE_NAMES = tuple(family.name for family in SCRAPE_FAMILIES)


def offset_ms(target: Target) -> int:
    """Where in the interval a target is scraped: spread over all targets, the same for ever."""
    return _offset_ms(target.pool, target.labels)


@lru_cache(maxsize=4096)
def _offset_ms(pool: str, labels: Pairs) -> int:
    return int(Seed(0).fraction("scrape", pool, labels) * _INTERVAL_MS)


def last_scrape_ms(world: World, target: Target, at_ms: int) -> int:
    """When a target was last scraped up to a moment, Unix milliseconds; nothing is said of success.

    Minus infinity, so to speak, when it was not known by then.
    """
    epoch_ms = world.epoch * 1000
    origin_ms = epoch_ms + offset_ms(target)
    last_ms = min(at_ms, int((world.epoch + world.now) * 1000) - 1)
    found = last_ms - (last_ms - origin_ms) % _INTERVAL_MS
    return found if found >= epoch_ms + round(max(target.since, 0.0) * 1000) else _NEVER_MS


def answered(target: Target, second: float) -> bool:
    """Whether a scrape at a virtual second succeeded."""
    return second < target.until and any(begin <= second < end for begin, end in target.answers)


class Scrapes:
    """The scrapes of one target in a span.

    Args:
        world: The cluster.
        target: What is scraped.
        start_ms: First moment of the span, in Unix milliseconds.
        end_ms: Last moment; scrapes that are not over yet are not known.
    """

    def __init__(self, world: World, target: Target, start_ms: int, end_ms: int) -> None:
        epoch_ms = world.epoch * 1000
        origin_ms = epoch_ms + offset_ms(target)
        first_ms = max(start_ms, epoch_ms + round(max(target.since, 0.0) * 1000))
        last_ms = min(end_ms, int((world.epoch + world.now) * 1000) - 1)
        first = -((origin_ms - first_ms) // _INTERVAL_MS)
        self.count = max(0, (last_ms - origin_ms) // _INTERVAL_MS - first + 1)
        self.target = target
        self._first_ms = origin_ms + _INTERVAL_MS * first
        self._epoch_ms = epoch_ms
        self._known = self.before(target.until)
        self._spans = self._answered()
        self._cuts: dict[tuple[float, float, bool], list[_Cut]] = {}
        self._pieces: dict[tuple[int, int], _Cut] = {}
        self._runs: dict[tuple[float, float, bool], list[tuple[int, int]]] = {}
        self._times: Times | None = None

    @property
    def times(self) -> Times:
        """When, in Unix milliseconds."""
        if self._times is None:
            self._times = self._first_ms + _INTERVAL_MS * np.arange(self.count, dtype=np.int64)
        return self._times

    @property
    def seconds(self) -> Floats:
        """When, in virtual seconds."""
        return (self.times - self._epoch_ms) / 1000.0

    @property
    def whole(self) -> bool:
        """Whether there were scrapes, and all succeeded."""
        return self._spans == [(0, self.count)] and self.count > 0

    @property
    def ends(self) -> tuple[float, float]:
        """When the first and the last were taken, in virtual seconds."""
        return self._second(0), self._second(self.count - 1)

    def span_of(self, *, own: bool) -> tuple[float, float]:
        """From the first to the last that succeeded, in virtual seconds; of all with `own`.

        The first is behind the last when there are none.
        """
        spans = [(0, self._known)] if own else self._spans
        if not spans or spans[0][0] >= spans[-1][1]:
            return 0.0, -1.0
        return self._second(spans[0][0]), self._second(spans[-1][1] - 1)

    @property
    def last_good(self) -> bool:
        """Whether there were scrapes, and the last one succeeded."""
        return bool(self._spans) and self._spans[-1][1] == self.count

    def before(self, moment: float) -> int:
        """How many scrapes there were before a virtual second."""
        first = (self._first_ms - self._epoch_ms) / 1000.0
        if moment <= first or not self.count:
            return 0
        last = (self._first_ms - self._epoch_ms + _INTERVAL_MS * (self.count - 1)) / 1000.0
        if moment > last:
            return self.count
        place = math.ceil((moment - first) / INTERVAL_S)
        # Rounding may have been to the wrong side.
        while place > 0 and self._second(place - 1) >= moment:
            place -= 1
        while place < self.count and self._second(place) < moment:
            place += 1
        return place

    def good_at(self, seconds: Floats) -> Floats:
        """1 for each scrape that succeeded, else 0."""
        good = np.zeros(self.count)
        for low, high in self._spans:
            good[low:high] = 1.0
        found: Floats = good[np.searchsorted(self.seconds, seconds)]
        return found

    def taken(self, row: Row, *, own: bool = False) -> tuple[Times, Floats] | None:
        """The samples of a row; a mark where it ends. None when there are none.

        Args:
            row: The series.
            own: Whether it is there when scrapes fail, too.
        """
        key = (row.since, row.until, own)
        cuts = self._cuts.get(key)
        if cuts is None:
            parts = self.parts(row, own=own)
            cuts = self._cuts[key] = [self._cut(low, high) for low, high in parts]
        if not cuts:
            return None
        if len(cuts) == 1:
            return cuts[0].times, _values(cuts[0], row.value)
        times = np.concatenate([cut.times for cut in cuts])
        return times, np.concatenate([_values(cut, row.value) for cut in cuts])

    def parts(self, row: Row, *, own: bool = False) -> list[tuple[int, int]]:
        """Runs of scrapes that have samples of a row."""
        key = (row.since, row.until, own)
        known = self._runs.get(key)
        if known is None:
            first, last = self.before(row.since), self.before(row.until)
            spans = [(0, self._known)] if own else self._spans
            cut = ((max(begin, first), min(end, last)) for begin, end in spans)
            known = self._runs[key] = [(low, high) for low, high in cut if low < high]
        return known

    def _second(self, place: int) -> float:
        return (self._first_ms - self._epoch_ms + _INTERVAL_MS * place) / 1000.0

    def _answered(self) -> list[tuple[int, int]]:
        """The spans [begin, end) of scrapes that succeeded."""
        found: list[tuple[int, int]] = []
        cut = sorted(
            (self.before(begin), min(self.before(end), self._known))
            for begin, end in self.target.answers
        )
        for low, high in cut:
            if low >= high:
                continue
            if found and low <= found[-1][1]:
                found[-1] = (found[-1][0], max(found[-1][1], high))
            else:
                found.append((low, high))
        return found

    def _cut(self, low: int, high: int) -> _Cut:
        marked = high < self.count
        key = (low, high)
        known = self._pieces.get(key)
        if known is None:
            times = self.times[low : high + 1 if marked else high]
            # Series that last equally long share one array, so that they are evaluated together.
            known = self._pieces[key] = _Cut(times, self.seconds[low:high], marked)
        return known


class _Cut(NamedTuple):
    """A run of scrapes that have samples of a row; one more time when its end is marked."""

    times: Times
    seconds: Floats
    marked: bool


def _values(cut: _Cut, value: Value) -> Floats:
    times, seconds, marked = cut
    if marked:
        values = np.empty(len(times))
        values[:-1] = value(seconds) if callable(value) else value
        values[-1] = STALE
        return values
    return value(seconds) if callable(value) else np.full(len(times), value)


def _ends(rows: Sequence[Row]) -> tuple[Floats, Floats]:
    """When rows begin and when they end, each ascending."""
    since = np.sort(np.array([row.since for row in rows], dtype=np.float64))
    return since, np.sort(np.array([row.until for row in rows], dtype=np.float64))


def scrape_row(
    name: str, target: Target, scrapes: Scrapes, exported: Callable[[], Sequence[Row]]
) -> Row:
    """What Prometheus itself notes of each scrape.

    Args:
        name: Of the metric.
        target: What is scraped.
        scrapes: Its scrapes.
        exported: All that the target exports; only asked for when that counts.
    """
    if name == "up":
        return Row((), scrapes.good_at, until=target.until)

    def samples(seconds: Floats) -> Floats:
        since, until = _ends(exported())
        begun = np.searchsorted(since, seconds, side="right")
        found: Floats = (begun - np.searchsorted(until, seconds, side="right")).astype(np.float64)
        return found * scrapes.good_at(seconds)

    def added(seconds: Floats) -> Floats:
        since, _ = _ends(exported())
        before = np.searchsorted(since, seconds - INTERVAL_S, side="right")
        found: Floats = (np.searchsorted(since, seconds, side="right") - before).astype(np.float64)
        return found * scrapes.good_at(seconds)

    def duration(seconds: Floats) -> Floats:
        good = scrapes.good_at(seconds)
        needed = np.where(good > 0, _FIRST_BYTE_S + samples(seconds) * _PER_SAMPLE_S, _REFUSED_S)
        return needed * unsteady(seconds)

    unsteady = About(1.0, _SPREAD, "scrape", target.pool, target.labels)
    values = {"scrape_duration_seconds": duration, "scrape_series_added": added}
    return Row((), values.get(name, samples), until=target.until)

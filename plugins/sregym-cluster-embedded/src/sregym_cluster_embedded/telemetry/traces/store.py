"""What a collector knows: searches over traces that are built on demand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.traces import ids
from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin
from sregym_cluster_embedded.telemetry.traces.collectors import Collector, Reach
from sregym_cluster_embedded.telemetry.traces.spans import Span, Trace
from sregym_cluster_embedded.telemetry.traces.surveying import Surveyor
from sregym_cluster_embedded.telemetry.traces.trace_assembly import Builder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.telemetry.traces.spans import TagValue
    from sregym_cluster_embedded.world import World

# Of two moments that are so far apart rounding does not decide which is the earlier one.
_MARGIN_S = 1.0
# How often the span of time that is still kept is halved to find where it begins.
_HALVINGS = 48
# A trace is looked for so long before its spans may have started: none takes longer, messages that
# wait left aside.
_LONGEST_S = 120.0


@dataclass(frozen=True)
class Query:
    """What to search; one span of a trace must have all of it.

    Attributes:
        service: Name of the service.
        operation: Name of the span; empty for any.
        start: Virtual second of the earliest start.
        end: Virtual second of the latest start.
        tags: Key -> value as text, among the span's, its process's and its events' tags.
        least_us: Shortest duration; 0 for any.
        most_us: Longest duration; 0 for any.
        limit: How many traces; the newest are taken. 0 for all.
    """

    service: str
    operation: str = ""
    start: float = float("-inf")
    end: float = float("inf")
    tags: tuple[tuple[str, str], ...] = ()
    least_us: float = 0
    most_us: float = 0
    limit: int = 100


class Traces:
    """The traces of one collector.

    Args:
        world: The cluster.
        collector: The collector of the traces.
    """

    def __init__(self, world: World, collector: Collector) -> None:
        self._chronicle = Chronicle(world)
        self._collector = collector
        self._reach = Reach(world, collector)
        self._builder = Builder(self._chronicle)
        self._surveyor = Surveyor(self._chronicle, self._builder, self._reach, collector.since)
        self._kept_since: float | None = None
        # From here on all are, where that is not known.
        self._surely_since = math.inf

    def services(self) -> list[str]:
        """The services that have ever written a span to this collector, sorted."""
        return sorted({service for service, _, _ in self._surveyor.seen()})

    def operations(self, service: str, kind: str = "") -> list[tuple[str, str]]:
        """(name, kind) of the spans of a service, of one kind or of all, sorted."""
        return sorted(
            {
                (name, of_kind)
                for owner, name, of_kind in self._surveyor.seen()
                if owner == service and kind in ("", of_kind)
            }
        )

    def dependencies(self, start: float, end: float) -> list[tuple[str, str, int]]:
        """(caller, callee, calls) between services in the traces kept, from `start` to `end`."""
        return self._surveyor.calls(max(start, self._kept()), end)

    def get(self, identifier: str) -> Trace | None:
        """The trace of an id (hexadecimal digits, leading zeros may be missing), or None."""
        number = int(identifier, 16)
        seeds = dict.fromkeys(
            piece.segment.seed
            for origin in self._chronicle.origins()
            for piece in origin.numbering.pieces
        )
        for seed in seeds:
            code, request = ids.origin_of(seed, number & 0xFFFFFFFFFFFFFFFF)
            for origin in self._chronicle.origins():
                if origin.code != code or not 1 <= request <= origin.numbering.last:
                    continue
                if int(self._builder.identifier(origin, request), 16) != number:
                    continue
                if self._builder.arrival(origin, request) < self._kept():
                    continue
                return self._trace(origin, request)
        return None

    def find(self, query: Query) -> list[Trace]:
        """The newest traces that fit, oldest of them first."""
        if query.start > query.end:
            return []
        found: list[Trace] = []
        for origin, number in self._newest_first(query):
            trace = self._trace(origin, number)
            if trace is not None and any(_fits(span, query) for span in trace.spans):
                found.append(trace)
                if query.limit and len(found) >= query.limit:
                    break
        return found[::-1]

    def _trace(self, origin: Origin, number: int) -> Trace | None:
        if not self._builder.sampled(origin, number):
            return None
        spans = tuple(
            written.span
            for written in self._builder.build(origin, number)
            if self._reach.reaches(self._chronicle.traced[written.ref], written.span.end)
        )
        return Trace(spans[0].trace_id, spans) if spans else None

    def _newest_first(self, query: Query) -> Iterator[tuple[Origin, int]]:
        """The requests whose traces may fit, from the newest on."""
        first, kept = self._beginning(query)
        sent = [
            self._reach.latest(traced)
            for traced in self._chronicle.traced.values()
            if traced.service == query.service
        ]
        # What began after the last batch was sent has not come yet.
        query = replace(query, end=min(query.end, max(sent, default=first)))
        places = [
            (origin, self._surveyor.candidates(origin, query, first, kept))
            for origin in self._chronicle.origins()
        ]
        heads: list[tuple[float, int, int]] = []
        for index, (origin, numbers) in enumerate(places):
            number = next(numbers, None)
            if number is not None:
                heads.append((self._builder.arrival(origin, number), index, number))
        while heads:
            heads.sort()
            at, index, number = heads.pop()
            if not self._is_kept(at):
                continue
            origin, numbers = places[index]
            if at <= query.end:
                yield origin, number
            following = next(numbers, None)
            if following is not None:
                heads.append((self._builder.arrival(origin, following), index, following))

    def _beginning(self, query: Query) -> tuple[float, float]:
        """From when on requests are looked at that wait in no queue, and where those that are kept begin.

        Each request that comes is asked for whether it is kept, so that only who passes over
        requests without a look, or follows messages that wait, has to know that beforehand.
        """
        first = max(query.start - _LONGEST_S, self._collector.since)
        if query.least_us or self._chronicle.messages.any:
            return max(first, self._kept()), self._kept()
        return first, first

    def _is_kept(self, at: float) -> bool:
        """Whether the traces of a virtual second are still in memory.

        Most searches end long before those that are not, and finding where these begin takes longest.
        """
        if self._kept_since is None and at < self._surely_since:
            now, most = self._chronicle.now, self._collector.most_traces
            early = now - 2 * max(now - at, _MARGIN_S)
            if early > self._collector.since and self._surveyor.traces(early, now) <= most:
                self._surely_since = early + _MARGIN_S
        return at >= self._surely_since or at >= self._kept()

    def _kept(self) -> float:
        """The virtual second from which on traces are still in memory."""
        if self._kept_since is None:
            self._kept_since = self._oldest()
        return self._kept_since

    def _oldest(self) -> float:
        since, now, most = self._collector.since, self._chronicle.now, self._collector.most_traces
        if not most or self._surveyor.traces(since, now) <= most:
            return since
        low, high = since, now
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self._surveyor.traces(middle, now) > most:
                low = middle
            else:
                high = middle
        return high


def _fits(span: Span, query: Query) -> bool:
    if span.source.service != query.service or not query.start <= span.start <= query.end:
        return False
    if query.operation and span.name != query.operation:
        return False
    if query.least_us and span.duration_us < query.least_us:
        return False
    if query.most_us and span.duration_us > query.most_us:
        return False
    return not query.tags or _tagged(span, query.tags)


def _tagged(span: Span, wanted: tuple[tuple[str, str], ...]) -> bool:
    pairs = {(key, tag_text(value)) for key, value in (*span.tags, *span.source.tags)}
    pairs |= {(key, tag_text(value)) for event in span.events for key, value in event.fields}
    pairs |= {("internal.span.format", wire_of(span)), ("span.kind", span.kind)}
    return all(pair in pairs for pair in wanted)


def wire_of(span: Span) -> str:
    """By which protocol a span came."""
    return "jaeger" if span.library == "jaeger" else "otlp"


def tag_text(value: TagValue) -> str:
    """The value of a tag as text, as searches compare it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)

"""What is known of traces without building them: counts, names, and which cannot fit a search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from sregym_cluster_embedded.telemetry.traces import names
from sregym_cluster_embedded.telemetry.traces.draws import Even, level_of
from sregym_cluster_embedded.telemetry.traces.queue_spans import (
    Each,
    Following,
    Possible,
    newest_first,
    numbers_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin
    from sregym_cluster_embedded.telemetry.traces.collectors import Reach
    from sregym_cluster_embedded.telemetry.traces.numbering import Piece
    from sregym_cluster_embedded.telemetry.traces.queues import Topic
    from sregym_cluster_embedded.telemetry.traces.store import Query
    from sregym_cluster_embedded.telemetry.traces.trace_assembly import Builder
    from sregym_cluster_embedded.traffic.segments import Flow

_K = TypeVar("_K")

# Failures of calls that their callees have heard of.
_HEARD = ("timeout", "server")


class Surveyor:
    """Counts and names from flows alone.

    Args:
        chronicle: The history.
        builder: Draws the outcome of a request.
        reach: Whose spans arrive.
        since: Virtual second from which on spans are collected.
    """

    def __init__(self, chronicle: Chronicle, builder: Builder, reach: Reach, since: float) -> None:
        self._chronicle = chronicle
        self._builder = builder
        self._reach = reach
        self._since = since
        self._possible: dict[tuple[ContainerRef, int, str], Possible] = {}
        self._calls: dict[tuple[ContainerRef, int, str], Each] = {}
        self._topic = chronicle.messages.topic
        self._later = Following(chronicle, self)
        self._seen: frozenset[tuple[str, str, str]] | None = None

    def traces(self, start: float, end: float) -> int:
        """How many traces began from `start` to `end`."""
        found = 0.0
        for origin in self._chronicle.origins():
            for begin, stop in self._reach.spans(origin.traced):
                first, last = max(start, begin), min(end, stop)
                if first < last:
                    counted = origin.numbering.count(last) - origin.numbering.count(first)
                    found += counted * origin.traced.sample
        return int(found)

    def seen(self) -> frozenset[tuple[str, str, str]]:
        """(service, name, kind) of all spans that have been collected."""
        if self._seen is None:
            found: set[tuple[str, str, str]] = set()
            for origin in self._chronicle.origins():
                ref = origin.traced.instance.ref
                for piece in origin.numbering.pieces:
                    start, stop = max(piece.start, self._since), piece.stop
                    counted = origin.numbering.count(stop) - origin.numbering.count(start)
                    reached = any(
                        max(start, begin) < min(stop, until)
                        for begin, until in self._reach.spans(origin.traced)
                    )
                    if reached and counted * origin.traced.sample >= 1:
                        possible = self.possible(ref, origin.operation, piece.start)
                        found |= possible.names
                        found |= self._later.names(possible.sends, self._since)
            self._seen = frozenset(found)
        return self._seen

    def calls(self, start: float, end: float) -> list[tuple[str, str, int]]:
        """(caller, callee, calls) between services in traces from `start` to `end`, sorted."""
        found: dict[tuple[str, str], float] = {}
        sent: dict[tuple[str, Topic], float] = {}
        for origin in self._chronicle.origins():
            ref, share = origin.traced.instance.ref, origin.traced.sample
            for piece in origin.numbering.pieces:
                first, last = max(piece.start, start, self._since), min(piece.stop, end)
                if piece.after == piece.before or first >= last:
                    continue
                traces = (piece.come(last) - piece.come(first)) * share
                if traces > 0:
                    each = self.each(ref, origin.operation, piece.start)
                    _add(found, each.pairs, traces)
                    _add(sent, each.sent, traces)
        span = max(start, self._since), min(end, self._chronicle.now)
        for (service, topic), messages in sent.items():
            for pair, count in self._later.calls(service, topic, messages, span):
                found[pair] = found.get(pair, 0.0) + count
        return [(*pair, count) for pair in sorted(found) if (count := int(found[pair] + 1e-6))]

    def each(self, ref: ContainerRef, operation: str, at: float) -> Each:
        """Calls between services and messages by one request of an operation, on average."""
        found = self._chronicle.segment(ref, at)
        traced = self._chronicle.traced.get(ref)
        flow = self._chronicle.flow(ref, operation, at)
        if found is None or traced is None or flow is None or flow.rate <= 0:
            return Each({}, {})
        key = (ref, found[0], operation)
        if key in self._calls:
            return self._calls[key]
        # What calls itself in a circle is counted once.
        self._calls[key] = Each({}, {})
        calls: dict[tuple[str, str], float] = {}
        sent: dict[tuple[str, Topic], float] = {}
        for call in flow.calls:
            heard = sum(share for kind, _, share in call.errors if kind in _HEARD)
            count = call.rate * (call.ok + heard) / flow.rate
            topic = self._topic(call)
            if topic is not None:
                _add(sent, {(traced.service, topic): count}, 1.0)
            callee = self._chronicle.traced.get(call.callee) if call.callee else None
            if callee is None:
                continue
            if callee.service != traced.service:
                _add(calls, {(traced.service, callee.service): count}, 1.0)
            inner = self.each(callee.instance.ref, call.operation, at)
            _add(calls, inner.pairs, count)
            _add(sent, inner.sent, count)
        self._calls[key] = Each(calls, sent)
        return self._calls[key]

    def candidates(self, origin: Origin, query: Query, first: float, kept: float) -> Iterator[int]:
        """The numbers of requests of an origin whose traces may fit, from the newest on.

        Args:
            origin: The origin.
            query: What is searched.
            first: Virtual second from which on requests count that wait in no queue.
            kept: Virtual second from which on traces are kept.
        """
        ref = origin.traced.instance.ref
        wants_error = ("error", "true") in query.tags
        for piece in reversed(origin.numbering.pieces):
            if piece.stop < kept:
                return
            if piece.start > query.end or piece.rate <= 0:
                continue
            possible = self.possible(ref, origin.operation, piece.start)
            late = self._later.numbers(origin, piece, possible, query, kept)
            failing = not wants_error or query.service in possible.fails or origin.failed
            soon = range(0)
            if possible.suits(query) and failing and piece.stop >= first:
                soon = numbers_in(origin, piece, max(first, piece.start), query.end)
            short = self._short(origin, piece, query)
            if query.least_us and not possible.slow:
                yield from newest_first((n for n in reversed(soon) if not short(n)), late)
            else:
                yield from newest_first(reversed(soon), late)

    def _short(self, origin: Origin, piece: Piece, query: Query) -> Callable[[int], bool]:
        """Tells whether a request is too short for a search, if it succeeds."""
        flow = next(f for f in piece.segment.flows if f.operation == origin.operation)
        level = level_of(flow.time, (query.least_us - 1) / 1000)
        seed = self._chronicle.seed(piece.segment)
        scores = Even(seed, ("time", origin.traced.instance.ref, origin.operation, ""))
        before, good = math.floor(piece.before), not origin.failed

        def short(number: int) -> bool:
            return good and scores.level(number - 1 - before) < level

        return short

    def possible(self, ref: ContainerRef, operation: str, at: float) -> Possible:
        """What the traces of an operation may hold at a virtual second."""
        found = self._chronicle.segment(ref, at)
        traced = self._chronicle.traced.get(ref)
        flow = self._chronicle.flow(ref, operation, at)
        if found is None or traced is None or flow is None:
            return Possible()
        key = (ref, found[0], operation)
        if key not in self._possible:
            # What calls itself in a circle is looked at once.
            self._possible[key] = Possible()
            self._possible[key] = self._collect(ref, flow, found[0], at)
        return self._possible[key]

    def _collect(self, ref: ContainerRef, flow: Flow, index: int, at: float) -> Possible:
        traced = self._chronicle.traced[ref]
        sites = self._builder.sites(ref, index, traced, flow)
        message = traced.taken.get(flow.operation)
        found: set[tuple[str, str, str]] = set()
        if message is None or not message.alone:
            own = names.server_span(traced.program, flow.operation)
            found |= {(traced.service, own, "server")} if own else set()
        if message is not None:
            own = names.server_span(traced.program, flow.operation, message)
            found |= {(traced.service, own, "consumer")} if own else set()
        fails: set[str] = set()
        sends: set[Topic] = set()
        slow = False
        for site in sites:
            name = names.client_span(traced.program, site)
            if name:
                found.add((traced.service, name, names.call_kind(traced.program, site.client)))
            called = [
                self.possible(target.callee, target.operation, at)
                for target in site.targets
                if target.callee is not None
            ]
            if site.attempts > 1 or (not site.fatal and site.lost > 0):
                fails |= {traced.service}.union(*(inner.services for inner in called))
            slow = slow or any(failure.kind == "timeout" for failure in site.failures)
            sends |= {topic for call in site.targets if (topic := self._topic(call)) is not None}
            for inner in called:
                found |= inner.names
                fails |= inner.fails
                sends |= inner.sends
                slow = slow or inner.slow
        return Possible(frozenset(found), frozenset(fails), slow, frozenset(sends))


def _add(found: dict[_K, float], more: Mapping[_K, float], times: float) -> None:
    for key, count in more.items():
        found[key] = found.get(key, 0.0) + count * times

"""Spans behind message queues: which requests may have them, without building their traces."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import proxy

from sregym_cluster_embedded.telemetry.traces.draws import sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin
    from sregym_cluster_embedded.telemetry.traces.numbering import Piece
    from sregym_cluster_embedded.telemetry.traces.queues import Queue, Stint, Topic
    from sregym_cluster_embedded.telemetry.traces.store import Query
    from sregym_cluster_embedded.traffic.segments import Flow

# Spans of a message that is worked on start at most so long after that began.
_LONGEST_S = 120.0
# No draw of a time is further out than this on its distribution.
_OUTERMOST = 4.8
# Clocks and polls.
_SLACK_S = 1.0


class Possible(NamedTuple):
    """What the traces of an operation may hold, up to where messages wait.

    Attributes:
        names: (service, name of the span, kind).
        fails: Services of which a call may fail in a request that succeeds.
        slow: Whether something may go on after its caller has given up.
        sends: Where it sends messages to.
    """

    names: frozenset[tuple[str, str, str]] = frozenset()
    fails: frozenset[str] = frozenset()
    slow: bool = False
    sends: frozenset[Topic] = frozenset()

    @property
    def services(self) -> frozenset[str]:
        """The services that may write spans of it."""
        return frozenset(service for service, _, _ in self.names)

    def suits(self, query: Query) -> bool:
        """Whether it may hold a span that is searched, however it ends."""
        return any(
            service == query.service and query.operation in ("", name)
            for service, name, _ in self.names
        )


class Each(NamedTuple):
    """What one request does on average.

    Attributes:
        pairs: (caller, callee) -> calls between services.
        sent: (service, topic) -> messages.
    """

    pairs: Mapping[tuple[str, str], float]
    sent: Mapping[tuple[str, Topic], float]


class Known(Protocol):
    """What is known of operations without a look at requests."""

    def possible(self, ref: ContainerRef, operation: str, at: float) -> Possible:
        """What the traces of an operation may hold at a virtual second."""

    def each(self, ref: ContainerRef, operation: str, at: float) -> Each:
        """What one request of an operation does then."""


class Following:
    """Requests and the messages that they send.

    Args:
        chronicle: The history.
        known: What is known of operations; its owner keeps this object, and not the other way round.
    """

    def __init__(self, chronicle: Chronicle, known: Known) -> None:
        self._chronicle = chronicle
        self._known: Known = proxy(known)
        self._windows: dict[tuple[frozenset[Topic], Query], list[tuple[float, float]]] = {}
        self._names: dict[tuple[frozenset[Topic], float], frozenset[tuple[str, str, str]]] = {}

    def numbers(
        self, origin: Origin, piece: Piece, possible: Possible, query: Query, kept: float
    ) -> Iterator[int]:
        """Requests of a piece whose messages may have made somebody write what is searched.

        The newest come first.
        """
        if not possible.sends:
            return
        flow = next(f for f in piece.segment.flows if f.operation == origin.operation)
        before = _LONGEST_S if possible.slow else _longest_ms(flow) / 1000 + _SLACK_S
        ranges = [
            numbers_in(origin, piece, max(begin - before, kept), min(end, query.end))
            for begin, end in self._sent(possible.sends, query)
            if begin - before < piece.stop and end > piece.start
        ]
        below: float = math.inf
        for found in sorted(ranges, key=lambda found: found.stop, reverse=True):
            for number in reversed(found):
                if number < below:
                    yield number
                    below = number

    def names(self, sends: frozenset[Topic], since: float) -> frozenset[tuple[str, str, str]]:
        """(service, name, kind) of the spans of all who took from topics since a moment."""
        key = (sends, since)
        if key not in self._names:
            self._names[key] = frozenset()
            found: set[tuple[str, str, str]] = set()
            for _, stint, begin, end in self._worked(sends):
                if end > since:
                    inner = self._known.possible(stint.ref, stint.operation, begin)
                    found |= inner.names | self.names(inner.sends, since)
            self._names[key] = frozenset(found)
        return self._names[key]

    def calls(
        self, service: str, topic: Topic, sent: float, span: tuple[float, float], depth: int = 0
    ) -> Iterator[tuple[tuple[str, str], float]]:
        """((caller, callee), calls) that follow from messages of a service sent in a span of time."""
        first, last = span
        for queue, stint, begin, end in self._worked(frozenset((topic,))):
            whole = sum(
                queue.come(number, last) - queue.come(number, first)
                for number in range(queue.partitions)
            )
            low = max(queue.done(stint.partition, begin), queue.come(stint.partition, first))
            high = min(queue.done(stint.partition, end), queue.come(stint.partition, last))
            if high <= low or whole <= 0:
                continue
            worked = sent * (high - low) / whole
            callee = self._chronicle.traced[stint.ref].service
            if callee != service:
                yield (service, callee), worked
            inner = self._known.each(stint.ref, stint.operation, begin)
            yield from ((pair, worked * count) for pair, count in inner.pairs.items())
            if depth < len(self._chronicle.traced):
                for (sender, further), count in inner.sent.items():
                    yield from self.calls(sender, further, worked * count, (begin, end), depth + 1)

    def _sent(self, sends: frozenset[Topic], query: Query) -> list[tuple[float, float]]:
        """When messages were sent whose traces may fit beyond the queue."""
        key = (sends, query)
        if key not in self._windows:
            # Who sends to where he takes from is followed once.
            self._windows[key] = []
            self._windows[key] = [*self._fitting(sends, query)]
        return self._windows[key]

    def _fitting(self, sends: frozenset[Topic], query: Query) -> Iterator[tuple[float, float]]:
        for queue, stint, begin, end in self._worked(sends):
            inner = self._known.possible(stint.ref, stint.operation, begin)
            spans = [
                (max(begin, sent), min(end, until))
                for sent, until in (self._sent(inner.sends, query) if inner.sends else ())
            ]
            if self._fits(inner, self._chronicle.flow(stint.ref, stint.operation, begin), query):
                spans.append((max(begin, query.start - _LONGEST_S), min(end, query.end)))
            for first, last in spans:
                if first <= last:
                    yield queue.sent_between(stint.partition, first, last)

    def _fits(self, inner: Possible, flow: Flow | None, query: Query) -> bool:
        """Whether the work on a message may write what is searched."""
        if flow is None or not inner.suits(query):
            return False
        if ("error", "true") in query.tags and not (flow.errors or query.service in inner.fails):
            return False
        return bool(flow.errors) or inner.slow or query.least_us <= _longest_ms(flow) * 1000

    def _worked(self, sends: frozenset[Topic]) -> Iterator[tuple[Queue, Stint, float, float]]:
        """(queue, who, from, until) of work on messages while nothing changed there."""
        now = self._chronicle.now
        for topic in sorted(sends):
            for queue in self._chronicle.messages.queues(topic):
                for stint in queue.stints():
                    instance = self._chronicle.instances.get(stint.ref)
                    if instance is None or stint.ref not in self._chronicle.traced:
                        continue
                    found = self._chronicle.segment(stint.ref, stint.start)
                    stop = min(stint.stop, instance.ended(now))
                    for segment, end in instance.spans(now, 0 if found is None else found[0]):
                        if segment.start >= stop:
                            break
                        begin, until = max(segment.start, stint.start), min(end, stop)
                        if begin < until:
                            yield queue, stint, begin, until


def numbers_in(origin: Origin, piece: Piece, first: float, last: float) -> range:
    """The numbers of the requests of a piece that come from `first` to `last`."""
    own = piece.numbers
    least = max(origin.numbering.count(max(first, piece.start)) + 1, own.start)
    return range(least, min(origin.numbering.count(min(last, piece.stop)) + 2, own.stop))


def newest_first(one: Iterable[int], other: Iterable[int]) -> Iterator[int]:
    """The numbers of both, which descend, once each."""
    before: int | None = None
    for number in heapq.merge(one, other, reverse=True):
        if number != before:
            yield number
        before = number


def _longest_ms(flow: Flow) -> float:
    """What no request of an operation takes longer than, waits for others left aside."""
    return max(sample(flow.time, _OUTERMOST), sample(flow.failed_time, _OUTERMOST))

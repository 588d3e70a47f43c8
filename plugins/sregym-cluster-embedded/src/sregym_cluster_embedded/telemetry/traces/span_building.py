"""The spans of one request: calls placed in time, errors where they arose and as they spread."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded.telemetry.traces import names, tags
from sregym_cluster_embedded.telemetry.traces.draws import (
    Even,
    choose,
    sample,
    score,
    score_of,
    tail_score,
)
from sregym_cluster_embedded.telemetry.traces.ids import span_id
from sregym_cluster_embedded.telemetry.traces.planning import Attempt, PlannedCall, Planner
from sregym_cluster_embedded.telemetry.traces.spans import Span, Tags, Written
from sregym_cluster_embedded.telemetry.traces.timing import (
    Timed,
    failing_ms,
    pause_ms,
    place,
    stages,
)
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
    from sregym_cluster_embedded.clock import Seed
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin, Traced
    from sregym_cluster_embedded.telemetry.traces.sites import TracedCall
    from sregym_cluster_embedded.telemetry.traces.spans import Source
    from sregym_cluster_embedded.traffic.segments import Flow

# What a client's library and the sockets add to a call, in ms.
_LEAST_OVERHEAD_MS, _OVERHEAD_SPREAD_MS = 0.08, 0.16
# Calls that are made at once start one after the other all the same.
_GOROUTINE_MS = 0.02
# What a broker and the poll of a consumer take when nothing waits, in ms.
_LEAST_DELIVERY_MS, _DELIVERY_SPREAD_MS = 0.4, 2.0
# A message whose work fails is taken again, but no trace tells of more tries after each other.
_MOST_TRIES = 16
# From queue to queue: who sends to where he takes from would never come to an end.
_MOST_HOPS = 16
# So much of its time a request spends by itself at least.
_OWN = 0.04


class Common(Protocol):
    """What requests have in common."""

    def arrival(self, origin: Origin, number: int) -> float:
        """The virtual second at which a request comes."""

    def identifier(self, origin: Origin, number: int) -> str:
        """Its trace id."""

    def sites(
        self, ref: ContainerRef, index: int, traced: Traced, flow: Flow
    ) -> tuple[TracedCall, ...]:
        """The calls of an operation in a segment."""

    def source(self, traced: Traced) -> Source:
        """What a process says of itself."""


class _Serving(NamedTuple):
    """What is known of a request where it is served."""

    ref: ContainerRef
    operation: str
    at: float
    error: str | None
    number: int
    path: str
    parent: str
    message: names.HandledMessages | None = None


class RequestWriter:
    """One request on its way through the processes, and what they write of it.

    Args:
        builder: What requests have in common.
        chronicle: The history.
        origin: Where it enters.
        number: Its number there.
    """

    def __init__(self, builder: Common, chronicle: Chronicle, origin: Origin, number: int) -> None:
        self._builder = builder
        self._chronicle = chronicle
        self._origin = origin
        self._trace = builder.identifier(origin, number)
        self._number = number
        self._seed: Seed = chronicle.seed(origin.numbering.piece(number).segment)
        self._written: list[Written] = []

    def run(self, error: str | None, rank: int) -> list[Written]:
        """Serve it where it enters."""
        origin = self._origin
        ref, operation = origin.traced.instance.ref, origin.operation
        at = self._builder.arrival(origin, self._number)
        flow = self._chronicle.flow(ref, operation, at)
        if flow is None:
            return []
        level = Even(self._seed, ("time", ref, operation, error or "")).score(rank)
        time = flow.time if error is None else flow.failed_time
        duration = sample(time, level) if time.mean_ms > 0 else None
        # What nobody can ask for comes from a message whose sender had no trace.
        message = origin.traced.taken.get(operation)
        message = message if message is not None and message.alone else None
        serving = _Serving(ref, operation, at, error, rank, "0", "", message)
        self._serve(serving, duration, level)
        self._written.sort(key=lambda written: (written.span.start, written.span.span_id))
        return self._written

    def _fraction(self, *purpose: object) -> float:
        return self._seed.fraction(self._trace, *purpose)

    def _serve(self, serving: _Serving, wanted: float | None, level: float) -> None:
        """Write the spans of serving a request.

        Args:
            serving: Which request.
            wanted: The ms that it takes; None when that follows from its calls.
            level: Where that stands on the distribution of the operation's times.
        """
        traced = self._chronicle.traced.get(serving.ref)
        found = self._chronicle.segment(serving.ref, serving.at)
        flow = self._chronicle.flow(serving.ref, serving.operation, serving.at)
        if traced is None or found is None or flow is None:
            return
        sites = self._builder.sites(serving.ref, found[0], traced, flow)
        purpose = (serving.ref, serving.operation, found[1].start)
        planner = Planner(self._chronicle.seed(found[1]), purpose, sites)
        made = planner.plan(serving.error, serving.number)
        placed = stages(self._times(traced, flow, made, level, serving.path))
        waiting = sum(longest for longest, _ in placed)
        duration = wanted or waiting + self._own_time(flow, sites, serving.path)
        if any(call.timed_out for call in made):
            # A timeout cannot be shortened.
            duration = max(duration, waiting / (1 - _OWN))
        scale = min(1.0, (1 - _OWN) * duration / waiting) if waiting else 1.0
        name = names.server_span(traced.program, serving.operation, serving.message)
        own_id = self._span_id(serving.path, traced) if name else serving.parent
        mark = len(self._written)
        gaps = self._gaps(len(placed) + 1, duration - waiting * scale, serving.path)
        start = serving.at
        for gap, (longest, lanes) in zip(gaps, placed, strict=False):
            start += gap / 1000
            for index, lane in enumerate(lanes):
                begin = start + min(index * _GOROUTINE_MS, gap / 4) / 1000
                for timed in lane:
                    self._call(traced, timed, scale, begin, serving.path, own_id)
                    begin += timed.total * scale / 1000
            start += longest * scale / 1000
        if any(call.failed and call.site.reaction.then == "panic" for call in made):
            # The process ends before it can tell of this request.
            self._written[mark:] = [w for w in self._written[mark:] if w.ref != serving.ref]
        elif name:
            self._write_server(traced, serving, flow, name, own_id, duration)

    def _times(
        self, traced: Traced, flow: Flow, made: tuple[PlannedCall, ...], level: float, path: str
    ) -> list[Timed]:
        """How long each try of each call takes, as the caller sees it.

        Calls take long in requests that take long, by as much as they contribute to the spread.
        """
        found: list[Timed] = []
        whole = math.sqrt(flow.time.variance) or 1.0
        for order, call in enumerate(made):
            client = traced.instance.process.clients[call.site.client]
            parts: list[float] = []
            for turn, attempt in enumerate(call.attempts):
                here = place(path, order, turn)
                noise = score(self._seed, self._trace, here, "time")
                if attempt.failure is not None:
                    parts.append(failing_ms(client, attempt, noise))
                    continue
                time = attempt.target.time
                tie = min(0.98, math.sqrt(time.variance) / whole)
                spent = sample(time, tie * level + math.sqrt(1 - tie * tie) * noise)
                parts.append(min(spent + self._overhead(here), client.timeout_s * 1000))
            pauses = [pause_ms(client, turn) for turn in range(len(parts) - 1)]
            found.append(Timed(order, call, parts, pauses))
        return found

    def _overhead(self, path: str) -> float:
        """The ms that libraries and sockets add to a try that succeeds."""
        return _LEAST_OVERHEAD_MS + _OVERHEAD_SPREAD_MS * self._fraction(path, "around")

    def _own_time(self, flow: Flow, sites: tuple[TracedCall, ...], path: str) -> float:
        """The time that a failing request spends by itself, in ms."""
        calls = sum(
            site.made * max((target.time.mean_ms for target in site.targets), default=0.0)
            for site in sites
        )
        mean = max(0.05 * flow.time.mean_ms, flow.time.mean_ms - calls, 0.01)
        own = Time(mean, (0.35 * mean) ** 2)
        return sample(own, score(self._seed, self._trace, path, "own"))

    def _gaps(self, count: int, total: float, path: str) -> list[float]:
        weights = [0.5 + self._fraction(path, "gap", index) for index in range(count)]
        return [total * weight / sum(weights) for weight in weights]

    def _span_id(self, path: str, traced: Traced) -> str:
        if path == "0" and traced.tracing.library == "jaeger":
            return self._trace[-16:]
        return span_id(self._trace, path)

    def _call(
        self, traced: Traced, timed: Timed, scale: float, at: float, within: str, parent: str
    ) -> None:
        """Write the spans of a call with all its tries."""
        call = timed.call
        name = names.client_span(traced.program, call.site)
        pauses = [*timed.pauses, 0.0]
        for turn, attempt in enumerate(call.attempts):
            here, spent = place(within, timed.order, turn), timed.parts[turn] * scale
            own_id = span_id(self._trace, here) if name else parent
            if name:
                self._write_client(traced, call, attempt, name, own_id, parent, at, spent)
            self._reach(traced, attempt, at, spent, here, own_id)
            self._deliver(attempt, at + spent / 2000, here, own_id)
            at += (spent + pauses[turn] * scale) / 1000

    def _reach(
        self, traced: Traced, attempt: Attempt, begin: float, spent: float, path: str, parent: str
    ) -> None:
        """Write what the callee writes of a try, if it hears of it."""
        target, failure = attempt.target, attempt.failure
        if target.callee is None or target.callee not in self._chronicle.traced:
            return
        if failure is not None and failure.kind not in ("server", "timeout"):
            return
        flow = self._chronicle.flow(target.callee, target.operation, begin)
        if flow is None:
            return
        way = max(0.0, target.time.mean_ms - flow.time.mean_ms)
        around = min(spent * 0.9, way + self._overhead(path))
        error, number, wanted = None, attempt.number, spent - around
        if failure is not None and failure.kind == "server":
            error, number = self._inner(flow, failure.words, attempt)
        elif failure is not None:
            limit = traced.instance.process.clients[target.client].timeout_s * 1000
            beyond = flow.time.beyond(limit)
            if beyond <= 0:
                return
            # The answer comes after the caller has given up.
            late = sample(flow.time, tail_score(self._fraction(path, "vain"), beyond))
            wanted = max(spent, late)
        at = begin + around * (0.3 + 0.4 * self._fraction(path, "there")) / 1000
        serving = _Serving(target.callee, target.operation, at, error, number, f"{path}.s", parent)
        self._serve(serving, wanted, score_of(flow.time, wanted))

    def _deliver(self, attempt: Attempt, sent: float, path: str, parent: str) -> None:
        """Write what those write of a try who take the message that it has sent."""
        messages = self._chronicle.messages
        topic = messages.topic(attempt.target)
        if topic is None or (attempt.failure is not None and attempt.failure.kind != "timeout"):
            return
        if path.count("m") >= _MOST_HOPS:
            return
        for number, queue in enumerate(messages.queues(topic)):
            here = f"{path}.m{number}"
            partition = int(self._fraction(here, "partition") * queue.partitions)
            for at, turn, stint in queue.tries(partition, sent, self._chronicle.now):
                taker = stint.ref, stint.operation
                self._work(taker, topic[1], at, f"{here}v{turn}", parent, turn, failing=True)
            due = queue.due(partition, sent)
            found = None if due is None else queue.taker(partition, due)
            if due is None or found is None or due > self._chronicle.now:
                continue
            due += (_LEAST_DELIVERY_MS + _DELIVERY_SPREAD_MS * self._fraction(here, "way")) / 1000
            place_in = int(queue.come(partition, sent)) * queue.partitions + partition
            for turn in range(_MOST_TRIES):
                flow = self._chronicle.flow(*found, due)
                lost = 0.0 if flow is None or turn + 1 == _MOST_TRIES else flow.lost
                failing = self._fraction(here, "fails", turn) < lost
                tried = f"{here}r{turn}" if turn else here
                spent = self._work(found, topic[1], due, tried, parent, place_in, failing=failing)
                if not failing:
                    break
                due += spent / 1000

    def _work(
        self,
        taker: tuple[ContainerRef, str],
        topic: str,
        at: float,
        path: str,
        parent: str,
        number: int,
        *,
        failing: bool,
    ) -> float:
        """Write the spans of a try to work on a message; the ms that it takes."""
        traced, flow = self._chronicle.traced.get(taker[0]), self._chronicle.flow(*taker, at)
        if traced is None or flow is None:
            return 0.0
        error = None
        if failing and flow.errors:
            purpose = ("taken", *taker)
            shares = [share for _, share in flow.errors]
            index, number = choose(self._seed, purpose, number, shares)
            error = flow.errors[index][0]
        level = score(self._seed, self._trace, path, "time")
        time = flow.time if error is None else flow.failed_time
        duration = sample(time, level) if time.mean_ms > 0 else None
        message = traced.taken[taker[1]]._replace(topic=topic)
        self._serve(_Serving(*taker, at, error, number, path, parent, message), duration, level)
        return duration or 0.0

    def _inner(self, flow: Flow, words: str, attempt: Attempt) -> tuple[str | None, int]:
        """The callee's own error behind what its caller says."""
        known = [(text, share) for text, share in flow.errors if text and text in words]
        known = known or list(flow.errors)
        if not known:
            return words, attempt.number
        purpose = ("inner", attempt.target.callee, flow.operation, words)
        index, number = choose(self._seed, purpose, attempt.number, [share for _, share in known])
        return known[index][0], number

    def _write_server(
        self,
        traced: Traced,
        serving: _Serving,
        flow: Flow,
        name: str,
        own_id: str,
        duration: float,
    ) -> None:
        first: Tags = tags.sampler_tags(traced) if not serving.parent else ()
        if serving.message is not None:
            kind, protocol = "consumer", serving.message.protocol
            told = tags.consumer_tags(traced, serving.message, serving.error)
        else:
            behaviour = traced.program.operations.get(serving.operation)
            kind, protocol = "server", names.protocol_of(traced.program, behaviour)
            told = tags.server_tags(
                traced, protocol, serving.operation, behaviour, serving.error, flow
            )
        end = serving.at + duration / 1000
        self._write(
            Span(
                self._trace,
                own_id,
                serving.parent,
                name,
                kind,
                serving.at,
                max(1, round(duration * 1000)),
                (*first, *told),
                tags.error_events(traced, protocol, end, serving.error),
                self._builder.source(traced),
                traced.tracing.library,
                protocol,
            ),
            serving.ref,
        )

    def _write_client(
        self,
        traced: Traced,
        call: PlannedCall,
        attempt: Attempt,
        name: str,
        own_id: str,
        parent: str,
        begin: float,
        spent: float,
    ) -> None:
        client = traced.instance.process.clients[call.site.client]
        error = None if attempt.failure is None else attempt.failure.words
        operation, collection = call.site.operation, call.site.collection
        told = tags.client_tags(traced, client, attempt.target.host, operation, collection, error)
        self._write(
            Span(
                self._trace,
                own_id,
                parent,
                name,
                names.call_kind(traced.program, call.site.client),
                begin,
                max(1, round(spent * 1000)),
                told,
                tags.error_events(traced, client.protocol, begin + spent / 1000, error),
                self._builder.source(traced),
                traced.tracing.library,
                client.protocol,
            ),
            traced.instance.ref,
        )

    def _write(self, span: Span, ref: ContainerRef) -> None:
        self._written.append(Written(span, ref))

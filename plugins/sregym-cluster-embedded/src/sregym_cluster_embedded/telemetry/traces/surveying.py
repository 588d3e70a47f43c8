"""What is known of traces without building them: counts, names, and which cannot fit a search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.traces import names
from sregym_cluster_embedded.telemetry.traces.draws import Even, level_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.building import Builder
    from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin
    from sregym_cluster_embedded.telemetry.traces.collectors import Reach
    from sregym_cluster_embedded.telemetry.traces.numbering import Piece
    from sregym_cluster_embedded.telemetry.traces.store import Query
    from sregym_cluster_embedded.traffic.segments import Flow

# Failures of calls that their callees have heard of.
_HEARD = ("timeout", "server")


class _Possible(NamedTuple):
    """What the traces of an operation may hold.

    Attributes:
        names: (service, name of the span, kind).
        fails: Whether calls may fail in a request that succeeds.
        slow: Whether something may go on after its caller has given up.
    """

    names: frozenset[tuple[str, str, str]]
    fails: bool
    slow: bool


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
        self._possible: dict[tuple[ContainerRef, int, str], _Possible] = {}
        self._calls: dict[tuple[ContainerRef, int, str], Mapping[tuple[str, str], float]] = {}
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
                ref = origin.traced.life.ref
                for piece in origin.numbering.pieces:
                    start, stop = max(piece.start, self._since), piece.stop
                    counted = origin.numbering.count(stop) - origin.numbering.count(start)
                    reached = any(
                        max(start, begin) < min(stop, until)
                        for begin, until in self._reach.spans(origin.traced)
                    )
                    if reached and counted * origin.traced.sample >= 1:
                        found |= self._names(ref, origin.operation, piece.start).names
            self._seen = frozenset(found)
        return self._seen

    def calls(self, start: float, end: float) -> list[tuple[str, str, int]]:
        """(caller, callee, calls) between services in traces from `start` to `end`, sorted."""
        found: dict[tuple[str, str], float] = {}
        for origin in self._chronicle.origins():
            ref, share = origin.traced.life.ref, origin.traced.sample
            for piece in origin.numbering.pieces:
                first, last = max(piece.start, start, self._since), min(piece.stop, end)
                if piece.after == piece.before or first >= last:
                    continue
                traces = (piece.come(last) - piece.come(first)) * share
                if traces > 0:
                    for pair, count in self._each(ref, origin.operation, piece.start).items():
                        found[pair] = found.get(pair, 0.0) + traces * count
        return [(*pair, count) for pair in sorted(found) if (count := int(found[pair] + 1e-6))]

    def _each(
        self, ref: ContainerRef, operation: str, at: float
    ) -> Mapping[tuple[str, str], float]:
        """Calls between services by one request of an operation, on average."""
        found = self._chronicle.segment(ref, at)
        traced = self._chronicle.traced.get(ref)
        flow = self._chronicle.flow(ref, operation, at)
        if found is None or traced is None or flow is None or flow.rate <= 0:
            return {}
        key = (ref, found[0], operation)
        if key in self._calls:
            return self._calls[key]
        # What calls itself in a circle is counted once.
        self._calls[key] = {}
        calls: dict[tuple[str, str], float] = {}
        for call in flow.calls:
            callee = self._chronicle.traced.get(call.callee) if call.callee else None
            if callee is None:
                continue
            heard = sum(share for kind, _, share in call.errors if kind in _HEARD)
            count = call.rate * (call.ok + heard) / flow.rate
            if callee.service != traced.service:
                pair = (traced.service, callee.service)
                calls[pair] = calls.get(pair, 0.0) + count
            for pair, inner in self._each(callee.life.ref, call.operation, at).items():
                calls[pair] = calls.get(pair, 0.0) + count * inner
        self._calls[key] = calls
        return calls

    def candidates(self, origin: Origin, query: Query, first: float) -> Iterator[int]:
        """The numbers of requests of an origin whose traces may fit, from the newest on."""
        ref = origin.traced.life.ref
        wants_error = ("error", "true") in query.tags
        for piece in reversed(origin.numbering.pieces):
            if piece.stop < first:
                return
            if piece.start > query.end or piece.rate <= 0:
                continue
            possible = self._names(ref, origin.operation, piece.start)
            if not any(
                service == query.service and query.operation in ("", name)
                for service, name, _ in possible.names
            ):
                continue
            if wants_error and not possible.fails and not origin.failed:
                continue
            own = piece.numbers
            least = max(origin.numbering.count(max(first, piece.start)) + 1, own.start)
            last = min(origin.numbering.count(min(query.end, piece.stop)) + 2, own.stop)
            short = self._short(origin, piece, query)
            for number in reversed(range(least, last)):
                if query.least_us and not possible.slow and short(number):
                    continue
                yield number

    def _short(self, origin: Origin, piece: Piece, query: Query) -> Callable[[int], bool]:
        """Tells whether a request is too short for a search, if it succeeds."""
        flow = next(f for f in piece.segment.flows if f.operation == origin.operation)
        level = level_of(flow.time, (query.least_us - 1) / 1000)
        seed = self._chronicle.seed(piece.segment)
        scores = Even(seed, ("time", origin.traced.life.ref, origin.operation, ""))
        before, good = math.floor(piece.before), not origin.failed

        def short(number: int) -> bool:
            return good and scores.level(number - 1 - before) < level

        return short

    def _names(self, ref: ContainerRef, operation: str, at: float) -> _Possible:
        found = self._chronicle.segment(ref, at)
        traced = self._chronicle.traced.get(ref)
        flow = self._chronicle.flow(ref, operation, at)
        if found is None or traced is None or flow is None:
            return _Possible(frozenset(), fails=False, slow=False)
        key = (ref, found[0], operation)
        if key not in self._possible:
            # What calls itself in a circle is looked at once.
            self._possible[key] = _Possible(frozenset(), fails=False, slow=False)
            self._possible[key] = self._collect(ref, flow, found[0], at)
        return self._possible[key]

    def _collect(self, ref: ContainerRef, flow: Flow, index: int, at: float) -> _Possible:
        traced = self._chronicle.traced[ref]
        sites = self._builder.sites(ref, index, traced, flow)
        own = names.server_span(traced.program, flow.operation)
        found = {(traced.service, own, "server")} if own else set()
        fails = slow = False
        for site in sites:
            name = names.client_span(traced.program, site)
            if name:
                found.add((traced.service, name, "client"))
            fails = fails or site.attempts > 1 or (not site.fatal and site.lost > 0)
            slow = slow or any(failure.kind == "timeout" for failure in site.failures)
            for target in site.targets:
                if target.callee is not None:
                    inner = self._names(target.callee, target.operation, at)
                    found |= inner.names
                    fails, slow = fails or inner.fails, slow or inner.slow
        return _Possible(frozenset(found), fails, slow)

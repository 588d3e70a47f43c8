"""Traces of requests, assembled by the number of the request from what requests have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.traces import tags
from sregym_cluster_embedded.telemetry.traces.draws import choose, hit
from sregym_cluster_embedded.telemetry.traces.ids import trace_id
from sregym_cluster_embedded.telemetry.traces.sites import TracedCall, sites_of
from sregym_cluster_embedded.telemetry.traces.span_building import RequestWriter

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle, Origin, Traced
    from sregym_cluster_embedded.telemetry.traces.spans import Source, Written
    from sregym_cluster_embedded.traffic.segments import Flow


class Builder:
    """Builds traces of one chronicle; remembers what requests have in common."""

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._sites: dict[tuple[ContainerRef, int, str], tuple[TracedCall, ...]] = {}
        self._sources: dict[ContainerRef, Source] = {}

    def sampled(self, origin: Origin, number: int) -> bool:
        """Whether a request is traced."""
        seed = self._chronicle.seed(origin.numbering.piece(number).segment)
        purpose = ("sampled", origin.traced.instance.ref, origin.kind)
        return hit(seed, purpose, number - 1, origin.traced.sample) is not None

    def arrival(self, origin: Origin, number: int) -> float:
        """The virtual second at which a request comes."""
        seed = self._chronicle.seed(origin.numbering.piece(number).segment)
        return origin.numbering.arrival(seed, (origin.traced.instance.ref, origin.kind), number)

    def identifier(self, origin: Origin, number: int) -> str:
        """The trace id of a request as its library writes it."""
        seed = origin.numbering.piece(number).segment.seed
        full = trace_id(seed, origin.traced.instance.ref, origin.kind, number)
        return full[16:] if origin.traced.tracing.library == "jaeger" else full

    def outcome(self, origin: Origin, number: int) -> tuple[str | None, int]:
        """(error or None, which of the requests with this outcome) of a request."""
        piece = origin.numbering.piece(number)
        rank = number - 1 - math.floor(piece.before)
        if not origin.failed:
            return None, rank
        flow = next(f for f in piece.segment.flows if f.operation == origin.operation)
        purpose = ("outcome", origin.traced.instance.ref, origin.operation, piece.start)
        seed = self._chronicle.seed(piece.segment)
        index, rank = choose(seed, purpose, rank, [share for _, share in flow.errors])
        return flow.errors[index][0], rank

    def build(self, origin: Origin, number: int) -> list[Written]:
        """All spans of the request, the entering one first."""
        error, rank = self.outcome(origin, number)
        return RequestWriter(self, self._chronicle, origin, number).run(error, rank)

    def sites(
        self, ref: ContainerRef, index: int, traced: Traced, flow: Flow
    ) -> tuple[TracedCall, ...]:
        """The calls of an operation in a segment."""
        key = (ref, index, flow.operation)
        if key not in self._sites:
            self._sites[key] = sites_of(traced.program, flow)
        return self._sites[key]

    def source(self, traced: Traced) -> Source:
        """What a process says of itself."""
        ref = traced.instance.ref
        if ref not in self._sources:
            first = traced.instance.served[0].seed if traced.instance.served else 0
            self._sources[ref] = tags.source_of(traced, first)
        return self._sources[ref]

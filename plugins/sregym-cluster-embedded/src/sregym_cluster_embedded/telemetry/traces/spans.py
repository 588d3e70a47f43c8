"""Spans as values, before any wire format."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef

TagValue: TypeAlias = str | bool | int | float
Tags: TypeAlias = tuple[tuple[str, TagValue], ...]


class Event(NamedTuple):
    """Something noted on a span: virtual second and fields."""

    at: float
    fields: Tags


class Source(NamedTuple):
    """Who writes spans: the name of the service, and tags that all of them have."""

    service: str
    tags: Tags


class Span(NamedTuple):
    """One span of a trace.

    Attributes:
        trace_id: 16 or 32 hexadecimal digits.
        span_id: 16 hexadecimal digits.
        parent_id: Of the span it belongs to; empty for the first one.
        name: Its operation name.
        kind: `server`, `client`, `producer`, `consumer` or `internal`.
        start: Virtual second.
        duration_us: Whole microseconds, at least 1.
        tags: In the order in which they were set.
        events: In order of time.
        source: Who wrote it.
        library: The library whose conventions it follows.
        scope: The instrumentation library, for OpenTelemetry.
    """

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    kind: str
    start: float
    duration_us: int
    tags: Tags
    events: tuple[Event, ...]
    source: Source
    library: str
    scope: str = ""

    @property
    def end(self) -> float:
        """Virtual second."""
        return self.start + self.duration_us / 1e6

    @property
    def failed(self) -> bool:
        """Whether it says that something went wrong."""
        return ("error", True) in self.tags


class Written(NamedTuple):
    """A span, and the process that wrote it."""

    span: Span
    ref: ContainerRef


class Trace(NamedTuple):
    """The spans of one request that reached the collector, in order of their start."""

    trace_id: str
    spans: tuple[Span, ...]

"""Metrics, logs and traces of a world as rows of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from sregym_promql.storage import NAME, Matcher, is_stale

from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.traces.chronicle import Chronicle
from sregym_cluster_embedded.telemetry.traces.collectors import collectors
from sregym_cluster_embedded.telemetry.traces.jaeger_json import micros
from sregym_cluster_embedded.telemetry.traces.store import Query, Traces
from sregym_cluster_embedded.userland.process import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.telemetry.traces.spans import Span
    from sregym_cluster_embedded.world import World

_NS = 1_000_000_000
_NS_PER_MS = 1_000_000
_NS_PER_US = 1_000


class Period(NamedTuple):
    """From when to when, in virtual seconds, both included."""

    start: float
    end: float


class Table(NamedTuple):
    """Rows of one kind.

    Attributes:
        name: Of the file.
        columns: Name -> `time` (nanoseconds since 1970), `text`, `labels` (a mapping), `float`, `switch` or
            `integer`.
        rows: In batches, each a list of values for each column.
    """

    name: str
    columns: dict[str, str]
    rows: Callable[[World, Period], Iterator[list[list[Any]]]]


def _metrics(world: World, span: Period) -> Iterator[list[list[Any]]]:
    """A batch for each series; where a series ended there is no row."""
    first, last = (round((world.epoch + at) * 1000) for at in span)
    every = [Matcher(NAME, "=~", ".+")]
    for series in WorldStorage(world).select(every, first, last):
        labels = dict(series.labels)
        name = labels.pop(NAME)
        kept = ~is_stale(series.values) & (series.times >= first) & (series.times <= last)
        times = (series.times[kept] * _NS_PER_MS).tolist()
        values = series.values[kept].tolist()
        if times:
            yield [times, [name] * len(times), [labels] * len(times), values]


def _logs(world: World, span: Period) -> Iterator[list[list[Any]]]:
    """A batch for each stream."""
    first, last = (round((world.epoch + at) * _NS) for at in span)
    for stream in WorldLogs(world).select([], first, last):
        labels = dict(stream.labels)
        count = len(stream.entries)
        times = [entry.at_ns for entry in stream.entries]
        yield [times, [labels] * count, [entry.line for entry in stream.entries]]


def _traces(world: World, span: Period) -> Iterator[list[list[Any]]]:
    """A batch for each trace that a collector holds, oldest first for each service that begins one."""
    services = sorted({origin.traced.service for origin in Chronicle(world).origins()})
    seen: set[str] = set()
    for collector in collectors(processes(world).values()):
        known = Traces(world, collector)
        for service in services:
            for trace in known.find(Query(service, start=span.start, end=span.end, limit=0)):
                if trace.trace_id not in seen:
                    seen.add(trace.trace_id)
                    rows = [_span(one, world.epoch) for one in trace.spans]
                    yield [list(column) for column in zip(*rows, strict=True)]


def _span(span: Span, epoch: int) -> tuple[Any, ...]:
    events = [
        {"time": micros(event.at, epoch) * _NS_PER_US, **dict(event.fields)}
        for event in span.events
    ]
    return (
        micros(span.start, epoch) * _NS_PER_US,
        span.duration_us,
        span.trace_id,
        span.span_id,
        span.parent_id,
        span.source.service,
        span.name,
        span.kind,
        span.failed,
        dict(span.tags),
        orjson.dumps(events).decode() if events else "",
    )


TABLES = (
    Table(
        "metrics",
        {"ts": "time", "metric": "text", "labels": "labels", "value": "float"},
        _metrics,
    ),
    Table("logs", {"ts": "time", "labels": "labels", "line": "text"}, _logs),
    Table(
        "traces",
        {
            "ts": "time",
            "duration_us": "integer",
            "trace_id": "text",
            "span_id": "text",
            "parent_id": "text",
            "service": "text",
            "name": "text",
            "kind": "text",
            "failed": "switch",
            "tags": "labels",
            "events": "text",
        },
        _traces,
    ),
)

"""Traces as OTLP in JSON, which `/api/v3/traces` answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.telemetry.traces.spans import Event, Source, Span, TagValue, Trace

_KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_FAILED = {"code": 2}
# Tags of Jaeger's clients that are attributes of another name in OpenTelemetry.
_RESOURCE = {"hostname": "host.name", "jaeger.version": "opencensus.exporterversion"}


def traces_json(traces: Sequence[Trace], epoch: int) -> dict[str, Any]:
    """All spans by the processes that wrote them; `epoch` is as for `trace_json`."""
    groups: dict[Source, list[Span]] = {}
    for trace in traces:
        for span in trace.spans:
            groups.setdefault(span.source, []).append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _resource(source)},
                "scopeSpans": [{"scope": {}, "spans": [_span(span, epoch) for span in spans]}],
            }
            for source, spans in groups.items()
        ]
    }


def _resource(source: Source) -> list[dict[str, Any]]:
    found = [_pair("service.name", source.service)]
    for key, value in source.tags:
        told = f"Jaeger-{value}" if key == "jaeger.version" else value
        found.append(_pair(_RESOURCE.get(key, key), told))
    return found


def _span(span: Span, epoch: int) -> dict[str, Any]:
    start = _nanos(span.start, epoch)
    events = {"events": [_event(event, epoch) for event in span.events]} if span.events else {}
    return {
        "traceId": span.trace_id.rjust(32, "0"),
        "spanId": span.span_id,
        "parentSpanId": span.parent_id,
        "name": span.name,
        "kind": _KINDS[span.kind],
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + span.duration_us * 1000),
        "attributes": [
            _pair(key, value) for key, value in span.tags if key not in ("span.kind", "error")
        ],
        **events,
        "status": _FAILED if span.failed else {},
    }


def _event(event: Event, epoch: int) -> dict[str, Any]:
    name = next((str(value) for key, value in event.fields if key == "event"), "")
    told = [_pair(key, value) for key, value in event.fields if key != "event"]
    return {"timeUnixNano": str(_nanos(event.at, epoch)), "name": name, "attributes": told}


def _pair(key: str, value: TagValue) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"key": key, "value": {"boolValue": value}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    if isinstance(value, float):
        plain = int(value) if value.is_integer() else value
        return {"key": key, "value": {"doubleValue": plain}}
    return {"key": key, "value": {"stringValue": value}}


def _nanos(at: float, epoch: int) -> int:
    return (epoch * 1_000_000 + round(at * 1e6)) * 1000

"""Traces as a model reads them: a table of what was found, a tree of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.cli import counted
from sregym_core.interfaces import ToolError, clock_time

from sregym_tools_observability.service_queries import query_service, window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import ToolContext

    from sregym_tools_observability import arguments
    from sregym_tools_observability.service_queries import Query

# Shown of a span besides its errors: how it was called and what it got back.
SHOWN_TAGS = (
    "http.method",
    "http.request.method",
    "http.route",
    "http.url",
    "http.status_code",
    "http.response.status_code",
    "rpc.grpc.status_code",
    "db.system",
    "db.statement",
    "messaging.destination.name",
    "otel.status_description",
    "error.message",
    "error.type",
)


def list_services(context: ToolContext, _given: arguments.ListServices) -> str:
    """Names of services with spans."""
    names = query_service(context, "jaeger", "/api/services", []).get("data") or []
    return "\n".join(sorted(names)) or "no service has sent a span"


def search_traces(context: ToolContext, given: arguments.SearchTraces) -> str:
    """One line a trace, the newest first."""
    start, end = window(context, given.minutes, given.end)
    query: Query = [
        ("service", given.service),
        ("start", str(int(start * 1e6))),
        ("end", str(int(end * 1e6))),
        ("limit", str(given.limit)),
    ]
    if given.operation:
        query.append(("operation", given.operation))
    if given.min_duration_ms:
        query.append(("minDuration", f"{given.min_duration_ms:g}ms"))
    if given.errors_only:
        query.append(("tags", '{"error":"true"}'))
    traces = query_service(context, "jaeger", "/api/traces", query).get("data") or []
    if not traces:
        return f"no traces of {given.service!r} between {clock_time(start)} and {clock_time(end)}"
    traces = sorted(traces, key=lambda trace: (-_start(trace), trace["traceID"]))
    count = counted(len(traces), "trace")
    if len(traces) >= given.limit:
        count = f"{counted(len(traces), 'trace')} (limit={given.limit}; there may be more)"
    return "\n".join([f"{count}, newest first", *map(_summary, traces)])


def get_trace(context: ToolContext, given: arguments.GetTrace) -> str:
    """All spans of a trace as a tree."""
    if not given.trace_id.isalnum():
        raise ToolError(f"{given.trace_id!r} is no trace id; search_traces lists ids")
    traces = query_service(context, "jaeger", f"/api/traces/{given.trace_id}", []).get("data") or []
    if not traces:
        raise ToolError(f"there is no trace {given.trace_id!r}")
    trace = traces[0]
    head = f"trace {trace['traceID']} at {clock_time(_start(trace) / 1e6)}, times in ms"
    return "\n".join([head, "  start  duration  span", *_tree(trace)])


def service_dependencies(context: ToolContext, given: arguments.ServiceDependencies) -> str:
    """Who calls whom."""
    query = [
        ("endTs", str(int(context.now() * 1e3))),
        ("lookback", str(int(given.minutes * 60_000))),
    ]
    edges = query_service(context, "jaeger", "/api/dependencies", query).get("data") or []
    lines = sorted(f"{e['parent']} -> {e['child']}  {e['callCount']} calls" for e in edges)
    return "\n".join(lines) or f"no calls between services in {given.minutes:g} minutes"


def _start(trace: Mapping[str, Any]) -> int:
    return min(int(span["startTime"]) for span in trace["spans"])


def _summary(trace: Mapping[str, Any]) -> str:
    spans = trace["spans"]
    root = min(spans, key=lambda span: (_parent(span) is not None, span["startTime"]))
    failed = sum(_failed(span) for span in spans)
    services = {process["serviceName"] for process in trace["processes"].values()}
    text = (
        f"{trace['traceID']}  {clock_time(_start(trace) / 1e6)}  {root['duration'] / 1e3:.1f} ms  "
        f"{_service(trace, root)} {root['operationName']}  {counted(len(spans), 'span')}, "
        f"{counted(len(services), 'service')}"
    )
    return f"{text}, {failed} failed" if failed else text


def _tree(trace: Mapping[str, Any]) -> list[str]:
    spans = trace["spans"]
    known = {span["spanID"] for span in spans}
    children: dict[str, list[Mapping[str, Any]]] = {}
    for span in spans:
        parent = _parent(span)
        children.setdefault(parent if parent in known and parent else "", []).append(span)
    began = _start(trace)
    lines: list[str] = []
    waiting = [(span, 0) for span in _in_order(children.get("", ()))]
    while waiting:
        span, depth = waiting.pop(0)
        lines.append(_span(trace, span, depth, began))
        below = [(child, depth + 1) for child in _in_order(children.get(span["spanID"], ()))]
        waiting[:0] = below
    return lines


def _in_order(spans: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(spans, key=lambda span: (span["startTime"], span["spanID"]))


def _span(trace: Mapping[str, Any], span: Mapping[str, Any], depth: int, began: int) -> str:
    offset, duration = (span["startTime"] - began) / 1e3, span["duration"] / 1e3
    tags = {tag["key"]: tag["value"] for tag in span.get("tags", ())}
    shown = " ".join(f"{key}={tags[key]}" for key in SHOWN_TAGS if tags.get(key) not in (None, ""))
    events = [
        " ".join(f"{field['key']}={field['value']}" for field in log["fields"])
        for log in span.get("logs") or ()
    ]
    mark = " FAILED" if _failed(span) else ""
    text = f"{offset:7.1f}{duration:10.1f}  {'  ' * depth}{_service(trace, span)} {span['operationName']}{mark}"
    detail = "; ".join(filter(None, [shown, *events]))
    return f"{text}  [{detail}]" if detail else text


def _service(trace: Mapping[str, Any], span: Mapping[str, Any]) -> str:
    return str(trace["processes"][span["processID"]]["serviceName"])


def _parent(span: Mapping[str, Any]) -> str | None:
    references = span.get("references") or ()
    return next(
        (str(ref["spanID"]) for ref in references if ref.get("refType") == "CHILD_OF"), None
    )


def _failed(span: Mapping[str, Any]) -> bool:
    return any(
        tag["key"] == "error" and tag["value"] in (True, "true") for tag in span.get("tags", ())
    )

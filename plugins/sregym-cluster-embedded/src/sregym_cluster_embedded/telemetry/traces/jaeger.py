"""The HTTP APIs of jaeger-query 1.57 over the traces of a world."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.telemetry.traces.collectors import Collector, collectors
from sregym_cluster_embedded.telemetry.traces.jaeger_json import trace_json
from sregym_cluster_embedded.telemetry.traces.otlp_json import traces_json
from sregym_cluster_embedded.telemetry.traces.parameters import (
    BadParameterError,
    dependencies_of,
    search_of,
    search_v3_of,
    trace_id_of,
)
from sregym_cluster_embedded.telemetry.traces.store import Traces
from sregym_cluster_embedded.userland.process import processes

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World

# Searches without a limit get so many traces: more is more than a client can read.
MOST_TRACES = 1500

_TEXT = "text/plain; charset=utf-8"
_NOSNIFF = {"x-content-type-options": "nosniff"}
_NOT_FOUND = "trace not found"
_PAGE = (
    b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Jaeger UI</title></head>'
    b"<body><p>No user interface is installed.</p></body></html>"
)
_DISABLED = "metrics querying is currently disabled"


def answer(world: World, request: Request) -> Response:
    """What Jaeger answers: the collector of the cluster that started last.

    Without a running collector: 503, in words of a gateway before it.
    """
    running = collectors(processes(world).values())
    if not running:
        return _text(503, "no healthy upstream")
    return answer_of(world, running[-1], request)


def answer_of(world: World, collector: Collector, request: Request) -> Response:
    """What the query service of one collector answers."""
    parts = request.path.strip("/").split("/")
    if request.method == "POST" and parts[:2] == ["api", "archive"] and len(parts) == 3:
        return _archive(parts[2])
    if request.method not in ("GET", "HEAD"):
        return _text(405, "")
    if parts[:2] == ["api", "v3"]:
        return _v3(world, collector, request, parts[2:])
    if parts[0] == "static":
        return _text(404, "404 page not found\n")
    if parts[0] != "api":
        # Of the user interface, whose addresses all lead to one page.
        return Response(200, _PAGE, "text/html; charset=utf-8")
    try:
        return _v1(world, collector, request, parts[1:])
    except BadParameterError as error:
        return _failed(400, str(error))


def _v1(world: World, collector: Collector, request: Request, parts: list[str]) -> Response:
    traces = Traces(world, collector)
    match parts:
        case ["services"]:
            return _listed(request, traces.services() or None)
        case ["services", service, "operations"]:
            found = traces.operations(unquote(service))
            return _listed(request, [*dict.fromkeys(name for name, _ in found)] or None)
        case ["operations"]:
            if not request.parameter("service"):
                raise BadParameterError("parameter 'service' is required")
            known = traces.operations(request.parameter("service"), request.parameter("spanKind"))
            return _listed(request, [{"name": name, "spanKind": kind} for name, kind in known])
        case ["traces"]:
            return _search(world, traces, request)
        case ["traces", identifier]:
            trace = traces.get(trace_id_of(identifier))
            if trace is None:
                return _failed(404, _NOT_FOUND)
            return _wrapped(request, [trace_json(trace, world.epoch)])
        case ["dependencies"]:
            return _dependencies(world, traces, request)
        case ["metrics", "latencies" | "calls" | "errors" | "minstep"]:
            return _failed(501, _DISABLED)
    return _text(404, "404 page not found\n")


def _archive(identifier: str) -> Response:
    try:
        trace_id_of(identifier)
    except BadParameterError as error:
        return _failed(400, str(error))
    return _failed(500, "archive span storage was not configured")


def _search(world: World, traces: Traces, request: Request) -> Response:
    query, wanted = search_of(request, world.now, world.epoch)
    if not wanted:
        query = replace(query, limit=min(query.limit or MOST_TRACES, MOST_TRACES))
        found = [trace_json(trace, world.epoch) for trace in traces.find(query)]
        return _wrapped(request, found)
    known: list[dict[str, Any]] = []
    missing: list[dict[str, Any]] = []
    for identifier in wanted:
        trace = traces.get(identifier)
        if trace is None:
            full = identifier.rjust(32 if len(identifier) > 16 else 16, "0")
            missing.append({"msg": _NOT_FOUND, "traceID": full})
        else:
            known.append(trace_json(trace, world.epoch))
    return _wrapped(request, known, errors=missing or None)


def _dependencies(world: World, traces: Traces, request: Request) -> Response:
    start, end = dependencies_of(request, world.now, world.epoch)
    service = request.parameter("service")
    return _wrapped(
        request,
        [
            {"parent": parent, "child": child, "callCount": count}
            for parent, child, count in traces.dependencies(start, end)
            if service in ("", parent, child)
        ],
    )


def _v3(world: World, collector: Collector, request: Request, parts: list[str]) -> Response:
    traces = Traces(world, collector)
    try:
        match parts:
            case ["services"]:
                services = traces.services()
                return _plain_json({"services": services} if services else {})
            case ["operations"]:
                known = traces.operations(
                    request.parameter("service"), request.parameter("span_kind")
                )
                found = [{"name": name, "spanKind": kind} for name, kind in known]
                return _plain_json({"operations": found} if found else {})
            case ["traces"]:
                query = search_v3_of(request, world.epoch)
                query = replace(query, limit=min(query.limit or MOST_TRACES, MOST_TRACES))
                return _plain_json({"result": traces_json(traces.find(query), world.epoch)})
            case ["traces", identifier]:
                try:
                    trace = traces.get(trace_id_of(identifier))
                except BadParameterError as error:
                    message = f"malformed parameter trace_id: {error}"
                    raise BadParameterError(message) from None
                if trace is None:
                    return _failed_v3(404, _NOT_FOUND)
                return _plain_json({"result": traces_json([trace], world.epoch)})
    except BadParameterError as error:
        return _failed_v3(400, str(error))
    return _text(404, "404 page not found\n")


def _listed(request: Request, data: list[Any] | None) -> Response:
    return _wrapped(request, data, total=len(data or ()))


def _wrapped(
    request: Request,
    data: list[Any] | None,
    total: int = 0,
    errors: list[dict[str, Any]] | None = None,
) -> Response:
    body = {"data": data, "total": total, "limit": 0, "offset": 0, "errors": errors}
    pretty = request.parameter("prettyPrint") not in ("", "false")
    text = json.dumps(body, indent=4, ensure_ascii=False) if pretty else _compact(body)
    return Response(200, text.encode())


def _failed(status: int, message: str) -> Response:
    body = {
        "data": None,
        "total": 0,
        "limit": 0,
        "offset": 0,
        "errors": [{"code": status, "msg": message}],
    }
    return _text(status, _compact(body) + "\n")


def _failed_v3(status: int, message: str) -> Response:
    return _text(status, _compact({"error": {"httpCode": status, "message": message}}) + "\n")


def _plain_json(body: dict[str, Any]) -> Response:
    # The gateway sets no type, so that Go's server takes JSON for plain text.
    return Response(200, _compact(body).encode(), _TEXT)


def _text(status: int, text: str) -> Response:
    return Response(status, text.encode(), _TEXT, _NOSNIFF if text else {})


def _compact(body: dict[str, Any]) -> str:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False)

"""Which path of Loki's API answers what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import orjson

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.logql.answers import logs_data
from sregym_cluster_embedded.telemetry.logql.engine import Engine
from sregym_cluster_embedded.telemetry.logql.parsing import parse, parse_selector
from sregym_cluster_embedded.telemetry.logql.world import WorldLogs
from sregym_cluster_embedded.telemetry.loki.parameters import (
    Span,
    check_entries,
    check_length,
    check_order,
    forward_of,
    limit_of,
    moment_of,
    now_ns,
    span_of,
    step_of,
)
from sregym_cluster_embedded.telemetry.loki.wording import REFUSALS, BadRequest
from sregym_cluster_embedded.telemetry.promql.answers import instant_data, range_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.telemetry.promql.data import Labels, Matcher
    from sregym_cluster_embedded.world import World

VERSION: Final = "3.5.3"
# Series that one metric query may give.
_MOST_SERIES: Final = 500
_TEXT: Final = "text/plain; charset=utf-8"
_VALUES = re.compile(r"/loki/api/v1/label/([^/]+)/values")


def answer(world: World, request: Request) -> Response:
    """What Loki says to a request; `tail` is a stream and has an adapter of its own."""
    method = request.method
    found = _VALUES.fullmatch(request.path)
    handle = _ROUTES.get(request.path)
    if found is None and handle is None:
        return Response(404, b"404 page not found\n", _TEXT)
    if method not in ("GET", "POST", "HEAD"):
        return Response(405, b"", _TEXT)
    try:
        if found is not None:
            return _values(world, request, found[1])
        assert handle is not None
        return handle(world, request)
    except REFUSALS as error:
        return Response(400, f"{error}\n".encode(), _TEXT)


def _query(world: World, request: Request) -> Response:
    query = request.parameter("query")
    at_ns = moment_of(request, "time", now_ns(world))
    limit_of(request)
    forward_of(request)
    engine = Engine(WorldLogs(world, request.without), most_series=_MOST_SERIES)
    return _data(instant_data(engine.instant(query, at_ns), at_ns // 1_000_000))


def _query_range(world: World, request: Request) -> Response:
    query = request.parameter("query")
    span = span_of(request, now_ns(world))
    check_order(span)
    limit, forward = limit_of(request), forward_of(request)
    step_ns = step_of(request, span)
    check_length(span)
    engine = Engine(WorldLogs(world, request.without), most_series=_MOST_SERIES)
    if engine.is_logs(query):
        check_entries(limit)
        found = engine.logs(query, span.start_ns, span.end_ns, limit, forward=forward)
        return _data(logs_data(found))
    # The frontend moves both ends to whole steps, so that its results can be kept.
    start_ns, end_ns = (moment // step_ns * step_ns for moment in span)
    return _data(range_data(engine.range(query, start_ns, end_ns, step_ns)))


def _labels(world: World, request: Request) -> Response:
    sets = _sets(world, request)
    return _listed(sorted({name for labels in sets for name, _ in labels}))


def _values(world: World, request: Request, name: str) -> Response:
    sets = _sets(world, request)
    return _listed(sorted({value for labels in sets for key, value in labels if key == name}))


def _sets(world: World, request: Request) -> list[Labels]:
    span = span_of(request, now_ns(world))
    check_length(span)
    query = request.parameter("query")
    matchers = parse_selector(query) if query else ()
    return WorldLogs(world, request.without).label_sets(matchers, span.start_ns, span.end_ns)


def _series(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    groups = request.parameters("match[]") or request.parameters("match")
    if not groups:
        message = "0 matcher groups supplied"
        raise BadRequest(message)
    check_length(span)
    storage = WorldLogs(world, request.without)
    found: set[Labels] = set()
    for group in groups:
        matchers: tuple[Matcher, ...] = () if group == "{}" else parse_selector(group)
        found.update(storage.label_sets(matchers, span.start_ns, span.end_ns))
    return _json({"status": "success", "data": [dict(labels) for labels in sorted(found)]})


def _stats(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    check_order(span)
    streams = _selected(world, request, span)
    entries = sum(len(stream.entries) for stream in streams)
    size = sum(len(entry.line.encode()) for stream in streams for entry in stream.entries)
    chunks = len(streams)
    return _json({"streams": len(streams), "chunks": chunks, "bytes": size, "entries": entries})


def _volume(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    check_order(span)
    wanted = [name for name in request.parameter("targetLabels").split(",") if name]
    sizes: dict[Labels, int] = {}
    selected = tuple(matcher.name for matcher in _matchers(request))
    for stream in _selected(world, request, span):
        names = wanted or selected
        key = tuple(pair for pair in stream.labels if pair[0] in names)
        size = sum(len(entry.line.encode()) for entry in stream.entries)
        sizes[key] = sizes.get(key, 0) + size
    rows = sorted(sizes.items(), key=lambda row: (-row[1], row[0]))[: limit_of(request)]
    at = span.end_ns // 1_000_000 / 1000
    result = [{"metric": dict(labels), "value": [at, str(size)]} for labels, size in rows]
    return _data({"resultType": "vector", "result": result})


def _matchers(request: Request) -> tuple[Matcher, ...]:
    query = request.parameter("query")
    return () if query in ("", "{}") else parse_selector(query)


def _selected(world: World, request: Request, span: Span) -> list[Any]:
    check_length(span)
    storage = WorldLogs(world, request.without)
    return list(storage.select(_matchers(request), span.start_ns, span.end_ns))


def _format_query(_: World, request: Request) -> Response:
    query = request.parameter("query")
    parse(query)
    return _json({"status": "success", "data": query})


def _ready(_: World, __: Request) -> Response:
    return Response(200, b"ready\n", _TEXT)


def _buildinfo(_: World, __: Request) -> Response:
    info = {
        "version": VERSION,
        "revision": "a7e4cbb9",
        "branch": "release-3.5.x",
        "buildUser": "root@buildkitsandbox",
        "buildDate": "2025-07-21T13:37:07Z",
        "goVersion": "go1.24.1",
    }
    return _json(info)


def _data(data: dict[str, Any]) -> Response:
    entries = sum(len(row["values"]) for row in data["result"] if isinstance(row, dict) and "stream" in row)  # fmt: skip
    summary = {
        "bytesProcessedPerSecond": 0,
        "linesProcessedPerSecond": 0,
        "totalBytesProcessed": 0,
        "totalLinesProcessed": 0,
        "execTime": 0,
        "queueTime": 0,
        "subqueries": 0,
        "totalEntriesReturned": entries,
        "splits": 0,
        "shards": 0,
        "totalPostFilterLines": 0,
        "totalStructuredMetadataBytesProcessed": 0,
    }
    return _json({"status": "success", "data": {**data, "stats": {"summary": summary}}})


def _listed(names: list[str]) -> Response:
    """An answer of labels, whose data Loki leaves out when there are none."""
    return _json({"status": "success", **({"data": names} if names else {})})


def _json(value: object) -> Response:
    return Response(200, orjson.dumps(value), "application/json; charset=UTF-8")


_ROUTES: Mapping[str, Callable[[World, Request], Response]] = {
    "/loki/api/v1/query": _query,
    "/loki/api/v1/query_range": _query_range,
    "/loki/api/v1/labels": _labels,
    "/loki/api/v1/label": _labels,
    "/loki/api/v1/series": _series,
    "/loki/api/v1/index/stats": _stats,
    "/loki/api/v1/index/volume": _volume,
    "/loki/api/v1/format_query": _format_query,
    "/loki/api/v1/status/buildinfo": _buildinfo,
    "/ready": _ready,
}

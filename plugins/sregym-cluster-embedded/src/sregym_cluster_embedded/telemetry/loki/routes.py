"""Which path of Loki's API answers what."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

import orjson
from sregym_logql.engine import Engine
from sregym_logql.formatter import pretty
from sregym_logql.nodes import Logs
from sregym_logql.parsing import parse, parse_selector
from sregym_logql.response_json import logs_data
from sregym_promql import instant_data, range_data
from sregym_regex.budget import Budget, BudgetExceededError, under

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.loki.detecting import fields_found, labels_found
from sregym_cluster_embedded.telemetry.loki.error_messages import REFUSALS, BadRequest
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
    whole_of,
)
from sregym_cluster_embedded.telemetry.loki.statistics import NOTHING, Counted, statistics
from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_logql.streams import Stream
    from sregym_promql.storage import Labels, Matcher

    from sregym_cluster_embedded.telemetry.loki.detecting import Found
    from sregym_cluster_embedded.world import World

VERSION: Final = "3.5.3"
# Series that one metric query may give.
_MOST_SERIES: Final = 500
_TEXT: Final = "text/plain; charset=utf-8"
_VALUES = re.compile(r"/loki/api/v1/label/([^/]+)/values")
_FIELD = re.compile(r"/loki/api/v1/detected_field/([^/]+)/values")
# Fields that are told at most, and lines that are looked at for them, unless the client says so.
# What one query may cost, and what is said of one that costs more.
_STEPS, _MEMORY_BYTES = 2_000_000, 192 << 20
_TIMED_OUT = (
    "Request timed out, decrease the duration of the request or add more label matchers (exact "
    "match over regex match) to reduce the amount of data processed."
)
_MOST_FIELDS: Final = 1000
_LOOKED_AT: Final = 100


def answer(world: World, request: Request) -> Response:
    """What Loki says to a request; `tail` is a stream and has an adapter of its own."""
    method = request.method
    found = _VALUES.fullmatch(request.path)
    handle = _ROUTES.get(request.path)
    field = _FIELD.fullmatch(request.path)
    if found is None and handle is None and field is None:
        return Response(404, b"404 page not found\n", _TEXT)
    if method not in ("GET", "POST", "HEAD"):
        return Response(405, b"", _TEXT)
    try:
        with under(Budget(_STEPS, _MEMORY_BYTES)):
            if found is not None:
                return _values(world, request, found[1])
            if field is not None:
                return _field_values(world, request, field[1])
            assert handle is not None
            return handle(world, request)
    except (BudgetExceededError, MemoryError):
        return Response(504, f"{_TIMED_OUT}\n".encode(), _TEXT)
    except REFUSALS as error:
        return Response(400, f"{error}\n".encode(), _TEXT)


def _query(world: World, request: Request) -> Response:
    query = request.parameter("query")
    at_ns = moment_of(request, "time", now_ns(world))
    limit_of(request)
    forward_of(request)
    engine, seen = _engine(world, request)
    return _data(instant_data(engine.instant(query, at_ns), at_ns // 1_000_000), seen)


def _engine(world: World, request: Request) -> tuple[Engine, Counted]:
    """What answers, and what counts what it looks at."""
    seen = Counted(WorldLogs(world, request.without))
    return Engine(seen, most_series=_MOST_SERIES, now_ns=now_ns(world)), seen


def _query_range(world: World, request: Request) -> Response:
    query = request.parameter("query")
    span = span_of(request, now_ns(world))
    check_order(span)
    limit, forward = limit_of(request), forward_of(request)
    step_ns = step_of(request, span)
    check_length(span)
    engine, seen = _engine(world, request)
    if engine.is_logs(query):
        check_entries(limit)
        found = engine.logs(query, span.start_ns, span.end_ns, limit, forward=forward)
        return _data(logs_data(found), seen)
    # The frontend moves both ends to whole steps, so that its results can be kept.
    start_ns, end_ns = (moment // step_ns * step_ns for moment in span)
    return _data(range_data(engine.range(query, start_ns, end_ns, step_ns)), seen)


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


def _matchers(request: Request) -> tuple[Matcher, ...]:
    query = request.parameter("query")
    return () if query in ("", "{}") else parse_selector(query)


def _selected(world: World, request: Request, span: Span) -> list[Stream]:
    check_length(span)
    storage = WorldLogs(world, request.without)
    return list(storage.select(_matchers(request), span.start_ns, span.end_ns))


def _stats(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    check_order(span)
    streams = _selected(world, request, span)
    entries = sum(len(stream.entries) for stream in streams)
    size = sum(len(entry.line.encode()) for stream in streams for entry in stream.entries)
    chunks = len(streams)
    return _json({"streams": len(streams), "chunks": chunks, "bytes": size, "entries": entries})


def _volumes(
    world: World, request: Request, span: Span, ends: Sequence[int]
) -> list[tuple[Labels, list[int]]]:
    """Bytes before each end and behind the one before, by labels; the largest first."""
    wanted = [name for name in request.parameter("targetLabels").split(",") if name]
    by_label = request.parameter("aggregateBy") == "labels"
    names = wanted or [matcher.name for matcher in _matchers(request)]
    sizes: dict[Labels, list[int]] = {}
    for stream in _selected(world, request, span):
        pairs = [pair for pair in stream.labels if pair[0] in names]
        keys = [((name, ""),) for name, _ in stream.labels if not wanted or name in wanted]
        for key in keys if by_label else [tuple(pairs)]:
            known = sizes.setdefault(key, [0] * len(ends))
            for at_ns, line in stream.entries:
                place = bisect_left(ends, at_ns)
                if place < len(ends):
                    known[place] += len(line.encode())
    rows = sorted(sizes.items(), key=lambda row: (-sum(row[1]), row[0]))
    return rows[: limit_of(request)]


def _volume(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    check_order(span)
    at = span.end_ns // 1_000_000 / 1000
    result = [
        {"metric": dict(labels), "value": [at, str(size)]}
        for labels, (size,) in _volumes(world, request, span, [span.end_ns])
    ]
    return _data({"resultType": "vector", "result": result}, Counted(NOTHING))


def _volume_range(world: World, request: Request) -> Response:
    span = span_of(request, now_ns(world))
    check_order(span)
    step_ns = step_of(request, span)
    ends = [*range(span.start_ns + step_ns, span.end_ns, step_ns), span.end_ns]
    rows = []
    for labels, sizes in _volumes(world, request, span, ends):
        pairs = zip(ends, sizes, strict=True)
        told = [[end // 1_000_000 / 1000, str(size)] for end, size in pairs if size]
        rows.append((dict(labels), told))
    if all(len(told) <= 1 for _, told in rows):
        single = [{"metric": metric, "value": told[0]} for metric, told in rows if told]
        return _data({"resultType": "vector", "result": single}, Counted(NOTHING))
    result = [{"metric": metric, "values": told} for metric, told in rows]
    return _data({"resultType": "matrix", "result": result}, Counted(NOTHING))


def _detected_labels(world: World, request: Request) -> Response:
    return _json({"detectedLabels": labels_found(_sets(world, request))})


def _detected(world: World, request: Request) -> tuple[dict[str, Found], int]:
    """The fields of the newest lines, and how many there may be."""
    span = span_of(request, now_ns(world))
    check_order(span)
    check_length(span)
    node = parse(request.parameter("query"))
    if not isinstance(node, Logs):
        message = "only log selector is supported"
        raise BadRequest(message)
    limit = whole_of(request, "limit", _MOST_FIELDS)
    newest = Engine(WorldLogs(world, request.without)).logs(
        _selector_text(request), span.start_ns, span.end_ns, whole_of(request, "line_limit", _LOOKED_AT)
    )  # fmt: skip
    return fields_found(node, newest.streams, limit), limit


def _selector_text(request: Request) -> str:
    """The selector of a log query without its stages."""
    return request.parameter("query").partition("}")[0] + "}"


def _detected_fields(world: World, request: Request) -> Response:
    found, limit = _detected(world, request)
    fields = [
        {
            "label": name,
            "type": one.kind,
            "cardinality": len(one.values),
            "parsers": list(one.parsers) or None,
        }
        for name, one in found.items()
    ]
    return _json({"fields": fields, "limit": limit} if fields else {"limit": limit})


def _field_values(world: World, request: Request, name: str) -> Response:
    found, limit = _detected(world, request)
    values = list(found[name].values)[:limit] if name in found else []
    return _json({"values": values, "limit": limit} if values else {"limit": limit})


def _no_patterns(_: World, __: Request) -> Response:
    # A Loki whose pattern ingester is off, as it is by default.
    return Response(404, b"", _TEXT)


def _format_query(_: World, request: Request) -> Response:
    kind = "application/json; charset=utf-8"
    try:
        found = {"status": "success", "data": pretty(parse(request.parameter("query")))}
    except REFUSALS as error:
        wrong = {"status": "invalid-query", "error": str(error)}
        return Response(400, orjson.dumps(wrong) + b"\n", kind)
    return Response(200, orjson.dumps(found) + b"\n", kind)


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


def _data(data: dict[str, Any], seen: Counted) -> Response:
    rows = data["result"]
    returned = len(rows)
    if data["resultType"] == "streams":
        returned = sum(len(row["values"]) for row in rows)
    stats = statistics(seen, returned)
    return _json({"status": "success", "data": {**data, "stats": stats}})


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
    "/loki/api/v1/index/volume_range": _volume_range,
    "/loki/api/v1/detected_labels": _detected_labels,
    "/loki/api/v1/detected_fields": _detected_fields,
    "/loki/api/v1/patterns": _no_patterns,
    "/loki/api/v1/format_query": _format_query,
    "/loki/api/v1/status/buildinfo": _buildinfo,
    "/ready": _ready,
}

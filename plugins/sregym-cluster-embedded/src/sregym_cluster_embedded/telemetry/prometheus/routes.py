"""Which path of Prometheus' API answers what."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson
from sregym_kubernetes.telemetry_redaction import names_hidden
from sregym_promql import (
    Engine,
    EvaluationError,
    ParseError,
    annotations_json,
    instant_data,
    parse,
    parse_as_written,
    parse_selector,
    pretty,
    range_data,
)
from sregym_promql.evaluation import TOO_MANY, has_selectors
from sregym_promql.formats import number_text
from sregym_promql.storage import NAME, Labels, Matcher, is_stale, matchers_of, value_of
from sregym_regex.budget import Budget, OutOfMemoryError, OutOfStepsError, under

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.metrics.describing import pools
from sregym_cluster_embedded.telemetry.metrics.exclusions import stays
from sregym_cluster_embedded.telemetry.metrics.exposing import escaped
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.telemetry.prometheus import status
from sregym_cluster_embedded.telemetry.prometheus.cardinality import cardinality
from sregym_cluster_embedded.telemetry.prometheus.parameters import (
    BadRequest,
    bound_of,
    duration_of,
    moment_of,
    required_time,
    span_of,
)
from sregym_cluster_embedded.telemetry.prometheus.refused import REFUSED, failure
from sregym_cluster_embedded.telemetry.prometheus.remote_read import remote_read
from sregym_cluster_embedded.telemetry.prometheus.rules import alerts_data, rules_data
from sregym_cluster_embedded.telemetry.prometheus.scraped import (
    metadata_data,
    pools_data,
    target_metadata_data,
    targets_data,
)
from sregym_cluster_embedded.telemetry.prometheus.statistics import statistics
from sregym_cluster_embedded.telemetry.rules import observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
    from sregym_cluster_embedded.world import World

_TEXT = "text/plain; charset=utf-8"
_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
_VALUES = re.compile(r"/api/v1/label/([^/]*)/values")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_MOST_POINTS = 11_000
_LOOKBACK_MS = 300_000
# What one query may cost, and what is said of one that takes longer: the steps are those of about a
# second, since some cost more than the usual microsecond; a day at 15 s spends less than 100,000.
_STEPS, _MEMORY_BYTES = 1_200_000, 256 << 20
_TIMED_OUT = "query timed out in expression evaluation"
_IN_MEMORY_MS = 3 * 3_600_000


def answer(world: World, request: Request) -> Response:
    """What the Prometheus of a world says to a request."""
    if not request.path.startswith("/api/v1/"):
        return _answered(world, request)
    options = request.method == "OPTIONS"
    found = Response(204, b"") if options else _answered(world, request)
    # Pages of other hosts may ask, too.
    allowed = _CROSS_ORIGIN if "origin" in request.headers else {}
    return replace(found, headers={**found.headers, **allowed})


def _answered(world: World, request: Request) -> Response:
    if request.path == "/api/v1/read" and request.method == "POST":
        return remote_read(world, request)
    refused = REFUSED.get(request.path, {}).get(request.method)
    if refused is not None:
        return refused
    plain = _PLAIN.get(request.path)
    if plain is not None:
        return Response(200, plain.encode(), _TEXT)
    if request.path == "/":
        return Response(302, b'<a href="/graph">Found</a>.\n\n', _HTML, {"Location": "/graph"})
    if request.path in _PAGES:
        return Response(200, _PAGE, _HTML)
    values = _VALUES.fullmatch(request.path)
    handle = _ROUTES.get(request.path)
    if values is None and handle is None:
        return Response(404, b"404 page not found\n", _TEXT)
    if request.method not in ("GET", "POST" if request.path in _BY_FORM else "GET"):
        return Response(405, b"Method Not Allowed\n", _TEXT)
    try:
        with under(Budget(_STEPS, _MEMORY_BYTES)):
            if values is not None:
                return _success(_label_values(world, request, values[1]))
            assert handle is not None
            found = handle(world, request)
            return found if isinstance(found, Response) else _success(found)
    except (OutOfMemoryError, MemoryError):
        return failure(422, "execution", TOO_MANY)
    except OutOfStepsError:
        return failure(503, "timeout", _TIMED_OUT)
    except (BadRequest, ParseError) as error:
        return failure(400, "bad_data", str(error))
    except EvaluationError as error:
        return failure(422, "execution", str(error))


def now_s(world: World) -> float:
    """The present moment of a world, Unix seconds."""
    return world.epoch + round(world.now, 3)


def _success(data: Any, notes: Mapping[str, list[str]] | None = None) -> Response:
    return Response(200, orjson.dumps({"status": "success", "data": data, **(notes or {})}))


def _engine(world: World, request: Request) -> Engine:
    return Engine(observed(world, request.without))


def _query(world: World, request: Request) -> Any:
    at = moment_of(request, "time", now_s(world))
    if request.parameter("timeout"):
        duration_of(request, "timeout")
    try:
        found = _engine(world, request).instant(request.parameter("query"), at)
    except ParseError as error:
        message = f'invalid parameter "query": {error}'
        raise BadRequest(message) from None
    notes = annotations_json(found.notes, request.parameter("query"))
    return _success(_told(request, instant_data(found, round(at * 1000)), found.samples), notes)


def _query_range(world: World, request: Request) -> Any:
    start, end = required_time(request, "start"), required_time(request, "end")
    if end < start:
        message = 'invalid parameter "end": end timestamp must not be before start time'
        raise BadRequest(message)
    step = duration_of(request, "step")
    if step <= 0:
        message = (
            'invalid parameter "step": zero or negative query resolution step widths are not '
            "accepted. Try a positive integer"
        )
        raise BadRequest(message)
    if (end - start) / step > _MOST_POINTS:
        message = (
            "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the "
            "query resolution (?step=XX)"
        )
        raise BadRequest(message)
    if request.parameter("timeout"):
        duration_of(request, "timeout")
    # The least step that there is.
    step = max(step, 0.001)
    found = _engine(world, request).range(request.parameter("query"), start, end, step)
    notes = annotations_json(found.notes, request.parameter("query"))
    return _success(_told(request, range_data(found), found.samples), notes)


def _told(request: Request, data: dict[str, Any], samples: int) -> dict[str, Any]:
    """The data of a query, with what it was to answer it if that is asked for."""
    return {**data, "stats": statistics(samples)} if request.parameter("stats") else data


def _matcher_sets(request: Request, prefix: str = "") -> list[list[Matcher]]:
    found = []
    for text in request.parameters("match[]"):
        try:
            found.append(matchers_of(parse_selector(text)))
        except ParseError as error:
            message = str(error)
            if "must contain at least one non-empty matcher" in message:
                message = "match[] must contain at least one non-empty matcher"
            raise BadRequest(prefix + message) from None
    return found


def _asked(world: World, request: Request) -> tuple[Survey, Evaluated, tuple[int, int]]:
    """The series that are there in the request's span, those that rules made, and the span."""
    start, end = span_of(request, now_s(world))
    # A series is there for a while after its last sample.
    start -= _LOOKBACK_MS
    return Survey(world, start, end), observed(world), (start, end)


def _series(world: World, request: Request) -> Any:
    if not request.parameters("match[]"):
        message = "no match[] parameter provided"
        raise BadRequest(message)
    sets = _matcher_sets(request, 'invalid parameter "match[]": ')
    survey, evaluated, span = _asked(world, request)
    found = set[Labels]()
    for matchers in sets:
        found.update(survey.labels(matchers), evaluated.listed(matchers, *span))
    return [dict(labels) for labels in sorted(found)]


def _labels(world: World, request: Request) -> Any:
    sets = _matcher_sets(request)
    survey, evaluated, span = _asked(world, request)
    if not sets:
        return sorted(evaluated.label_names(*span, survey.label_names([])))
    found = set[str]()
    for matchers in sets:
        found |= survey.label_names(matchers)
        for labels in evaluated.listed(matchers, *span):
            found.update(name for name, _ in labels)
    return sorted(found)


def _label_values(world: World, request: Request, name: str) -> Any:
    if not _LABEL.fullmatch(name):
        message = f'invalid label name: "{name}"'
        raise BadRequest(message)
    sets = _matcher_sets(request)
    survey, evaluated, span = _asked(world, request)
    if name == NAME and not sets:
        return sorted(evaluated.names(*span) | survey.metrics())
    found = set[str]()
    for matchers in sets or [[]]:
        found |= survey.values(name, matchers)
        found.update(value_of(labels, name) for labels in evaluated.listed(matchers, *span))
    return sorted(found - {""})


def _format_query(_: World, request: Request) -> Any:
    try:
        return pretty(parse_as_written(request.parameter("query")))
    except ParseError as error:
        message = f'invalid parameter "query": {error}'
        raise BadRequest(message) from None


def _federate(world: World, request: Request) -> Response:
    """The newest samples of the series that match, for another Prometheus."""
    now_ms = round(now_s(world) * 1000)
    try:
        newest = _newest(world, request, now_ms)
    except BadRequest as error:
        return Response(400, f"{error}\n".encode(), _TEXT)
    lines: list[str] = []
    named = ""
    for labels, at, value in newest:
        name = value_of(labels, NAME)
        if name != named:
            lines.append(f"# TYPE {name} untyped")
            named = name
        if not value_of(labels, "instance"):
            # Or else the other Prometheus would take itself for it.
            labels = (*labels, ("instance", ""))
        rest = ",".join(f'{key}="{escaped(text)}"' for key, text in labels if key != NAME)
        lines.append(f"{name}{{{rest}}} {number_text(value)} {at}")
    return Response(200, "".join(f"{line}\n" for line in lines).encode(), _EXPOSITION)


def _newest(world: World, request: Request, now_ms: int) -> list[tuple[Labels, int, float]]:
    storage = observed(world, request.without)
    found: dict[Labels, tuple[int, float]] = {}
    for matchers in _matcher_sets(request):
        for series in storage.select(matchers, now_ms - _LOOKBACK_MS, now_ms):
            known = (series.times > now_ms - _LOOKBACK_MS) & (series.times <= now_ms)
            if known.any():
                last = known.nonzero()[0][-1]
                if not is_stale(series.values[last : last + 1])[0]:
                    found[series.labels] = (int(series.times[last]), float(series.values[last]))
    rows = [(labels, at, value) for labels, (at, value) in found.items()]
    return sorted(rows, key=lambda row: (value_of(row[0], NAME), row[0]))


def _exemplars(_: World, request: Request) -> Any:
    """No application of a world writes any."""
    start = bound_of(request, "start", -math.inf)
    if bound_of(request, "end", math.inf) < start:
        message = "end timestamp must not be before start timestamp"
        raise BadRequest(message)
    return [] if has_selectors(parse(request.parameter("query"))) else Response(204, b"")


def _tsdb(world: World, request: Request) -> Any:
    now_ms = round(now_s(world) * 1000)
    # What is older has gone from memory to disk.
    first_ms = max(now_ms - _IN_MEMORY_MS, world.epoch * 1000)
    series = Survey(world, first_ms, now_ms).labels([])
    series.update(observed(world).listed([], first_ms, now_ms))
    kept = [labels for labels in series if stays(labels, request.without)]
    return cardinality(kept, first_ms, now_ms)


def _config(world: World, request: Request) -> Any:
    # A pool may have the name of what is scraped.
    return status.config(
        world, [pool for pool in pools(world) if not names_hidden(pool, request.without)]
    )


_CROSS_ORIGIN = MappingProxyType(
    {
        "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, Origin",
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Date",
        "Vary": "Origin",
    }
)
# Clients ask for the pages of the user interface to see whether a server is there; it is none.
_HTML = "text/html; charset=utf-8"
_PAGES = ("/alerts", "/config", "/flags", "/graph", "/rules", "/service-discovery", "/status", "/targets", "/tsdb-status")  # fmt: skip
_PAGE = (
    b'<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
    b"<title>Prometheus Time Series Collection and Processing Server</title></head>"
    b"<body><p>No user interface is installed.</p></body></html>"
)
_PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "/-/healthy": "Prometheus Server is Healthy.\n",
        "/-/ready": "Prometheus Server is Ready.\n",
    }
)
_ROUTES: Mapping[str, Callable[[World, Request], Any]] = MappingProxyType(
    {
        "/api/v1/alertmanagers": lambda *_: {
            "activeAlertmanagers": [{"url": "http://alertmanager:9093/api/v2/alerts"}],
            "droppedAlertmanagers": [],
        },
        "/api/v1/alerts": lambda world, _: alerts_data(world),
        "/api/v1/format_query": _format_query,
        "/api/v1/labels": _labels,
        "/api/v1/metadata": metadata_data,
        "/api/v1/query": _query,
        "/api/v1/query_exemplars": _exemplars,
        "/api/v1/query_range": _query_range,
        "/api/v1/rules": rules_data,
        "/api/v1/scrape_pools": pools_data,
        "/api/v1/series": _series,
        "/api/v1/status/buildinfo": lambda *_: status.buildinfo(),
        "/api/v1/status/config": _config,
        "/api/v1/status/flags": lambda *_: status.flags(),
        "/api/v1/status/runtimeinfo": lambda world, _: status.runtimeinfo(world),
        "/api/v1/status/tsdb": _tsdb,
        "/api/v1/status/walreplay": lambda *_: {"min": 0, "max": 0, "current": 0},
        "/api/v1/targets": targets_data,
        "/api/v1/targets/metadata": target_metadata_data,
        "/federate": _federate,
        "/version": lambda *_: Response(200, status.version(), _TEXT),
    }
)
_BY_FORM = frozenset(
    {
        "/api/v1/format_query",
        "/api/v1/labels",
        "/api/v1/query",
        "/api/v1/query_exemplars",
        "/api/v1/query_range",
        "/api/v1/series",
    }
)

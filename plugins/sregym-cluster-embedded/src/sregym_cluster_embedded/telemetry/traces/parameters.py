"""Parameters of Jaeger's query APIs, and its words about those that are none."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING

from sregym_logql.units import go_duration_s

from sregym_cluster_embedded.api.json_words import syntax_error
from sregym_cluster_embedded.telemetry.traces.store import Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.api.request import Request

_DEFAULT_LIMIT = 100
_LOOKBACK_S = 2 * 86_400
_DEPENDENCIES_LOOKBACK_S = 86_400.0
_INT32, _INT64 = 2**31, 2**63
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F]+", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
_LAYOUT = "2006-01-02T15:04:05.999999999Z07:00"
_NAMES = {bool: "bool", int: "number", float: "number", list: "array", dict: "object"}


class BadParameterError(Exception):
    """A parameter that Jaeger refuses; the message is Jaeger's."""


def search_of(request: Request, now: float, epoch: int) -> tuple[Query, tuple[str, ...]]:
    """(query, trace ids asked for) of `/api/traces`; `now` in virtual seconds.

    Raises:
        BadParameterError: A parameter is refused.
    """
    start = _moment(request, "start", 1e6, now - _LOOKBACK_S, epoch)
    end = _moment(request, "end", 1e6, now, epoch)
    tags = _tags(request)
    text = request.parameter("limit")
    limit = _integer(text, _INT32) if text else _DEFAULT_LIMIT
    least = _duration_us(request, "minDuration")
    most = _duration_us(request, "maxDuration")
    wanted = tuple(_asked(text) for text in request.parameters("traceID"))
    service = request.parameter("service")
    if not wanted and not service:
        raise BadParameterError("parameter 'service' is required")
    if least and most and most < least:
        raise BadParameterError("'maxDuration' should be greater than 'minDuration'")
    operation = request.parameter("operation")
    query = Query(service, operation, start, end, tags, least, most, max(0, limit))
    return query, wanted


def dependencies_of(request: Request, now: float, epoch: int) -> tuple[float, float]:
    """(start, end) in virtual seconds of `/api/dependencies`.

    Raises:
        BadParameterError: A parameter is refused.
    """
    end = _moment(request, "endTs", 1e3, now, epoch)
    text = request.parameter("lookback")
    if not text:
        return end - _DEPENDENCIES_LOOKBACK_S, end
    return end - _named("lookback", lambda: _integer(text, _INT64)) / 1000, end


def search_v3_of(request: Request, epoch: int) -> Query:
    """The query of `/api/v3/traces`.

    Raises:
        BadParameterError: A parameter is refused.
    """
    low, high = request.parameter("query.start_time_min"), request.parameter("query.start_time_max")
    if not low or not high:
        raise BadParameterError("query.start_time_min and query.start_time_max are required")
    start = _malformed("query.start_time_min", lambda: _timestamp(low)) - epoch
    end = _malformed("query.start_time_max", lambda: _timestamp(high)) - epoch
    text = request.parameter("query.num_traces")
    limit = 0.0
    if text:
        limit = _malformed("query.num_traces", lambda: _integer(text, _INT64, "Atoi"))
    return Query(
        request.parameter("query.service_name"),
        request.parameter("query.operation_name"),
        start,
        end,
        (),
        _duration_v3_us(request, "query.duration_min"),
        _duration_v3_us(request, "query.duration_max"),
        max(0, int(limit)),
    )


def trace_id_of(text: str) -> str:
    """A trace id as asked for, checked.

    Raises:
        BadParameterError: It is none.
    """
    if len(text) > 32:
        message = f"TraceID cannot be longer than 32 hex characters: {text}"
        raise BadParameterError(message)
    parts = (text[:-16], text[-16:]) if len(text) > 16 else (text,)
    for part in parts:
        if not _HEX.fullmatch(part):
            message = f'strconv.ParseUint: parsing "{part}": invalid syntax'
            raise BadParameterError(message)
    return text


def _asked(text: str) -> str:
    try:
        return trace_id_of(text)
    except BadParameterError as error:
        message = f"cannot parse traceID param: {error}"
        raise BadParameterError(message) from None


def _moment(request: Request, name: str, units: float, default: float, epoch: int) -> float:
    text = request.parameter(name)
    if not text:
        return default
    return _named(name, lambda: _integer(text, _INT64)) / units - epoch


def _duration_us(request: Request, name: str) -> float:
    text = request.parameter(name)
    return _named(name, lambda: _micros(text)) if text else 0.0


def _duration_v3_us(request: Request, name: str) -> float:
    text = request.parameter(name)
    return _malformed(name, lambda: _micros(text)) if text else 0.0


def _micros(text: str) -> float:
    try:
        return round(go_duration_s(text) * 1e6, 3)
    except ValueError as error:
        raise BadParameterError(str(error)) from None


def _integer(text: str, limit: int, function: str = "ParseInt") -> int:
    if not _INTEGER.fullmatch(text):
        message = f'strconv.{function}: parsing "{text}": invalid syntax'
        raise BadParameterError(message)
    number = int(text)
    if not -limit <= number < limit:
        message = f'strconv.{function}: parsing "{text}": value out of range'
        raise BadParameterError(message)
    return number


def _timestamp(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        moment = None
    if moment is None:
        message = f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{text}" as "2006"'
        raise BadParameterError(message)
    return moment.timestamp()


def _named(name: str, parse: Callable[[], float]) -> float:
    try:
        return parse()
    except BadParameterError as error:
        message = f"unable to parse param '{name}': {error}"
        raise BadParameterError(message) from None


def _malformed(name: str, parse: Callable[[], float]) -> float:
    try:
        return parse()
    except BadParameterError as error:
        message = f"malformed parameter {name}: {error}"
        raise BadParameterError(message) from None


def _tags(request: Request) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for text in request.parameters("tag"):
        key, colon, value = text.partition(":")
        if not colon:
            message = f"malformed 'tag' parameter, expecting key:value, received: {text}"
            raise BadParameterError(message)
        found[key] = value
    for text in request.parameters("tags"):
        found.update(_json_tags(text))
    return tuple(found.items())


def _json_tags(text: str) -> dict[str, str]:
    trouble, given = "", None
    try:
        given = json.loads(text)
    except ValueError:
        trouble = syntax_error(text)
    if not trouble and given is not None and not isinstance(given, dict):
        kind = _NAMES.get(type(given), "string")
        trouble = f"json: cannot unmarshal {kind} into Go value of type map[string]string"
    if not trouble and isinstance(given, dict):
        other = next((value for value in given.values() if not isinstance(value, str | None)), "")
        if other != "" or isinstance(other, bool):
            trouble = f"json: cannot unmarshal {_NAMES[type(other)]} into Go value of type string"
    if trouble:
        message = f"malformed 'tags' parameter, cannot unmarshal JSON: {trouble}"
        raise BadParameterError(message)
    return {} if given is None else {key: value or "" for key, value in given.items()}

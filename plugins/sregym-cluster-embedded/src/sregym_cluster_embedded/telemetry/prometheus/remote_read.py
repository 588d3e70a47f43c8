"""Remote read: another Prometheus, or who speaks as one, takes samples as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_promql.storage import Matcher
from sregym_regex.go import PatternError, compiled

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.prometheus.packing import (
    PackingError,
    field,
    fields,
    float_field,
    packed,
    signed,
    unpacked,
    whole_field,
)
from sregym_cluster_embedded.telemetry.rules import observed

if TYPE_CHECKING:
    from sregym_promql.storage import Labels, Storage, StoredSeries

    from sregym_cluster_embedded.world import World

_TEXT = "text/plain; charset=utf-8"
_OPERATORS = ("=", "!=", "=~", "!~")
_SAMPLES, _CHUNKS = 0, 1
_KINDS = {_SAMPLES: "SAMPLES", _CHUNKS: "STREAMED_XOR_CHUNKS"}


class _Query(NamedTuple):
    """The first and the last moment in milliseconds, and matchers."""

    start_ms: int
    end_ms: int
    matchers: list[Matcher]


def remote_read(world: World, request: Request) -> Response:
    """The answer to a request for samples; refused with 400 when it cannot be read."""
    try:
        queries = _queries(unpacked(request.body))
    except (PackingError, PatternError) as error:
        return Response(400, f"{error}\n".encode(), _TEXT)
    storage = observed(world, request.without)
    body = b"".join(field(1, _result(storage, *query)) for query in queries)
    headers = {"Content-Encoding": "snappy"}
    return Response(200, packed(body), "application/x-protobuf", headers)


def _queries(message: bytes) -> list[_Query]:
    queries, accepted = [], list[int]()
    for number, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            queries.append(_query(value))
        elif number == 2:
            # Several numbers stand in one field, or each in a field of its own.
            accepted.extend([value] if isinstance(value, int) else value)
    if accepted and _SAMPLES not in accepted:
        asked = " ".join(_KINDS.get(kind, str(kind)) for kind in accepted)
        message_of = "server does not support any of the requested response types: [{}]; {}"
        raise PackingError(message_of.format(asked, "supported: map[SAMPLES:{}]"))
    return queries


def _query(message: bytes) -> _Query:
    bounds, matchers = {1: 0, 2: 0}, list[Matcher]()
    for number, value in fields(message):
        if number in bounds and isinstance(value, int):
            bounds[number] = signed(value)
        elif number == 3 and isinstance(value, bytes):
            matchers.append(_matcher(value))
    return _Query(bounds[1], bounds[2], matchers)


def _matcher(message: bytes) -> Matcher:
    kind, texts = 0, {2: "", 3: ""}
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number in texts and isinstance(value, bytes):
            texts[number] = value.decode(errors="replace")
    if kind >= len(_OPERATORS):
        raise PackingError("invalid matcher type")
    if kind > 1:
        compiled(texts[3])
    return Matcher(texts[2], _OPERATORS[kind], texts[3])


def _result(storage: Storage, start_ms: int, end_ms: int, matchers: list[Matcher]) -> bytes:
    found = []
    for series in storage.select(matchers, start_ms, end_ms):
        samples = _samples(series, start_ms, end_ms)
        if samples:
            found.append(field(1, _labels(series.labels) + samples))
    return b"".join(found)


def _labels(labels: Labels) -> bytes:
    return b"".join(
        field(1, field(1, name.encode()) + field(2, value.encode())) for name, value in labels
    )


def _samples(series: StoredSeries, start_ms: int, end_ms: int) -> bytes:
    inside = np.flatnonzero((series.times >= start_ms) & (series.times <= end_ms))
    pairs = zip(series.times[inside].tolist(), series.values[inside].tolist(), strict=True)
    return b"".join(field(2, float_field(1, value) + whole_field(2, at)) for at, value in pairs)

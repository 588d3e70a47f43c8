"""Which path of Alertmanager's API v2 answers what."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import orjson

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.alertmanager.silences import (
    Silence,
    SilenceError,
    as_given,
    expire,
    matcher_of,
    put,
    silences,
)
from sregym_cluster_embedded.telemetry.prometheus.parameters import moment_s
from sregym_cluster_embedded.telemetry.prometheus.rules import time_text
from sregym_cluster_embedded.telemetry.promql.data import Matcher
from sregym_cluster_embedded.telemetry.promql.parsing import parse
from sregym_cluster_embedded.telemetry.promql.patterns import PatternError, compiled
from sregym_cluster_embedded.telemetry.promql.writing import line
from sregym_cluster_embedded.telemetry.rules import Alert, firing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.world import World

VERSION = "0.25.0"
RECEIVER = "default"
# As in the configuration that `status` shows.
_GROUP_BY = ("namespace", "alertname")
_CONFIG = """\
route:
  receiver: default
  group_by:
  - namespace
  - alertname
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 12h
receivers:
- name: default
templates: []
"""
# An alert that its sender does not repeat is over after four evaluations.
_LASTS_MS = 240_000
_GRAPH = "http://prometheus:9090/graph"
_TEXT = "text/plain; charset=utf-8"
_SILENCE = re.compile(r"/api/v2/silence/([^/]+)")
_FILTER = re.compile(
    r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|(.*?))\s*'
)


class _Refused(ValueError):
    """A request that is answered with 400."""


def answer(world: World, request: Request) -> Response:
    """What the Alertmanager of a world says; making and ending silences changes the world."""
    if request.path in ("/-/healthy", "/-/ready"):
        return Response(200, b"OK", _TEXT)
    one = _SILENCE.fullmatch(request.path)
    routes = {} if one is not None else _ROUTES.get(request.path, {})
    if one is not None:
        routes = {"GET": _silence, "DELETE": _expire}
    if not routes:
        return _json({"code": 404, "message": f"path {request.path} was not found"}, 404)
    handle = routes.get(request.method)
    if handle is None:
        allowed = ",".join(sorted(routes))
        message = f"method {request.method} is not allowed, but [{allowed}] are"
        return _json({"code": 405, "message": message}, 405)
    try:
        return handle(world, request)
    except (_Refused, SilenceError) as error:
        return _json(str(error), 400)


def _json(data: Any, code: int = 200) -> Response:
    return Response(code, orjson.dumps(data))


def _now_s(world: World) -> float:
    return world.epoch + round(world.now, 3)


def _time(seconds: float) -> str:
    return time_text(round(seconds * 1000))


def fingerprint(labels: Mapping[str, str]) -> str:
    """Sixteen hexadecimal digits that stand for a label set."""
    text = "\xff".join(f"{name}\xff{labels[name]}" for name in sorted(labels))
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _filters(request: Request) -> list[Matcher]:
    found = []
    for text in request.parameters("filter"):
        parts = _FILTER.fullmatch(text)
        if parts is None:
            raise _Refused(f"bad matcher format: {text}")
        value = parts[4] if parts[3] is None else re.sub(r"\\(.)", r"\1", parts[3])
        if parts[2] in ("=~", "!~"):
            try:
                compiled(value)
            except PatternError as error:
                raise _Refused(str(error)) from None
        found.append(Matcher(parts[1], parts[2], value))
    return found


def _flag(request: Request, name: str) -> bool:
    text = request.parameter(name, "true")
    if text not in ("true", "false"):
        raise _Refused(f'parameter {name} in query must be of type boolean: "{text}"')
    return text == "true"


def _found(world: World, request: Request) -> list[dict[str, Any]]:
    """The alerts that a request asks for, in the API's form, sorted by fingerprint."""
    filters = _filters(request)
    active, silenced = _flag(request, "active"), _flag(request, "silenced")
    receiver = request.parameter("receiver")
    if receiver and re.fullmatch(receiver, RECEIVER) is None:
        return []
    now = _now_s(world)
    muting = [silence for silence in silences(world) if silence.state(now) == "active"]
    found = []
    for alert in firing(world):
        labels = dict(alert.labels)
        if not all(one.matches(labels.get(one.name, "")) for one in filters):
            continue
        muted_by = [silence.id for silence in muting if silence.mutes(labels)]
        if silenced if muted_by else active:
            found.append(_alert(alert, labels, muted_by, now))
    return sorted(found, key=lambda alert: str(alert["fingerprint"]))


def _alert(alert: Alert, labels: dict[str, str], muted_by: list[str], now: float) -> dict[str, Any]:
    assert alert.fired_ms is not None
    return {
        "annotations": dict(sorted(alert.annotations.items())),
        "endsAt": _time(now + _LASTS_MS / 1000),
        "fingerprint": fingerprint(labels),
        "receivers": [{"name": RECEIVER}],
        "startsAt": time_text(alert.fired_ms),
        "status": {
            "inhibitedBy": [],
            "silencedBy": muted_by,
            "state": "suppressed" if muted_by else "active",
        },
        "updatedAt": _time(now),
        "generatorURL": f"{_GRAPH}?g0.expr={quote_plus(line(parse(alert.expr)))}&g0.tab=1",
        "labels": labels,
    }


def _alerts(world: World, request: Request) -> Response:
    return _json(_found(world, request))


def _groups(world: World, request: Request) -> Response:
    groups: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
    for alert in _found(world, request):
        labels = alert["labels"]
        key = tuple((name, labels[name]) for name in sorted(_GROUP_BY) if name in labels)
        groups.setdefault(key, []).append(alert)
    return _json(
        [
            {"alerts": groups[key], "labels": dict(key), "receiver": {"name": RECEIVER}}
            for key in sorted(groups)
        ]
    )


def _receivers(_: World, __: Request) -> Response:
    return _json([{"name": RECEIVER}])


def _status(world: World, _: Request) -> Response:
    return _json(
        {
            "cluster": {"name": "", "peers": [], "status": "disabled"},
            "config": {"original": _CONFIG},
            "uptime": world.timestamp(0),
            "versionInfo": {
                "branch": "HEAD",
                "buildDate": "20221222-14:51:36",
                "buildUser": "root@abe866dd5717",
                "goVersion": "go1.19.4",
                "revision": "258fab7cdd551f2cf251ed0348f0ad7289aee789",
                "version": VERSION,
            },
        }
    )


def _shown(silence: Silence, now: float) -> dict[str, Any]:
    return {
        "id": silence.id,
        "status": {"state": silence.state(now)},
        "updatedAt": _time(silence.updated_s),
        "comment": silence.comment,
        "createdBy": silence.created_by,
        "endsAt": _time(silence.ends_s),
        "matchers": [as_given(matcher) for matcher in silence.matchers],
        "startsAt": _time(silence.starts_s),
    }


def _silences(world: World, request: Request) -> Response:
    filters, now = _filters(request), _now_s(world)
    order = ("active", "pending", "expired")
    wanted = [
        silence
        for silence in silences(world)
        if all(
            one.matches(own.value)
            for one in filters
            for own in silence.matchers
            if own.name == one.name
        )
        and {one.name for one in filters} <= {own.name for own in silence.matchers}
    ]
    wanted.sort(key=lambda silence: (order.index(silence.state(now)), silence.ends_s, silence.id))
    return _json([_shown(silence, now) for silence in wanted])


def _new_silence(world: World, request: Request) -> Response:
    try:
        given = orjson.loads(request.body)
        silence = Silence(
            str(given.get("id") or ""),
            tuple(matcher_of(matcher) for matcher in given["matchers"]),
            moment_s(given["startsAt"]),
            moment_s(given["endsAt"]),
            0.0,
            str(given["createdBy"]),
            str(given["comment"]),
        )
    except KeyError as error:
        message = f"silence.{error.args[0]} in body is required"
        return _json({"code": 602, "message": message}, 422)
    except (ValueError, TypeError, AttributeError) as error:
        message = f'parsing silence body from "" failed, because {error}'
        return _json({"code": 400, "message": message}, 400)
    return _json({"silenceID": put(world, silence, _now_s(world))})


def _silence(world: World, request: Request) -> Response:
    wanted = request.path.rpartition("/")[2]
    now = _now_s(world)
    for silence in silences(world):
        if silence.id == wanted:
            return _json(_shown(silence, now))
    return Response(404, b"")


def _expire(world: World, request: Request) -> Response:
    try:
        expire(world, request.path.rpartition("/")[2], _now_s(world))
    except KeyError:
        return Response(404, b"")
    return Response(200, b"")


_ROUTES: Mapping[str, Mapping[str, Callable[[World, Request], Response]]] = {
    "/api/v2/alerts": {"GET": _alerts},
    "/api/v2/alerts/groups": {"GET": _groups},
    "/api/v2/receivers": {"GET": _receivers},
    "/api/v2/silences": {"GET": _silences, "POST": _new_silence},
    "/api/v2/status": {"GET": _status},
}

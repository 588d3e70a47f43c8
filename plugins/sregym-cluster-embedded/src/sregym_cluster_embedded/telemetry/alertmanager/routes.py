"""Which path of Alertmanager's API v2 answers what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import orjson
from sregym_promql import line, parse_as_written
from sregym_regex.budget import Budget, BudgetExceededError, under
from sregym_regex.go import compiled

from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.telemetry.alertmanager.bodies import BodyError, alerts_of, silence_of
from sregym_cluster_embedded.telemetry.alertmanager.filters import (
    FilterError,
    check,
    filters_of,
    flag_of,
)
from sregym_cluster_embedded.telemetry.alertmanager.received import (
    AlertError,
    Received,
    receive,
    received,
)
from sregym_cluster_embedded.telemetry.alertmanager.silences import (
    Silence,
    SilenceError,
    expire,
    matcher_to_json,
    silences,
    store_silence,
)
from sregym_cluster_embedded.telemetry.prometheus.rules import time_text
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
_FNV_OFFSET, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_SILENCE = re.compile(r"/api/v2/silence/([^/]+)")


# What one request may cost.
_STEPS, _MEMORY_BYTES = 2_000_000, 96 << 20


def answer(world: World, request: Request) -> Response:
    """What Alertmanager says to a request."""
    # Prometheus evaluates its rules by itself and sends what fires: that is not the request's doing.
    if request.path.startswith("/api/v2/alerts"):
        firing(world)
    try:
        with under(Budget(_STEPS, _MEMORY_BYTES)):
            return _answered(world, request)
    except BudgetExceededError:
        return Response(503, b"context deadline exceeded\n", "text/plain; charset=utf-8")


def _answered(world: World, request: Request) -> Response:
    """What the Alertmanager of a world says; making and ending silences changes the world."""
    if request.path in ("/-/healthy", "/-/ready"):
        return Response(200, b"OK", _TEXT)
    if request.path == "/-/reload" and request.method == "POST":
        return Response(200, b"", _TEXT)
    if not request.path.startswith("/api/v2/"):
        return Response(404, b"404 page not found\n", _TEXT)
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
    except BodyError as error:
        return _json(error.data, error.status)
    except (FilterError, SilenceError, AlertError) as error:
        return _json(str(error), 400)


def _json(data: Any, code: int = 200) -> Response:
    return Response(code, orjson.dumps(data))


def _now_s(world: World) -> float:
    return world.epoch + round(world.now, 3)


def _time(seconds: float) -> str:
    return time_text(round(seconds * 1000))


def fingerprint(labels: Mapping[str, str]) -> str:
    """Sixteen hexadecimal digits that stand for a label set, the same as in Prometheus (FNV-1a)."""
    found = _FNV_OFFSET
    for name in sorted(labels):
        for byte in b"%b\xff%b\xff" % (name.encode(), labels[name].encode()):
            found = (found ^ byte) * _FNV_PRIME % 2**64
    return f"{found:016x}"


def _found(world: World, request: Request) -> list[dict[str, Any]]:
    """The alerts that a request asks for, in the API's form, sorted by fingerprint."""
    filters = filters_of(request)
    active, silenced = flag_of(request, "active"), flag_of(request, "silenced")
    receiver = request.parameter("receiver")
    if receiver:
        try:
            check(receiver)
        except FilterError as error:
            raise FilterError(f"failed to parse receiver param: {error}") from None
        if compiled(receiver).match(RECEIVER) is None:
            return []
    now = _now_s(world)
    muting = [silence for silence in silences(world) if silence.state(now) == "active"]
    found = []
    for alert in _known(world, now):
        labels = alert["labels"]
        if not all(one.matches(labels.get(one.name, "")) for one in filters):
            continue
        muted_by = [silence.id for silence in muting if silence.mutes(labels)]
        if silenced if muted_by else active:
            state = "suppressed" if muted_by else "active"
            status = {"inhibitedBy": [], "silencedBy": muted_by, "state": state}
            found.append({**alert, "status": status})
    return sorted(found, key=lambda alert: str(alert["fingerprint"]))


def _known(world: World, now: float) -> list[dict[str, Any]]:
    """All alerts without their status: those of rules, and those that clients posted."""
    found = {alert.labels: _of_rule(alert, now) for alert in firing(world)}
    for posted in received(world, now):
        if posted.labels not in found:
            found[posted.labels] = _of_another(posted)
    return list(found.values())


def _of_rule(alert: Alert, now: float) -> dict[str, Any]:
    assert alert.fired_ms is not None
    labels = dict(alert.labels)
    return {
        "annotations": dict(sorted(alert.annotations.items())),
        "endsAt": _time(now + _LASTS_MS / 1000),
        "fingerprint": fingerprint(labels),
        "receivers": [{"name": RECEIVER}],
        "startsAt": time_text(alert.fired_ms),
        "updatedAt": _time(now),
        "generatorURL": f"{_GRAPH}?g0.expr={quote_plus(line(parse_as_written(alert.expr)))}&g0.tab=1",
        "labels": labels,
    }


def _of_another(alert: Received) -> dict[str, Any]:
    labels = dict(alert.labels)
    generator = {"generatorURL": alert.generator} if alert.generator else {}
    return {
        "annotations": dict(alert.annotations),
        "endsAt": _time(alert.ends_s),
        "fingerprint": fingerprint(labels),
        "receivers": [{"name": RECEIVER}],
        "startsAt": _time(alert.starts_s),
        "updatedAt": _time(alert.updated_s),
        **generator,
        "labels": labels,
    }


def _alerts(world: World, request: Request) -> Response:
    return _json(_found(world, request))


def _receive(world: World, request: Request) -> Response:
    receive(world, alerts_of(request), _now_s(world))
    return Response(200, b"")


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
            "cluster": {"peers": [], "status": "disabled"},
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
        "matchers": [matcher_to_json(matcher) for matcher in silence.matchers],
        "startsAt": _time(silence.starts_s),
    }


def _silences(world: World, request: Request) -> Response:
    filters, now = filters_of(request), _now_s(world)
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
    silence = silence_of(request)
    try:
        return _json({"silenceID": store_silence(world, silence, _now_s(world))})
    except KeyError:
        return _json("silence not found", 404)


def _wanted(request: Request) -> str:
    """The id at the end of the path.

    Raises:
        BodyError: It is none.
    """
    found = request.path.rpartition("/")[2]
    if not _UUID.fullmatch(found):
        raise BodyError(422, 601, f'silenceID in path must be of type uuid: "{found}"')
    return found


def _silence(world: World, request: Request) -> Response:
    wanted, now = _wanted(request), _now_s(world)
    for silence in silences(world):
        if silence.id == wanted:
            return _json(_shown(silence, now))
    return Response(404, b"")


def _expire(world: World, request: Request) -> Response:
    try:
        expire(world, _wanted(request), _now_s(world))
    except KeyError:
        return _json("silence not found", 500)
    return Response(200, b"")


_ROUTES: Mapping[str, Mapping[str, Callable[[World, Request], Response]]] = {
    "/api/v2/alerts": {"GET": _alerts, "POST": _receive},
    "/api/v2/alerts/groups": {"GET": _groups},
    "/api/v2/receivers": {"GET": _receivers},
    "/api/v2/silences": {"GET": _silences, "POST": _new_silence},
    "/api/v2/status": {"GET": _status},
}

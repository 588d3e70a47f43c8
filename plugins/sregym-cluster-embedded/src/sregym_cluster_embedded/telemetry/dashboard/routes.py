"""Routes of the dashboard: its page and data endpoints.

GET /, /NAME.css, /NAME.js                       the page
GET /api/overview                                users, workloads, calls, where failures arise
GET /api/signals?workload=NAMESPACE/NAME&window= golden signals over time; of all users if none
GET /api/events?window=                          Kubernetes events
GET /api/alerts                                  pending and firing alerts
GET /api/pods                                    the table of pods
GET /api/logs?namespace=&pod=&container=&tail=   the last lines of a container
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.telemetry.dashboard.alerts import alerts
from sregym_cluster_embedded.telemetry.dashboard.graph import overview
from sregym_cluster_embedded.telemetry.dashboard.objects import events, pods
from sregym_cluster_embedded.telemetry.dashboard.signals import signals
from sregym_cluster_embedded.telemetry.dashboard.tail import UnknownContainerError, tail

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World

WINDOW_S = 900.0
LONGEST_WINDOW_S = 6 * 3600.0
LINES = 200
MOST_LINES = 2_000

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# The page loads nothing from elsewhere. It may ask another local port: that of `--reveal`.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self' http://127.0.0.1:*; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class _RefusedError(Exception):
    """A parameter that cannot be used; the text is for the client."""


def answer(world: World, request: Request) -> Response:
    """The page, a file of it, or data as JSON; 404 for other paths, 405 for other methods."""
    if request.method not in ("GET", "HEAD"):
        return _problem(405, f"the dashboard only answers GET, not {request.method}")
    try:
        if request.path.startswith("/api/"):
            return _data(world, request)
        return _file(request.path)
    except _RefusedError as error:
        return _problem(400, str(error))
    except UnknownContainerError as error:
        return _problem(404, str(error))


def _data(world: World, request: Request) -> Response:
    content: Any
    match request.path:
        case "/api/overview":
            content = overview(world)
        case "/api/signals":
            workload = request.parameter("workload")
            content = signals(world, workload, _window_s(request))
        case "/api/events":
            content = events(world, _window_s(request))
        case "/api/alerts":
            content = alerts(world)
        case "/api/pods":
            content = pods(world)
        case "/api/logs":
            lines = _number(request, "tail", LINES, 1, MOST_LINES)
            names = (request.parameter(name) for name in ("namespace", "pod", "container"))
            content = tail(world, *names, lines=int(lines))
        case _:
            return _problem(404, f"the dashboard has nothing at {request.path}")
    return Response(200, orjson.dumps(content), "application/json", _HEADERS)


def _file(path: str) -> Response:
    name = path.removeprefix("/") or "index.html"
    kind = _TYPES.get(name.rpartition(".")[2])
    folder = files(__package__).joinpath("static")
    known = {entry.name: entry for entry in folder.iterdir()}
    if kind is None or name not in known:
        return _problem(404, f"the dashboard has nothing at {path}")
    return Response(200, known[name].read_bytes(), kind, _HEADERS)


def _window_s(request: Request) -> float:
    return _number(request, "window", WINDOW_S, 60, LONGEST_WINDOW_S)


def _number(request: Request, name: str, default: float, low: float, high: float) -> float:
    text = request.parameter(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        message = f"parameter {name!r}: a number from {low:g} to {high:g} is needed, not {text!r}"
        raise _RefusedError(message)
    return value


def _problem(status: int, message: str) -> Response:
    return Response(status, orjson.dumps({"message": message}), "application/json", _HEADERS)

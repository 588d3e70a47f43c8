"""HTTP servers in front of others: nginx, OpenResty, HAProxy, Envoy."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from sregym_apps.model.base import HEADER, Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.flags import Filter  # noqa: TC001 - pydantic reads it
from sregym_apps.model.program_capacity import Answer
from sregym_apps.model.service import ServiceProgram

_FAILING = (
    *("refused", "reset", "timeout", "dns", "protocol", "unavailable", "overloaded"),
    *("unreachable", "no_route", "no_port", "no_file"),
)
# What is written and answered for each kind of failure; the rest counts as a bad gateway.
_TIMED_OUT, _FULL = ("timeout",), ("unavailable", "overloaded")


class Route(Entry):
    """One kind of request.

    Attributes:
        request: Method and path of requests: `GET /api/*`.
        upstream: Where it is passed on: `http://web:8080`; empty when the server answers itself.
        ask: What is requested there, when it is not the same.
        timeout_s: How long it waits for the answer.
        answer: What it answers itself, or what its upstream's answer is.
        delay_header: A header with the milliseconds for which a request that has it is held back
            first, as Envoy's fault filter does with `x-envoy-fault-delay-request`.
    """

    request: str = Field(pattern=r"^[A-Z]+ /\S*$")
    upstream: Text = ""
    ask: str = ""
    timeout_s: float = Field(default=60.0, gt=0)
    answer: Answer = Answer()
    delay_header: str = Field(default="", pattern=r"^[a-z0-9-]*$")


class Flavour(NamedTuple):
    """How a server writes: formats, words for failures, its page of errors.

    Attributes:
        form: Format of lines about requests.
        words: Kind of failure -> its text.
        access: A line about a request, with `${request}`, status, size and flags put in.
        error: A line about a failure, besides; empty when there is none.
        statuses: Of a failure in general, of a timeout, of no server that could be reached.
        flags: How log lines mark these three.
        sizes: Bytes of its answers to them, as its lines count them.
    """

    form: str
    words: dict[str, str]
    access: str
    error: str
    statuses: tuple[int, int, int]
    flags: tuple[str, str, str]
    sizes: tuple[int, int, int]

    def status(self, kind: str) -> int:
        """What is answered to a kind of failure; 0: what the upstream answered itself."""
        if kind == "server":
            return 0
        return self.statuses[1 if kind in _TIMED_OUT else 2 if kind in _FULL else 0]


_UPSTREAM = "while reading response header from upstream"
_NGINX = Flavour(
    "nginx",
    {
        "refused": "connect() failed (111: Connection refused) while connecting to upstream",
        "unreachable": "connect() failed (101: Network is unreachable) while connecting to upstream",
        "no_route": "connect() failed (113: No route to host) while connecting to upstream",
        "no_port": "connect() failed (99: Cannot assign requested address) while connecting to upstream",
        "no_file": "socket() failed (24: Too many open files) while connecting to upstream",
        "timeout": f"upstream timed out (110: Connection timed out) {_UPSTREAM}",
        "reset": f"upstream prematurely closed connection {_UPSTREAM}",
        "dns": "${host} could not be resolved (3: Host not found)",
        "unavailable": "no live upstreams while connecting to upstream",
        "overloaded": "no live upstreams while connecting to upstream",
        "protocol": f"upstream sent no valid HTTP/1.0 header {_UPSTREAM}",
    },
    "{request} HTTP/1.1",
    '[error] 29#29: *${{1..9999}} ${{error}}, client: ${{client_ip}}, server: , request: "{request} '
    'HTTP/1.1", upstream: "http://${{ip}}:${{port}}{path}", host: "${{host}}"',
    (502, 504, 502),
    ("", "", ""),
    # Without the name of the server, which stands below its pages.
    (145, 155, 145),
)
_HAPROXY = Flavour(
    "haproxy",
    dict.fromkeys(_FAILING, "503 Service Unavailable") | {"timeout": "504 Gateway Time-out"},
    'http-in {name}/{host} 0/0/0/1/1 {status} {size} - - {flags} 1/1/0/0/0 0/0 "{request} HTTP/1.1"',
    "",
    (503, 504, 503),
    ("SC--", "sH--", "SC--"),
    (217, 198, 217),
)
_CUT = "upstream connect error or disconnect/reset before headers. reset reason: "
_ENVOY = Flavour(
    "envoy",
    {
        "refused": f"{_CUT}remote connection failure, transport failure reason: delayed connect error: Connection refused",
        "unreachable": f"{_CUT}remote connection failure, transport failure reason: immediate connect error: Network is unreachable",
        "no_route": f"{_CUT}remote connection failure, transport failure reason: delayed connect error: No route to host",
        "no_port": f"{_CUT}remote connection failure, transport failure reason: immediate connect error: Cannot assign requested address",
        "no_file": f"{_CUT}remote connection failure, transport failure reason: immediate connect error: Too many open files",
        "reset": f"{_CUT}connection termination",
        "timeout": "upstream request timeout",
        "dns": "no healthy upstream",
        "unavailable": "no healthy upstream",
        "overloaded": f"{_CUT}overflow",
        "protocol": f"{_CUT}protocol error",
    },
    '"{request} HTTP/1.1" {status} {flags} - "-" 0 {size} 1 1 "-" "-" "-" "{host}" "{place}"',
    "",
    (503, 504, 503),
    ("UF", "UT", "UH"),
    (167, 24, 19),
)
FLAVOURS = {"nginx": _NGINX, "openresty": _NGINX, "haproxy": _HAPROXY, "envoy": _ENVOY}


class ProxyProgram(ServiceProgram):
    """A server that passes requests on; its operations, clients and lines follow from its routes.

    Attributes:
        kind: `http-proxy`.
        flavour: The server whose messages and log lines it has.
        version: As it names it.
        port: Where it serves.
        routes: Name -> what is requested and where it goes.
        filters: Regular expressions that each request is tried on before it is passed on.
    """

    kind: Literal["http-proxy"]  # type: ignore[assignment]  # another kind of service
    flavour: Literal["nginx", "openresty", "haproxy", "envoy"] = "nginx"
    version: Text = "1.27.3"
    port: Text = "80"
    routes: dict[str, Route] = Field(min_length=1)
    filters: tuple[Filter, ...] = ()
    memory: Memory = Memory(base_mib="9", per_rps_kib=4)

    @model_validator(mode="before")
    @classmethod
    def _from_routes(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("routes"), dict):
            return value
        given = {name: Route.model_validate(route) for name, route in value["routes"].items()}
        flavour = FLAVOURS.get(str(value.get("flavour", "nginx")), _NGINX)
        version = str(value.get("version", "1.27.3"))
        named = len(f"{value.get('flavour', 'nginx')}/{version}") if flavour is _NGINX else 0
        derived: dict[str, Any] = {
            "log": {"format": flavour.form},
            "startup": [*_beginning(value.get("flavour", "nginx"), version), {"listen": "http"}],
            "listeners": {"http": {"protocol": "http", "port": str(value.get("port", "80"))}},
            "clients": {
                f"to-{name}": {
                    "protocol": "http",
                    "address": route.upstream,
                    "timeout_s": route.timeout_s,
                    "errors": flavour.words,
                }
                for name, route in given.items()
                if route.upstream
            },
            "operations": {
                name: {
                    **_operation(flavour, name, route, named),
                    "filters": value.get("filters") or (),
                }
                for name, route in given.items()
            },
        }
        return {**derived, **value}


def _operation(flavour: Flavour, name: str, route: Route, named: int) -> dict[str, Any]:
    size = len(route.answer.body.encode())
    found: dict[str, Any] = {
        "listener": "http",
        "route": route.request,
        "cpu_ms": 0.05,
        "latency_ms": 0.1,
        "log": [_line(flavour, name, route, route.answer.status, size, "----" if flavour is _HAPROXY else "-")],
        "answer": route.answer,
        "failure": {"status": flavour.statuses[0], "body": "${error}"},
    }  # fmt: skip
    if route.delay_header:
        held = f"${{{HEADER}{route.delay_header}}}"
        found["variants"] = [{"when": held, "latency_ms": held}]
    if route.upstream:
        ask = route.ask or route.request
        found["calls"] = [
            {
                "call": f"to-{name}.{ask}",
                "on_error": {
                    "log": _failures(flavour, name, route, named),
                    "statuses": {kind: flavour.status(kind) for kind in (*_FAILING, "server")},
                },
            }
        ]
    return found


def _failures(flavour: Flavour, name: str, route: Route, named: int) -> list[dict[str, Any]]:
    others = tuple(kind for kind in _FAILING if kind not in (*_TIMED_OUT, *_FULL))
    lines = []
    if flavour.error:
        path = route.request.partition(" ")[2]
        text = flavour.error.format(request=route.request, path=path)
        lines.append({"text": text, "format": "go-log", "stream": "stderr", "kinds": _FAILING})
    kinds = (others, _TIMED_OUT, _FULL)
    shown = zip(kinds, flavour.statuses, flavour.flags, flavour.sizes, strict=True)
    for each, status, flags, size in shown:
        line = _line(flavour, name, route, status, size + named, flags)
        lines.append({**line, "kinds": each})
    lines.append({**_line(flavour, name, route, "${status}", 0, "----" if flavour is _HAPROXY else "-"), "kinds": ("server",)})  # fmt: skip
    return lines


def _line(
    flavour: Flavour, name: str, route: Route, status: int | str, size: int, flags: str
) -> dict[str, Any]:
    place = urlsplit(route.upstream).netloc or "-"
    text = flavour.access.format(
        request=route.request, name=name, status=status, size=size, flags=flags, place=place,
        host=place.rpartition(":")[0] or place,
    )  # fmt: skip
    fields = {"client": "${client_ip}", "status": str(status), "bytes": str(size)}
    return {"text": text, "format": flavour.form, "fields": fields}


def _beginning(flavour: str, version: str) -> list[dict[str, Any]]:
    """What it writes when it starts."""
    if flavour in ("nginx", "openresty"):
        ready = "/docker-entrypoint.sh: Configuration complete; ready for start up"
        texts = (
            'using the "epoll" event method', f"{flavour}/{version}",
            "getrlimit(RLIMIT_NOFILE): 1048576:1048576", "start worker processes",
            "start worker process 29",
        )  # fmt: skip
        first = [{"log": {"text": ready, "raw": True}}] if flavour == "nginx" else []
        notices = [
            {"log": {"text": f"[notice] 1#1: {text}", "format": "go-log", "stream": "stderr"}}
            for text in texts
        ]
        return [*first, *notices]
    if flavour == "haproxy":
        said = ("New worker (8) forked", "Loading success.")
        return [{"log": {"text": f"[NOTICE]   (1) : {text}", "raw": True}} for text in said]
    return [{"log": {"text": f"[info][main] [source/server/server.cc:430] initializing epoch 0 (base id=0, hot restart version=11.104) version {version}", "raw": True}}]  # fmt: skip

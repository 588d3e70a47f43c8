"""HTTP requests from containers: to programs of models, to other servers, to the API server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from sregym_apps.model import IngressProgram, ProxyProgram

from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import served
from sregym_cluster_embedded.network import certificates
from sregym_cluster_embedded.userland.httpd import is_httpd, note_request, root_of
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer, WebRequest
from sregym_cluster_embedded.userland.process import Process, process_of
from sregym_cluster_embedded.userland.shell.httpd_answers import headed, http_date
from sregym_cluster_embedded.userland.shell.proxied import pass_on
from sregym_cluster_embedded.userland.shell.sockets import connect
from sregym_cluster_embedded.userland.wiring import Address, Target, parse_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.userland.shell.session import Session

REASONS = {
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently",
    302: "Found", 304: "Not Modified", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip
_PORT = 80
_BASE_S = 0.0016


class HttpRequest(NamedTuple):
    """A request.

    Attributes:
        method: GET, POST ...
        url: As typed, with a scheme.
        headers: Lower-case names.
        body: As sent.
        name: The name of the server, where the URL has an address for it instead.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: str = ""
    name: str = ""


class Fetched(NamedTuple):
    """How a request went.

    Attributes:
        kind: Empty when there is an answer, else how it failed: `dns`, `refused`, `timeout`,
            `reset`, `no_route`, `unreachable`, `empty`, `garbage`, `tls-mismatch`, `untrusted`.
        answer: The answer.
        target: Where it went.
        headers: Of the answer, in order.
        seconds: How long it took.
        untrusted: What is wrong with the certificate, where more is known than its signer.
    """

    kind: str
    answer: WebAnswer | None
    target: Target
    headers: tuple[tuple[str, str], ...] = ()
    seconds: float = _BASE_S
    untrusted: str = ""


def fetch(session: Session, asked: HttpRequest, *, insecure: bool = False) -> Fetched:
    """Send an HTTP request from the container."""
    secure = asked.url.lower().startswith("https:")
    address = parse_address(asked.url, _PORT)
    target = connect(session, address.host, address.port, "http", asked.url)
    latency_s = _BASE_S + (target.path.latency_ms / 1000 * 2 if target.path is not None else 0.0)
    if target.kind and target.kind != "protocol":
        return Fetched(target.kind, None, target, seconds=latency_s)
    if target.ref is None:
        return _at_the_api(session, asked, target, secure=secure, insecure=insecure)
    server = process_of(session.world, target.ref)
    if server is None:
        return Fetched("reset", None, target)
    if isinstance(server.behaviour, IngressProgram) and (target.listener == "https" or not secure):
        return _through_ingress(
            session, asked, server, target, address, latency_s, secure=secure, insecure=insecure
        )
    name = asked.name or address.host
    if secure and (refused := _shown_badly(session, server, target, name, insecure=insecure)):
        return refused
    runtime = session.runtime
    program = runtime.program_of(server)
    answer = None
    path = address.path or "/"
    spoken = runtime.protocol_of(server, target.listener)
    local = address.host in ("localhost", "127.0.0.1", "::1")
    client_ip = "127.0.0.1" if local else session.process.config.pod_ip
    if program is not None and not session.runtime.extensions.protocol(spoken).never_http:
        host = asked.headers.get("host", address.host)
        port = next((number for number, name in server.ports if name == target.listener), 0)
        sent = {"host": host, **asked.headers}
        if asked.body:
            sent["content-length"] = str(len(asked.body.encode(errors="surrogateescape")))
        request = WebRequest(
            asked.method, path, host.partition(":")[0], port, client_ip, sent, secure, asked.body
        )
        answer = runtime.kind_of(server).respond(session.world, server, program, request)
    if answer is None:
        return _stray(session, server, target)
    note_request(session.world, server, client_ip, path, answer.status)
    answer, headers = _with_headers(session, server, answer, path)
    return Fetched("", answer, target, headers, latency_s + answer.seconds)


def _as_get(method: str) -> str:
    """HEAD is answered as GET is, without the body."""
    return "GET" if method == "HEAD" else method


def _shown_badly(
    session: Session, server: Process, target: Target, name: str, *, insecure: bool
) -> Fetched | None:
    """How a request through TLS ends before it is sent; None when the client is content."""
    if session.runtime.program_of(server) is None:
        return Fetched("tls-mismatch", None, target)
    kind = session.runtime.kind_of(server)
    shown = kind.certificate(session.world, server, target.listener, name)
    if shown is None:
        return Fetched("tls-mismatch", None, target)
    now = session.world.epoch + session.world.now
    said = "" if insecure else certificates.complaint(shown, name, now)
    return Fetched("untrusted", None, target, untrusted=said) if said else None


def _through_ingress(
    session: Session,
    asked: HttpRequest,
    server: Process,
    target: Target,
    address: Address,
    latency_s: float,
    *,
    secure: bool,
    insecure: bool,
) -> Fetched:
    """A request that an ingress controller passes on to one of its backends."""
    host = asked.headers.get("host", address.host).partition(":")[0]
    passed = pass_on(
        session.world,
        server,
        target.listener,
        address,
        host,
        _as_get(asked.method),
        secure=secure,
        insecure=insecure,
    )
    if passed.answer is None:
        return Fetched("untrusted", None, target, seconds=latency_s, untrusted=passed.untrusted)
    size = len(passed.answer.body.encode(errors="surrogateescape"))
    headers = (
        ("Date", http_date(session)),
        ("Content-Type", passed.answer.content_type),
        ("Content-Length", str(size)),
        ("Connection", "keep-alive"),
        *passed.headers,
    )
    return Fetched("", passed.answer, target, headers, latency_s + passed.seconds)


def _stray(session: Session, server: Process, target: Target) -> Fetched:
    spoken = session.runtime.protocol_of(server, target.listener)
    wire = session.runtime.extensions.protocol(spoken)
    if wire.answer_to_http:
        return Fetched(
            "", WebAnswer(200, wire.answer_to_http, "text/plain"), target, _plain(session)
        )
    if wire.closes_on_http:
        return Fetched("empty", None, target)
    return Fetched("garbage", None, target)


def _plain(session: Session) -> tuple[tuple[str, str], ...]:
    del session
    return (("Connection", "close"), ("Content-Type", "text/plain"), ("Content-Length", "85"))


def _with_headers(
    session: Session, server: Process, answer: WebAnswer, path: str
) -> tuple[WebAnswer, tuple[tuple[str, str], ...]]:
    """What the server writes above the body: BusyBox's httpd, or a server written in Go."""
    if answer.headers is not None:
        return answer, answer.headers
    size = len(answer.body.encode(errors="surrogateescape"))
    date = ("Date", http_date(session))
    if isinstance(server.behaviour, ProxyProgram):
        return answer, _of_proxy(server.behaviour, answer, date, size)
    root = root_of(server)
    if root is None or not is_httpd(session.world, server):
        return _of_go(session, server, answer, path, root)
    return headed(session, server, answer, path)


def _of_proxy(
    program: ProxyProgram, answer: WebAnswer, date: tuple[str, str], size: int
) -> tuple[tuple[str, str], ...]:
    """What servers in front of others write above the body."""
    about = ("Content-Type", answer.content_type), ("Content-Length", str(size))
    if program.flavour == "haproxy":
        return (*about, ("Cache-Control", "no-cache"))
    if program.flavour == "envoy":
        return (("content-length", str(size)), ("content-type", answer.content_type), ("date", date[1]), ("server", "envoy"))  # fmt: skip
    named = ("Server", f"{program.flavour}/{program.version}")
    return (named, date, *about, ("Connection", "keep-alive"))


def _of_go(
    session: Session, server: Process, answer: WebAnswer, path: str, root: str | None
) -> tuple[WebAnswer, tuple[tuple[str, str], ...]]:
    """What a server written in Go writes above the body; files have a time and can be asked in parts."""
    size = str(len(answer.body.encode(errors="surrogateescape")))
    date = ("Date", http_date(session))
    bare = path.partition("?")[0]
    name = f"{root or ''}{bare}{'index.html' if bare.endswith('/') else ''}"
    inode = session.runtime.files(session.world, server).stat(name) if root else None
    if inode is not None and answer.status == 200:
        suffix = name.rpartition(".")[2]
        kind = _TYPES.get(suffix, "text/plain; charset=utf-8")
        return answer, (
            ("Accept-Ranges", "bytes"),
            ("Content-Length", size),
            ("Content-Type", kind),
            ("Last-Modified", http_date(session, int(inode.mtime))),
            date,
        )
    kind = answer.content_type
    if kind == "text/plain":
        kind = "text/plain; charset=utf-8"
    if answer.status == 404 and root:
        return WebAnswer(404, _GO_MISSING, kind), (
            ("Content-Type", "text/plain; charset=utf-8"),
            ("X-Content-Type-Options", "nosniff"),
            date,
            ("Content-Length", str(len(_GO_MISSING))),
        )
    return answer, (("Content-Type", kind), date, ("Content-Length", size))


_GO_MISSING = "404 page not found\n"
_TYPES = {
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "json": "application/json",
}  # fmt: skip


def _at_the_api(
    session: Session, asked: HttpRequest, target: Target, *, secure: bool, insecure: bool
) -> Fetched:
    """The API server, which trusts tokens and lets anonymous users read but little."""
    if target.listener != "https":
        return Fetched("empty", None, target)
    if not secure:
        text = "Client sent an HTTP request to an HTTPS server.\n"
        answer = WebAnswer(400, text, "text/plain; charset=utf-8")
        return Fetched("", answer, target, (("Connection", "close"),))
    if not insecure:
        return Fetched("untrusted", None, target)
    parts = urlsplit(asked.url)
    user = User("system:anonymous", ("system:unauthenticated",))
    request = Request(
        _as_get(asked.method),
        unquote(parts.path) or "/",
        tuple(parse_qsl(parts.query, keep_blank_values=True)),
        {"accept": "application/json", **asked.headers},
        asked.body.encode(),
        user,
    )
    found = served(session.world, request)
    if not isinstance(found, Response):
        return Fetched("empty", None, target)
    body = _indented(asked, found)
    given = WebAnswer(found.status, body, found.content_type)
    headers = (
        ("audit-id", session.world.seed.uid()),
        ("cache-control", "no-cache, private"),
        ("content-type", found.content_type),
        *((name.lower(), value) for name, value in sorted(found.headers.items())),
        ("date", http_date(session)),
        ("content-length", str(len(body.encode(errors="surrogateescape")))),
    )
    return Fetched("", given, target, headers)


def _indented(asked: HttpRequest, found: Response) -> str:
    """The body of an answer of the API server, which indents what people with curl will read."""
    body = found.body.decode(errors="surrogateescape")
    agent = asked.headers.get("user-agent", "curl")
    if not agent.startswith(_READERS) or not found.content_type.startswith("application/json"):
        return body
    try:
        shown = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body
    for char in "<>&":
        shown = shown.replace(char, f"\\u{ord(char):04x}")
    return shown


# Clients for which the API server indents: there are people behind them.
_READERS = ("curl", "Wget", "Mozilla/5.0")

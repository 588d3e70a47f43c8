"""The response of nginx to one request, by its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import WebAnswer, WebRequest, pages

from sregym_server_nginx.headers import counts
from sregym_server_nginx.headers import headers as standing
from sregym_server_nginx.loading import place_of
from sregym_server_nginx.passing import Limits, pass_on
from sregym_server_nginx.placing import locate, named, server_for
from sregym_server_nginx.rewriting import Rewritten, is_redirect, rewritten
from sregym_server_nginx.scope import Scope
from sregym_server_nginx.server_log import ACCESS_LOG, COMBINED, note, note_error
from sregym_server_nginx.static_files import Result, serve
from sregym_server_nginx.variables import logged

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Files, Process, World

    from sregym_server_nginx.configuration import Directive
    from sregym_server_nginx.loading import Loaded

_MOST_TURNS = 10
_PLAIN_TO_TLS = "The plain HTTP request was sent to HTTPS port"


class Answering:
    """One request.

    Args:
        world: The cluster.
        process: nginx.
        files: Of its container.
        version: Of nginx.
        loaded: Its configuration.
    """

    def __init__(
        self, world: World, process: Process, files: Files, version: str, loaded: Loaded
    ) -> None:
        self._world = world
        self._process = process
        self._files = files
        self._version = version
        self._loaded = loaded
        self._errors: list[tuple[str, str]] = []

    def answer(self, request: WebRequest) -> WebAnswer | None:
        """The answer; None when the connection is closed without one."""
        server = server_for(self._loaded, request)
        if server is None:
            return None
        scope = Scope(self._world, self._process, self._version, self._loaded, server, request)
        secure = any(listen.port == request.port and listen.secure for listen in server.listens)
        if secure and not request.secure:
            body = pages.page(400, scope.signature, _PLAIN_TO_TLS)
            found: Result | None = Result(400, body, "text/html")
        else:
            found = self._resolved(scope, server.block)
        answer = None if found is None else self._finished(scope, found)
        self._note(scope, 444 if answer is None else answer.status, answer)
        return answer

    def _resolved(self, scope: Scope, server: Directive) -> Result | None:
        """Go from location to location until there is an answer, and through pages of errors."""
        found = self._turns(scope, server, first=True)
        if found is None or (found.foreign and not scope.on("proxy_intercept_errors")):
            return found
        for entry in scope.inherited("error_page"):
            *codes, target = entry.words
            change = codes.pop() if codes[-1].startswith("=") else ""
            if str(found.status) not in codes:
                continue
            status = int(change[1:]) if change[1:] else found.status
            if target.startswith("@"):
                location = named(server, target)
                other = self._located(scope, server, [location] if location else [])
            elif target.startswith("/"):
                scope.go_to(scope.fill(target))
                other = self._turns(scope, server, first=False)
            else:
                return Result(302, location=scope.fill(target))
            if other is None or other.status >= 400:
                return found if other is None else other._replace(status=found.status)
            return other._replace(status=other.status if change == "=" else status)
        return found

    def _turns(self, scope: Scope, server: Directive, *, first: bool) -> Result | None:
        if first:
            scope.enter([])
            done = rewritten(scope, server.block, self._files)
            if done.status:
                return self._returned(scope, done)
        for _ in range(_MOST_TURNS):
            locations = locate(server, scope.uri, scope.variables)
            found = self._located(scope, server, locations)
            if found is None or (not found.uri and not found.named):
                return found
            if found.named:
                location = named(server, found.named)
                if location is None:
                    self._errors.append(("error", f'could not find named location "{found.named}"'))
                    return Result(500)
                return self._located(scope, server, [location])
            scope.go_to(found.uri)
        self._errors.append(("error", f'rewrite or internal redirection cycle while internally redirecting to "{scope.uri}"'))  # fmt: skip
        return Result(500)

    def _located(
        self, scope: Scope, server: Directive, locations: list[Directive]
    ) -> Result | None:
        """What a location makes of the request."""
        scope.enter(locations)
        size = int(scope.request.headers.get("content-length", "0") or 0)
        if 0 < _bytes(scope.word("client_max_body_size", "1m")) < size:
            self._errors.append(("error", f"client intended to send too large body: {size} bytes"))
            return Result(413)
        if not locations:
            return serve(scope, self._files, self._errors)
        done = rewritten(scope, locations[-1].block, self._files)
        if done.closed:
            return None
        if done.status:
            return self._returned(scope, done)
        if done.again:
            return Result(0, uri=scope.uri)
        if done.inside is not None:
            scope.enter([*locations, done.inside])
        if self._denied(scope):
            self._errors.append(("error", "access forbidden by rule"))
            return Result(403)
        return self._content(scope, locations)

    def _content(self, scope: Scope, locations: list[Directive]) -> Result | None:
        for block in reversed(scope.blocks[3:]):
            passing = block.first("proxy_pass")
            if passing is not None:
                return self._passed(scope, passing, locations[-1])
            if block.first("stub_status") is not None:
                return Result(200, self._counted(), "text/plain")
            for name in ("fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass"):
                other = block.first(name)
                if other is not None:
                    self._errors.append(("error", f"connect() failed (111: Connection refused) while connecting to upstream, upstream: \"{name.removesuffix('_pass')}://{other.words[0]}\""))  # fmt: skip
                    return Result(502)
        return serve(scope, self._files, self._errors)

    def _returned(self, scope: Scope, done: Rewritten) -> Result | None:
        if done.closed:
            return None
        if is_redirect(done.status):
            return Result(done.status, location=done.text)
        kind = scope.word("default_type", "text/plain") if done.text else ""
        return Result(done.status, done.text, kind)

    def _denied(self, scope: Scope) -> bool:
        """Whether `allow` and `deny`, the first that fits, keep the client out."""
        for block in reversed(scope.blocks):
            rules = [entry for entry in block.block if entry.name in ("allow", "deny")]
            for rule in rules:
                if rule.words[0] in ("all", scope.request.client):
                    return rule.name == "deny"
            if rules:
                return False
        return False

    def _passed(self, scope: Scope, passing: Directive, location: Directive) -> Result:
        url = scope.fill(passing.words[0])
        place = place_of(url)
        if place is None:
            self._errors.append(("error", f'invalid URL prefix in "{url}"'))
            return Result(500)
        host, port, path = place
        scope.variables.update(proxy_host=host if port in (80, 443) else f"{host}:{port}", proxy_port=str(port))  # fmt: skip
        sent = self._sent(scope, passing, location, path)
        pod = self._files.container.pod
        limits = Limits(scope.seconds("proxy_connect_timeout", 60.0), scope.seconds("proxy_read_timeout", 60.0))  # fmt: skip
        found = pass_on(self._world, self._process, pod, self._loaded, url, sent, limits, self._resolver(scope))  # fmt: skip
        scope.variables.update(
            upstream_addr=", ".join(found.upstream), upstream_status=str(found.status),
            upstream_response_time=f"{found.seconds:.3f}", upstream_connect_time="0.000",
        )  # fmt: skip
        for words, behind in found.errors:
            tail = f', upstream: "{behind}"' if behind else ""
            self._errors.append(("error", f"{words}{{}}{tail}"))
        if found.answer is None:
            return Result(found.status, seconds=found.seconds)
        kept = tuple(
            (name, value)
            for name, value in found.answer.headers or ()
            if name.lower()
            not in ("server", "date", "content-type", "content-length", "connection")
        )
        answer = found.answer
        return Result(
            answer.status, answer.body, answer.content_type, foreign=True, extra=kept, seconds=found.seconds
        )  # fmt: skip

    def _sent(
        self, scope: Scope, passing: Directive, location: Directive, path: str | None
    ) -> WebRequest:
        """The request as the server behind gets it."""
        query = scope.variables["is_args"] + scope.variables["args"]
        if path is None:
            asked = scope.request.path if scope.uri == scope.request.path.partition("?")[0] else scope.uri + query  # fmt: skip
        elif "$" in passing.words[0]:
            asked = path
        else:
            asked = path + scope.uri[len(location.words[-1]) :] + query
        headers = {**scope.request.headers}
        host = scope.variables["proxy_host"]
        for entry in scope.inherited("proxy_set_header"):
            name, value = entry.words[0].lower(), scope.fill(entry.words[1])
            headers.pop(name, None)
            if name == "host":
                host = value
            elif value:
                headers[name] = value
        return WebRequest(
            scope.request.method, asked, host.partition(":")[0], int(scope.variables["proxy_port"]),
            self._process.config.pod_ip, {**headers, "host": host},
        )  # fmt: skip

    def _resolver(self, scope: Scope) -> str:
        """The address of the name server that the configuration names."""
        given = scope.word("resolver").partition(":")[0]
        known = self._loaded.addresses.get(given)
        return known[0] if known else given

    def _counted(self) -> str:
        """The page of `stub_status`."""
        count = self._loaded.requests + 1
        return (
            f"Active connections: 1 \nserver accepts handled requests\n {count} {count} {count} \n"
            "Reading: 0 Writing: 1 Waiting: 0 \n"
        )

    def _finished(self, scope: Scope, found: Result) -> WebAnswer:
        """Put headers above it, and the page of its code below them."""
        body, kind = found.body, found.kind
        if not body and not found.foreign:
            body = pages.page(found.status, scope.signature)
            kind = "text/html" if body else kind
        size = len(body.encode(errors="surrogateescape"))
        now = self._world.epoch + self._world.now
        place = self._absolute(scope, found.location)
        headers = standing(scope.signature, now, kind, size, location=place, modified=found.modified)  # fmt: skip
        added = tuple(
            (entry.words[0], scope.fill(entry.words[1]))
            for entry in scope.inherited("add_header")
            if counts(found.status, entry.words) and scope.fill(entry.words[1])
        )
        return WebAnswer(found.status, body, kind, found.seconds, (*headers, *found.extra, *added))

    def _absolute(self, scope: Scope, place: str) -> str:
        if not place.startswith("/") or not scope.on("absolute_redirect", otherwise=True):
            return place
        port = scope.request.port
        shown = "" if port == (443 if scope.request.secure else 80) else f":{port}"
        return f"{scope.variables['scheme']}://{scope.variables['host']}{shown}{place}"

    def _note(self, scope: Scope, status: int, answer: WebAnswer | None) -> None:
        """Write what is to be written of the request."""
        request = scope.request
        about = f", client: {request.client}, server: {scope.variables['server_name']}, request: \"{scope.variables['request']}\""  # fmt: skip
        host = f', host: "{request.headers.get("host", request.host)}"' if request.host else ""
        for level, text in self._errors:
            number = self._loaded.requests + 1
            shown = text.replace("{}", about) if "{}" in text else text + about
            note_error(self._world, self._process, self._files, scope.blocks, level, f"*{number} {shown}{host}", self._loaded.worker)  # fmt: skip
        size = 0 if answer is None else len(answer.body.encode(errors="surrogateescape"))
        seconds = 0.0 if answer is None else answer.seconds
        known = {
            **scope.variables, "status": str(status), "body_bytes_sent": str(size),
            "bytes_sent": str(size + 240), "request_time": f"{seconds:.3f}", "request_length": "85",
            "connection": str(self._loaded.requests + 1), "connection_requests": "1",
        }  # fmt: skip
        for words in [entry.words for entry in scope.inherited("access_log")] or [(ACCESS_LOG,)]:
            if words[0] != "off":
                self._note_access(scope, words, known)

    def _note_access(self, scope: Scope, words: tuple[str, ...], known: dict[str, str]) -> None:
        name = words[1] if len(words) > 1 and "=" not in words[1] else "combined"
        text, escape = COMBINED, "default"
        for entry in self._loaded.http.all("log_format"):
            if entry.words[0] == name:
                parts = list(entry.words[1:])
                if parts[0].startswith("escape="):
                    escape = parts.pop(0).removeprefix("escape=")
                text = "".join(parts)
        line = logged(text, known, escape)
        note(self._world, self._process, self._files, words[0], line)


def _bytes(text: str) -> int:
    """A size with its unit; 0 stands for no limit."""
    factor = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}.get(text[-1:].lower(), 1)
    number = text.rstrip("kKmMgG")
    return int(number) * factor if number.isdecimal() else 0

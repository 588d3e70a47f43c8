"""One request and its answer, between a client and the API server."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import h11
from sregym_core.model import ApiRequest
from sregym_kubernetes.enforcement import Answer, Asked, readable, with_metadata
from sregym_kubernetes.filtering import filters

from sregym_agents.guard.wire import Wire, splice

if TYPE_CHECKING:
    from sregym_kubernetes.target import Target

    from sregym_agents.guard.proxy import Guard

Headers = list[tuple[bytes, bytes]]

# The number that kubectl gives each of its commands is a UUID.
_LONGEST_CALL = 64
# Of the connection, not of the request: each side has its own.
_OWN = (b"host", b"authorization", b"content-length", b"transfer-encoding", b"expect")


class Exchange:
    """Passes a request on unless it is refused, and its answer back.

    Args:
        guard: Whose it is.
        client: Who asks.
        servers: Open connections to the API server for this client; it may add one.
        request: As the client sent it.
        target: What it is about.
        path: Path and query for the API server.
        body: All of it.
    """

    def __init__(
        self,
        guard: Guard,
        client: Wire,
        servers: list[Wire],
        request: h11.Request,
        target: Target,
        path: str,
        body: bytes,
    ) -> None:
        self._guard = guard
        self._client = client
        self._servers = servers
        self._request = request
        self._target = target
        self._path = path
        self._body = body
        self._method = request.method.decode()
        self._began = time.monotonic()
        self._status = 0
        self._refused = ""
        # Looked at once: an answer is filtered by one rule from its beginning to its end.
        self._veiled = guard.policy.veiled

    def noted(self) -> ApiRequest:
        """The exchange for the record."""
        return ApiRequest(
            method=self._method,
            path=self._path,
            status=self._status,
            took_s=round(time.monotonic() - self._began, 6),
            refused=self._refused,
            call=self._header(b"kubectl-session")[:_LONGEST_CALL],
        )

    def _header(self, name: bytes) -> str:
        """The first header of that name, in small letters; empty when there is none."""
        found = (value for key, value in self._request.headers if key == name)
        return next(found, b"").decode("latin-1")

    async def run(self) -> bool:
        """Do it; True when the connection now speaks another protocol and is used up."""
        refusal = self._guard.enforcement.refusal(self._asked())
        if refusal is not None:
            await self._refuse(refusal)
            return False
        server, answer = await self._ask()
        if isinstance(answer, h11.InformationalResponse):
            self._status = answer.status_code
            await self._client.send(answer)
            await splice(self._client, server)
            return True
        self._status = answer.status_code
        if self._filters(answer):
            await self._pass_filtered(server, answer)
        else:
            await self._pass(server, answer)
        if not server.next_cycle():
            self._servers.remove(server)
            await server.close()
        return False

    def _asked(self) -> Asked:
        headers: dict[str, str] = {}
        for name, value in self._request.headers:
            key, text = name.decode("latin-1"), value.decode("latin-1")
            # One that comes twice is both: of them a server takes one, which the policy cannot know.
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        return Asked(self._method, self._target, headers, self._body)

    async def _ask(self) -> tuple[Wire, h11.Response | h11.InformationalResponse]:
        """Send the request; a kept connection that the server closed meanwhile is replaced."""
        while self._servers:
            server = self._servers[-1]
            try:
                return server, await self._sent(server)
            except (OSError, h11.RemoteProtocolError):
                self._servers.pop()
                await server.close()
        upstream = self._guard.upstream
        reader, writer = await asyncio.open_connection(
            upstream.host, upstream.port, ssl=upstream.tls, limit=1 << 20
        )
        server = Wire(h11.CLIENT, reader, writer)
        self._servers.append(server)
        return server, await self._sent(server)

    async def _sent(self, server: Wire) -> h11.Response | h11.InformationalResponse:
        upstream = self._guard.upstream
        path = upstream.prefix + (with_metadata(self._path) if self._veiled else self._path)
        head = h11.Request(method=self._method, target=path, headers=self._headers())
        await server.send(head)
        if self._body:
            await server.send(h11.Data(data=self._body))
        await server.send(h11.EndOfMessage())
        while True:
            event = await server.receive()
            if isinstance(event, h11.Response):
                return event
            if isinstance(event, h11.InformationalResponse) and event.status_code == 101:
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise h11.RemoteProtocolError("the API server closed the connection")

    def _headers(self) -> Headers:
        upstream = self._guard.upstream
        # Only what can be read can be filtered: no compression, no protocol buffers.
        dropped = (*_OWN, b"accept-encoding") if self._veiled else _OWN
        headers: Headers = [(b"Host", f"{upstream.host}:{upstream.port}".encode())]
        for name, value in self._request.headers.raw_items():
            if name.lower() in dropped:
                continue
            if self._veiled and name.lower() == b"accept":
                value = readable(value.decode("latin-1")).encode("latin-1")
            headers.append((name, value))
        identity = self._guard.policy.identity
        if identity is not None:
            headers.append((b"Impersonate-User", identity.name.encode()))
            headers += [(b"Impersonate-Group", group.encode()) for group in identity.groups]
        if upstream.token:
            headers.append((b"Authorization", f"Bearer {upstream.token}".encode()))
        if self._body or self._method in ("POST", "PUT", "PATCH"):
            headers.append((b"Content-Length", str(len(self._body)).encode()))
        return headers

    def _filters(self, answer: h11.Response) -> bool:
        kind = dict(answer.headers).get(b"content-type", b"").decode("latin-1")
        return self._veiled and filters(kind, self._target)

    async def _pass(self, server: Wire, answer: h11.Response) -> None:
        await self._client.send(answer)
        while True:
            event = await server.receive()
            if isinstance(event, h11.Data):
                await self._client.send(h11.Data(data=bytes(event.data)))
            elif isinstance(event, h11.EndOfMessage):
                await self._client.send(h11.EndOfMessage(headers=event.headers))
                return
            else:
                raise h11.RemoteProtocolError("the answer breaks off")

    async def _pass_filtered(self, server: Wire, answer: h11.Response) -> None:
        # What has a length is no stream: not every server watches when it is asked to.
        if self._target.watch and b"content-length" not in dict(answer.headers):
            await self._pass_watch(server, answer)
            return
        body = bytearray()
        while not isinstance(event := await server.receive(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                raise h11.RemoteProtocolError("the answer breaks off")
            body += event.data
        enforcement, whole = self._guard.enforcement, bytes(body)
        withheld = enforcement.withheld(whole, self._target) if answer.status_code < 300 else None
        if withheld is not None:
            await self._refuse(Answer(404, withheld, "hidden"))
            return
        less = enforcement.shown(whole, self._target)
        content = whole if less is None else less
        headers = [
            (name, value)
            for name, value in answer.headers.raw_items()
            if name.lower() not in (b"content-length", b"transfer-encoding")
        ]
        await self._send(answer.status_code, headers, content)

    async def _pass_watch(self, server: Wire, answer: h11.Response) -> None:
        await self._client.send(answer)
        rest = b""
        while not isinstance(event := await server.receive(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                raise h11.RemoteProtocolError("the answer breaks off")
            *lines, rest = (rest + bytes(event.data)).split(b"\n")
            for line in lines:
                less = self._guard.enforcement.shown_event(line, self._target)
                shown = line + b"\n" if less is None else less
                if shown:
                    await self._client.send(h11.Data(data=shown))
        less = self._guard.enforcement.shown_event(rest, self._target)
        await self._client.send(h11.Data(data=rest if less is None else less))
        await self._client.send(h11.EndOfMessage())

    async def _refuse(self, answer: Answer) -> None:
        self._refused = answer.reason
        headers = [(b"Content-Type", answer.content_type.encode())]
        await self._send(answer.status, headers, answer.body)

    async def _send(self, code: int, headers: Headers, body: bytes) -> None:
        self._status = code
        length = (b"Content-Length", str(len(body)).encode())
        await self._client.send(h11.Response(status_code=code, headers=[*headers, length]))
        if self._method != "HEAD":
            await self._client.send(h11.Data(data=body))
        await self._client.send(h11.EndOfMessage())

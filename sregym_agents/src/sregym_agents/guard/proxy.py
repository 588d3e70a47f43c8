"""The guard's server: takes clients on loopback, passes their requests on."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import h11
from sregym_core.model import ApiRequest
from sregym_kubernetes.enforcement import Enforcement
from sregym_kubernetes.filtering import status
from sregym_kubernetes.target import target_of

from sregym_agents.connections import Connections
from sregym_agents.guard.exchange import Exchange
from sregym_agents.guard.wire import Wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sregym_core.policy import Policy

    from sregym_agents.guard.upstream import Upstream

# The limit of a real API server is three megabytes.
BODY_CAP = 16 * 1024 * 1024
WHAT_CAP = 2000


class Guard:
    """A proxy for one session.

    Clients present the token as the first part of the path, since kubectl sends no bearer token
    over plain HTTP, or as a bearer token.

    Args:
        upstream: The API server.
        policy: As whom clients act, what is refused and what is hidden.
        token: What clients must present.
        note: Called with each request when it is over, in the guard's thread.
    """

    def __init__(
        self, upstream: Upstream, policy: Policy, token: str, note: Callable[[ApiRequest], None]
    ) -> None:
        self.upstream = upstream
        self.policy = policy
        self.enforcement = Enforcement(policy)
        self._token = token
        self._note = note

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of 127.0.0.1; gives the base address, the token in it."""
        clients = Connections(self._take)
        server = await asyncio.start_server(clients.add, "127.0.0.1", 0, limit=1 << 20)
        port = server.sockets[0].getsockname()[1]
        async with clients.of(server):
            yield f"http://127.0.0.1:{port}/{self._token}"

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Wire(h11.SERVER, reader, writer)
        servers: list[Wire] = []
        try:
            # Whoever goes away, the record of the request is written.
            with suppress(OSError, ssl.SSLError, h11.ProtocolError):
                while await self._one(client, servers):
                    pass
            for wire in (client, *servers):
                await wire.close()
        except asyncio.CancelledError:
            for wire in servers:
                wire.abort()
            raise

    async def _one(self, client: Wire, servers: list[Wire]) -> bool:
        """One request and its answer; False when the connection is done."""
        request = await client.receive()
        if not isinstance(request, h11.Request):
            return False
        body = bytearray()
        while not isinstance(event := await client.receive(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                return False
            body += event.data
            if len(body) > BODY_CAP:
                text = status(413, "RequestEntityTooLarge", f"more than {BODY_CAP} bytes were sent")
                await _answer(client, 413, text)
                return False
        path = self._path(request)
        if path is None:
            text = status(401, "Unauthorized", "Unauthorized")
            await _answer(client, 401, text)
            said = request.target.decode("ascii", "replace")[:WHAT_CAP]
            method = request.method.decode()
            self._note(ApiRequest(method=method, path=said, status=401, refused="no token"))
            return client.next_cycle()
        exchange = Exchange(self, client, servers, request, target_of(path), path, bytes(body))
        try:
            switched = await exchange.run()
        finally:
            self._note(exchange.noted())
        return not switched and client.next_cycle()

    def _path(self, request: h11.Request) -> str | None:
        """The path as the API server knows it; None when the token is missing or wrong."""
        raw = request.target.decode("ascii", "replace")
        first, slash, rest = raw.removeprefix("/").partition("/")
        if secrets.compare_digest(first.encode(), self._token.encode()):
            return f"/{rest}" if slash else "/"
        given = dict(request.headers).get(b"authorization", b"")
        if secrets.compare_digest(given, f"Bearer {self._token}".encode()):
            return raw
        return None


async def _answer(client: Wire, code: int, body: bytes) -> None:
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    await client.send(h11.Response(status_code=code, headers=headers))
    await client.send(h11.Data(data=body))
    await client.send(h11.EndOfMessage())

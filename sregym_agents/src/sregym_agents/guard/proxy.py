"""The guard's server: takes clients on loopback, passes their requests on."""

from __future__ import annotations

import secrets
import string
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web
from sregym_core.model import ApiRequest
from sregym_kubernetes.enforcement import Enforcement
from sregym_kubernetes.filtering import status
from sregym_kubernetes.target import target_of

from sregym_agents.aiohttp_server import served
from sregym_agents.guard.exchange import ADDED, Exchange
from sregym_agents.guard.server import Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sregym_core.policy import Policy

    from sregym_agents.guard.upstream import Upstream

# The limit of a real API server is three megabytes.
BODY_CAP = 16 * 1024 * 1024
WHAT_CAP = 2000
# What stands in a request's first line as it is: all but controls, blanks, and what begins a
# fragment, which no server is told of.
_AS_IT_IS = "".join(sorted({*string.printable} - {*string.whitespace, "#"}))


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
        self.policy = policy
        self.enforcement = Enforcement(policy)
        self._upstream = upstream
        self._token = token
        self._note = note

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of 127.0.0.1; gives the base address, the token in it."""
        async with Server.of(self._upstream) as server:

            @web.middleware  # before all routes: each path is the API server's
            async def take(
                request: web.Request,
                handler: object,  # noqa: ARG001 - aiohttp hands it in by its name
            ) -> web.StreamResponse:
                return await self._take(server, request)

            application = web.Application(middlewares=[take], client_max_size=BODY_CAP)
            application.on_response_prepare.append(_as_given)
            async with served(application, decompress=False) as base:
                yield f"{base}/{self._token}"

    async def _take(self, server: Server, request: web.Request) -> web.StreamResponse:
        """One request and its answer."""
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            text = f"more than {BODY_CAP} bytes were sent"
            answer = _answer(413, status(413, "RequestEntityTooLarge", text))
            answer.force_close()
            return answer
        path = self._path(request)
        if path is None:
            said = request.raw_path[:WHAT_CAP]
            self._note(ApiRequest(method=request.method, path=said, status=401, refused="no token"))
            return _answer(401, status(401, "Unauthorized", "Unauthorized"))
        exchange = Exchange(self, server, request, target_of(path), path, body)
        try:
            return await exchange.run()
        finally:
            # The request is recorded even when either side has closed the connection.
            self._note(exchange.noted())

    def _path(self, request: web.Request) -> str | None:
        """The path as the API server knows it; None when the token is missing or wrong."""
        raw = quote(request.raw_path, safe=_AS_IT_IS, errors="surrogateescape")
        first, slash, rest = raw.removeprefix("/").partition("/")
        if secrets.compare_digest(first.encode(), self._token.encode()):
            return f"/{rest}" if slash else "/"
        given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if secrets.compare_digest(given, f"Bearer {self._token}".encode()):
            # Never a part of the address: who writes no slash would choose the server.
            return raw if raw.startswith("/") else f"/{raw}"
        return None


def _answer(code: int, body: bytes) -> web.Response:
    return web.Response(status=code, body=body, headers={"Content-Type": "application/json"})


async def _as_given(_request: web.Request, answer: web.StreamResponse) -> None:
    """What the API server did not say is not added to what it said."""
    for name in answer.get(ADDED, ()):
        answer.headers.popall(name, None)

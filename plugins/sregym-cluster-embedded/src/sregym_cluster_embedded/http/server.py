"""The Kubernetes API of a live world as an HTTP endpoint."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from email.utils import formatdate
from hashlib import blake2b
from http import HTTPStatus
from itertools import count
from typing import TYPE_CHECKING
from uuid import UUID

from aiohttp import web
from sregym_core.errors import WorldError

from sregym_cluster_embedded.api.access.authentication import NOBODY
from sregym_cluster_embedded.api.access.impersonation import SEPARATOR
from sregym_cluster_embedded.api.policing import policed
from sregym_cluster_embedded.api.request import Connect, Request, Response, User, Watch
from sregym_cluster_embedded.http.aiohttp_server import BackgroundServer
from sregym_cluster_embedded.http.compressing import compressed
from sregym_cluster_embedded.http.connecting import serve_connect
from sregym_cluster_embedded.http.holding import TookTooLongError
from sregym_cluster_embedded.http.hooks import reach_loopback
from sregym_cluster_embedded.http.secure import server_context, user_of
from sregym_cluster_embedded.http.status import TIMED_OUT, failure_response
from sregym_cluster_embedded.http.time_shift import shifted_json, shifted_text
from sregym_cluster_embedded.http.watching import serve_watch

if TYPE_CHECKING:
    from sregym_core.policy import Policy

    from sregym_cluster_embedded.http.live import LiveWorld

_LOG = logging.getLogger(__name__)

# The limit of a real API server for a request's body.
BODY_LIMIT = 3 * 1024 * 1024

# How often the pace of the world is kept: the grain of virtual time seen from outside.
TICK_S = 0.01


class ApiEndpoint:
    """Serves a live world to Kubernetes clients on 127.0.0.1.

    Args:
        live: The world.
        port: 0 for a free one.
        user: Who every client of plain HTTP is taken to be that shows no token.
        secure: Whether to speak TLS: clients are then who their certificates or tokens say, and
            anonymous without.
        policy: What holds for all clients besides their rights; None for nothing.

    Attributes:
        shift_s: Whole seconds by which the clients' clock is ahead of the world's; timestamps are
            moved by it on the wire (see `time_shift`).
    """

    def __init__(
        self,
        live: LiveWorld,
        port: int = 0,
        user: User | None = None,
        *,
        secure: bool = False,
        policy: Policy | None = None,
    ) -> None:
        self.shift_s = 0
        self._policy = policy
        self._live = live
        self._user = user or User()
        self._secure = secure
        with live.open() as world:
            context = server_context(world) if secure else None
            self._name = f"answers of {world.seed.value}"
        self._answers = count()
        self._server = BackgroundServer(self._application, port, self._keep_pace, context)

    @property
    def url(self) -> str:
        """Base address, for a kubeconfig."""
        return self._server.url

    @property
    def port(self) -> int:
        """The port that is served."""
        return self._server.port

    def start(self) -> None:
        """Serve; returns when requests are answered.

        Raises:
            EndpointError: The port is in use or cannot be bound.
        """
        with self._live.open() as world:
            reach_loopback(world)
        self._server.start()

    def close(self) -> None:
        """Stop serving; open streams are cut. The caller must not hold the world open."""
        self._server.close()

    def __enter__(self) -> ApiEndpoint:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _application(self) -> web.Application:
        application = web.Application(client_max_size=BODY_LIMIT)
        application.router.add_route("*", "/{path:.*}", self._serve)
        application.on_response_prepare.append(self._sign)
        return application

    async def _sign(self, incoming: web.Request, response: web.StreamResponse) -> None:
        """Each answer has an id, given by the client or by the server, who does not say what it is."""
        response.headers.popall("Server", None)
        if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
            return
        given = incoming.headers.get("Audit-ID", "")
        digest = blake2b(f"{self._name} {next(self._answers)}".encode(), digest_size=16).digest()
        response.headers["Audit-Id"] = given or str(UUID(bytes=digest, version=4))

    async def _keep_pace(self) -> None:
        with self._live.holding.watched():
            await self._pace()

    async def _pace(self) -> None:
        while True:
            try:
                self._live.keep_pace()
            except WorldError as error:
                _LOG.error("%s", error)
                return
            except Exception:  # an event that fails must not stop the time of all others
                _LOG.exception("an event of the cluster failed")
            await asyncio.sleep(TICK_S)

    async def _serve(self, incoming: web.Request) -> web.StreamResponse:
        try:
            answer = self._answer(await self._request(incoming))
        except web.HTTPRequestEntityTooLarge:
            text = f"Request entity too large: limit is {BODY_LIMIT}"
            answer = failure_response(413, text)
        except TookTooLongError:
            answer = failure_response(504, TIMED_OUT)
        except Exception as error:  # one request must not take the others down
            _LOG.exception("%s %s failed", incoming.method, incoming.path)
            answer = failure_response(500, f"Internal error occurred: {error!r}")
        if isinstance(answer, Watch):
            answer = replace(answer, headers={**answer.headers, "Date": self._date()})
            return await serve_watch(self._live, answer, incoming, self.shift_s)
        if isinstance(answer, Connect):
            return await self._connect(answer, incoming)
        response = _respond(answer, self.shift_s, incoming)
        response.headers["Date"] = self._date()
        return response

    def _answer(self, request: Request) -> Response | Watch | Connect:
        if self._policy is None:
            return self._live.request(request)
        return policed(self._policy, request, self._live.request)

    def _date(self) -> str:
        """The world's time for `Date`, by which clients know when it is here."""
        with self._live.open() as world:
            moment = world.epoch + world.now + self.shift_s
        return formatdate(moment, usegmt=True)

    async def _request(self, incoming: web.Request) -> Request:
        user, headers = self._user, _headers(incoming)
        if self._secure:
            user = user_of(incoming)
            if user is not NOBODY:
                headers.pop("authorization", None)  # the certificate comes first
        return Request(
            method=incoming.method,
            path=incoming.rel_url.path,
            query=tuple(
                (name, shifted_text(value, -self.shift_s))
                for name, value in incoming.rel_url.query.items()
            ),
            headers=headers,
            body=shifted_json(await incoming.read(), -self.shift_s),
            user=user,
        )

    async def _connect(self, connect: Connect, incoming: web.Request) -> web.StreamResponse:
        answer = await serve_connect(self._live, connect, incoming, self.shift_s)
        return _respond(answer, 0, incoming) if isinstance(answer, Response) else answer


def _headers(incoming: web.Request) -> dict[str, str]:
    """Lower-case names; of a header that may be repeated, all values."""
    found: dict[str, str] = {}
    for name, value in incoming.headers.items():
        key = name.lower()
        if not value.isascii():  # what is no UTF-8 either could not be told of in an answer
            value = value.encode(errors="surrogateescape").decode(errors="replace")
        if key in found and key.startswith("impersonate-"):
            value = f"{found[key]}{SEPARATOR}{value}"
        found[key] = value
    return found


def _respond(answer: Response, shift_s: int, incoming: web.Request) -> web.Response:
    headers = {"Cache-Control": "no-cache, private", **answer.headers}
    if answer.status != HTTPStatus.NOT_MODIFIED:
        headers["Content-Type"] = answer.content_type
    body = shifted_json(answer.body, shift_s)
    accepted = incoming.headers.get("Accept-Encoding", "")
    packed = compressed(incoming.rel_url.path, accepted, answer, body) if accepted else None
    if packed is not None:
        vary = headers.get("Vary")
        headers["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"
        headers["Content-Encoding"] = "gzip"
    return web.Response(status=answer.status, body=packed or body, headers=headers)

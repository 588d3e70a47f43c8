"""A service of observability of a live world as an HTTP endpoint."""

from __future__ import annotations

import asyncio
import logging
from email.utils import formatdate
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from aiohttp import web

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.http import tailing
from sregym_cluster_embedded.http.aiohttp_server import BackgroundServer
from sregym_cluster_embedded.http.holding import TookTooLongError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World

    Stream: TypeAlias = Callable[[LiveWorld, web.Request], Awaitable[web.StreamResponse]]

NO_STREAMS: Mapping[str, Stream] = MappingProxyType({})
# By the name of the service.
STREAMS: Mapping[str, Mapping[str, Stream]] = MappingProxyType(
    {"loki": MappingProxyType({tailing.PATH: tailing.serve_tail})}
)
_LOG = logging.getLogger(__name__)
_FORM = "application/x-www-form-urlencoded"
# Of forms, as Go's server has it.
_BODY_LIMIT = 10 * 1024 * 1024


class ObservabilityEndpoint:
    """Serves one service on 127.0.0.1.

    Args:
        live: The world.
        answer: What the service says to a request.
        port: 0 for a free one.
        streams: Paths that are not answered once but go on, and what serves them.
    """

    def __init__(
        self,
        live: LiveWorld,
        answer: Callable[[World, Request], Response],
        port: int = 0,
        streams: Mapping[str, Stream] = NO_STREAMS,
    ) -> None:
        self._live = live
        self._answer = answer
        self._streams = streams
        self._server = BackgroundServer(self._application, port, self._watched)

    @property
    def url(self) -> str:
        """Base address without a slash at its end."""
        return self._server.url

    def start(self) -> None:
        """Serve; returns when requests are answered.

        Raises:
            EndpointError: The port is in use or cannot be bound.
        """
        self._server.start()

    def close(self) -> None:
        """Stop serving. The caller must not hold the world open."""
        self._server.close()

    async def _watched(self) -> None:
        with self._live.holding.watched():
            await asyncio.Event().wait()

    def _application(self) -> web.Application:
        application = web.Application(client_max_size=_BODY_LIMIT)
        application.on_response_prepare.append(_unsigned)
        for path, serve in self._streams.items():
            application.router.add_get(path, partial(serve, self._live))
        application.router.add_route("*", "/{path:.*}", self._serve)
        return application

    async def _serve(self, incoming: web.Request) -> web.Response:
        body = await incoming.read()
        query = [*incoming.query.items()]
        if incoming.content_type == _FORM:
            # Long queries come as forms; to the service both are the same.
            query.extend((name, str(value)) for name, value in (await incoming.post()).items())
        headers = {name.lower(): value for name, value in incoming.headers.items()}
        request = Request(incoming.method, incoming.path, tuple(query), headers, body)
        try:
            with self._live.open() as world:
                answer = self._answer(world, request)
                date = formatdate(world.epoch + world.now, usegmt=True)
        except TookTooLongError:
            return web.Response(status=504, text="context deadline exceeded\n")
        except Exception:  # one request must not take the others down
            _LOG.exception("%s %s failed", incoming.method, incoming.path)
            return web.Response(status=500, text="internal error\n")
        head = {"Content-Type": answer.content_type, "Date": date, **answer.headers}
        return web.Response(status=answer.status, body=answer.body, headers=head)


async def _unsigned(_: web.Request, response: web.StreamResponse) -> None:
    """No answer says by which server it was given."""
    response.headers.popall("Server", None)

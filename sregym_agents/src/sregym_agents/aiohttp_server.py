"""aiohttp applications on loopback, whose connections end with them.

All that the gateway serves goes through here: its HTTP API with the MCP servers, and the guard.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from sregym_agents.connections import rounds, stop

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp.abc import AbstractStreamWriter

# Long label selectors and certificates in headers are still far below.
HEAD_CAP = 1_048_576
# How long a connection may rest between two requests.
_IDLE_S = 90.0
# aiohttp takes no time at all for all the time there is.
_AT_ONCE_S = 0.001

_MALFORMED = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\n\r\n400 Bad Request"
)

# What comes from outside is answered; malformed requests do not fill the harness's output.
_LOG = logging.getLogger(__name__)
_LOG.setLevel(logging.CRITICAL)


class _Malformed(web.StreamResponse):
    """The answer of Go's servers to what is no HTTP, as bytes: aiohttp's own names its server."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write all there is."""
        if request.transport is not None:
            request.transport.write(_MALFORMED)
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to write."""


class _Connection(web.RequestHandler):
    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what could not be read, and to what failed in here."""
        if status != 400:
            return super().handle_error(request, status, exc, message)
        answer = _Malformed(status=400)
        answer.force_close()
        return answer


@asynccontextmanager
async def served(
    application: web.Application, *, grace_s: float = 0.0, decompress: bool = True
) -> AsyncIterator[str]:
    """Serve on a free port of 127.0.0.1; gives the base address. No connection outlives the block.

    A handler is cancelled when its client hangs up; what must go on nevertheless is shielded.

    Args:
        application: What answers.
        grace_s: How long requests that came at the last moment may take to be answered.
        decompress: Whether bodies that were sent compressed are unpacked.
    """
    application.on_response_prepare.append(_unsigned)
    # No grace period: connections have been closed before.
    runner = web.AppRunner(
        application, handler_cancellation=True, shutdown_timeout=grace_s or _AT_ONCE_S
    )
    await runner.setup()
    try:
        connections = runner.server
        assert connections is not None  # it is set up
        loop = asyncio.get_running_loop()

        def connected() -> _Connection:
            return _Connection(
                connections,
                loop=loop,
                access_log=_LOG,
                logger=_LOG,
                keepalive_timeout=_IDLE_S,
                max_line_size=HEAD_CAP,
                max_field_size=HEAD_CAP,
                auto_decompress=decompress,
            )

        server = await loop.create_server(connected, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            await stop([server])
            open_ = [(one, one.transport) for one in connections.connections]
            if not grace_s:
                _cut(open_)
                await rounds()
            await runner.cleanup()
            # Closed, but what the far side does not take would keep it open for ever.
            _cut(open_)
            await rounds()
    finally:
        await runner.cleanup()


def _cut(connections: list[tuple[web.RequestHandler, asyncio.Transport | None]]) -> None:
    for _, transport in connections:
        if transport is not None:
            transport.abort()


async def _unsigned(_request: web.Request, answer: web.StreamResponse) -> None:
    """No answer says with what it is served."""
    answer.headers.popall("Server", None)

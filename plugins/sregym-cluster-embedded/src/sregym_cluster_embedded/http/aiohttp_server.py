"""An aiohttp application served from a background thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from typing import TYPE_CHECKING

from aiohttp import web

from sregym_cluster_embedded.http.bad_request import Handler
from sregym_cluster_embedded.http.tls_sniffer import TlsListener

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable

# What clients send that is no HTTP is answered with 400 and is no trouble of ours to be logged.
_WIRE = logging.getLogger("sregym_cluster_embedded.http.wire")
_WIRE.setLevel(logging.CRITICAL)

# How long a connection may rest between two requests.
_IDLE_S = 90.0
# How many connections may wait to be accepted.
_BACKLOG = 128
# How long `close` waits for open streams before it cuts them.
SHUTDOWN_S = 0.5
# How long the head of a request may be, as of Go's server: queries stand in addresses.
_HEAD_LIMIT = 1024 * 1024


class EndpointError(Exception):
    """An endpoint could not be served; the message says what to do."""


class BackgroundServer:
    """Serves an application on 127.0.0.1 until closed.

    Args:
        build: Makes the application; called in the serving thread.
        port: 0 for a free one.
        background: Runs beside the application in the same loop until the server closes.
        secure: For TLS; plain HTTP without.
    """

    def __init__(
        self,
        build: Callable[[], web.Application],
        port: int = 0,
        background: Callable[[], Awaitable[None]] | None = None,
        secure: ssl.SSLContext | None = None,
    ) -> None:
        self._secure = secure
        self._build = build
        self._wanted_port = port
        self._background = background
        # Made when serving begins: a loop that never runs would leave its sockets open.
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Base address without a slash at its end."""
        return f"{'https' if self._secure else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Bind and serve; returns when requests are answered.

        Raises:
            EndpointError: The port cannot be bound.
        """
        self._thread = threading.Thread(target=self._run, name="endpoint", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is None:
            return
        self._thread.join()
        if self._failure.errno == errno.EADDRINUSE:
            message = (
                f"port {self._wanted_port} on 127.0.0.1 is in use by another process: "
                "choose another port, or 0 for a free one"
            )
        else:
            message = f"cannot listen on 127.0.0.1:{self._wanted_port}: {self._failure.strerror}"
        raise EndpointError(message)

    def close(self) -> None:
        """Stop serving and end the thread; open streams are cut. May be called twice.

        The caller must not hold the lock of the world that is served.
        """
        if self._thread is None or self._loop is None or not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(self._serve())
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        runner = web.AppRunner(
            self._build(), handler_cancellation=True, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        manager = runner.server
        assert manager is not None

        def handler() -> Handler:
            return Handler(
                manager,
                loop=loop,
                access_log=_WIRE,
                keepalive_timeout=_IDLE_S,
                logger=_WIRE,
                max_line_size=_HEAD_LIMIT,
                max_field_size=_HEAD_LIMIT,
            )

        server: asyncio.Server | TlsListener | None = None
        try:
            try:
                listener = socket.create_server(("127.0.0.1", self._wanted_port), backlog=_BACKLOG)
            except OSError as failure:
                self._failure = failure
                return
            listener.setblocking(False)
            self.port = listener.getsockname()[1]
            beside = [asyncio.ensure_future(self._background())] if self._background else []
            if self._secure is None:
                server = await loop.create_server(handler, sock=listener)
            else:
                server = TlsListener(listener, handler, self._secure)
            self._ready.set()
            await self._stop.wait()
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        finally:
            if server is not None:
                server.close()
            left = [entry.transport for entry in manager.connections]
            await runner.cleanup()
            # A transport whose client does not read waits for ever to close: cut those, and let
            # the loop close their sockets before it is closed itself.
            for transport in left:
                if transport is not None:
                    transport.abort()
            await asyncio.sleep(0)

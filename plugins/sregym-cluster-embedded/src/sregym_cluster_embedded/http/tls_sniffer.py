"""The first bytes of connections to a TLS server: plain HTTP gets a 400 response."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

_PLAIN = (b"GET /", b"HEAD ", b"POST ", b"PUT /", b"OPTIO")
_TOLD = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
# How long a client may take to begin, and how long there is no place for another one.
_SILENT_S, _FULL_S = 10.0, 0.1


class TlsListener:
    """Hands the connections of a listening socket to handlers; belongs to the running loop.

    Callbacks and no task until a client has begun: clients open many connections.
    """

    def __init__(
        self,
        listener: socket.socket,
        handler: Callable[[], asyncio.Protocol],
        secure: ssl.SSLContext,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._handler = handler
        self._secure = secure
        self._silent: dict[socket.socket, asyncio.TimerHandle] = {}
        self._served: dict[asyncio.Task[None], None] = {}
        self._open()

    def close(self) -> None:
        """Stop listening, and leave those whom no handler has yet."""
        self._loop.remove_reader(self._listener)
        self._listener.close()
        for connection in tuple(self._silent):
            self._leave(connection)
        for task in tuple(self._served):
            task.cancel()

    def _open(self) -> None:
        if self._listener.fileno() >= 0:
            self._loop.add_reader(self._listener, self._arrived)

    def _arrived(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError:  # too many open files, for one
                self._loop.remove_reader(self._listener)
                self._loop.call_later(_FULL_S, self._open)
                return
            connection.setblocking(False)
            self._silent[connection] = self._loop.call_later(_SILENT_S, self._leave, connection)
            self._loop.add_reader(connection, self._begun, connection)

    def _leave(self, connection: socket.socket) -> None:
        self._silent.pop(connection).cancel()
        self._loop.remove_reader(connection)
        connection.close()

    def _begun(self, connection: socket.socket) -> None:
        try:
            first = connection.recv(5, socket.MSG_PEEK)
        except OSError:
            self._leave(connection)
            return
        if first in _PLAIN:
            with suppress(OSError):
                connection.recv(65536)  # what was not read would reset the connection
                connection.sendall(_TOLD)
            self._leave(connection)
            return
        self._silent.pop(connection).cancel()
        self._loop.remove_reader(connection)
        task = asyncio.ensure_future(self._serve(connection))
        self._served[task] = None
        task.add_done_callback(self._served.pop)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._handler, connection, ssl=self._secure)
        except OSError:  # no TLS, or none that both know
            connection.close()

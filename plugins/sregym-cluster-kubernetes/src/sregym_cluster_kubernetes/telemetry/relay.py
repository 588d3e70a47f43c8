"""A service of the cluster on loopback, for clients that only know addresses."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from sregym_core.interfaces import ServiceAnswer

_MOST_BODY = 1 << 20
_POLL_S = 0.05


class Relay:
    """Passes GET and POST on, from when the block begins to its end.

    Args:
        service: The service that gets the requests.
        asked: Answers: name, path, parameters and method.
    """

    def __init__(
        self,
        service: str,
        asked: Callable[[str, str, Sequence[tuple[str, str]], str], ServiceAnswer],
    ) -> None:
        class Handler(_Handler):
            def answer(
                self, path: str, query: Sequence[tuple[str, str]], method: str
            ) -> ServiceAnswer:
                return asked(service, path, query, method)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Relay:
        """Listen."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, path: str, query: Sequence[tuple[str, str]], method: str) -> ServiceAnswer:
        raise NotImplementedError

    def do_GET(self) -> None:
        self._pass_on("")

    def do_POST(self) -> None:
        length = min(int(self.headers.get("Content-Length") or 0), _MOST_BODY)
        # Forms are how clients send long queries; services read the same from the address.
        self._pass_on(self.rfile.read(length).decode(errors="replace"))

    def _pass_on(self, form: str) -> None:
        parts = urlsplit(self.path)
        query = [
            *parse_qsl(parts.query, keep_blank_values=True),
            *parse_qsl(form, keep_blank_values=True),
        ]
        try:
            answer = self.answer(parts.path, query, self.command)
        except ClusterError as error:
            self._send(502, f"{error.message}\n".encode(), "text/plain; charset=utf-8")
        else:
            self._send(answer.status, answer.body, answer.content_type)

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Drop the line: no log of requests is kept."""

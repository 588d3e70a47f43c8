"""A provider of language models on loopback."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from sregym_agents.testing.protocols import JSON, PROTOCOLS, Answer, Protocol
from sregym_agents.testing.script import Turn, final_message

if TYPE_CHECKING:
    from collections.abc import Iterator


class Provider(ThreadingHTTPServer):
    """Speaks OpenAI's, Anthropic's and Google's protocols and returns what a test scripts.

    Each request that offers tools is answered with the next turn of `script`, the last one for
    ever. Requests without tools, by which some clients ask for titles and the like, get words.

    Attributes:
        script: What to say.
        status: Of all answers; everything but 200 is a refusal.
        asked: Bodies of the requests that took a turn.
        offered: Names of the tools that each of them offered.
        aside: Bodies of requests to a model that offered no tools.
        others: Requests to other addresses, as `METHOD path`.
        keys: What requests to a model were authorized with.
    """

    daemon_threads = True

    def __init__(self, *script: Turn) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Turn] = list(script) or [final_message("I am done.")]
        self.status = 200
        self.asked: list[dict[str, Any]] = []
        self.offered: list[tuple[str, ...]] = []
        self.aside: list[dict[str, Any]] = []
        self.others: list[str] = []
        self.keys: list[str] = []
        self._turns = threading.Lock()

    @property
    def url(self) -> str:
        """Base address, without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, protocol: Protocol, path: str, body: dict[str, Any], key: str) -> Answer:
        """The next turn."""
        with self._turns:
            self.keys.append(key)
            if self.status != 200:
                self.asked.append(body)
                refusal = {"type": "error", "error": {"type": "refused", "message": "not today"}}
                return Answer(JSON, json.dumps(refusal).encode())
            offered = tuple(protocol.tools(body))
            if not offered:
                self.aside.append(body)
                return protocol.answer(path, body, final_message("Nothing to add."), 0)
            self.asked.append(body)
            self.offered.append(offered)
            number = len(self.asked)
            return protocol.answer(
                path, body, self.script[min(number, len(self.script)) - 1], number
            )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Provider

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        for protocol in PROTOCOLS:
            if path.endswith(protocol.path):
                key = self.headers.get("Authorization") or self.headers.get("x-api-key")
                key = key or self.headers.get("x-goog-api-key") or ""
                answer = self.server.answer(protocol, path, json.loads(content), key)
                self._send(self.server.status, answer)
                return
        self._other()

    def do_GET(self) -> None:
        self._other()

    do_HEAD = do_GET

    def _other(self) -> None:
        self.server.others.append(f"{self.command} {self.path}")
        self._send(404, Answer(JSON, b'{"error": {"message": "not here"}}'))

    def _send(self, status: int, answer: Answer) -> None:
        self.send_response(status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.content)

    def log_message(self, *_: object) -> None:
        """Silence."""


@contextmanager
def provider(*script: Turn) -> Iterator[Provider]:
    """A provider that serves during the block."""
    with Provider(*script) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="provider")
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

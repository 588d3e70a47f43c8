"""Sessions that hand out a kubeconfig, and a product that takes webhooks."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from sregym_agents.testing.sessions import folder, new_session, provision

__all__ = ["folder", "new_session", "provision"]


class Product(ThreadingHTTPServer):
    """Takes webhooks; its answers to an incident are what a test scripts.

    Attributes:
        received: Headers and content of each message.
        texts: What it hands in when an incident opens, before it answers the webhook.
        status: Its answer to an opening incident.
        hang: While it is not set, nothing is answered.
        hanging: Whether it keeps somebody waiting.
    """

    # Each answer is awaited when the server closes, so that nothing outlives a test.
    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[tuple[dict[str, str], bytes, Any]] = []
        self.texts: tuple[str, ...] = ("the cart", "repaired")
        self.status = 200
        self.hanging = False
        self.hang = threading.Event()
        self.hang.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/incidents"


class _Handler(BaseHTTPRequestHandler):
    server: Product

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        content = json.loads(body)
        self.server.received.append((dict(self.headers), body, content))
        opened = content["event"] == "incident.opened"
        if opened:
            self.server.hanging = not self.server.hang.is_set()
        for text in self.server.texts if opened else ():
            self._submit(content["session"], text)
        if opened:
            self.server.hang.wait(30)
            self.server.hanging = False
        self.send_response(self.server.status if opened else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _submit(self, session: dict[str, Any], text: str) -> None:
        request = urllib.request.Request(
            f"{session['endpoints']['gateway']}/submit",
            json.dumps({"text": text}).encode(),
            {"Authorization": f"Bearer {session['token']}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def product() -> Iterator[Product]:
    with Product() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.hang.set()
        server.shutdown()
        thread.join()

"""Services of observability at addresses that the user named."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from sregym_cluster_kubernetes.telemetry.service_requests import request_service
from sregym_core.interfaces import ClusterError, ServiceAnswer


class Echo(BaseHTTPRequestHandler):
    """Answers with the first line of the request."""

    def do_GET(self) -> None:
        self.send_response(422 if "wrong" in self.path else 200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(f"{self.command} {self.path}".encode())

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def base() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/prefix/"
        server.shutdown()
        thread.join()


def test_path_and_query_arrive(base: str) -> None:
    query = [("query", "up{a='b c'}"), ("match[]", "x"), ("match[]", "y")]
    assert request_service("prometheus", base, "/api/v1/query", query, "GET") == ServiceAnswer(
        200,
        b"GET /prefix/api/v1/query?query=up%7Ba%3D%27b+c%27%7D&match%5B%5D=x&match%5B%5D=y",
        "text/plain",
    )


def test_refusals_are_answers(base: str) -> None:
    assert request_service("loki", base, "/wrong", [], "GET").status == 422


def test_who_does_not_answer_is_named() -> None:
    with pytest.raises(ClusterError) as silent:
        request_service("loki", "http://127.0.0.1:1", "/ready", [], "GET")
    assert silent.value.message.startswith("service 'loki' at http://127.0.0.1:1 does not answer: ")
    assert silent.value.message.endswith("; see option 'loki' of the cluster")

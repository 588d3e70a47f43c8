"""What is no HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.server import ApiEndpoint


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ApiEndpoint]:
    with ApiEndpoint(LiveWorld(build(Blueprint(seed=3)))) as serving:
        yield serving


@pytest.mark.parametrize(
    "sent",
    [
        b"garbage\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_and_the_connection_closed(
    endpoint: ApiEndpoint, sent: bytes
) -> None:
    received = b""
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=60) as connection:
        connection.sendall(sent)
        while piece := connection.recv(65536):
            received += piece
    assert received == (
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        b"Connection: close\r\n\r\n400 Bad Request"
    )

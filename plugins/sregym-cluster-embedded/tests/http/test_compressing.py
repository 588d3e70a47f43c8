"""Large answers for clients that can unpack them."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.compressing import compressed
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.server import ApiEndpoint

LARGE, MIDDLING = b"x" * (128 * 1024 + 1), b"x" * (128 * 1024)


@pytest.mark.parametrize(
    ("path", "accepted", "content", "body", "expected"),
    [
        ("/api/v1/pods", "gzip", "application/json", LARGE, True),
        ("/api/v1/pods", "deflate, gzip", "application/yaml", LARGE, True),
        ("/api/v1/pods", "gzip", "application/json", MIDDLING, False),
        ("/api/v1/pods", "deflate", "application/json", LARGE, False),
        ("/api/v1/pods", "gzip;q=0", "application/json", LARGE, False),
        ("/api/v1/namespaces/a/pods/b/log", "gzip", "text/plain", LARGE, False),
        ("/api/v1/namespaces/a/pods/b/proxy/c", "gzip", "application/json", LARGE, False),
        ("/openapi/v3/api/v1", "gzip", "application/json", LARGE, False),
        ("/openapi/v2", "gzip", "application/json", b"x" * 1401, True),
        ("/openapi/v2", "gzip", "application/json", b"x" * 1400, False),
    ],
)
def test_what_is_compressed(
    path: str, accepted: str, content: str, body: bytes, expected: bool
) -> None:
    packed = compressed(path, accepted, Response(200, body, content), body)
    assert (packed is not None) is expected
    assert packed is None or gzip.decompress(packed) == body


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ApiEndpoint]:
    with ApiEndpoint(LiveWorld(build(Blueprint(seed=3)))) as serving:
        yield serving


def test_a_large_list_is_the_same_packed(endpoint: ApiEndpoint) -> None:
    maps = "/api/v1/namespaces/default/configmaps"

    def ask(method: str, path: str, body: Any = None, **headers: str) -> tuple[Any, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=60)
        connection.request(method, path, None if body is None else orjson.dumps(body), headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.headers, data

    ask("POST", maps, {"metadata": {"name": "large"}, "data": {"a": "y" * 140_000}})
    headers, plain = ask("GET", f"{maps}/large")
    assert (headers["Content-Encoding"], headers["Vary"]) == (None, None)
    headers, packed = ask("GET", f"{maps}/large", **{"Accept-Encoding": "gzip"})
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert int(headers["Content-Length"]) == len(packed) < 2_000
    assert gzip.decompress(packed) == plain

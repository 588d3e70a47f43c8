"""What the client raises, with the error texts of the API server."""

from __future__ import annotations

import json

import pytest
from kubernetes.client.exceptions import ApiException
from sregym_cluster_kubernetes.failure import cluster_error, unreachable

STATUS = json.dumps({"kind": "Status", "reason": "NotFound", "message": 'pods "a" not found'})


def exception(status: int, reason: str = "", body: object = None) -> ApiException:
    error = ApiException(status=status, reason=reason)
    error.body = body
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (exception(404, "Not Found", STATUS), (404, "NotFound", 'pods "a" not found')),
        (exception(404, "Not Found", STATUS.encode()), (404, "NotFound", 'pods "a" not found')),
        (exception(502, "Bad Gateway", "<html>"), (502, "", "502 <html>")),
        (exception(503, "Unavailable"), (503, "", "503 Unavailable")),
        (exception(0), (0, "", "no reason was given")),
        (
            exception(
                0, f"Handshake status 404 Not Found -+-+- {{'a': 'b'}} -+-+- {STATUS.encode()!r}"
            ),
            (404, "NotFound", 'pods "a" not found'),
        ),
        (
            exception(0, f"Handshake status 404 Not Found -+-+- {{'a': 'b'}} -+-+- {STATUS}\n"),
            (404, "NotFound", 'pods "a" not found'),
        ),
        (
            exception(0, "Handshake status 403 Forbidden -+-+- {} -+-+- b''"),
            (403, "", "403 Forbidden"),
        ),
        (
            exception(
                0, "Handshake status 404 Not Found -+-+- {} -+-+- b'container not found (\"c\")'"
            ),
            (404, "", '404 container not found ("c")'),
        ),
    ],
)
def test_words_of_the_server(error: ApiException, expected: tuple[int, str, str]) -> None:
    found = cluster_error(error)
    assert (found.status, found.reason, found.message) == expected


def test_no_answer() -> None:
    assert unreachable(OSError("refused")) == (
        "the cluster does not answer: refused; check it with: sregym doctor --cluster kubeconfig"
    )

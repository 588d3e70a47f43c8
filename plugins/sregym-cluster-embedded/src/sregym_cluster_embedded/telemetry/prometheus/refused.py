"""Requests that a Prometheus with default flags refuses."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.api.request import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT = "text/plain; charset=utf-8"
_CHANGING = ("POST", "PUT")
_LIFECYCLE = {
    "GET": Response(405, b"Only POST or PUT requests allowed", _TEXT),
    **dict.fromkeys(_CHANGING, Response(403, b"Lifecycle API is not enabled.", _TEXT)),
}


def failure(code: int, kind: str, message: str) -> Response:
    """An error in the API's form."""
    body = {"status": "error", "errorType": kind, "error": message}
    return Response(code, orjson.dumps(body))


_ADMIN = dict.fromkeys(_CHANGING, failure(500, "unavailable", "admin APIs disabled"))
_NO_RECEIVER = (
    b"remote write receiver needs to be enabled with --enable-feature=remote-write-receiver\n"
)
# By path and method.
REFUSED: Mapping[str, Mapping[str, Response]] = MappingProxyType(
    {
        "/-/quit": _LIFECYCLE,
        "/-/reload": _LIFECYCLE,
        "/api/v1/admin/tsdb/clean_tombstones": _ADMIN,
        "/api/v1/admin/tsdb/delete_series": _ADMIN,
        "/api/v1/admin/tsdb/snapshot": _ADMIN,
        "/api/v1/series": {"DELETE": failure(500, "internal", "not implemented")},
        "/api/v1/write": {"POST": Response(404, _NO_RECEIVER, _TEXT)},
    }
)

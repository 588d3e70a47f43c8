"""The Status object with which a transport answers what never reached the API."""

from __future__ import annotations

from typing import Any

import orjson

from sregym_cluster_embedded.api.request import Response

# What the API server says of a request that it did not get done.
TIMED_OUT = "Timeout: request did not complete within the allotted timeout"
# The exit code of a process that was killed.
KILLED = 137

_REASONS = {
    400: "BadRequest",
    403: "Forbidden",
    404: "NotFound",
    410: "Expired",
    413: "RequestEntityTooLarge",
    500: "InternalError",
    501: "NotImplemented",
    504: "Timeout",
}


def failure(code: int, message: str) -> dict[str, Any]:
    """A Status of kind Failure with the reason that belongs to `code`."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": _REASONS[code],
        "code": code,
    }


def failure_response(code: int, message: str) -> Response:
    """The same as a whole answer."""
    return Response(code, orjson.dumps(failure(code, message)))

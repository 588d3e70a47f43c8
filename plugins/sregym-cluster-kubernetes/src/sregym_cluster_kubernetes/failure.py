"""Errors of the official client in the words of the API server."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from kubernetes.client.exceptions import ApiException

# The websocket library puts the whole answer to its upgrade into one line: status, headers, body.
# The body is text or, with other versions of the client, what Python prints for bytes.
_HANDSHAKE = re.compile(r"Handshake status (\d+) (.*?) -\+-\+- .*? -\+-\+- (.*)$", re.DOTALL)
_BYTES = re.compile(r"""b(?:'.*'|".*")""")


def cluster_error(error: ApiException) -> ClusterError:
    """The Status object of an answer, or whatever it says instead."""
    found = _HANDSHAKE.search(str(error.reason or ""))
    if found is not None:
        text = found[3].strip()
        if _BYTES.fullmatch(text):
            text = ast.literal_eval(text).decode(errors="replace")
        return _answered(int(found[1]), text, found[2])
    body = error.body.decode(errors="replace") if isinstance(error.body, bytes) else error.body
    return _answered(int(error.status or 0), body or "", str(error.reason or ""))


def _answered(code: int, body: str, reason: str) -> ClusterError:
    try:
        status: Any = json.loads(body)
    except ValueError:
        status = None
    if isinstance(status, dict):
        return ClusterError(code, str(status.get("reason", "")), str(status.get("message", "")))
    text = body.strip() or reason or "no reason was given"
    return ClusterError(code, "", f"{code} {text}" if code else text)


def unreachable(error: Exception) -> str:
    """One line for a cluster that does not answer."""
    return (
        f"the cluster does not answer: {error}; check it with: sregym doctor --cluster kubeconfig"
    )

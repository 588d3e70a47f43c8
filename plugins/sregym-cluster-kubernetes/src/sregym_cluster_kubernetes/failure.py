"""Errors of the official client in the words of the API server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from kubernetes.client.exceptions import ApiException


def cluster_error(error: ApiException) -> ClusterError:
    """The Status object of an answer, or whatever it says instead."""
    code = int(error.status or 0)
    body = error.body.decode(errors="replace") if isinstance(error.body, bytes) else error.body
    try:
        status: Any = json.loads(body or "")
    except ValueError:
        status = None
    if isinstance(status, dict):
        return ClusterError(code, str(status.get("reason", "")), str(status.get("message", "")))
    text = body or error.reason or "no reason was given"
    return ClusterError(code, "", f"{code} {text}" if code else str(text))


def unreachable(error: Exception) -> str:
    """One line for a cluster that does not answer."""
    return (
        f"the cluster does not answer: {error}; check it with: sregym doctor --cluster kubeconfig"
    )

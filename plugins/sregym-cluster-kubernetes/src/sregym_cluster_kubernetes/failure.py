"""Errors of the official client as error texts of the API server."""

from __future__ import annotations

import ast
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import DynamicApiError, ResourceNotFoundError
from sregym_core.errors import WorldError
from sregym_core.interfaces import ClusterError
from urllib3.exceptions import HTTPError

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the client raises into the API server's own words."""
    try:
        yield
    except ResourceNotFoundError as error:
        raise ClusterError(404, "NotFound", str(error)) from error
    except (ApiException, DynamicApiError) as error:
        raise cluster_error(error) from error
    except HTTPError as error:
        raise WorldError(unreachable(error)) from error

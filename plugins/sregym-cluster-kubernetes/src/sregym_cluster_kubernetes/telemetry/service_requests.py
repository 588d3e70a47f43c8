"""HTTP requests to services of observability: at their addresses, or through the API server's proxy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import urllib3
from sregym_core.interfaces import ClusterError, ServiceAnswer
from urllib3.exceptions import HTTPError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubernetes.client import ApiClient

    from sregym_cluster_kubernetes.telemetry.places import ServicePlace

TIMEOUT_S = 60.0


def request_service(
    service: str,
    base: str,
    path: str,
    query: Sequence[tuple[str, str]],
    method: str,
    body: bytes = b"",
) -> ServiceAnswer:
    """What a service answers.

    Args:
        service: Its name, for errors.
        base: Its address; a path in it stays in front.
        path: Of the request.
        query: Its parameters.
        method: HTTP method.
        body: JSON that is sent with it.

    Raises:
        ClusterError: There is no answer.
    """
    # Parameters of a POST belong into the address too: all these services read them there.
    asked = f"?{urlencode(list(query))}" if query else ""
    url = f"{base.rstrip('/')}{path}{asked}"
    try:
        with urllib3.PoolManager(retries=False, timeout=TIMEOUT_S) as pool:
            answer = pool.request(method, url, headers=_kind(body), body=body or None)
    except HTTPError as error:
        msg = f"service {service!r} at {base} does not answer: {error}; see option {service!r} of the cluster"
        raise ClusterError(0, "", msg) from error
    return _answered(answer)


def request_through_proxy(
    client: ApiClient,
    service: str,
    place: ServicePlace,
    path: str,
    query: Sequence[tuple[str, str]],
    method: str,
    body: bytes = b"",
) -> ServiceAnswer:
    """What a service answers through the API server's proxy.

    Args:
        client: Of the API server, with its credentials.
        service: Its name, for errors.
        place: Its Service.
        path: Of the request.
        query: Its parameters.
        method: HTTP method.
        body: JSON that is sent with it.

    Raises:
        ClusterError: The API server refuses, or there is nothing behind the Service.
    """
    configuration = client.configuration
    headers = {
        str(setting["key"]): str(setting["value"])
        for setting in configuration.auth_settings().values()
        if setting["in"] == "header" and setting["value"]
    }
    asked = f"?{urlencode(list(query))}" if query else ""
    url = f"{configuration.host.rstrip('/')}{place.proxied(path)}{asked}"
    try:
        answer = client.rest_client.pool_manager.request(
            method, url, headers=headers | _kind(body), body=body or None, timeout=TIMEOUT_S
        )
    except HTTPError as error:
        msg = f"service {service!r} at {place} cannot be asked, since the cluster does not answer: {error}"
        raise ClusterError(0, "", msg) from error
    refusal = _refusal(answer)
    if refusal is not None:
        msg = f"service {service!r} at {place} does not answer: {refusal.message}; see option {service!r} of the cluster"
        raise ClusterError(refusal.status, refusal.reason, msg)
    return _answered(answer)


def _kind(body: bytes) -> dict[str, str]:
    return {"Content-Type": "application/json"} if body else {}


def _answered(answer: urllib3.BaseHTTPResponse) -> ServiceAnswer:
    kind = answer.headers.get("content-type", "application/octet-stream")
    return ServiceAnswer(answer.status, answer.data, kind)


def _refusal(answer: urllib3.BaseHTTPResponse) -> ClusterError | None:
    """What the API server says instead of passing a request on; None when it passed it on."""
    if answer.status < 400:
        return None
    try:
        content = json.loads(answer.data)
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("kind") != "Status":
        return None
    return ClusterError(
        answer.status, str(content.get("reason", "")), str(content.get("message", ""))
    )

"""Admission webhooks on this machine: real HTTPS calls to loopback, nowhere else.

A cluster that is served may ask a webhook that its user is developing. The world stands still
while it waits, so a webhook must not ask the same cluster before it answers.
"""

from __future__ import annotations

import http.client
import ssl
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sregym_cluster_embedded.api.dynamic.webhook_client import Answer, Call, CallFailed, unreachable
from sregym_cluster_embedded.api.keys import WEBHOOKS

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_VERIFY = "tls: failed to verify certificate: x509: "


def reach_loopback(world: World) -> None:
    """Let webhooks at `https://127.0.0.1:PORT/...` be called, where nothing else answers calls."""
    if world.service_or_none(WEBHOOKS) is None:
        offered = WEBHOOKS.offer(call_loopback)
        services = MappingProxyType({**world.spec.services, **offered})
        world.spec = replace(world.spec, services=services)


def call_loopback(world: World, call: Call) -> Answer:
    """The answer of a server on this machine.

    Raises:
        CallFailed: With the error text of Go's client.
    """
    parts = urlsplit(call.url)
    host, port = parts.hostname or "", parts.port or 443
    if call.address or host not in _LOOPBACK:
        return unreachable(world, call)
    try:
        context = ssl.create_default_context(cadata=call.ca_bundle.decode() or None)
    except (ssl.SSLError, UnicodeDecodeError):
        text = "unable to load root certificates: unable to parse bytes as PEM block"
        raise CallFailed(text) from None
    target = f"{parts.path or '/'}?{parts.query}"
    connection = http.client.HTTPSConnection(host, port, timeout=call.timeout_s, context=context)
    try:
        headers = {"Content-Type": "application/json", "Accept": "application/json, */*"}
        connection.request("POST", target, call.body, headers)
        response = connection.getresponse()
        kind = response.headers.get("Content-Type", "")
        return Answer(response.status, response.read(), kind)
    except (OSError, http.client.HTTPException) as error:
        raise CallFailed(_words(error, host, port)) from None
    finally:
        connection.close()


def _words(error: Exception, host: str, port: int) -> str:
    if isinstance(error, TimeoutError):
        return "context deadline exceeded"
    if isinstance(error, ConnectionRefusedError):
        address = "127.0.0.1" if host == "localhost" else host
        return f"dial tcp {address}:{port}: connect: connection refused"
    if isinstance(error, ssl.SSLCertVerificationError):
        if "Hostname mismatch" in error.verify_message or "IP address" in error.verify_message:
            return f"{_VERIFY}cannot validate certificate for {host} because it doesn't contain any IP SANs"
        if "expired" in error.verify_message:
            return f"{_VERIFY}certificate has expired or is not yet valid"
        return f"{_VERIFY}certificate signed by unknown authority"
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return "http: server gave HTTP response to HTTPS client"
    return "EOF"

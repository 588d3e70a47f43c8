"""What a failed call is called by the caller, where the service model has no words of its own.

The words of each protocol stand in its `sregym_apps.simulation.WireProtocol`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import Client, expand

if TYPE_CHECKING:
    from collections.abc import Mapping

# A name that was not found, by what the name server did; Go's resolver tells them apart.
_LOOKUPS = {
    "nxdomain": "lookup ${host} on ${dns}:53: no such host",
    "timeout": "lookup ${host} on ${dns}:53: read udp ${pod_ip}:43210->${dns}:53: i/o timeout",
    "refused": "lookup ${host} on ${dns}:53: read udp ${pod_ip}:43210->${dns}:53: read: connection refused",
    "servfail": "lookup ${host} on ${dns}:53: server misbehaving",
}


def lookup_text(status: str, facts: Mapping[str, str]) -> str:
    """Why a name was not found; `status` as the network has it."""
    return expand(_LOOKUPS.get(status, _LOOKUPS["nxdomain"]), facts)


def error_text(client: Client, kind: str, facts: Mapping[str, str], inner: str = "") -> str:
    """The error as the client's caller gets it."""
    given: Mapping[str, str] = client.errors  # type: ignore[assignment]  # any kind is asked for
    own, wire = given.get(kind), client.wire
    # An error of the kind that the protocol hands on as it is keeps its words.
    handed_on = bool(wire.transparent) and kind == "server" and inner.startswith(wire.transparent)
    # So do the error texts of a server that takes no more connections.
    handed_on = handed_on or (kind == "overloaded" and bool(inner))
    if kind == "tls" and inner:
        # Made of them and of what is said against a certificate.
        return expand(inner, facts)
    template = own or ("${error}" if handed_on else wire.error(kind))
    # Most words have no place for facts, and these are put together for each failing call.
    return expand(template, {**facts, "error": inner}) if "${" in template else template

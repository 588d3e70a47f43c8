"""A shell and a server that agree on TLS, or what the shell says when they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import (
    NO_CERTIFICATE,
    NOT_SECURED,
    Refusal,
    certificates,
    machine_clock,
)

from sregym_server_mongodb.encryption import secured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.commands import Session
    from sregym_cluster_embedded.sdk.servers import Process

_ON = ("tls", "ssl")
_CREDULOUS = ("tlsAllowInvalidCertificates", "sslAllowInvalidCertificates", "tlsInsecure")


def disagreement(
    session: Session, server: Process, given: Mapping[str, str], url: str, host: str
) -> Refusal | None:
    """Why a shell does not get through to a server; None when it does.

    Args:
        session: Where the shell runs.
        server: Which it has reached.
        given: Its options.
        url: Its operand.
        host: The name by which it calls the server.
    """
    asked = any(name in given for name in _ON) or any(f"{name}=true" in url for name in _ON)
    offered = secured(server)
    if offered is None:
        return Refusal("protocol", NOT_SECURED) if asked else None
    if not asked:
        return offered.plain
    if not any(name in given for name in _CREDULOUS):
        known = certificates.read(_file(session, given.get("authorities", "")))
        shown = offered.certificate
        trusted = known is not None and known.subject == shown.issuer
        now = machine_clock(session.world, session.process.config.node)
        said = certificates.complaint(shown, host, now, trusted=trusted)
        if said:
            return Refusal("tls", said)
    if offered.authorities and not offered.anonymous:
        own = certificates.read(_file(session, given.get("certificate", "")))
        signers = certificates.read(offered.authorities)
        if own is None or signers is None or own.issuer != signers.subject:
            return Refusal("protocol", NO_CERTIFICATE)
    return None


def handshake_message(
    refusal: Refusal, name: str, host: str, port: int, names: tuple[str, ...]
) -> str:
    """The words of a shell for it.

    Args:
        refusal: Why.
        name: `mongo` or `mongosh`.
        host: Of the server.
        port: Of the server.
        names: For which the server's certificate is good.
    """
    mismatch = refusal.kind == "tls" and refusal.text.startswith("no name")
    if name == "mongosh":
        why = f"connection <monitor> to {host}:{port} closed"
        if mismatch:
            alternatives = ", ".join(f"DNS:{one}" for one in names)
            why = (
                "Hostname/IP does not match certificate's altnames: "
                f"Host: {host}. is not in the cert's altnames: {alternatives}"
            )
        elif refusal.kind == "tls":
            why = refusal.text
        return f"MongoServerSelectionError: {why}\n"
    if refusal.kind == "protocol":
        return f"network error while attempting to run command 'isMaster' on host '{host}:{port}' "
    why = f"SSL peer certificate validation failed: {refusal.text}"
    if mismatch:
        why = (
            "The server certificate does not match the host name. "
            f"Hostname: {host} does not match SAN(s): {' '.join(names)}"
        )
    head = f"couldn't connect to server {host}:{port}, connection attempt failed: "
    return f"{head}SSLHandshakeFailed: {why}"


def _file(session: Session, path: str) -> str:
    return (session.files.read(session.path(path)) or "") if path else ""

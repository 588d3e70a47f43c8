"""Clients and servers that agree on TLS before a word is said, or do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import Client, expand

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network import certificates
from sregym_cluster_embedded.network.trust import distrust
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import Refusal

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.kinds.kind import Secured
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_PLAIN = ("", "0", "allow", "disable", "disabled", "false", "no", "off")
_PREFERS, _ANYBODY, _ANY_NAME = "prefer", "require", "verify-ca"
_DATES = ("certificate has expired", "certificate is not yet valid")
_SIGNERS = ("self-signed certificate", "unable to get local issuer certificate")
# What a server knows of its clients' ends.
NO_CERTIFICATE, NOT_SECURED = "no certificate", "not secured"


def client_uses_tls(client: Client) -> bool:
    """Whether a client with its settings filled in encrypts its connections whatever the server does."""
    mode = client.tls.strip().lower()
    return mode not in _PLAIN and mode != _PREFERS


def handshake(
    world: World, caller: Process, server: Process, client: Client, listener: str, host: str
) -> Refusal | None:
    """Why a client and a server do not come to terms about TLS; None when they do.

    Args:
        world: The cluster.
        caller: The client's process: its files and the clock of its node count.
        server: The process at the other end.
        client: With its settings filled in.
        listener: Where its connection ends.
        host: The server's name, as the client has it.
    """
    mode = client.tls.strip().lower()
    runtime: Runtime = world.service(RUNTIME)
    if runtime.program_of(server) is None:
        return None
    kind = runtime.kind_of(server)
    offered = kind.secured(world, server, server.behaviour, listener)
    if offered is None:
        return Refusal("protocol", NOT_SECURED) if client_uses_tls(client) else None
    if mode in _PLAIN:
        return offered.plain
    if mode not in (_PREFERS, _ANYBODY):
        refused = _untrusted(world, caller, client, host, offered, mode)
        if refused is not None:
            return refused
    return _unknown(world, caller, server, client, offered)


def _untrusted(
    world: World, caller: Process, client: Client, host: str, offered: Secured, mode: str
) -> Refusal | None:
    """What the client says against the certificate of the server."""
    shown, now = offered.certificate, _minute(world, caller)
    if mode == _ANY_NAME:
        host = (shown.names or (host,))[0].replace("*", "any")
    bundle = _read(world, caller, client.trusted)
    said = distrust(shown, host, bundle, now)
    if not said:
        return None
    known = certificates.read(bundle)
    trusted = known is not None and known.subject == shown.issuer
    reason = certificates.complaint(shown, host, now, trusted=trusted)
    words = client.errors.get("tls") or client.wire.error("tls")
    facts = {"error": said, "reason": reason, "java": _in_java(reason, host)}
    return Refusal("tls", expand(words, facts))


def _in_java(reason: str, host: str) -> str:
    """What the client of a JDK says where OpenSSL gives a reason."""
    if reason in _DATES:
        why = "java.security.cert.CertPathValidatorException: validity check failed"
        return f"PKIX path validation failed: {why}"
    if reason in _SIGNERS:
        why = "unable to find valid certification path to requested target"
        name = "sun.security.provider.certpath.SunCertPathBuilderException"
        return f"PKIX path building failed: {name}: {why}"
    return f"No subject alternative DNS name matching {host} found."


def _unknown(
    world: World, caller: Process, server: Process, client: Client, offered: Secured
) -> Refusal | None:
    """What the server says against the certificate of the client, by its own clock."""
    if not offered.authorities:
        return None
    shown = certificates.read(_read(world, caller, client.certificate))
    if shown is None:
        return None if offered.anonymous else Refusal("protocol", NO_CERTIFICATE)
    now = _minute(world, server)
    host = (shown.names or (shown.subject,))[0].replace("*", "any")
    said = distrust(shown._replace(names=(host,)), host, offered.authorities, now)
    return Refusal("protocol", said) if said else None


def _minute(world: World, process: Process) -> float:
    """The clock of a process's node, whose minutes its words tell: they stay the same for as long."""
    now = machines.clock(world, process.config.node)
    return now - now % 60


def _read(world: World, process: Process, path: str) -> str:
    runtime: Runtime = world.service(RUNTIME)
    return (runtime.files(world, process).read(path) or "") if path else ""

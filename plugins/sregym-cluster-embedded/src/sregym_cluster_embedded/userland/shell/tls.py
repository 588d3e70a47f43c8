"""Certificates that servers show to clients in containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import IngressProgram

from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.network import ingress
from sregym_cluster_embedded.network.certificates import Certificate, read
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session
    from sregym_cluster_embedded.userland.wiring import Target


def certificate_of(session: Session, target: Target, name: str) -> Certificate | None:
    """What the server at the end of a connection shows; None when it speaks no TLS.

    Args:
        session: Where the client runs.
        target: Where its connection ended.
        name: The server's name, as the client gives it.
    """
    if target.ref is None:
        root = read(certificate_authority(session.world)) if target.listener == "https" else None
        if root is None:
            return None
        return root._replace(subject="kube-apiserver", names=(name,), self_signed=False)
    server = process_of(session.world, target.ref)
    if server is None:
        return None
    if isinstance(server.behaviour, IngressProgram):
        if target.listener != "https":
            return None
        return ingress.certificate(session.world, server.behaviour.controller, name)
    if session.runtime.program_of(server) is None:
        return None
    kind = session.runtime.kind_of(server)
    return kind.certificate(session.world, server, target.listener, name)

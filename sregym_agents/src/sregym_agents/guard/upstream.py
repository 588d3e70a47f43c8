"""The API server behind the guard, and the harness's credentials for it, from a kubeconfig."""

from __future__ import annotations

import base64
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml
from sregym_core.errors import WorldError
from sregym_kubernetes.scratch import ScratchFolder

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Upstream:
    """Where requests go.

    Attributes:
        host: Host of the API server.
        port: Its port.
        prefix: Path in front of every path, without a slash at its end.
        tls: How to speak TLS; None for plain HTTP.
        token: Bearer token; empty where a certificate identifies the client.
        namespace: Of the context.
    """

    host: str
    port: int
    prefix: str
    tls: ssl.SSLContext | None
    token: str
    namespace: str


def read_upstream(kubeconfig: Path) -> Upstream:
    """Read the current context.

    Raises:
        WorldError: It uses a kind of credentials that cannot be passed on.
    """
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"]).get("user") or {}
    if "exec" in user or "auth-provider" in user:
        msg = f"user {context['user']!r} of {str(kubeconfig)!r} logs in with a program, which the guard cannot do; give a kubeconfig with a token or a client certificate"
        raise WorldError(msg)
    address = urlsplit(cluster["server"])
    secure = address.scheme == "https"
    token = str(user.get("token", ""))
    if not token and user.get("tokenFile"):
        token = Path(user["tokenFile"]).read_text(encoding="utf-8").strip()
    return Upstream(
        host=address.hostname or "",
        port=address.port or (443 if secure else 80),
        prefix=address.path.rstrip("/"),
        tls=_tls(cluster, user) if secure else None,
        token=token,
        namespace=str(context.get("namespace", "default")),
    )


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any]) -> ssl.SSLContext:
    authority = _material(cluster, "certificate-authority")
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    certificate, key = _material(user, "client-certificate"), _material(user, "client-key")
    if certificate and key:
        # The library only reads files; these live for a moment, in a folder of this process alone.
        with ScratchFolder("tls-") as folder:
            both = Path(folder) / "client.pem"
            both.touch(mode=0o600)
            both.write_bytes(certificate + b"\n" + key)
            context.load_cert_chain(both)
    return context


def _material(section: Mapping[str, Any], name: str) -> bytes:
    if f"{name}-data" in section:
        return base64.b64decode(section[f"{name}-data"])
    return Path(section[name]).read_bytes() if section.get(name) else b""


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)

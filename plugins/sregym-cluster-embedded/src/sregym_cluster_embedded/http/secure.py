"""TLS of an endpoint: the server's certificate, and who its clients are by theirs."""

from __future__ import annotations

import ssl
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_kubernetes.scratch import ScratchFolder

from sregym_cluster_embedded.api.access.authentication import NOBODY
from sregym_cluster_embedded.api.access.impersonation import AUTHENTICATED
from sregym_cluster_embedded.api.pki import authority
from sregym_cluster_embedded.api.pki.certificates import Subject, Terms
from sregym_cluster_embedded.api.request import User

if TYPE_CHECKING:
    from aiohttp import web

    from sregym_cluster_embedded.world import World

_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
# OpenSSL's X509_V_FLAG_NO_CHECK_TIME: certificates are valid in virtual time, not in wall-clock time.
_NO_TIME = ssl.VerifyFlags(0x200000)
_ADDRESSES = ("127.0.0.1", "10.96.0.1")
_CREDENTIAL = "authentication.kubernetes.io/credential-id"
# Clients compare with the wall clock, the cluster with its own: both have to find themselves
# inside the validity.
_BEFORE_S, _AFTER_S = 4 * 365 * 86400, 9 * 365 * 86400


def server_context(world: World) -> ssl.SSLContext:
    """What a server needs to speak TLS as the API server of `world`.

    Clients may show a certificate of the cluster's authority, and need not.
    """
    subject = Subject("kube-apiserver")
    terms = _terms(world, "kube-apiserver", ("server auth",), _ADDRESSES, _NAMES)
    signed = authority.issue(world, subject, terms)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    context.verify_flags |= _NO_TIME
    context.load_verify_locations(cadata=authority.certificate_authority(world))
    with ScratchFolder("endpoint-") as folder:
        # The module ssl reads keys from files only.
        file = Path(folder) / "server.pem"
        file.touch(0o600)
        file.write_text(signed.certificate + signed.key)
        context.load_cert_chain(file)
    return context


def client_credentials(world: World, name: str, groups: tuple[str, ...]) -> authority.Signed:
    """A certificate by which a client is the user `name` with `groups`."""
    terms = _terms(world, f"client {name} {groups}", ("client auth",))
    return authority.issue(world, Subject(name, groups), terms)


def user_of(incoming: web.Request) -> User:
    """Who a client is by its certificate; anonymous without one."""
    transport = incoming.transport
    held = None if transport is None else transport.get_extra_info("ssl_object")
    encoded = None if held is None else held.getpeercert(binary_form=True)
    if held is None or not encoded:
        return NOBODY
    subject = [pair for part in held.getpeercert()["subject"] for pair in part]
    name = next((text for kind, text in subject if kind == "commonName"), "")
    groups = [text for kind, text in subject if kind == "organizationName"]
    extra = {_CREDENTIAL: (f"X509SHA256={sha256(encoded).hexdigest()}",)}
    return User(name, (*groups, AUTHENTICATED), extra=extra)


def _terms(
    world: World,
    what: str,
    usages: tuple[str, ...],
    addresses: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
) -> Terms:
    since, until = world.epoch - _BEFORE_S, world.epoch + _AFTER_S
    number = authority.serial(what)
    return Terms(number, since, until, usages=usages, addresses=addresses, names=names)

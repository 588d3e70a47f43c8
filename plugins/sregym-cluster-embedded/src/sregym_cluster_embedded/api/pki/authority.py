"""The certificate authority of a cluster, and what it signs."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.pki import curve, x509

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

SUBJECT = x509.Subject("kubernetes")
_PURPOSE = "certificate authority"
_YEAR_S = 365 * 86400
# Fills the certificate to the size that one of an RSA key has, as clusters usually have it.
_COMMENT = "Kubernetes certificate authority".ljust(370)


class Signed(NamedTuple):
    """A certificate with its key, as texts."""

    certificate: str
    key: str


def certificate_authority(world: World) -> str:
    """The cluster's root certificate as text; made when it is first asked for."""
    text: str = world.findings.found(_PURPOSE, (), lambda: _root(world, _private(world)))
    return text


def sign(world: World, subject: x509.Subject, info: bytes, terms: x509.Terms) -> str:
    """A certificate about the public key `info`, signed by the cluster; text."""
    made = x509.certificate(subject, info, SUBJECT, _private(world), terms)
    return x509.pem("CERTIFICATE", made)


def issue(world: World, subject: x509.Subject, terms: x509.Terms) -> Signed:
    """A key that depends on the cluster and the subject, with a certificate."""
    key = curve.key_of(world.secret(f"key of {subject}"))
    text = sign(world, subject, x509.key_info(key), terms)
    return Signed(text, x509.pem("EC PRIVATE KEY", x509.private_key(key)))


def serial(text: str) -> int:
    """A serial number for what `text` names."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1 | 1 << 62


def _private(world: World) -> int:
    return curve.key_of(world.secret(_PURPOSE))


def _root(world: World, key: int) -> str:
    info = x509.key_info(key)
    # Clients compare with their own clock, which may be another one: the dates are generous.
    since, until = world.epoch - 5 * _YEAR_S, world.epoch + 10 * _YEAR_S

    terms = x509.Terms(
        serial("root"),
        since,
        until,
        authority=True,
        names=(SUBJECT.common_name,),
        comment=_COMMENT,
    )
    return x509.pem("CERTIFICATE", x509.certificate(SUBJECT, info, SUBJECT, key, terms))

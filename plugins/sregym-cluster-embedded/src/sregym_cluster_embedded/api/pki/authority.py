"""The certificate authority of a cluster, and what it signs."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.pki.certificates import Subject, Terms, certificate
from sregym_cluster_embedded.api.pki.keys import key_of, private_pem

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

    from sregym_cluster_embedded.world import World

SUBJECT = Subject("kubernetes")
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
    text: str = world.shared_cache.found(_PURPOSE, (), lambda: _root(world, _private(world)))
    return text


def sign(world: World, subject: Subject, key: CertificatePublicKeyTypes, terms: Terms) -> str:
    """A certificate about a public key, signed by the cluster; text."""
    return certificate(subject, key, SUBJECT, _private(world), terms)


def issue(world: World, subject: Subject, terms: Terms) -> Signed:
    """A key that depends on the cluster and the subject, with a certificate."""
    key = key_of(world.secret(f"key of {subject}"))
    return Signed(sign(world, subject, key.public_key(), terms), private_pem(key))


def serial(text: str) -> int:
    """A serial number for what `text` names."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1 | 1 << 62


def _private(world: World) -> EllipticCurvePrivateKey:
    return key_of(world.secret(_PURPOSE))


def _root(world: World, key: EllipticCurvePrivateKey) -> str:
    # Clients compare with their own clock, which may be another one: the dates are generous.
    since, until = world.epoch - 5 * _YEAR_S, world.epoch + 10 * _YEAR_S

    terms = Terms(
        serial("root"),
        since,
        until,
        authority=True,
        names=(SUBJECT.common_name,),
        comment=_COMMENT,
    )
    return certificate(SUBJECT, key.public_key(), SUBJECT, key, terms)

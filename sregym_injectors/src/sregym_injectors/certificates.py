"""Certificates of servers: authorities, and what they sign; the same for the same names."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_SINCE, _UNTIL = datetime(2024, 3, 4, 8, tzinfo=UTC), datetime(2044, 2, 28, 8, tzinfo=UTC)


class Authority(NamedTuple):
    """Who signs certificates.

    Attributes:
        name: Common name.
        key: Its key.
        certificate: Its own certificate, PEM.
    """

    name: str
    key: ec.EllipticCurvePrivateKey
    certificate: str


class Serving(NamedTuple):
    """What a server shows: certificate and key, PEM."""

    certificate: str
    key: str


def authority(name: str, secret: str) -> Authority:
    """An authority whose key depends on `secret` alone."""
    key = _key(f"authority {secret}")
    built = _begun(name, name, key, f"root {secret}").add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    return Authority(name, key, _text(built, key))


def serving(signer: Authority, host: str, secret: str, *others: str) -> Serving:
    """A certificate for a host, and for the other names that it has, signed by an authority."""
    key = _key(f"server {secret}")
    names = x509.SubjectAlternativeName([x509.DNSName(name) for name in (host, *others)])
    built = _begun(host, signer.name, key, f"leaf {secret}").add_extension(names, critical=False)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    secret_text = key.private_bytes(
        serialization.Encoding.PEM, form, serialization.NoEncryption()
    ).decode()
    return Serving(_text(built, signer.key), secret_text)


def _begun(
    subject: str, issuer: str, key: ec.EllipticCurvePrivateKey, serial: str
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(_number(serial) >> 97)
        .not_valid_before(_SINCE)
        .not_valid_after(_UNTIL)
    )


def _text(built: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> str:
    made = built.sign(key, hashes.SHA256(), ecdsa_deterministic=True)
    return made.public_bytes(serialization.Encoding.PEM).decode()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(_number(text) % (_ORDER - 1) + 1, ec.SECP256R1())


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest(), "big")

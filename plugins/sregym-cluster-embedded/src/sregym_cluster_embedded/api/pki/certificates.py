"""Certificates and requests for them (RFC 5280, RFC 2986)."""

from __future__ import annotations

import base64
import binascii
import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

_USAGES = {
    "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
    "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
}
_NETSCAPE_COMMENT = x509.ObjectIdentifier("2.16.840.1.113730.1.13")
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----\s*([A-Za-z0-9+/=\s]*?)-----END \1-----")


class RequestError(ValueError):
    """Bytes that are no certificate request, or one for a key of an unknown kind."""


@dataclass(frozen=True)
class Subject:
    """Whom a certificate is about: for users, name and groups."""

    common_name: str
    organizations: tuple[str, ...] = ()

    def encoded(self) -> x509.Name:
        """The Name of RFC 5280."""
        pairs = [(NameOID.ORGANIZATION_NAME, name) for name in self.organizations]
        pairs.append((NameOID.COMMON_NAME, self.common_name))
        with _any_length():
            return x509.Name(x509.NameAttribute(oid, text, _validate=False) for oid, text in pairs)


@dataclass(frozen=True)
class Terms:
    """What a certificate says besides whom it is about.

    Attributes:
        serial: Unlike that of any other of its issuer.
        since_s: Unix seconds.
        until_s: Unix seconds.
        authority: Whether it may sign others.
        usages: `server auth`, `client auth`.
        addresses: IP addresses of a server.
        names: DNS names of a server.
        comment: For people; 256 to 65,535 ASCII characters, or none.
    """

    serial: int
    since_s: float
    until_s: float
    authority: bool = False
    usages: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class CertificateRequest:
    """What a certificate request asks for.

    Attributes:
        subject: Whom the certificate is to be about.
        key: The public key that it is to vouch for.
    """

    subject: Subject
    key: CertificatePublicKeyTypes


def certificate(
    subject: Subject,
    key: CertificatePublicKeyTypes,
    issuer: Subject,
    issuer_key: ec.EllipticCurvePrivateKey,
    terms: Terms,
) -> str:
    """A certificate about a public key, signed with `issuer_key`; PEM.

    The same input gives the same certificate (RFC 6979). Its size does not hang on chance: serial
    numbers above that of `terms` are tried until both numbers of the signature take 32 bytes.
    """
    while True:
        builder = _described(subject, key, issuer, issuer_key, terms)
        made = builder.sign(issuer_key, hashes.SHA256(), ecdsa_deterministic=True)
        numbers = decode_dss_signature(made.signature)
        if all(number.bit_length() in range(248, 256) for number in numbers):
            return made.public_bytes(serialization.Encoding.PEM).decode()
        terms = replace(terms, serial=terms.serial + 1)


def _described(
    subject: Subject,
    key: CertificatePublicKeyTypes,
    issuer: Subject,
    issuer_key: ec.EllipticCurvePrivateKey,
    terms: Terms,
) -> x509.CertificateBuilder:
    builder = (
        x509.CertificateBuilder()
        .serial_number(terms.serial)
        .issuer_name(issuer.encoded())
        .not_valid_before(datetime.fromtimestamp(int(terms.since_s), UTC))
        .not_valid_after(datetime.fromtimestamp(int(terms.until_s), UTC))
        .subject_name(subject.encoded())
        .public_key(key)
    )
    for extension, critical in _extensions(key, issuer_key.public_key(), terms):
        builder = builder.add_extension(extension, critical)
    return builder


def _extensions(
    key: CertificatePublicKeyTypes, issuer: ec.EllipticCurvePublicKey, terms: Terms
) -> Iterator[tuple[x509.ExtensionType, bool]]:
    yield _key_usage(terms.authority), True
    if terms.usages:
        yield x509.ExtendedKeyUsage(_USAGES[usage] for usage in terms.usages), False
    yield x509.BasicConstraints(ca=terms.authority, path_length=None), True
    if terms.authority:
        yield x509.SubjectKeyIdentifier.from_public_key(key), False
    if key != issuer:
        # Clients that are strict, Python's since 3.13, ask for it.
        yield x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), False
    others: list[x509.GeneralName] = [x509.DNSName(name) for name in terms.names]
    others += [x509.IPAddress(ip_address(ip)) for ip in terms.addresses]
    if others:
        yield x509.SubjectAlternativeName(others), False
    if terms.comment:
        text = terms.comment.encode("ascii")
        encoded = b"\x16\x82" + len(text).to_bytes(2, "big") + text  # IA5String
        yield x509.UnrecognizedExtension(_NETSCAPE_COMMENT, encoded), False


def _key_usage(authority: bool) -> x509.KeyUsage:
    """Signatures and keys, or for an authority signatures and certificates."""
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def request(data: bytes) -> CertificateRequest:
    """What a certificate request (DER) asks for.

    Raises:
        RequestError: It is none.
    """
    try:
        read = x509.load_der_x509_csr(data)
        with _any_length():
            name, key = read.subject, read.public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise RequestError("no certificate request") from error
    common = [str(one.value) for one in name.get_attributes_for_oid(NameOID.COMMON_NAME)]
    groups = [str(one.value) for one in name.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    return CertificateRequest(Subject(common[-1] if common else "", tuple(groups)), key)


@contextmanager
def _any_length() -> Iterator[None]:
    """Names above the 64 characters of RFC 5280: Kubernetes has such users, and Go takes them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Attribute's length must be")
        yield


def from_pem(text: str, kinds: Sequence[str]) -> bytes | None:
    """The bytes of the first block of one of these kinds, None when there is none."""
    for match in _PEM.finditer(text):
        if match[1] in kinds:
            try:
                return base64.b64decode("".join(match[2].split()), validate=True)
            except binascii.Error:
                return None
    return None

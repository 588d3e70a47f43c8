"""Certificates and requests for them (RFC 5280, RFC 2986)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pki import curve, der

if TYPE_CHECKING:
    from collections.abc import Sequence

_ECDSA_SHA256 = der.sequence(der.identifier("1.2.840.10045.4.3.2"))
_P256 = der.identifier("1.2.840.10045.3.1.7")
_EC_KEY = der.sequence(der.identifier("1.2.840.10045.2.1"), _P256)
_ORGANIZATION, _COMMON = "2.5.4.10", "2.5.4.3"
_USAGES = {"server auth": "1.3.6.1.5.5.7.3.1", "client auth": "1.3.6.1.5.5.7.3.2"}
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----\s*([A-Za-z0-9+/=\s]*?)-----END \1-----")


@dataclass(frozen=True)
class Subject:
    """Whom a certificate is about: for users, name and groups."""

    common_name: str
    organizations: tuple[str, ...] = ()

    def encoded(self) -> bytes:
        """The Name of RFC 5280."""
        pairs = [(_ORGANIZATION, name) for name in self.organizations]
        parts = [
            der.element(
                der.SET,
                der.sequence(der.identifier(kind), der.element(der.UTF8, text.encode())),
            )
            for kind, text in [*pairs, (_COMMON, self.common_name)]
        ]
        return der.sequence(*parts)


@dataclass(frozen=True)
class Terms:
    """What a certificate says besides whom it is about.

    Attributes:
        serial: Unlike that of any other of its issuer.
        since_s: Unix seconds.
        until_s: Unix seconds.
        authority: Whether it may sign others.
        usages: `server auth`, `client auth`.
        addresses: IPv4 addresses of a server.
        names: DNS names of a server.
        comment: For people.
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
class Asked:
    """What a certificate request asks for.

    Attributes:
        subject: Whom the certificate is to be about.
        key: The SubjectPublicKeyInfo, encoded.
    """

    subject: Subject
    key: bytes


def key_info(key: int) -> bytes:
    """The SubjectPublicKeyInfo of a private key."""
    return der.sequence(_EC_KEY, der.bits(curve.public_key(key)))


def certificate(
    subject: Subject, info: bytes, issuer: Subject, issuer_key: int, terms: Terms
) -> bytes:
    """A certificate about the public key `info`, signed with `issuer_key`; DER."""
    body = der.sequence(
        der.element(0xA0, der.integer(2)),
        der.integer(terms.serial),
        _ECDSA_SHA256,
        issuer.encoded(),
        der.sequence(der.moment(terms.since_s), der.moment(terms.until_s)),
        subject.encoded(),
        info,
        der.element(0xA3, der.sequence(*_extensions(info, key_info(issuer_key), terms))),
    )
    r, s = curve.sign(issuer_key, body)
    return der.sequence(body, _ECDSA_SHA256, der.bits(der.sequence(der.integer(r), der.integer(s))))


def _extensions(info: bytes, issuer: bytes, terms: Terms) -> list[bytes]:
    # Key usage: signatures, and for an authority certificates and revocations.
    usage = b"\x03\x02\x02\xa4" if terms.authority else b"\x03\x02\x05\xa0"
    found = [_extension("2.5.29.15", usage, critical=True)]
    if terms.usages:
        named = der.sequence(*(der.identifier(_USAGES[usage]) for usage in terms.usages))
        found.append(_extension("2.5.29.37", named))
    basic = der.sequence(b"\x01\x01\xff") if terms.authority else der.sequence()
    found.append(_extension("2.5.29.19", basic, critical=True))
    if terms.authority:
        found.append(_extension("2.5.29.14", der.octets(_digest(info))))
    if info != issuer:
        # Clients that are strict, Python's since 3.13, ask for it.
        found.append(_extension("2.5.29.35", der.sequence(der.element(0x80, _digest(issuer)))))
    others = [der.element(0x82, name.encode()) for name in terms.names]
    others += [der.element(0x87, bytes(map(int, ip.split(".")))) for ip in terms.addresses]
    if others:
        found.append(_extension("2.5.29.17", der.sequence(*others)))
    if terms.comment:
        text = der.element(der.IA5, terms.comment.encode("ascii"))
        found.append(_extension("2.16.840.1.113730.1.13", text))
    return found


def _digest(info: bytes) -> bytes:
    return sha1(info, usedforsecurity=False).digest()


def _extension(name: str, value: bytes, critical: bool = False) -> bytes:
    parts = [der.identifier(name), b"\x01\x01\xff" if critical else b"", der.octets(value)]
    return der.sequence(*parts)


def request(data: bytes) -> Asked:
    """What a certificate request (DER) asks for.

    Raises:
        der.DerError: It is none.
    """
    try:
        outer = der.elements(der.elements(data)[0].content)
        body = der.elements(outer[0].content)
        return Asked(_subject(body[1].content), body[2].whole)
    except (IndexError, UnicodeDecodeError) as error:
        raise der.DerError("no certificate request") from error


def _subject(content: bytes) -> Subject:
    common, organizations = "", []
    for part in der.elements(content):
        for pair in der.elements(part.content):
            kind, value = der.elements(pair.content)
            if kind.whole == der.identifier(_COMMON):
                common = value.content.decode()
            elif kind.whole == der.identifier(_ORGANIZATION):
                organizations.append(value.content.decode())
    return Subject(common, tuple(organizations))


def private_key(key: int) -> bytes:
    """A private key with its curve and public key; DER of RFC 5915."""
    return der.sequence(
        der.integer(1),
        der.octets(key.to_bytes(32, "big")),
        der.element(0xA0, _P256),
        der.element(0xA1, der.bits(curve.public_key(key))),
    )


def pem(kind: str, data: bytes) -> str:
    """The text form, e.g. of a `CERTIFICATE`."""
    text = base64.b64encode(data).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""))


def from_pem(text: str, kinds: Sequence[str]) -> bytes | None:
    """The bytes of the first block of one of these kinds, None when there is none."""
    for match in _PEM.finditer(text):
        if match[1] in kinds:
            try:
                return base64.b64decode("".join(match[2].split()), validate=True)
            except binascii.Error:
                return None
    return None

"""What stands in a server's certificate: whom it names, who signed it, from when until when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.pki.der import DerError, Element, elements
from sregym_cluster_embedded.api.pki.x509 import from_pem

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMON_NAME = b"\x55\x04\x03"
_ALT_NAMES = b"\x55\x1d\x11"
_UTC_TIME = 0x17
_DNS_NAME = 0x82
_EXTENSIONS = 0xA3
_VERSION = 0xA0


class Certificate(NamedTuple):
    """A certificate as clients judge it.

    Attributes:
        subject: Common name.
        issuer: Common name of the signer.
        names: DNS names that it is good for.
        not_before: Unix seconds.
        not_after: Unix seconds.
        self_signed: Signed by its own subject.
        pem: The text that it was read from; empty of one that is only described.
    """

    subject: str
    issuer: str
    names: tuple[str, ...]
    not_before: float
    not_after: float
    self_signed: bool
    pem: str = ""

    def names_host(self, host: str) -> bool:
        """Whether the certificate is good for a host name."""
        return any(
            name == host or (name.startswith("*.") and name[2:] == host.partition(".")[2])
            for name in self.names
        )


def read(text: str) -> Certificate | None:
    """The first certificate of a PEM text; None when there is none that can be read."""
    data = from_pem(text, ("CERTIFICATE",))
    if data is None:
        return None
    try:
        return _parsed(data)._replace(pem=text)
    except (DerError, IndexError, ValueError):
        return None


def complaint(certificate: Certificate, host: str, now: float, *, trusted: bool = False) -> str:
    """What a client's TLS library says against a certificate; empty when it is content.

    `trusted`: the client knows the signer.
    """
    if not trusted:
        if certificate.self_signed:
            return "self-signed certificate"
        return "unable to get local issuer certificate"
    if now > certificate.not_after:
        return "certificate has expired"
    if now < certificate.not_before:
        return "certificate is not yet valid"
    return "" if certificate.names_host(host) else f"no name matches {host}"


def _parsed(data: bytes) -> Certificate:
    outer = elements(elements(data)[0].content)
    parts = elements(outer[0].content)
    if parts[0].tag == _VERSION:
        parts = parts[1:]
    _, _, issuer, validity, subject = parts[:5]
    begin, end = elements(validity.content)
    common = _common_name(subject)
    names = tuple(_alternatives(parts[5:]))
    return Certificate(
        common,
        _common_name(issuer),
        names or ((common,) if common else ()),
        _moment(begin),
        _moment(end),
        issuer.whole == subject.whole,
    )


def _common_name(name: Element) -> str:
    for group in elements(name.content):
        for pair in elements(group.content):
            kind, value = elements(pair.content)
            if kind.content == _COMMON_NAME:
                return value.content.decode(errors="replace")
    return ""


def _alternatives(rest: list[Element]) -> Iterator[str]:
    for part in rest:
        if part.tag != _EXTENSIONS:
            continue
        for extension in elements(elements(part.content)[0].content):
            fields = elements(extension.content)
            if fields[0].content == _ALT_NAMES:
                for name in elements(elements(fields[-1].content)[0].content):
                    if name.tag == _DNS_NAME:
                        yield name.content.decode(errors="replace")


def _moment(value: Element) -> float:
    form = "%y%m%d%H%M%SZ" if value.tag == _UTC_TIME else "%Y%m%d%H%M%SZ"
    return datetime.strptime(value.content.decode(), form).replace(tzinfo=UTC).timestamp()

"""What stands in a server's certificate: whom it names, who signed it, from when until when."""

from __future__ import annotations

from typing import NamedTuple

from cryptography import x509
from cryptography.x509.oid import NameOID

from sregym_cluster_embedded.api.pki.certificates import from_pem

# What the library says of extensions that no client reads.
BAD_EXTENSIONS = (x509.DuplicateExtension, x509.UnsupportedGeneralNameType)


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
        return _described(x509.load_der_x509_certificate(data), text)
    except (ValueError, *BAD_EXTENSIONS):
        return None


def dns_names(certificate: x509.Certificate) -> tuple[str, ...]:
    """The DNS names among the alternative ones.

    Raises:
        ValueError, BAD_EXTENSIONS: Its extensions cannot be read.
    """
    try:
        held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return ()
    return tuple(held.value.get_values_for_type(x509.DNSName))


def common_name(name: x509.Name) -> str:
    """The first common name of a subject or issuer; empty where there is none."""
    found = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else ""


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


def _described(held: x509.Certificate, text: str) -> Certificate:
    common = common_name(held.subject)
    return Certificate(
        common,
        common_name(held.issuer),
        dns_names(held) or ((common,) if common else ()),
        held.not_valid_before_utc.timestamp(),
        held.not_valid_after_utc.timestamp(),
        held.issuer == held.subject,
        text,
    )

"""Whether a client written in Go trusts the certificate that a server shows, and what it says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import SignatureAlgorithmOID

from sregym_cluster_embedded.api.pki.certificates import from_pem
from sregym_cluster_embedded.network.certificates import BAD_EXTENSIONS, common_name, dns_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.network.certificates import Certificate

_ECDSA = (
    SignatureAlgorithmOID.ECDSA_WITH_SHA1,
    SignatureAlgorithmOID.ECDSA_WITH_SHA256,
    SignatureAlgorithmOID.ECDSA_WITH_SHA384,
    SignatureAlgorithmOID.ECDSA_WITH_SHA512,
)
_END = "-----END CERTIFICATE-----"
_UNKNOWN = "x509: certificate signed by unknown authority"


def distrust(shown: Certificate, host: str, bundle: str, now: float) -> str:
    """What Go's client says against a certificate; empty when it trusts it.

    Args:
        shown: What the server shows.
        host: The name by which it was called.
        bundle: PEM certificates of the authorities that the client trusts.
        now: Unix seconds.
    """
    late = now > shown.not_after
    if late or now < shown.not_before:
        limit, how = (shown.not_after, "after") if late else (shown.not_before, "before")
        text = f"current time {_shown(now)} is {how} {_shown(limit)}"
        return f"x509: certificate has expired or is not yet valid: {text}"
    chain = [*_readable(shown.pem)]
    names = dns_names(chain[0]) if chain else shown.names
    if not shown._replace(names=names).names_host(host):
        if not names and shown.subject:
            return "x509: certificate relies on legacy Common Name field, use SANs instead"
        if not names:
            return f"x509: certificate is not valid for any names, but wanted to match {host}"
        return f"x509: certificate is valid for {', '.join(names)}, not {host}"
    return _untrusted(chain[0], chain[1:], [*_readable(bundle)]) if chain else _UNKNOWN


def _untrusted(
    leaf: x509.Certificate, others: list[x509.Certificate], roots: list[x509.Certificate]
) -> str:
    if leaf in roots:
        return ""
    refused = ""
    for signer in (*roots, *others):
        if signer.subject != leaf.issuer or signer == leaf:
            continue
        if not _signed(leaf, signer):
            refused = refused or (
                f'{_UNKNOWN} (possibly because of "{_failure(leaf)}" while trying to verify '
                f'candidate authority certificate "{common_name(signer.subject)}")'
            )
        elif signer in roots or not _untrusted(signer, [], roots):
            return ""
    return refused or _UNKNOWN


def _signed(leaf: x509.Certificate, signer: x509.Certificate) -> bool:
    try:
        leaf.verify_directly_issued_by(signer)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def _failure(leaf: x509.Certificate) -> str:
    if leaf.signature_algorithm_oid in _ECDSA:
        return "x509: ECDSA verification failure"
    if leaf.signature_algorithm_oid == SignatureAlgorithmOID.ED25519:
        return "x509: Ed25519 verification failure"
    return "crypto/rsa: verification error"


def _readable(text: str) -> Iterator[x509.Certificate]:
    """All certificates of a PEM text that can be read."""
    for block in text.split(_END)[:-1]:
        data = from_pem(f"{block}{_END}", ("CERTIFICATE",))
        if data is None:
            continue
        try:
            found = x509.load_der_x509_certificate(data)
            dns_names(found)
        except (ValueError, *BAD_EXTENSIONS):
            continue
        yield found


def _shown(unix_s: float) -> str:
    return datetime.fromtimestamp(int(unix_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

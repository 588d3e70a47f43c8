"""Whether a client written in Go trusts the certificate that a server shows, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pki import curve, der, x509
from sregym_cluster_embedded.network.certificates import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.network.certificates import Certificate

_EXTENSIONS, _VERSION = 0xA3, 0xA0
_ALT_NAMES, _OWN_KEY, _SIGNERS_KEY = b"\x55\x1d\x11", b"\x55\x1d\x0e", b"\x55\x1d\x23"
_DNS_NAME = 0x82
_ECDSA = der.identifier("1.2.840.10045.4.3.2")
_END = "-----END CERTIFICATE-----"
_UNKNOWN = "x509: certificate signed by unknown authority"


@dataclass(frozen=True)
class _Parts:
    """What a signature is checked with.

    Attributes:
        data: The whole certificate.
        body: What is signed.
        algorithm: How.
        signature: The signature.
        issuer: Name of the signer.
        subject: Name of the owner.
        key: The owner's public key, as a point where it is one of P-256.
        key_id: Of the owner's key; empty where it is not told.
        signer_id: Of the signer's.
        names: DNS names among the alternative ones.
    """

    data: bytes
    body: bytes
    algorithm: bytes
    signature: bytes
    issuer: bytes
    subject: bytes
    key: bytes
    key_id: bytes
    signer_id: bytes
    names: tuple[str, ...]


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
    leaf = next(_parts(shown.pem), None)
    names = leaf.names if leaf is not None else shown.names
    if not shown._replace(names=names).names_host(host):
        if not names and shown.subject:
            return "x509: certificate relies on legacy Common Name field, use SANs instead"
        if not names:
            return f"x509: certificate is not valid for any names, but wanted to match {host}"
        return f"x509: certificate is valid for {', '.join(names)}, not {host}"
    if leaf is None:
        return _UNKNOWN
    return _untrusted(leaf, list(_parts(shown.pem))[1:], list(_parts(bundle)))


def _untrusted(leaf: _Parts, others: list[_Parts], roots: list[_Parts]) -> str:
    if any(root.data == leaf.data for root in roots):
        return ""
    refused = ""
    for signer in (*roots, *others):
        if signer.subject != leaf.issuer or signer.data == leaf.data:
            continue
        if not _signed(leaf, signer):
            candidate = read(x509.pem("CERTIFICATE", signer.data))
            name = candidate.subject if candidate is not None else ""
            refused = refused or (
                f'{_UNKNOWN} (possibly because of "{_failure(leaf)}" while trying to verify '
                f'candidate authority certificate "{name}")'
            )
        elif signer in roots or not _untrusted(signer, [], roots):
            return ""
    return refused or _UNKNOWN


def _signed(leaf: _Parts, signer: _Parts) -> bool:
    """Whether a signature is the signer's; of other algorithms their keys' names must agree."""
    if leaf.algorithm != _ECDSA or len(signer.key) != 65:
        return bool(leaf.signer_id) and leaf.signer_id == signer.key_id
    try:
        r, s = (
            int.from_bytes(part.content, "big")
            for part in der.elements(der.elements(leaf.signature)[0].content)
        )
    except (der.DerError, ValueError, IndexError):
        return False
    return curve.verifies(signer.key, leaf.body, r, s)


def _failure(leaf: _Parts) -> str:
    if leaf.algorithm == _ECDSA:
        return "x509: ECDSA verification failure"
    return "crypto/rsa: verification error"


def _parts(text: str) -> Iterator[_Parts]:
    """All certificates of a PEM text that can be read."""
    for block in text.split(_END)[:-1]:
        data = x509.from_pem(f"{block}{_END}", ("CERTIFICATE",))
        if data is None:
            continue
        try:
            yield _taken_apart(data)
        except (der.DerError, IndexError, ValueError):
            continue


def _taken_apart(data: bytes) -> _Parts:
    body, algorithm, signature = der.elements(der.elements(data)[0].content)
    fields = der.elements(body.content)
    if fields[0].tag == _VERSION:
        fields = fields[1:]
    _, _, issuer, _, subject, info = fields[:6]
    known = dict(_extensions(fields[6:]))
    signers = der.elements(known[_SIGNERS_KEY])[0].content if _SIGNERS_KEY in known else b""
    alternatives = known.get(_ALT_NAMES, b"")
    names = der.elements(der.elements(alternatives)[0].content) if alternatives else []
    return _Parts(
        data=data,
        body=body.whole,
        algorithm=der.elements(algorithm.content)[0].whole,
        signature=signature.content[1:],
        issuer=issuer.whole,
        subject=subject.whole,
        key=der.elements(info.content)[1].content[1:],
        key_id=der.elements(known[_OWN_KEY])[0].content if _OWN_KEY in known else b"",
        signer_id=der.elements(signers)[0].content if signers else b"",
        names=tuple(one.content.decode() for one in names if one.tag == _DNS_NAME),
    )


def _extensions(rest: list[der.Element]) -> Iterator[tuple[bytes, bytes]]:
    for part in rest:
        if part.tag == _EXTENSIONS:
            for extension in der.elements(der.elements(part.content)[0].content):
                fields = der.elements(extension.content)
                yield fields[0].content, fields[-1].content


def _shown(unix_s: float) -> str:
    return datetime.fromtimestamp(int(unix_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

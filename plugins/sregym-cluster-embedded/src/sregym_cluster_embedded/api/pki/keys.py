"""Private keys on the curve P-256 that follow from a seed, and their text form."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

# FIPS 186-5: the number of points of P-256.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


# Clusters of one seed have the same keys, and many are made in a process.
@lru_cache(maxsize=256)
def key_of(seed: bytes) -> ec.EllipticCurvePrivateKey:
    """A private key that depends on `seed` alone."""
    number = int.from_bytes(sha256(b"key" + seed).digest() * 2, "big") % (_ORDER - 1) + 1
    return ec.derive_private_key(number, ec.SECP256R1())


def private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    """A private key with its curve and public key: an `EC PRIVATE KEY` (RFC 5915) as PEM."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()

"""ECDSA on the curve P-256 (FIPS 186-5): keys and signatures, in integers."""

from __future__ import annotations

import hmac
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
# A point in Jacobian coordinates; z is 0 at infinity.
_Point: TypeAlias = tuple[int, int, int]
_INFINITY: _Point = (1, 1, 0)


def key_of(seed: bytes) -> int:
    """A private key that depends on `seed` alone."""
    return int.from_bytes(sha256(b"key" + seed).digest() * 2, "big") % (ORDER - 1) + 1


# Clusters of one seed have the same keys and certificates, and many are made in a process.
@lru_cache(maxsize=256)
def public_key(key: int) -> bytes:
    """The point of a private key, uncompressed: 65 bytes."""
    x, y = _affine(_multiple(key))
    return b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")


@lru_cache(maxsize=256)
def sign(key: int, message: bytes) -> tuple[int, int]:
    """A signature whose two numbers take 32 bytes each in DER: the same for the same input.

    Numbers with the highest bit set would take a byte more; certificates are to have a size that
    does not hang on chance.
    """
    digest = int.from_bytes(sha256(message).digest(), "big")
    tried = 0
    while True:
        nonce = _nonce(key, message, tried)
        r = _affine(_multiple(nonce))[0] % ORDER
        s = pow(nonce, -1, ORDER) * (digest + r * key) % ORDER
        if all(number.bit_length() in range(248, 256) for number in (r, s)):
            return r, s
        tried += 1


@lru_cache(maxsize=256)
def verifies(public: bytes, message: bytes, r: int, s: int) -> bool:
    """Whether a signature of `message` is that of the key with this public point."""
    if len(public) != 65 or not (0 < r < ORDER and 0 < s < ORDER):
        return False
    x, y = int.from_bytes(public[1:33], "big"), int.from_bytes(public[33:], "big")
    digest = int.from_bytes(sha256(message).digest(), "big")
    inverse = pow(s, -1, ORDER)
    point = _multiple(digest * inverse % ORDER)
    factor = r * inverse % ORDER
    while factor:
        if factor & 1:
            point = _sum(point, (x, y))
        x, y = _doubled(x, y)
        factor >>= 1
    return bool(point[2]) and _affine(point)[0] % ORDER == r


def _doubled(x: int, y: int) -> tuple[int, int]:
    slope = (3 * x * x - 3) * pow(2 * y, -1, _P) % _P
    double_x = (slope * slope - 2 * x) % _P
    return double_x, (slope * (x - double_x) - y) % _P


def _nonce(key: int, message: bytes, tried: int) -> int:
    text = message + tried.to_bytes(4, "big")
    blocks = [
        hmac.digest(key.to_bytes(32, "big"), bytes([block]) + text, "sha256") for block in (0, 1)
    ]
    return int.from_bytes(b"".join(blocks), "big") % (ORDER - 1) + 1


def _multiple(factor: int) -> _Point:
    """The base point taken `factor` times."""
    result = _INFINITY
    for power in _doublings():
        if not factor:
            break
        if factor & 1:
            result = _sum(result, power)
        factor >>= 1
    return result


@lru_cache(maxsize=1)
def _doublings() -> tuple[tuple[int, int], ...]:
    """The base point doubled 0, 1, ... 255 times, affine: sums with those are cheap."""
    points = []
    x, y = _G
    for _ in range(256):
        points.append((x, y))
        slope = (3 * x * x - 3) * pow(2 * y, -1, _P) % _P
        double_x = (slope * slope - 2 * x) % _P
        x, y = double_x, (slope * (x - double_x) - y) % _P
    return tuple(points)


def _sum(first: _Point, second: tuple[int, int]) -> _Point:
    """The sum of a point and an affine one; they are never equal here."""
    x1, y1, z1 = first
    x2, y2 = second
    if not z1:
        return (x2, y2, 1)
    square = z1 * z1 % _P
    h = (x2 * square - x1) % _P
    r = (y2 * square * z1 - y1) % _P
    h2 = h * h % _P
    h3 = h * h2 % _P
    v = x1 * h2 % _P
    x3 = (r * r - h3 - 2 * v) % _P
    return (x3, (r * (v - x3) - y1 * h3) % _P, z1 * h % _P)


def _affine(point: _Point) -> tuple[int, int]:
    inverse = pow(point[2], -1, _P)
    square = inverse * inverse % _P
    return point[0] * square % _P, point[1] * square * inverse % _P

"""Keys and signatures on the curve P-256 (FIPS 186-5), with nothing but the standard library.

An attempt runs where no packages are. Many keys have to be compared with one public key, so what can
be computed beforehand is: multiples of the base point, for each byte of a factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FIELD = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
_BYTES = 32
Affine = tuple[int, int]
Jacobian = tuple[int, int, int]


def private_key(secret: bytes) -> int:
    """The private key that a cluster makes of 32 secret bytes."""
    return int.from_bytes(sha256(b"key" + secret).digest() * 2, "big") % (ORDER - 1) + 1


@dataclass(frozen=True)
class Curve:
    """The curve, with multiples of its base point.

    Attributes:
        multiples: For each place of a byte in a factor, the multiples for its 256 values; None for 0.
    """

    multiples: tuple[tuple[Affine | None, ...], ...]

    @classmethod
    def prepared(cls) -> Curve:
        """The curve, ready for many multiplications; takes some tenths of a second."""
        rows = []
        start = BASE
        for _ in range(_BYTES):
            row: list[Affine | None] = [None, start]
            while len(row) < 256:
                row.append(_affine_sum(row[-1] or start, start))
            rows.append(tuple(row))
            start = _affine_sum(row[-1] or start, start)
        return cls(tuple(rows))

    def public(self, key: int) -> Affine:
        """The point of a private key."""
        x, y, z = self._multiple(key)
        inverse = pow(z, -1, FIELD)
        return x * inverse**2 % FIELD, y * inverse**3 % FIELD

    def key_of(self, public: Affine, candidates: Iterable[int]) -> int | None:
        """The first of the keys whose point this is; None when it is none of them."""
        for key in candidates:
            x, _, z = self._multiple(key)
            # The key and its negative have the same x; only one of them is right.
            if x == public[0] * z * z % FIELD and self.public(key) == public:
                return key
        return None

    def sign(self, key: int, message: bytes) -> tuple[int, int]:
        """A signature (ECDSA with SHA-256)."""
        digest = sha256(message).digest()
        seed = sha256(key.to_bytes(_BYTES, "big") + digest).digest()
        nonce = int.from_bytes(seed, "big") % (ORDER - 1) + 1
        r = self.public(nonce)[0] % ORDER
        s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * key) % ORDER
        return r, s

    def _multiple(self, factor: int) -> Jacobian:
        """The base point taken `factor` times, which is not 0."""
        bytes_of = enumerate(factor.to_bytes(_BYTES, "little"))
        found = (self.multiples[place][byte] for place, byte in bytes_of)
        first, *others = (point for point in found if point is not None)
        return reduce(_sum, others, (*first, 1))


def _affine_sum(first: Affine, second: Affine) -> Affine:
    if first == second:
        slope = (3 * first[0] ** 2 - 3) * pow(2 * first[1], -1, FIELD)
    else:
        slope = (second[1] - first[1]) * pow(second[0] - first[0], -1, FIELD)
    x = (slope * slope - first[0] - second[0]) % FIELD
    return x, (slope * (first[0] - x) - first[1]) % FIELD


def _sum(first: Jacobian, second: Affine) -> Jacobian:
    """The sum of two points that are neither equal nor opposite."""
    x, y, z = first
    square = z * z % FIELD
    width = (second[0] * square - x) % FIELD
    height = (second[1] * square * z - y) % FIELD
    squared = width * width % FIELD
    cubed = squared * width % FIELD
    middle = x * squared % FIELD
    new_x = (height * height - cubed - 2 * middle) % FIELD
    return new_x, (height * (middle - new_x) - y * cubed) % FIELD, z * width % FIELD

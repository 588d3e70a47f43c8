"""Chance that is the same in every process: all of it derives from one number.

Two kinds are needed. *Drawn* values (uids, name suffixes) depend on how many were drawn before.
*Derived* values (`fraction`, `pick`) depend only on what they are for, so asking twice, or in
another order, gives the same answer. `hash()` is salted per process and therefore never used.

With a salt, uids that are drawn depend on it too: the number alone, which can be found by trying,
does not tell which come next. Nothing else may depend on a uid, or worlds that differ in their salts
only would differ in more than uids.
"""

from __future__ import annotations

from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

# The alphabet of Kubernetes' generated names: no vowels, no look-alikes.
NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Seed:
    """The source of all chance in one world.

    Attributes:
        value: The number from which it derives.
        drawn: How many values were drawn.
    """

    __slots__ = ("_key", "_keyed", "_secret", "drawn", "value")

    def __init__(self, value: int, drawn: int = 0, secret: bytes = b"") -> None:
        self.value = value
        self.drawn = drawn
        self._key = value.to_bytes(16, "big", signed=True)
        # By size of the digest: a hash that has taken in the key; copies of it go on.
        self._keyed: dict[int, blake2b] = {}
        self._secret = secret

    def fork(self, value: int | None = None, salt: str = "") -> Seed:
        """A copy; with `value` or `salt`, what is drawn from now on differs from this one's."""
        number = self.value if value is None else value
        secret = sha256(salt.encode()).digest() if salt else self._secret
        return Seed(number, self.drawn, secret)

    def uid(self) -> str:
        """Draw an object uid in the form of a version 4 UUID."""
        drawn = self._draw(16)
        if self._secret:
            drawn = blake2b(drawn, key=self._secret, digest_size=16).digest()
        digits, variant = drawn.hex(), "89ab"[drawn[8] >> 4 & 3]
        return (
            f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
        )

    def suffix(self, length: int = 5) -> str:
        """Draw the random end of a generated name."""
        return "".join(NAME_ALPHABET[byte % len(NAME_ALPHABET)] for byte in self._draw(length))

    def hexadecimal(self, length: int) -> str:
        """Draw `length` hexadecimal digits: container ids and digests."""
        return self._draw((length + 1) // 2).hex()[:length]

    def fraction(self, *purpose: object) -> float:
        """A number in [0, 1) that depends on the seed and on what it is for, and on nothing else."""
        return int.from_bytes(self._digest("\0".join(map(str, purpose)), 7), "big") / 2**56

    def pick(self, choices: Sequence[T], *purpose: object) -> T:
        """One of `choices`, chosen by `fraction`."""
        return choices[int(self.fraction(*purpose) * len(choices))]

    def _draw(self, size: int) -> bytes:
        self.drawn += 1
        return self._digest(f"draw {self.drawn}", size)

    def _digest(self, text: str, size: int) -> bytes:
        keyed = self._keyed.get(size)
        if keyed is None:
            keyed = self._keyed[size] = blake2b(key=self._key, digest_size=size)
        hashed = keyed.copy()
        hashed.update(text.encode())
        return hashed.digest()

"""Chance that cannot be foreseen from a world: it depends on a salt that only records hold.

A seed is a small number, and a world shows so much of what follows from it that it can be found by
trying. What has to stay unknown until it happens, and every key, therefore follows from the salt.
"""

from __future__ import annotations

import hmac
import secrets

_BYTES = 32
_SEEDS = 2**31


def draw_salt() -> str:
    """A new salt, as hexadecimal text."""
    return secrets.token_hex(_BYTES)


def random_seed() -> int:
    """A seed for a world that no one has seen before."""
    return secrets.randbelow(_SEEDS)


def salted_seed(salt: str, *purpose: object) -> int:
    """A seed for one purpose: the same with the same salt, and without it not to be computed."""
    text = "\0".join(map(str, purpose))
    return int.from_bytes(hmac.digest(salt.encode(), text.encode(), "sha256")[:8], "big")

"""Spaces that Gymnasium has not: text as programs print it."""

from __future__ import annotations

import string
from typing import Any

from gymnasium.spaces import Text

_SAMPLED = string.ascii_letters + string.digits + string.punctuation + " \n"


class AnyText(Text):
    """Text of any characters, up to a length; samples are of printable ASCII.

    Gymnasium's own space takes only the characters that it was given, and logs and tables of
    Kubernetes hold all of Unicode.

    Args:
        max_length: Most characters.
        seed: Of its samples.
    """

    def __init__(self, max_length: int, *, seed: int | None = None) -> None:
        super().__init__(max_length, min_length=0, charset=_SAMPLED, seed=seed)

    def contains(self, x: Any) -> bool:
        """Whether it is text, and not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        """How it is made."""
        return f"AnyText({self.max_length})"

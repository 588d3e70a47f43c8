"""Texts as feature vectors, for policies that read no text."""

from __future__ import annotations

import re
import zlib

# Generated parts of names differ from world to world and would only be noise.
_WORD = re.compile(r"[a-z][a-z_/]+")


def word_places(text: str, size: int) -> frozenset[int]:
    """Places of the words of a text in a vector of fixed length, by CRC-32.

    The same text has the same places in every process; two words may share one.

    Args:
        text: What was observed.
        size: Length of the vector.
    """
    return frozenset(zlib.crc32(word.encode()) % size for word in set(_WORD.findall(text.lower())))

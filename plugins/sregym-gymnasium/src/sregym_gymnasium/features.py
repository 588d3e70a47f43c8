"""Observations as numbers, for policies that read no text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from gymnasium.spaces import Box
from sregym_rollouts import word_places

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WordCounts:
    """Which words a text holds, hashed into a vector of fixed length.

    Each word has a place, by CRC-32; the vector has length 1 unless no word was found. The same text
    gives the same numbers in every process.

    Args:
        size: Length of the vector.
    """

    def __init__(self, size: int = 256) -> None:
        self.size = size
        self.space = Box(0.0, 1.0, (size,), np.float32)

    def __call__(self, text: str) -> NDArray[np.float32]:
        """The vector of a text."""
        found = np.zeros(self.size, np.float32)
        found[list(word_places(text, self.size))] = 1.0
        length = float(np.linalg.norm(found))
        return found / np.float32(length) if length else found

"""Moments of what happens at a steady rate: evenly spread, the same whoever asks for which part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The golden ratio's fraction spreads the moments evenly without hashing each.
_SPREAD = 0.6180339887498949


def moments(
    rate: float, start: float, first: float, until: float, offset: float
) -> Iterator[tuple[int, float]]:
    """The number and the virtual second of each event from `first` on and before `until`.

    Args:
        rate: Events a second; nothing happens at 0.
        start: Virtual second from which they are counted; event n is within 1/rate after n/rate.
        first: From when on they are wanted.
        until: Before when.
        offset: In [0, 1), what tells one series from another.
    """
    if rate <= 0:
        return
    number = max(0, math.floor((first - start) * rate) - 1)
    while (at := start + (number + (number * _SPREAD + offset) % 1) / rate) < until:
        if at >= first:
            yield number, at
        number += 1

"""Load generators whose users wait for answers: the slower those come, the less is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState

# The least part of its distance that a loop goes in a round, and the largest while anything else moves.
_SHORTEST, _CAREFUL = 0.01, 0.5
# Shorter distances tell nothing of the rest but how numbers are rounded.
_ROUNDING = 1e-7


def approached(
    numbers: FlowState, index: int, wanted: float, *, steady: bool
) -> tuple[float, float]:
    """The rate of a closed loop on its way to what present answers allow, and by what it changes.

    Answers slow down steeply where a server is nearly full: a loop that took its new rate at once
    would swing for ever.

    Args:
        numbers: Of the traffic; what the next round needs to know of this one is kept there.
        index: Of the load generator.
        wanted: Requests a second, as present answers have it.
        steady: Whether nothing else moves in the meantime.
    """
    before = numbers.sent[index]
    if before <= 0 or wanted <= 0:
        return wanted, 0.0
    distance = math.log(wanted / before)
    gain = numbers.gain[index] = _part(distance, numbers.swing[index], numbers.gain[index], steady)
    numbers.swing[index] = distance
    return before * math.exp(distance * gain), abs(distance) * gain


def _part(distance: float, last: float, gain: float, steady: bool) -> float:
    """Which part of a distance (the logarithm of the ratio of two rates) to go.

    Where nothing else moves, what the last part has brought tells how far it is (a secant), and a few
    rounds are enough.
    """
    if not steady:
        return max(_SHORTEST, gain * 0.5) if distance * last < 0 else min(_CAREFUL, gain * 1.2)
    if not last or abs(distance) <= _ROUNDING:
        return gain
    left = distance / last
    found = gain / (1 - left) if left < 1 else 1.0
    return max(_SHORTEST, gain * 0.25, min(found, gain * 2, 1.0))

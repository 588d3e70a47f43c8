"""A wall clock that waits for what a test waits for: budgets run out then, on any machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LEAP_S = 3600.0


class LeapingWall:
    """Stands in for the module `time` in a module that counts a budget.

    An hour passes between two looks at it: the first after `happened`, and the next, so that its
    user has taken note of what happened.

    Args:
        happened: Whether what is awaited has happened.
    """

    def __init__(self, happened: Callable[[], bool]) -> None:
        self._happened = happened
        self._noted = False

    def monotonic(self) -> float:
        """As `time.monotonic`."""
        leap, self._noted = self._noted, self._noted or self._happened()
        return time.monotonic() + (LEAP_S if leap else 0.0)

"""The wall clock as an episode's clock."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from sregym_core.interfaces import Clock

if TYPE_CHECKING:
    from collections.abc import Callable


class WallClock(Clock):
    """Waits in real time.

    Args:
        pace: Seconds of the cluster's time per wall second. 1 on a real cluster; more for an
            endpoint whose time is simulated and runs faster.
    """

    def __init__(self, pace: float = 1.0) -> None:
        self._pace = pace
        self._began_unix = time.time()
        self._began = time.monotonic()
        self._never = threading.Event()

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return self._began_unix + (time.monotonic() - self._began) * self._pace

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        if seconds > 0:
            self._never.wait(seconds / self._pace)

    def wait_until(
        self, condition: Callable[[], bool], timeout_s: float, poll_s: float = 1.0
    ) -> bool:
        """Look at the condition every `poll_s` until it holds or the time is over."""
        deadline = self.now() + timeout_s
        while not condition():
            left = deadline - self.now()
            if left <= 0:
                return False
            self.advance(min(poll_s, left))
        return True

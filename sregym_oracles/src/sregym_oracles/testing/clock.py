"""Virtual time: it passes when somebody waits, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

# Any fixed moment will do; a round one is easy to recognise in a failing test.
EPOCH = 1_700_000_000.0


class MemoryClock(Clock):
    """A clock that costs nothing to wait on."""

    def __init__(self) -> None:
        self._now = EPOCH

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds

    def wait_until(
        self, condition: Callable[[], bool], timeout_s: float, poll_s: float = 1.0
    ) -> bool:
        """Look now and every `poll_s` seconds, the last time when the timeout has passed."""
        end = self._now + timeout_s
        while True:
            if condition():
                return True
            if self._now >= end:
                return False
            self.advance(min(poll_s, end - self._now))

"""Virtual time: it passes when somebody waits, and only then."""

from __future__ import annotations

from sregym_core.interfaces import Clock

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

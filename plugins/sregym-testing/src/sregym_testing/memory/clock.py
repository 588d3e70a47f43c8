"""A clock with virtual time, which advances only while a caller waits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_core.interfaces import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

START_S = 1_700_000_000.0


def timestamp(moment_s: float) -> str:
    """A moment as the API writes it, to the second."""
    return datetime.fromtimestamp(int(moment_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class MemoryClock(Clock):
    """Virtual time that advances only by `advance` and `wait_until`.

    Args:
        start_s: Where it starts, seconds since the Unix epoch.
        settle: Called before and after each move: when controllers look at what was written.
    """

    def __init__(self, start_s: float = START_S, settle: Callable[[], None] = lambda: None) -> None:
        self._now_s = start_s
        self._settle = settle

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._settle()
        self._now_s += seconds
        self._settle()

    def spend(self, seconds: float) -> None:
        """Actions take virtual time."""
        self.advance(seconds)

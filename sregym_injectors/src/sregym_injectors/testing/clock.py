"""A clock that stands still until somebody waits with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Clock
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable

START_S = 1_700_000_000.0


class MemoryClock(Clock):
    """Virtual time; calls `on_advance` after each step, which is when controllers act."""

    def __init__(self, on_advance: Callable[[], None]) -> None:
        self._now_s = START_S
        self._on_advance = on_advance

    @override
    def now(self) -> float:
        return self._now_s

    @override
    def advance(self, seconds: float) -> None:
        self._now_s += seconds
        self._on_advance()

    def spend(self, seconds: float) -> None:
        """What an action costs passes as all time does."""
        self.advance(seconds)

"""Time as an object: an episode waits on conditions, and this is what it waits with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock(ABC):
    """The clock of one cluster. Nothing in an episode looks at another one.

    On the embedded cluster time is virtual: waiting costs no wall-clock time. On a real cluster it
    is the wall clock.
    """

    # Whether waiting takes the time of those who wait; then it is worth saying for what.
    real_time: ClassVar[bool] = False

    @abstractmethod
    def now(self) -> float:
        """Seconds since the Unix epoch on this clock."""

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""

    def wait_until(
        self, condition: Callable[[], bool], timeout_s: float, poll_s: float = 1.0
    ) -> bool:
        """Let time pass until `condition()` holds; returns False if `timeout_s` passed before.

        The condition is looked at now, every `poll_s` seconds of this clock, and a last time when
        the timeout is over.
        """
        deadline = self.now() + timeout_s
        while not condition():
            left = deadline - self.now()
            if left <= 0:
                return False
            self.advance(min(poll_s, left))
        return True

    def spend(self, seconds: float) -> None:  # noqa: B027 - nothing to do where time passes by itself
        """Account for the time that an action took: moves virtual time, nothing on a wall clock."""

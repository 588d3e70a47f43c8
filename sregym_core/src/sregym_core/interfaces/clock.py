"""Interface of clocks: episodes wait on conditions with them, never with `time.sleep`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock(ABC):
    """The clock of one cluster, and the only one that an episode uses.

    On a simulated cluster time is virtual: waiting takes no wall-clock time. On a real cluster it
    is the wall clock.
    """

    # Whether waiting takes wall-clock time; then the command line reports what is waited for.
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
        """Let time pass until `condition()` is true; returns False if it is not after `timeout_s`.

        It is evaluated at once, then every `poll_s` seconds of this clock, and once more at the
        timeout. Exceptions of the condition pass through.
        """
        deadline = self.now() + timeout_s
        while not condition():
            left = deadline - self.now()
            if left <= 0:
                return False
            self.advance(min(poll_s, left))
        return True

    def spend(self, seconds: float) -> None:  # noqa: B027 - nothing to do where time passes by itself
        """Account for the duration of an action: advances virtual time; no effect on a wall clock."""

"""The clock of a cluster in wall-clock time: the server's, not this machine's."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

# How long a reading of the server's clock is good for, in wall seconds at pace 1.
TRUST_S = 30.0
# The Date header has whole seconds: the server's time lies within one of what it says.
GRAIN_S = 1.0


class ServerClock(Clock):
    """Waits in real time, and says what time it is where the cluster is.

    Log lines and timestamps come from the cluster, and a window over them is right only by the
    same clock: that of this machine may differ. Between two readings of the server's `Date` time
    goes on by itself; it never goes back.

    Args:
        read: The server's clock in Unix seconds, or None when it does not say.
        pace: Seconds of the cluster's time per wall second. 1 on a real cluster; more for an
            endpoint whose time is simulated and runs faster.
        wall: Monotonic seconds.
        pause: Lets wall seconds pass.
    """

    real_time: ClassVar[bool] = True

    def __init__(
        self,
        read: Callable[[], float | None],
        pace: float = 1.0,
        wall: Callable[[], float] = time.monotonic,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._read = read
        self._pace = pace
        self._wall = wall
        self._pause = pause or threading.Event().wait
        first = read()
        self._base = time.time() if first is None else first
        self._since = wall()
        self._told = self._base

    def now(self) -> float:
        """Seconds since the Unix epoch, on the server's clock."""
        if self._wall() - self._since > TRUST_S / self._pace:
            self._look()
        return self._guess()

    def advance(self, seconds: float) -> None:
        """Let time pass on the server's clock, however slow it goes."""
        until = self.now() + seconds
        while (left := until - self._guess()) > 0:
            # Not less than a millisecond: a server that lags behind is not asked in a busy loop.
            self._pause(max(left / self._pace, 0.001))
            self._look()

    def _guess(self) -> float:
        moment = self._base + (self._wall() - self._since) * self._pace
        self._told = max(self._told, moment)
        return self._told

    def _look(self) -> None:
        """Correct the guess by the server's clock, as far as its grain allows."""
        said = self._read()
        wall = self._wall()
        guess = self._base + (wall - self._since) * self._pace
        if said is not None:
            guess = min(max(guess, said), said + GRAIN_S)
        self._base, self._since = guess, wall

"""The episode's clock on virtual time: waiting costs nothing but the work of what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Clock

from sregym_cluster_embedded.http.pacing import Stepped

if TYPE_CHECKING:
    from sregym_cluster_embedded.http.live import LiveWorld


class VirtualClock(Clock):
    """Moves the time of a live world.

    Args:
        live: Whose time it is. While the world is served, its time moves by itself besides.
    """

    def __init__(self, live: LiveWorld) -> None:
        self._live = live

    def now(self) -> float:
        """Seconds since the Unix epoch, virtual."""
        with self._live.look() as world:
            return world.epoch + world.now

    def advance(self, seconds: float) -> None:
        """Let virtual time pass."""
        if seconds > 0:
            self._live.advance(seconds)

    def spend(self, seconds: float) -> None:
        """Account for the time that an action took; where time follows the wall clock it passed by itself."""
        if isinstance(self._live.pacing, Stepped):
            self.advance(seconds)

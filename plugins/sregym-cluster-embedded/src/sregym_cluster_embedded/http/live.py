"""A world that several threads touch: one lock, one pace, and a bell for those who watch."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.server import served
from sregym_cluster_embedded.http.pacing import Paced, Pacing, Stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.api.request import Connect, Request, Response, Watch
    from sregym_cluster_embedded.world import World

# The longest stretch of wall time for which one `keep_pace` holds the lock.
SLICE_S = 0.05
# A pause of so many wall seconds between two requests of a command is a client that polls, and
# stands for so many virtual ones, whatever it was exactly.
_PAUSE_S = 0.7
_POLLED_EVERY_S = 1.0


class LiveWorld:
    """A world, the lock that guards it, and the rule by which its time moves.

    Args:
        world: The cluster. Nobody may touch it but through `open` and the methods here.
        pacing: How virtual time moves.
        wall: The clock that paces it, in seconds; monotonic.
    """

    def __init__(
        self,
        world: World,
        pacing: Pacing | None = None,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pacing: Pacing = pacing or Stepped()
        self._world = world
        self._wall = wall
        self._lock = threading.RLock()
        self._depth = 0
        self._bells: dict[int, Callable[[], None]] = {}
        # Of those whom time alone does not concern.
        self._bells_of_objects: dict[int, Callable[[], None]] = {}
        self._next_bell = 0
        self._waiting = 0
        self._commands = 0
        self._last_request = wall()
        self._anchor = (wall(), world.now)

    @contextmanager
    def open(self) -> Iterator[World]:
        """The world, for as long as the block lasts; watchers are told of changes at its end."""
        with self._lock:
            revision, now = self._world.store.revision, self._world.now
            self._depth += 1
            try:
                yield self._world
            finally:
                self._depth -= 1
                if self._depth == 0:
                    if revision != self._world.store.revision:
                        self._ring()
                    elif now != self._world.now:
                        self._ring(time_alone=True)

    def request(self, request: Request) -> Response | Watch | Connect:
        """Answer one API request, charging what the pace says a request costs."""
        with self.open() as world:
            wall = self._wall()
            polled = self._commands and wall - self._last_request >= _PAUSE_S
            self._last_request = wall
            if isinstance(self.pacing, Stepped):
                cost_s = self.pacing.request_cost_s + (_POLLED_EVERY_S if polled else 0.0)
                if cost_s:
                    world.run_until(world.now + cost_s)
            else:
                self.keep_pace()
            return served(world, request)

    @property
    def pacing(self) -> Pacing:
        """How virtual time moves; another pace goes on from the present moment."""
        return self._pacing

    @pacing.setter
    def pacing(self, pacing: Pacing) -> None:
        with self._lock:
            self._pacing = pacing
            self._anchor = (self._wall(), self._world.now)

    @property
    def now(self) -> float:
        """Virtual seconds since the world began."""
        with self._lock:
            return self._world.now

    def advance(self, seconds: float) -> None:
        """Let virtual time pass; all that is planned meanwhile happens at its time."""
        with self.open() as world:
            world.run_until(world.now + seconds)
            self._anchor = (self._wall(), world.now)

    def advance_until(self, condition: Callable[[World], bool], timeout_s: float) -> bool:
        """Let virtual time pass until `condition` holds; False when `timeout_s` passed first."""
        with self.open() as world:
            deadline = world.now + timeout_s
            while not (held := condition(world)):
                upcoming = world.clock.next_at()
                if upcoming is None or upcoming > deadline:
                    world.run_until(deadline)
                    held = condition(world)
                    break
                world.step()
            self._anchor = (self._wall(), world.now)
            return held

    def replace(self, world: World) -> None:
        """Go on with another world, a fork of this one for instance; open watches go on there."""
        with self._lock:
            self._world = world
            self._anchor = (self._wall(), world.now)
            self._ring()

    def subscribe(
        self, bell: Callable[[], None], *, to_objects: bool = False
    ) -> Callable[[], None]:
        """Have `bell` called after each change of state or time, in whatever thread made it.

        Args:
            bell: Called with the world locked.
            to_objects: Whether only changes of objects are of interest.

        Returns the function that ends the subscription.
        """
        bells = self._bells_of_objects if to_objects else self._bells
        with self._lock:
            self._next_bell += 1
            number = self._next_bell
            bells[number] = bell

        def unsubscribe() -> None:
            with self._lock:
                bells.pop(number, None)

        return unsubscribe

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark that a client is blocked until something changes, for the length of the block."""
        with self._lock:
            if self._waiting == 0 and isinstance(self.pacing, Stepped):
                self._anchor = (self._wall(), self._world.now)
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    @contextmanager
    def command(self) -> Iterator[None]:
        """Mark that a client's command runs for the length of the block.

        A client that looks again and again, as `kubectl drain` does, would otherwise wait for ever
        for a world in which only its looks take time.
        """
        with self._lock:
            self._commands += 1
            self._last_request = self._wall()
        try:
            yield
        finally:
            with self._lock:
                self._commands -= 1

    def keep_pace(self) -> None:
        """Move virtual time to where the pace wants it now, a slice of work at most.

        Whoever serves the world calls this a few dozen times a second. A simulation slower than
        its pace falls behind instead of blocking its clients.
        """
        with self.open() as world:
            wall = self._wall()
            ratio = self._ratio(wall)
            if ratio is None:
                self._anchor = (wall, world.now)
                return
            since, base = self._anchor
            target = base + (wall - since) * ratio
            while (upcoming := world.clock.next_at()) is not None and upcoming <= target:
                world.step()
                if self._wall() - wall > SLICE_S:
                    self._anchor = (self._wall(), world.now)
                    return
            world.run_until(target)

    def _ratio(self, wall: float) -> float | None:
        if isinstance(self.pacing, Paced):
            return self.pacing.ratio
        if self._waiting and wall - self._last_request >= self.pacing.quiet_s:
            return self.pacing.waiting_ratio
        return None

    def _ring(self, *, time_alone: bool = False) -> None:
        for bell in tuple(self._bells.values()):
            bell()
        if not time_alone:
            for bell in tuple(self._bells_of_objects.values()):
                bell()

"""A world that several threads touch: one lock, one pace, and notification of watches."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from sregym_core.errors import WorldError
from sregym_core.interfaces import run_with_deadline

from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.api.server import served
from sregym_cluster_embedded.http.holding import Holding, TookTooLongError, WorldLockTimeout
from sregym_cluster_embedded.http.pacing import Paced, Pacing, Stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.api.request import Connect, Request, Watch
    from sregym_cluster_embedded.world import World

# The longest stretch of wall time for which one `keep_pace` holds the lock.
SLICE_S = 0.05
# A pause of so many wall seconds between two requests of a command is a client that polls, and
# stands for so many virtual ones, whatever it was exactly.
_PAUSE_S = 0.7
_POLLED_EVERY_S = 1.0
# CPU seconds for which one call may compute, so that a busy machine changes no answer. Also of a stretch of virtual time, with so many more
# for each virtual second.
LIMIT_S = 30.0
_LIMIT_S_PER_S = 0.5


class LiveWorld:
    """A world, the lock that guards it, and the rule by which its time moves.

    Args:
        world: The cluster. It may be used only through `open` and the methods here.
        pacing: How virtual time moves.
        wall: The clock that paces it, in seconds; monotonic.
        limit_s: CPU seconds for which one call may compute.

    What is interrupted while it has the world open, by its limit or by the user, has not happened:
    the world is then as it was before.
    """

    def __init__(
        self,
        world: World,
        pacing: Pacing | None = None,
        wall: Callable[[], float] = time.monotonic,
        limit_s: float = LIMIT_S,
    ) -> None:
        self.limit_s = limit_s
        self.holding = Holding(limit_s)
        self._pacing: Pacing = pacing or Stepped()
        self._world = world
        self._wall = wall
        self._lock = threading.RLock()
        self._opened = False
        self._halted = ""
        self._bells: dict[int, Callable[[], None]] = {}
        # Of those whom time alone does not concern.
        self._bells_of_objects: dict[int, Callable[[], None]] = {}
        self._next_bell = 0
        self._waiting = 0
        self._commands = 0
        self._last_request = wall()
        self._anchor = (wall(), world.now)

    @contextmanager
    def look(self) -> Iterator[World]:
        """The world for reading objects: nothing that the block does may change it.

        Raises:
            WorldError: The simulation does not get on.
        """
        with self._lock:
            if self._halted:
                raise WorldError(self._halted)
            yield self._world

    @contextmanager
    def open(self) -> Iterator[World]:
        """The world, for as long as the block lasts; watchers are told of changes at its end.

        Raises:
            TookTooLongError: The block took too long in a thread that serves clients.
            WorldError: The simulation does not get on.
        """
        with self._lock:
            if self._opened:
                yield self._world
                return
            if self._halted:
                raise WorldError(self._halted)
            world = self._world
            before = world.fork()
            revision, now = world.store.revision, world.now
            self._opened = True
            try:
                try:
                    self.holding.begin()
                    yield world
                finally:
                    self._opened = False
                    self.holding.end()
            except BaseException as error:
                if not isinstance(error, Exception) and self._world is world:
                    world.restore(before)
                if isinstance(error, WorldLockTimeout):
                    self.holding.end()
                    raise TookTooLongError(self.limit_s) from None
                raise
            finally:
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
            answer = served(world, request)
            if isinstance(answer, Response) and answer.took_s:
                world.run_until(world.now + answer.took_s)
                self._anchor = (self._wall(), world.now)
            return answer

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

        def pass_by() -> None:
            with self.open() as world:
                world.run_until(world.now + seconds)
                self._anchor = (self._wall(), world.now)

        limit_s = self.limit_s + seconds * _LIMIT_S_PER_S
        run_with_deadline(pass_by, limit_s, lambda: self._halt(seconds, limit_s), cpu=True)

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

    def forget(self) -> None:
        """Forget what was worked out: that refers to the world, which would not be gone at once."""
        with self._lock:
            self._world.cache.clear()

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

        The server of the world calls this a few dozen times a second. A simulation slower than
        its pace falls behind instead of blocking its clients.

        Raises:
            WorldError: What is due does not end.
        """
        try:
            self._keep_pace()
        except TookTooLongError:
            self._halt(0.0, self.limit_s)

    def _keep_pace(self) -> None:
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

    def _halt(self, seconds: float, limit_s: float) -> NoReturn:
        stretch = f"{seconds:g} s of virtual time" if seconds else "what is due"
        self._halted = (
            f"the simulation does not get on: {stretch} took more than {limit_s:g} s to compute"
        )
        raise WorldError(self._halted)

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

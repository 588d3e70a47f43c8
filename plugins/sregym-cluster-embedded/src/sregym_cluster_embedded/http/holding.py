"""How long threads that serve clients keep the world to themselves.

One request that computes without end would keep all others waiting, and the end of the episode too.
A thread that serves clients and holds the world for too long is interrupted.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sregym_core.interfaces.deadline import interrupt_thread, thread_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How often is looked, and what is not worth an interruption when the episode is to go on.
_LOOK_S = 0.25
# An interruption that met a place that ignores exceptions is repeated after so long.
_AGAIN_S = 1.0


class WorldLockTimeout(BaseException):
    """Raised where a thread computes that held the world for too long."""


class TookTooLongError(Exception):
    """A client had the world compute for too long; the message says for how long.

    Args:
        limit_s: The limit, in CPU seconds.
    """

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"the request took more than {limit_s:g} s to compute")


class Holding:
    """Watches the one that holds a world, if its thread is one of those that are watched.

    Args:
        limit_s: How long it may, in CPU seconds of its thread.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._watched: set[int] = set()
        self._deciding = threading.Lock()
        self._holder: int | None = None
        self._clock: Callable[[], float] = time.monotonic
        self._until = 0.0
        self._interrupted = False
        self._closed: threading.Event | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch the calling thread for the length of the block."""
        ident = threading.get_ident()
        with self._deciding:
            self._watched.add(ident)
            if self._closed is None:
                self._closed = threading.Event()
                watching = threading.Thread(
                    target=self._look, args=(self._closed,), name="holding", daemon=True
                )
                watching.start()
        try:
            yield
        finally:
            with self._deciding:
                self._watched.discard(ident)
                if not self._watched and self._closed is not None:
                    self._closed.set()
                    self._closed = None

    def begin(self) -> None:
        """The calling thread has the world from now on."""
        if self._watched and (ident := threading.get_ident()) in self._watched:
            with self._deciding:
                # The holder's own CPU time: others on a busy machine do not shorten its limit.
                self._clock = thread_clock()
                self._until = self._clock() + self._limit_s
                self._holder = ident

    def end(self) -> None:
        """The calling thread gives the world back; harmless when it did already."""
        if self._holder is None:
            return
        with self._deciding:
            if self._interrupted and self._holder is not None:
                interrupt_thread(self._holder, None)
            self._holder, self._interrupted = None, False

    def interrupt(self) -> None:
        """Interrupt a watched thread that has held the world for a while."""
        with self._deciding:
            if self._holder is None:
                return
            held_s = self._clock() - (self._until - self._limit_s)
            if held_s > _LOOK_S:
                self._interrupt(self._holder)

    def _interrupt(self, holder: int) -> None:
        self._interrupted = True
        self._until = self._clock() + _AGAIN_S
        interrupt_thread(holder, WorldLockTimeout)

    def _look(self, closed: threading.Event) -> None:
        while not closed.wait(_LOOK_S):
            with self._deciding:
                if self._holder is not None and self._clock() > self._until:
                    self._interrupt(self._holder)

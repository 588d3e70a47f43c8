"""Calls from other threads, handed to the session in the thread that drives the episode.

One at a time, so that nothing else has to be safe for threads.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from queue import Empty, Queue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class SessionOverError(Exception):
    """The session ended before a call was taken."""


class _Call(Generic[T]):
    def __init__(self, act: Callable[[], T]) -> None:
        self.answer: Future[T] = Future()
        self._act = act

    def run(self, before: Callable[[], None] | None) -> None:
        if not self.answer.set_running_or_notify_cancel():
            return  # the caller gave up before its request was taken
        try:
            if before is not None:
                before()
            self.answer.set_result(self._act())
        except Exception as error:
            self.answer.set_exception(error)
            raise

    def refuse(self) -> None:
        if self.answer.set_running_or_notify_cancel():
            self.answer.set_exception(SessionOverError("the session is over"))


class Inbox:
    """Waiting calls."""

    def __init__(self) -> None:
        # A `SimpleQueue` waits for ever when its timeout is over before its first wait begins.
        self._calls: Queue[_Call[object]] = Queue()
        self._closed = False

    def __len__(self) -> int:
        """How many wait."""
        return self._calls.qsize()

    def post(self, act: Callable[[], T]) -> Future[T]:
        """Run a call in the driving thread; from any thread.

        The future fails with `SessionOverError` when the session takes no more calls.
        """
        call = _Call(act)
        self._calls.put(call)  # type: ignore[arg-type]  # the queue never looks at the result
        if self._closed:
            self.close()
        return call.answer

    async def done(self, act: Callable[[], T]) -> T:
        """Run a call in the driving thread, even if its caller goes away meanwhile."""
        return await asyncio.shield(asyncio.wrap_future(self.post(act)))

    def take(self, wait_s: float, before: Callable[[], None] | None = None) -> bool:
        """Run one call; False when none came within `wait_s`. What it raises is raised here too.

        `before` runs when one came, and what it raises is the call's answer.
        """
        try:
            call = self._calls.get(timeout=wait_s)
        except Empty:
            return False
        call.run(before)
        return True

    def close(self) -> None:
        """Refuse what waits and what will come."""
        self._closed = True
        while True:
            try:
                self._calls.get_nowait().refuse()
            except Empty:
                return

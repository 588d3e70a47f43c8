"""A pool of worker processes: each takes one task after another, and one that is lost costs its task alone.

Where the system can fork a process, workers inherit what is loaded already; elsewhere each loads it
itself. A worker that ends, falls silent or exceeds a deadline loses the task that it was at, and
another takes its place. No worker outlives the process that started it (`worker_process`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sregym_kubernetes.scratch import ScratchFolder

from sregym_runs.waiting import Waiting
from sregym_runs.worker_process import BEAT_S, WorkerStart, serve, uninterrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")
# A worker that gives no sign of life for so long is stuck.
SILENT_S = 60.0
# How long an interrupted worker may take to end in order.
END_S = 60.0
LOST = "its worker process was ended from outside, by lack of memory for instance"
ENDED_TOO = "its worker process was ended together with the command"
SILENT = "its worker process did not answer for {:g} s and was ended"
LATE = "it did not end within {:g} s"
INTERRUPTED = "it was interrupted before it gave a result"


@dataclass(frozen=True)
class TaskEnd(Generic[T, R]):
    """How a task ended.

    Attributes:
        task: As it was handed in.
        result: What the function returned; None if there is no result.
        lost: Why there is none: `LOST`, `ENDED_TOO`, `INTERRUPTED`, or a text made of `SILENT` or
            `LATE`. Empty where there is a result.
    """

    task: T
    result: R | None
    lost: str = ""


@dataclass(eq=False)
class _Worker(Generic[T]):
    """One worker process, as its parent sees it."""

    process: Any
    post: connection.Connection
    heard: float
    task: T | None = None
    deadline: tuple[float, float] | None = None
    known: set[Hashable] = field(default_factory=set)


class WorkerPool(Generic[C, T, R]):
    """Processes that apply one function to tasks.

    `begin` and `wait` are for callers that decide from time to time what is done next, `each` is for
    those that know all tasks; the two are not mixed. Each task that was begun is returned exactly
    once. Where processes are spawned, function, opening and tasks are pickled.

    Args:
        function: Called in a worker with what it opened and a task; its result is pickled.
        opening: Called once in each worker, with the worker's number (from 1) and a function that
            passes a value to `listener`; gives a context manager, which is left before the worker ends
            in order. What it raises then is not seen.
        jobs: Number of processes, which are started when they are first needed.
        listener: Called in this process with what workers pass.
        silent_s: Seconds without a sign of life after which a worker is killed.
        interruptible: Whether a task that is interrupted (`KeyboardInterrupt`) ends in order and may
            still give a result: Ctrl-C is for workers too then, and `close` lets them end. Otherwise
            workers ignore it, and `close` kills them.
        end_s: Seconds that `close` grants interrupted workers.
    """

    def __init__(
        self,
        function: Callable[[C, T], R],
        opening: Callable[[int, Callable[[Any], None]], AbstractContextManager[C]],
        jobs: int,
        *,
        listener: Callable[[Any], None] | None = None,
        silent_s: float = SILENT_S,
        interruptible: bool = False,
        end_s: float = END_S,
    ) -> None:
        self._function, self._opening = function, opening
        self._jobs = jobs
        self._listener = listener or _ignore
        self._silent_s, self._end_s = silent_s, end_s
        self._interruptible = interruptible
        # Workers that are ended by force cannot clear away their temporary folders.
        self._scratch: ScratchFolder | None = None
        self._workers: list[_Worker[T]] = []
        self._ended: deque[TaskEnd[T, R]] = deque()
        self._interrupted = False
        self._started = 0

    @property
    def free(self) -> int:
        """Number of tasks that can be begun now."""
        return self._jobs - len(self._busy())

    @property
    def running(self) -> int:
        """Number of tasks that were begun and not yet returned."""
        return len(self._busy()) + len(self._ended)

    def begin(self, task: T, deadline_s: float | None = None) -> None:
        """Hand a task to an idle worker, or to a new one; returns at once.

        Args:
            task: For the function; not None.
            deadline_s: Seconds after which its worker is killed; None: never.
        """
        with uninterrupted():
            self._hand(self._idle(), task, deadline_s)

    def wait(self, timeout_s: float) -> Sequence[TaskEnd[T, R]]:
        """Tasks that have ended since the last call; waits up to `timeout_s` seconds for one.

        Raises:
            Exception: The function raised, or the opening; the task is returned no more.
        """
        if not self._ended:
            self._receive(timeout_s)
        ended = [*self._ended]
        self._ended.clear()
        return ended

    def each(
        self, tasks: Iterable[T], kind: Callable[[T], Hashable] = lambda _task: None
    ) -> Iterator[TaskEnd[T, R]]:
        """All tasks as they end.

        On Ctrl-C the busy workers of an interruptible pool are told; how their tasks ended is still
        given, and then `KeyboardInterrupt` is raised.

        Args:
            tasks: In the order in which they are begun.
            kind: A worker that has done a task of one kind goes on with that kind while there are
                more.
        """
        waiting = Waiting(tasks, kind)
        try:
            yield from self._each(waiting)
        except KeyboardInterrupt:
            if self._interruptible:
                waiting.clear()
                self._interrupted = True
                # A terminal tells the whole group; a signal to this process alone told no worker.
                self._interrupt()
                yield from self._each(waiting)
            raise

    def close(self) -> None:
        """End all workers; the tasks that they are at are not returned any more."""
        if self._interruptible:
            self._interrupt()
            for worker in self._workers:
                with suppress(OSError):
                    worker.post.send(None)
            for worker in self._workers:
                worker.process.join(self._end_s)
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.post.close()
        self._workers.clear()
        self._ended.clear()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _each(self, waiting: Waiting[T]) -> Iterator[TaskEnd[T, R]]:
        while waiting or self.running:
            with uninterrupted():
                while waiting and self.free:
                    worker = self._idle()
                    kind, task = waiting.take(worker.known)
                    worker.known.add(kind)
                    self._hand(worker, task)
            if not self._ended:
                self._receive(BEAT_S)
            while self._ended:
                yield self._ended.popleft()

    def _busy(self) -> list[_Worker[T]]:
        return [worker for worker in self._workers if worker.task is not None]

    def _idle(self) -> _Worker[T]:
        """A worker without a task, started if there is none that lives."""
        for worker in [one for one in self._workers if one.task is None]:
            if worker.process.is_alive():
                return worker
            self._remove(worker)
        return self._start()

    def _hand(self, worker: _Worker[T], task: T, deadline_s: float | None = None) -> None:
        now = time.monotonic()
        worker.task, worker.heard = task, now
        worker.deadline = None if deadline_s is None else (now + deadline_s, deadline_s)
        with suppress(BrokenPipeError, ConnectionResetError):  # noticed when its answer is awaited
            worker.post.send(task)

    def _receive(self, timeout_s: float) -> None:
        """Take messages of busy workers until a task has ended or the time is over."""
        until = time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            limits = [worker.deadline[0] for worker in self._busy() if worker.deadline]
            posts = {worker.post: worker for worker in self._busy()}
            left_s = max(0.0, min([until, now + BEAT_S, *limits]) - now)
            for post in connection.wait([*posts], timeout=left_s):
                with uninterrupted():
                    self._take(posts[post])  # type: ignore[index]  # what was waited for
            self._end_stuck()
            if self._ended or not self._busy() or time.monotonic() >= until:
                return

    def _end_stuck(self) -> None:
        now = time.monotonic()
        for worker in self._busy():
            if worker.deadline and now >= worker.deadline[0]:
                self._kill(worker, LATE.format(worker.deadline[1]))
            elif now - worker.heard > self._silent_s:
                self._kill(worker, SILENT.format(self._silent_s))

    def _kill(self, worker: _Worker[T], why: str) -> None:
        worker.process.kill()
        worker.process.join()
        while worker.task is not None:  # a result that it has sent before counts
            self._take(worker, why)
        self._remove(worker)

    def _take(self, worker: _Worker[T], why: str = "") -> None:
        """Take one message of a busy worker, or notice that it has ended."""
        task = worker.task
        assert task is not None  # the caller waited for a busy one
        try:
            what, content = worker.post.recv()
        except (EOFError, OSError):
            # A signal for all ends workers before this process.
            why = why or (ENDED_TOO if self._interrupted else LOST)
            self._remove(worker)
            self._ended.append(TaskEnd(task, None, why))
            return
        worker.heard = time.monotonic()
        if what == "told":
            self._listener(content)
        elif what == "raised":
            worker.task = None
            raise content
        elif what == "done":
            worker.task = None
            self._ended.append(TaskEnd(task, content))
        elif what == "interrupted":
            worker.task = None
            self._ended.append(TaskEnd(task, None, INTERRUPTED))

    def _remove(self, worker: _Worker[T]) -> None:
        worker.task = None
        if worker in self._workers:
            self._workers.remove(worker)
            worker.process.join()
            worker.post.close()

    def _start(self) -> _Worker[T]:
        if self._scratch is None:
            self._scratch = ScratchFolder("cluster-")
        # Forking a process with several threads may copy a lock that no thread will release.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
        own, its = context.Pipe()
        self._started += 1
        start = WorkerStart(
            pipe=its,
            # What a worker inherits of the others would keep their pipes open after this process.
            inherited=(own, *(worker.post for worker in self._workers)) if can_fork else (),
            scratch=self._scratch.name,
            parent=os.getpid(),
            number=self._started,
            interruptible=self._interruptible,
        )
        process = context.Process(
            target=serve, args=(start, self._opening, self._function), daemon=True
        )
        process.start()
        its.close()
        worker: _Worker[T] = _Worker(process, own, time.monotonic())
        self._workers.append(worker)
        return worker

    def _interrupt(self) -> None:
        for worker in self._busy():
            with suppress(ProcessLookupError):
                os.kill(worker.process.pid, signal.SIGINT)


def _ignore(_value: Any) -> None:
    """Take what workers pass where there is no listener."""

"""Worker processes: each keeps a bench and its worlds, and takes one task after another.

Where the system can fork a process, workers inherit what is loaded already, a prepared checkpoint
included; elsewhere each loads its plugins itself. A worker that dies or falls silent costs the task
that it was at, and another one takes its place. No worker outlives the process that started it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.errors import SregymError
from sregym_core.interfaces import ClusterError
from sregym_core.scratch import ScratchFolder

from sregym_runs.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from sregym_core.conductor.left_running import ApplicationsLeftRunning
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.settings import Settings

T = TypeVar("T")
R = TypeVar("R")
# A worker gives a sign of life so often; one that gives none for so long is stuck.
BEAT_S = 1.0
SILENT_S = 60.0
_END_S = 60.0
# On a real cluster workers remove what they deployed before they end.
_REMOVED_S = 900.0
_PARENT_ENDED = 1  # PR_SET_PDEATHSIG
LOST = "its worker process was ended from outside, by lack of memory for instance"
ENDED_TOO = "its worker process was ended together with the command"
SILENT = "its worker process did not answer for {:g} s and was ended"


@dataclass(frozen=True)
class WorkerContext:
    """What a worker works with.

    Attributes:
        factory: Loaded plugins.
        worlds: Where worlds come from.
        tell: Passes a value to the process that started the workers.
    """

    factory: ComponentFactory
    worlds: Worlds
    tell: Callable[[Any], None]


@dataclass(frozen=True)
class _Recipe:
    """How a worker that inherits nothing makes its station."""

    settings: Settings
    cluster: str
    options: Mapping[str, str]
    salt: str
    kept: ApplicationsLeftRunning


@dataclass(eq=False)
class _Worker(Generic[T]):
    """One worker process, as its parent sees it."""

    process: Any
    post: connection.Connection
    heard: float
    task: T | None = None
    why: str = ""
    known: set[Hashable] = field(default_factory=set)


class Workers(Generic[T, R]):
    """A pool of worker processes for tasks of one kind.

    Args:
        factory: What the workers work with, too.
        worlds: Of this process; workers that are forked start with its checkpoints.
        cluster: Name of the provider of `worlds`.
        jobs: How many processes.
        lost: Gives the result of a task whose worker died at it, from the task and the reason; None
            for no result. `ENDED_TOO` is the reason where the same signal ended this process.
        listener: Called with what workers tell.
        silent_s: How long a worker may give no sign of life.
        kind: What of a task a worker that has done one goes on with, as long as there are more.
    """

    def __init__(
        self,
        factory: ComponentFactory,
        worlds: Worlds,
        cluster: str,
        jobs: int,
        lost: Callable[[T, str], R | None],
        listener: Callable[[Any], None] | None = None,
        silent_s: float = SILENT_S,
        kind: Callable[[T], Hashable] = lambda _task: None,
    ) -> None:
        self._bench, self._worlds = factory, worlds
        self._recipe = _Recipe(factory.settings, cluster, worlds.options, worlds.salt, worlds.kept)
        self._jobs = jobs
        self._lost = lost
        self._listener = listener or _nobody
        self._silent_s = silent_s
        self._kind = kind
        # Workers that are ended by force cannot clear away their temporary folders.
        self._scratch = ScratchFolder("cluster-")
        self._workers: list[_Worker[T]] = []
        self._died: deque[tuple[T, str]] = deque()
        self._interrupted = False
        self._begun = 0

    def each(self, function: Callable[[WorkerContext, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Results of `function(station, task)` as they come.

        On Ctrl-C the workers that are busy are told: they end their task in order, the results of
        those are still given, and then `KeyboardInterrupt` is raised.
        """
        waiting, ready = Waiting(tasks, self._kind), deque[R]()
        try:
            yield from self._results(function, waiting, ready)
        except KeyboardInterrupt:
            waiting.clear()
            self._interrupted = True
            # A terminal tells the whole group; who ends this process alone did not tell them.
            self._interrupt()
            yield from self._results(function, waiting, ready)
            raise

    def close(self) -> None:
        """End the workers; what one is at is interrupted."""
        self._interrupt()
        for worker in self._workers:
            with suppress(OSError):
                worker.post.send(None)
        for worker in self._workers:
            worker.process.join(_END_S if self._worlds.provider.simulated else _REMOVED_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.post.close()
        self._workers.clear()
        self._scratch.cleanup()

    def _results(
        self, function: Callable[[WorkerContext, T], R], waiting: Waiting[T], ready: deque[R]
    ) -> Iterator[R]:
        while ready or self._died or waiting or self._busy():
            while ready:
                yield ready.popleft()
            while self._died:
                if (result := self._of_lost(*self._died.popleft())) is not None:
                    yield result
            with uninterrupted():
                self._hand_out(function, waiting)
            posts = {worker.post: worker for worker in self._busy()}
            for post in connection.wait([*posts], timeout=BEAT_S):
                with uninterrupted():
                    self._take(posts[post], ready)  # type: ignore[index]  # what was waited for
            for worker in self._busy():
                if time.monotonic() - worker.heard > self._silent_s:
                    worker.why = SILENT.format(self._silent_s)
                    worker.process.kill()

    def _busy(self) -> list[_Worker[T]]:
        return [worker for worker in self._workers if worker.task is not None]

    def _hand_out(self, function: Callable[[WorkerContext, T], R], waiting: Waiting[T]) -> None:
        while waiting:
            worker = next((one for one in self._workers if one.task is None), None)
            if worker is None:
                if len(self._workers) >= self._jobs:
                    return
                worker = self._start()
            kind, worker.task = waiting.take(worker.known)
            worker.known.add(kind)
            worker.heard = time.monotonic()
            with suppress(BrokenPipeError):  # noticed when its answer is awaited
                worker.post.send((function, worker.task))

    def _take(self, worker: _Worker[T], ready: deque[R]) -> None:
        """Take one message of a busy worker, or notice that it has died."""
        try:
            what, content = worker.post.recv()
        except (EOFError, OSError):
            worker.process.join()
            worker.post.close()
            self._workers.remove(worker)
            if worker.task is not None:
                self._died.append((worker.task, worker.why))
            return
        worker.heard = time.monotonic()
        if what == "told":
            self._listener(content)
        elif what == "raised":
            worker.task = None
            raise content
        elif what == "done":
            worker.task = None
            if content is not None:
                ready.append(content)

    def _of_lost(self, task: T, why: str) -> R | None:
        """The result of a task whose worker died; a signal for all ends workers before this process."""
        return self._lost(task, why or (ENDED_TOO if self._interrupted else LOST))

    def _start(self) -> _Worker[T]:
        # Forking a process with several threads may copy a lock that nobody will release.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
        own, its = context.Pipe()
        self._begun += 1
        # What a worker inherits of the others would keep their pipes open after this process.
        others = [own, *(worker.post for worker in self._workers)] if can_fork else []
        origin = (self._bench, self._worlds) if can_fork else self._recipe
        process = context.Process(
            target=_serve,
            args=(its, others, origin, self._scratch.name, os.getpid(), self._begun),
            daemon=True,
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


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put signals that interrupt off until the block is over: half a message helps nobody."""
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Post:
    """A worker's end of the pipe; used by the thread that works and the one that beats."""

    def __init__(self, pipe: connection.Connection) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()

    def send(self, what: str, content: Any = None) -> None:
        with uninterrupted(), self._sending:
            self._pipe.send((what, content))

    def beat(self) -> None:
        """Give signs of life until nobody is there to take them: then this process ends too."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        never = threading.Event()
        try:
            while not never.wait(BEAT_S):
                self.send("alive")
        except OSError:
            os._exit(1)


def _serve(
    pipe: connection.Connection,
    others: list[connection.Connection],
    origin: tuple[ComponentFactory, Worlds] | _Recipe,
    scratch: str,
    parent: int,
    number: int,
) -> None:
    for other in others:
        other.close()
    _end_with(parent)
    tempfile.tempdir = scratch
    interruption = _Interruption()
    # Somebody else's SIGTERM ends a worker at once; its parent notices.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Between tasks Ctrl-C is only remembered.
    signal.signal(signal.SIGINT, interruption.remember)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # it was made while they were put off
    post = _Post(pipe)
    if isinstance(origin, tuple):
        factory, worlds = origin
    else:
        factory = ComponentFactory(origin.settings)
        worlds = factory.worlds(origin.cluster, origin.options, origin.salt, origin.kept)
    if not worlds.provider.simulated:
        worlds.share(number)
    station = WorkerContext(factory, worlds, lambda content: post.send("told", content))
    threading.Thread(target=post.beat, name="alive", daemon=True).start()
    while True:
        try:
            order = pipe.recv()
        except (EOFError, OSError):
            order = None
        if order is None:
            _leave(worlds)
            os._exit(0)
        function, task = order
        try:
            post.send("done", interruption.during(lambda: function(station, task)))  # noqa: B023 - called at once
        except Exception as error:
            post.send("raised", error)


def _leave(worlds: Worlds) -> None:
    """Give back what this worker deployed on a real cluster; say what does not go."""
    try:
        worlds.close()
    except (SregymError, ClusterError) as error:
        sys.stderr.write(f"warning: {error}\n")
        sys.stderr.flush()


class _Interruption:
    """What Ctrl-C does in a worker: it ends the task; after it nothing is begun any more."""

    def __init__(self) -> None:
        self._came = False

    def during(self, work: Callable[[], R]) -> R | None:
        """Do it; None when it was interrupted and gave nothing."""
        if self._came:
            return None
        try:
            signal.signal(signal.SIGINT, self._interrupt)
            return work()
        except KeyboardInterrupt:
            return None
        finally:
            signal.signal(signal.SIGINT, self.remember)

    def remember(self, _number: int, _frame: object) -> None:
        self._came = True

    def _interrupt(self, _number: int, _frame: object) -> None:
        if not self._came:
            self._came = True
            raise KeyboardInterrupt
        # It is giving its world back already, and is not kept from it.


def _end_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, however that comes about."""
    if sys.platform != "linux":
        return  # the pipe tells, within a beat
    import ctypes

    ctypes.CDLL(None).prctl(_PARENT_ENDED, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _nobody(_item: Any) -> None:
    """Nobody listens."""

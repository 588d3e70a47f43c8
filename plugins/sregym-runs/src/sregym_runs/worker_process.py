"""The life of one worker process of a `WorkerPool`, from its start until its parent is done or gone."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from multiprocessing import connection

C = TypeVar("C")
T = TypeVar("T")
R = TypeVar("R")
# A worker gives a sign of life so often.
BEAT_S = 1.0
_PARENT_ENDED = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True)
class WorkerStart:
    """What a worker process is started with.

    Attributes:
        pipe: Its end: tasks come, and messages `(what, content)` go.
        inherited: Ends of the parent, which a forked process closes.
        scratch: Folder for its temporary files.
        parent: Process that started it, and with which it ends.
        number: Of the worker in its pool, from 1.
        interruptible: Whether SIGINT ends a task in order; otherwise it is ignored.
    """

    pipe: connection.Connection
    inherited: tuple[connection.Connection, ...]
    scratch: str
    parent: int
    number: int
    interruptible: bool


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put signals that interrupt off until the block is over: half a message cannot be read."""
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(
    start: WorkerStart,
    opening: Callable[[int, Callable[[Any], None]], AbstractContextManager[C]],
    function: Callable[[C, T], R],
) -> None:
    """Apply `function` to tasks until the parent sends None or ends; then end this process."""
    for other in start.inherited:
        other.close()
    _end_with(start.parent)
    tempfile.tempdir = start.scratch
    interruption = _Interruption()
    # A SIGTERM from outside ends a worker at once; its parent notices.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Between tasks Ctrl-C is only remembered.
    signal.signal(signal.SIGINT, interruption.remember if start.interruptible else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # it was made while they were put off
    messages = _Messages(start.pipe)
    threading.Thread(target=messages.beat, name="alive", daemon=True).start()
    try:
        with opening(start.number, lambda content: messages.send("told", content)) as context:
            while (task := _next_task(start.pipe)) is not None:
                _do(
                    messages, interruption if start.interruptible else None, function, context, task
                )
    except Exception as error:
        messages.raised(error)
    os._exit(0)


def _next_task(pipe: connection.Connection) -> Any:
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None


def _do(
    messages: _Messages,
    interruption: _Interruption | None,
    function: Callable[[C, T], R],
    context: C,
    task: T,
) -> None:
    """Do one task and send how it ended."""
    try:
        if interruption is None:
            result = function(context, task)
        else:
            result = interruption.during(lambda: function(context, task))
        messages.send("done", result)
    except KeyboardInterrupt:
        messages.send("interrupted")
    except Exception as error:
        messages.raised(error)


class _Messages:
    """Messages of a worker; used by the thread that works and the one that beats."""

    def __init__(self, pipe: connection.Connection) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()

    def send(self, what: str, content: Any = None) -> None:
        """Send one message.

        Raises:
            Exception: The content cannot be pickled; nothing was sent.
        """
        with uninterrupted(), self._sending:
            self._pipe.send((what, content))

    def raised(self, error: Exception) -> None:
        """Send an error, in words if it does not survive pickling."""
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - this process wrote it
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        with suppress(OSError):  # the parent is gone
            self.send("raised", error)

    def beat(self) -> None:
        """Give signs of life until the parent does not take them: then this process ends, too."""
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        never = threading.Event()
        try:
            while not never.wait(BEAT_S):
                self.send("alive")
        except OSError:
            os._exit(1)


class _Interruption:
    """What Ctrl-C does in a worker: it ends the task, and no other is begun after it."""

    def __init__(self) -> None:
        self._came = False

    def during(self, work: Callable[[], R]) -> R:
        """Do it.

        Raises:
            KeyboardInterrupt: Ctrl-C came, now or before.
        """
        if self._came:
            raise KeyboardInterrupt
        try:
            signal.signal(signal.SIGINT, self._interrupt)
            return work()
        finally:
            signal.signal(signal.SIGINT, self.remember)

    def remember(self, _number: int, _frame: object) -> None:
        """Begin no further task."""
        self._came = True

    def _interrupt(self, _number: int, _frame: object) -> None:
        if not self._came:
            self._came = True
            raise KeyboardInterrupt
        # The task gives its world back already, and is not kept from it.


def _end_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, however that comes about."""
    if sys.platform != "linux":
        return  # the pipe tells, within a beat
    import ctypes

    ctypes.CDLL(None).prctl(_PARENT_ENDED, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)

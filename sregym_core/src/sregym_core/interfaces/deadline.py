"""A bound on what a computation in this process may take: wall-clock or CPU seconds.

Looking at a clock between steps does not end a step that never ends. Here the thread that computes
is interrupted: in the main thread by a signal, which also ends waiting for the system and matching
of regular expressions; in any other thread as soon as it runs Python code.
"""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")
# What an interruption met in a place that ignores exceptions is repeated after so long.
AGAIN_S = 1.0


class DeadlineExceeded(BaseException):
    """Raised in a computation that took too long; no code between it and `run_with_deadline` may catch it and go on.

    Attributes:
        passes: For code that contains what plugins raise.
    """

    passes = True


def thread_clock() -> Callable[[], float]:
    """A clock of the CPU seconds that the calling thread uses; any thread may read it.

    Where the system has no such clock it is the wall clock.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


def run_with_deadline(
    work: Callable[[], R],
    seconds: float,
    late: Callable[[], R],
    again_s: float = AGAIN_S,
    *,
    cpu: bool = False,
) -> R:
    """Do `work`, for at most so many seconds.

    What was interrupted is left where it was: `work` must put right what it leaves half done when
    `DeadlineExceeded` passes through it. Bounds may be nested; each ends only its own work.

    Args:
        work: What is done, in this thread.
        seconds: How long it may take; nothing is begun when there is no time at all.
        late: Gives the result in its place.
        again_s: How long after an interruption `work` may take to end before the next one.
        cpu: Whether `seconds` are CPU seconds of this thread instead of the wall clock's. For
            work that only computes: its limit is the same on a busy machine then, but waiting
            does not count, so it does not end either.
    """
    if seconds <= 0:
        return late()
    kind = _SignalAlarm if _in_main() else _ThreadAlarm
    alarm: _Alarm = kind(seconds, again_s, thread_clock() if cpu else time.monotonic)
    try:
        try:
            alarm.start()
            return work()
        finally:
            alarm.stop()
    except DeadlineExceeded as reached:
        alarm.stop()
        if reached.args and reached.args[0] is alarm:
            return late()
        raise
    except BaseException:
        # An interruption may have met the first `stop` at its beginning.
        alarm.stop()
        raise


def _in_main() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class _Alarm:
    """What interrupts one piece of work, once `clock` has gone on by `seconds`."""

    def __init__(self, seconds: float, again_s: float, clock: Callable[[], float]) -> None:
        self.seconds = seconds
        self.again_s = again_s
        self.over = False
        self._clock = clock
        self._ends_at = clock() + seconds

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError


class _SignalAlarm(_Alarm):
    """The process's interval timer; one that runs already goes on around this one."""

    def __init__(self, seconds: float, again_s: float, clock: Callable[[], float]) -> None:
        super().__init__(seconds, again_s, clock)
        self._outer: Any = None
        self._outer_at: float | None = None

    def start(self) -> None:
        now = time.monotonic()
        self._outer = signal.getsignal(signal.SIGALRM)
        left_s, self._outer_again_s = signal.getitimer(signal.ITIMER_REAL)
        if left_s and callable(self._outer):
            self._outer_at = now + left_s
        signal.signal(signal.SIGALRM, self._ring)
        first_s = self.seconds if self._outer_at is None else min(self.seconds, left_s)
        signal.setitimer(signal.ITIMER_REAL, first_s, self.again_s)

    def stop(self) -> None:
        if self.over:
            return
        self.over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if self._outer is None else self._outer)
        if self._outer_at is not None:
            left_s = max(self._outer_at - time.monotonic(), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left_s, self._outer_again_s)

    def _ring(self, number: int, frame: object) -> None:
        now = time.monotonic()
        if self._outer_at is not None and now >= self._outer_at:
            self._outer_at = now + max(self._outer_again_s, 1e-3)
            self._outer(number, frame)
        if self.over:
            return
        left_s = self._ends_at - self._clock()
        if left_s <= 0:
            raise DeadlineExceeded(self)
        # The timer rang for the outer one, which let it be, or the CPU was with others.
        outer_s = left_s if self._outer_at is None else self._outer_at - now
        signal.setitimer(signal.ITIMER_REAL, max(min(left_s, outer_s), 1e-3), self.again_s)


class _ThreadAlarm(_Alarm):
    """A thread that interrupts the one that made it."""

    def __init__(self, seconds: float, again_s: float, clock: Callable[[], float]) -> None:
        super().__init__(seconds, again_s, clock)
        self._target = threading.get_ident()
        self._stopped = threading.Event()
        self._deciding = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="deadline", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        with self._deciding:
            if not self.over:
                self.over = True
                interrupt_thread(self._target, None)

    def _watch(self) -> None:
        waited_s = self.seconds
        while not self._stopped.wait(waited_s):
            with self._deciding:
                if self.over:
                    return
                if (left_s := self._ends_at - self._clock()) > 0:
                    waited_s = left_s
                    continue
                # An exception that is raised so is made without arguments: a class of its own
                # tells whose it is.
                interrupt_thread(self._target, _named(self))
            waited_s = self.again_s


def _named(alarm: _Alarm) -> type[DeadlineExceeded]:
    class Reached(DeadlineExceeded):
        def __init__(self) -> None:
            super().__init__(alarm)

    return Reached


def interrupt_thread(ident: int, exception: type[BaseException] | None) -> None:
    """Raise an exception in a thread at its next step of Python code.

    Args:
        ident: Of the thread.
        exception: What is raised; None takes back what was not raised yet.
    """
    import ctypes  # not needed where nothing is late

    raised = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), raised)

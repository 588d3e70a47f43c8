"""A process that makes one system call on a signal, and ends with the kernel's result."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from . import calls

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_LATE = 254
_UNKNOWN = 255
_GO = signal.SIGUSR1
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class TrialResult(NamedTuple):
    """How a call went.

    Attributes:
        error: Number of the error, 0 for none.
        late: Whether it took as long as it should have been made to.
    """

    error: int
    late: bool


class Trial:
    """Such a process; leaving the context ends it.

    Args:
        call: Which call, by the name that faults give it.
        path: Of the file that it names; None for no matter which.
        late_s: Seconds from which it counts as late; 0 to look at errors.
        error: It calls until this one comes, where only a share of the calls fails.
        times: So many times at most.
    """

    def __init__(
        self,
        call: str,
        path: str | None = None,
        late_s: float = 0.0,
        error: int = 0,
        times: int = 1,
    ) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {_GO})
        reading, writing = os.pipe()
        parent, prctl = os.getpid(), ctypes.CDLL(None).prctl
        self.pid = os.fork()
        if self.pid == 0:
            # It has the lock of the journal, which it would hold for ever.
            prctl(_DEATH_SIGNAL, int(signal.SIGKILL))
            if os.getppid() != parent:
                os._exit(_UNKNOWN)
            os._exit(_wait_and_call(call, path, late_s, (error, times), writing))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {_GO})
        os.close(writing)
        # Whatever it gets ready is not to fail.
        os.read(reading, 1)
        os.close(reading)
        self._ended = False

    def __enter__(self) -> Trial:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._ended:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def call(self) -> TrialResult:
        """Let it make the call."""
        os.kill(self.pid, _GO)
        _, status = os.waitpid(self.pid, 0)
        self._ended = True
        code = os.waitstatus_to_exitcode(status)
        return TrialResult(0, True) if code == _LATE else TrialResult(code, False)


def _wait_and_call(
    call: str, path: str | None, late_s: float, until: tuple[int, int], ready: int
) -> int:
    """In the child: no call that may be the one in question is made while it waits."""
    try:
        make: Callable[[], int] | None = calls.maker(call, path)
        if make is None:
            return _UNKNOWN
        os.close(ready)
        signal.sigwait({_GO})
        wanted, times = until
        error, took = calls.timed(make)
        for _ in range(times - 1):
            if error == wanted:
                break
            error, took = calls.timed(make)
    except BaseException:  # a child must not go on as its parent
        return _UNKNOWN
    return _LATE if late_s and took >= late_s else error


def wait_for(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Wait until a condition holds of which the kernel sends no notification."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            return False
        signal.sigtimedwait((), 0.005)
    return True

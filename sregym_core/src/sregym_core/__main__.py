"""`sregym` and `python -m sregym_core`."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

from sregym_core.errors import ExitCode

# Signals that come together are one.
ONE_SIGNAL_S = 0.5


def main() -> None:
    """Run the command line and leave with its exit code."""
    _open_what_is_closed()
    # Whoever ends it, a job's time limit or a closed terminal: as with Ctrl-C, what is broken is
    # repaired and what was played is recorded. What is ignored (nohup) stays ignored.
    ending = _Ending()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, ending)
    try:
        # Imported here: Ctrl-C while it loads is no reason for a traceback either.
        from sregym_core.cli.handover import handed_over

        words = handed_over(sys.argv[1:])
        from sregym_core.cli.entry import run

        code = run(words)
    except KeyboardInterrupt:
        code = int(ExitCode.INTERRUPTED)
    # Python remembers a Ctrl-C that passed through code made at run time (dataclasses are), though
    # it was caught, and would die of the signal instead of leaving with the code. This forgets it.
    exec("")  # noqa: S102 - constant and empty
    _drop_what_nobody_takes()
    sys.exit(code)


class _Ending:
    """What signals do that end this process: the first in good order, another one at once."""

    def __init__(self) -> None:
        self._came: float | None = None

    def __call__(self, _number: int, _frame: object) -> None:
        now = time.monotonic()
        if self._came is None:
            self._came = now
            raise KeyboardInterrupt
        if now - self._came < ONE_SIGNAL_S:
            return  # a closed terminal and its shell both tell
        with suppress(OSError):
            os.write(2, b"ended at once: what was playing is not recorded\n")
        os._exit(ExitCode.INTERRUPTED)


def _open_what_is_closed() -> None:
    """Whoever closes a standard stream (`sregym problems >&-`) does not want it.

    It is opened onto nothing: the next file would have its number, and get what is printed.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            # Opens the lowest number that is free, and lower ones are open by now.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _drop_what_nobody_takes() -> None:
    """What could not be written (to a full disk) is known by now, and in the code.

    Python would try again when it leaves, and leave with a code of its own.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()

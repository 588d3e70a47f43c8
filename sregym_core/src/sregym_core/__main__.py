"""`sregym` and `python -m sregym_core`."""

from __future__ import annotations

import os
import signal
import sys

from sregym_core.errors import ExitCode


def main() -> None:
    """Run the command line and leave with its exit code."""
    _open_what_is_closed()
    # Whoever ends it, a job's time limit or a closed terminal: as with Ctrl-C, what is broken is
    # repaired and what was played is recorded. What is ignored (nohup) stays ignored.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        # Imported here: Ctrl-C while it loads is no reason for a traceback either.
        from sregym_core.cli.entry import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = int(ExitCode.INTERRUPTED)
    # Python remembers a Ctrl-C that passed through code made at run time (dataclasses are), though
    # it was caught, and would die of the signal instead of leaving with the code. This forgets it.
    exec("")  # noqa: S102 - constant and empty
    _drop_what_nobody_takes()
    sys.exit(code)


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

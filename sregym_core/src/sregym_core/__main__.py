"""`sregym` and `python -m sregym_core`."""

from __future__ import annotations

import signal
import sys

from sregym_core.errors import ExitCode


def main() -> None:
    """Run the command line and leave with its exit code."""
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
    sys.exit(code)


if __name__ == "__main__":
    main()

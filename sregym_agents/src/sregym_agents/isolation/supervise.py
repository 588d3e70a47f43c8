"""Runs outside the walls, before them: limits a command and ends all that it started.

Started as a script by an interpreter that sees nothing but its standard library:
`python supervise.py FOLDER COMMAND...`. Processes whose parents have ended become its own, wherever
they hid, so that none outlives it. What uses more than it may is ended, with a word on standard error.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PROCESSES = 512
FILE_BYTES = 256 << 20
FOLDER_BYTES = 1 << 30
FOLDER_ENTRIES = 100_000
LOOK_S = 0.5
GRACE_S = 2.0
# What a shell exits with when it cannot run a command; here: when it may not go on.
STOPPED = 125
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def descendants() -> list[int]:
    """All processes below this one, parents before their children."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - a script without a library
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - the same
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def size(folder: str) -> int:
    """Bytes of all files below a folder, as far as they can be counted."""
    total = entries = 0
    for place, _, names in os.walk(folder):
        for name in names:
            entries += 1
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118
            except OSError:
                continue
        if total > FOLDER_BYTES or entries > FOLDER_ENTRIES:
            return max(total, FOLDER_BYTES + 1)
    return total


def excess(folder: str) -> str:
    """What is used beyond measure; empty when nothing is."""
    if len(descendants()) > PROCESSES:
        return f"more than {PROCESSES} processes"
    if size(folder) > FOLDER_BYTES:
        return f"more than {FOLDER_BYTES >> 20} MiB or {FOLDER_ENTRIES} files in its folder"
    return ""


def end_all() -> None:
    """End every process below this one: first asked, then not."""
    asked = time.monotonic()
    while True:
        left = descendants()
        if not left:
            return
        late = time.monotonic() - asked > GRACE_S
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
            except ProcessLookupError:
                continue
        reap()
        if descendants():
            signal.sigtimedwait([signal.SIGCHLD], 0.05)
            reap()


def reap(wanted: int = 0) -> int | None:
    """Take note of children that have ended; the exit code of one of them, when it has."""
    found = None
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return found
            if pid == wanted:
                found = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return found


def limit() -> None:
    """Limits that the kernel keeps, handed on to all children."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def main(folder: str, command: list[str]) -> int:
    """Run the command; its exit code, as a shell would tell it."""
    ending = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
    # Blocked, they are waited for instead of interrupting: nothing is left undone half way.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, *ending])
    limit()
    process = subprocess.Popen(
        command,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []),  # noqa: PLW1509 - there is one thread
    )
    looked = time.monotonic()
    while True:
        got = signal.sigtimedwait([signal.SIGCHLD, *ending], LOOK_S)
        if got is not None and got.si_signo in ending:
            end_all()
            return 128 + got.si_signo
        code = reap(process.pid)
        if code is not None:
            end_all()
            return code if code >= 0 else 128 - code
        if time.monotonic() - looked >= LOOK_S:
            looked = time.monotonic()
            why = excess(folder)
            if why:
                end_all()
                sys.stderr.write(f"the command was ended: {why}\n")
                return STOPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))

"""Runs outside the walls, before them: limits a command and ends all that it started.

Started as a script by an interpreter that sees nothing but its standard library:
`python supervise.py FOLDER MEMORY_MIB PROCESSORS REPORT PARENT COMMAND...`. Processes whose parents have
ended become its own, wherever they hid, so that none outlives it. What uses more than it may is ended,
with a word on standard error and on the descriptor REPORT. It ends with the process PARENT.
"""

from __future__ import annotations

import contextlib
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
LOOK_S = 0.2
# Counting files takes longer than counting processes.
FOLDER_LOOK_S = 0.5
GRACE_S = 2.0
# What a shell exits with when it cannot run a command; here: when it may not go on.
STOPPED = 125
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_PARENT_ENDED = 1  # PR_SET_PDEATHSIG
_PAGE = os.sysconf("SC_PAGE_SIZE")
_OWN = (b"Pss_Anon:", b"SwapPss:")
# What the harness does goes first.
NICE = 10


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


def resident(pid: int) -> int:
    """Bytes that a process occupies, as the kernel counts at once: what it shares with others too."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123 - a script without a library
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def memory(pids: list[int], limit: int) -> int:
    """Bytes of memory of processes; exact only beyond the limit, as looking closely takes time."""
    rough = sum(map(resident, pids))
    files = in_memory(pids)
    if rough + files <= limit:
        return rough + files
    own = shared = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123 - the same
                for line in file:
                    if line.startswith(_OWN):
                        own += int(line.split()[1]) << 10
                    elif line.startswith(b"Pss_Shmem:"):
                        shared += int(line.split()[1]) << 10
        except OSError:
            own += resident(pid)
    # Files in memory that are mapped are among what is shared.
    return own + max(shared, files)


def in_memory(pids: list[int]) -> int:
    """Bytes of files that have no place but memory (`memfd_create`), whether they are mapped or not."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - the same
                if os.readlink(f"{folder}/{name}").startswith("/memfd:"):  # noqa: PTH115 - the same
                    about = os.stat(f"{folder}/{name}")  # noqa: PTH116 - the same
                    found[about.st_dev, about.st_ino] = about.st_blocks * 512
        except OSError:
            continue
    return sum(found.values())


def excess(memory_mib: int) -> str:
    """What is used beyond measure; empty when nothing is."""
    below = descendants()
    if len(below) > PROCESSES:
        return f"more than {PROCESSES} processes"
    if memory(below, memory_mib << 20) > memory_mib << 20:
        return f"more than {memory_mib} MiB of memory"
    return ""


def full(folder: str) -> str:
    """Why a folder may not grow any more; empty when it may."""
    if size(folder) > FOLDER_BYTES:
        return f"more than {FOLDER_BYTES >> 20} MiB or {FOLDER_ENTRIES} files in its folder"
    return ""


def end_all(grace_s: float = GRACE_S) -> None:
    """End every process below this one: by SIGTERM first, then by SIGKILL."""
    asked = time.monotonic()
    while True:
        left = descendants()
        if not left:
            return
        late = time.monotonic() - asked >= grace_s
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


def limit(processors: int) -> None:
    """Limits that the kernel keeps, handed on to all children."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    system = ctypes.CDLL(None)
    system.prctl(_SUBREAPER, 1, 0, 0, 0)
    # When who started this is ended by force, nothing else would end the command.
    system.prctl(_PARENT_ENDED, signal.SIGTERM, 0, 0, 0)
    there = sorted(os.sched_getaffinity(0))
    # Commands of several episodes do not crowd on the same ones.
    first = os.getpid() * processors % len(there)
    os.sched_setaffinity(0, [*there[first:], *there[:first]][:processors])


def yield_to_others() -> None:
    """Whatever is short, processor or memory: the harness and others on the machine come first."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.nice(NICE)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 - a script without a library
        file.write("1000")


def main(
    folder: str, memory_mib: int, processors: int, report: int, parent: int, command: list[str]
) -> int:
    """Run the command; its exit code, as a shell reports it."""
    ending = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
    # Blocked, they are waited for instead of interrupting: nothing is left undone half way.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, *ending])
    limit(processors)
    if os.getppid() != parent:
        return 128 + signal.SIGTERM  # it ended before the kernel was asked to tell
    process = subprocess.Popen(command, preexec_fn=yield_to_others)  # noqa: PLW1509 - there is one thread
    looked = folder_looked = time.monotonic()
    while True:
        got = signal.sigtimedwait([signal.SIGCHLD, *ending], LOOK_S)
        if got is not None and got.si_signo in ending:
            end_all()
            return 128 + got.si_signo
        code = reap(process.pid)
        if code is not None:
            end_all()
            return code if code >= 0 else 128 - code
        now, why = time.monotonic(), ""
        if now - looked >= LOOK_S:
            looked, why = now, excess(memory_mib)
        if not why and now - folder_looked >= FOLDER_LOOK_S:
            folder_looked, why = now, full(folder)
        if why:
            # Who takes too much would take more while being asked.
            end_all(grace_s=0.0)
            os.write(report, why.encode())
            sys.stderr.write(f"the command was ended: {why}\n")
            return STOPPED


if __name__ == "__main__":
    place, *numbers = sys.argv[1:6]
    most_memory_mib, most_processors, told, starter = map(int, numbers)
    sys.exit(main(place, most_memory_mib, most_processors, told, starter, sys.argv[6:]))

"""A command that acts in a session: served while it runs, ended with the session."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import Stage

from sregym_agents.isolation import supervise

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import Session

    from sregym_agents.gateway import Gateway
    from sregym_agents.isolation.sandbox import Start

LOOK_S = 0.1
END_TIMEOUT_S = 5.0
ORPHAN_LOOKS = 50
# What a process may write: a disk is not its to fill.
WRITTEN_CAP_BYTES = 256 << 20


def attend(
    session: Session,
    gateway: Gateway,
    start: Start,
    output: IO[bytes],
    errors: IO[bytes] | None = None,
    look: Callable[[], None] | None = None,
) -> int:
    """Start a command and serve it until it ends or both stages are submitted.

    Whatever happens, it has ended with all its children when this returns. It may not start more
    than some hundred processes, nor write more than a gigabyte to its folder, nor take more memory
    than its limits say (`supervise`).

    Args:
        session: In which it acts.
        gateway: Through which it acts.
        start: How to start it.
        output: Where its standard output goes.
        errors: Where its standard error goes; with the output when None.
        look: Called from time to time and before each of its calls: reads what it wrote so far.

    Returns:
        Its exit code, negative for a signal; 0 for one that does not end by itself after its last
        submission.

    Raises:
        BudgetExceededError: It ran longer than the session may.
        RuntimeError: It used more than it may.
    """
    limit_s = session.budget.wall_s
    began = time.monotonic()
    heard, report = os.pipe()
    try:
        process = subprocess.Popen(
            supervised(start, report),
            pass_fds=[report],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if errors is None else errors,
            env=dict(start.environment),
            cwd=start.folder,
            start_new_session=True,
        )
    except BaseException:
        os.close(heard)
        raise
    finally:
        os.close(report)
    try:
        while process.poll() is None and session.stage is not Stage.DONE:
            if not gateway.take(LOOK_S, look) and look is not None:
                look()
            _check_size(output)
            _check_size(errors)
            if limit_s is not None and time.monotonic() - began > limit_s:
                msg = f"the budget of {limit_s:g} wall-clock seconds is used up"
                raise BudgetExceededError(msg)
        while session.stage is not Stage.DONE and gateway.take(0.0, look):
            pass  # what was submitted just before the end still counts
        # After its last submission a command may say goodbye, but it does not act any more.
        gateway.close()
        exit_code = _wait(process)
        if session.stage is not Stage.DONE:
            _check_report(heard)
        return exit_code
    finally:
        _end(process)
        os.close(heard)
        if process.returncode < 0:
            # A supervisor that was killed has not ended the processes that it supervised.
            end_orphans(start)


def supervised(start: Start, report: int) -> list[str]:
    """The command line that limits a command, and ends with it all that it started.

    Args:
        start: How to start the command.
        report: A descriptor that receives why the command was ended.
    """
    script, limits = Path(supervise.__file__), start.limits
    numbers = map(str, (limits.memory_mib, limits.processors, report, os.getpid()))
    return [sys.executable, "-I", "-S", str(script), str(start.folder), *numbers, *start.argv]


def _check_report(heard: int) -> None:
    """Raise the noted error; nothing is reported afterwards."""
    why = os.read(heard, select.PIPE_BUF).decode()
    if why:
        msg = f"the command was ended: {why}"
        raise RuntimeError(msg)


def _check_size(file: IO[bytes] | None) -> None:
    if file is not None and os.fstat(file.fileno()).st_size > WRITTEN_CAP_BYTES:
        msg = f"the command wrote more than {WRITTEN_CAP_BYTES >> 20} MiB to {file.name}"
        raise RuntimeError(msg)


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command's whole process group; it was started as a session of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def end_orphans(start: Start) -> None:
    """End what runs with the kubeconfig of a session in its environment, for a command without walls.

    Behind walls nothing outlives them; there the kubeconfig has the same place in every session.
    """
    kubeconfig = start.environment.get("KUBECONFIG", "")
    if not Path(kubeconfig).is_relative_to(start.folder):
        return
    mark = f"KUBECONFIG={kubeconfig}".encode()
    for _ in range(ORPHAN_LOOKS):
        found = [pid for pid in _processes() if mark in _environment(pid)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        select.select((), (), (), LOOK_S)  # dying takes a moment, and some fork meanwhile


def _processes() -> list[int]:
    return [
        int(place.name) for place in Path("/proc").glob("[0-9]*") if int(place.name) != os.getpid()
    ]


def _environment(pid: int) -> list[bytes]:
    """The variables with which a process was started; none of one that has ended or is another's."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []

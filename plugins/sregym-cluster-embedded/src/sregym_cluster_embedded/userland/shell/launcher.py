"""Launches commands in containers: for exec, for init scripts, and as main process."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import (
    SECONDS_PER_STEP,
    Budget,
    BudgetExceededError,
    OutOfMemoryError,
    OutOfStepsError,
    under,
)

from sregym_cluster_embedded.kubelet.runtime import ExecResult, LogLine
from sregym_cluster_embedded.userland.allowances import MAIN_STEPS, steps_left, take, wait_s
from sregym_cluster_embedded.userland.executables import NotExecutableError, find_executable
from sregym_cluster_embedded.userland.files.tasks import main_pid
from sregym_cluster_embedded.userland.jobs import Job, keep_job
from sregym_cluster_embedded.userland.process import change
from sregym_cluster_embedded.userland.shell.control import BecomeProgram, Exit, Suspended
from sregym_cluster_embedded.userland.shell.input import waits_for_input
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
from sregym_cluster_embedded.userland.shell.memory import (
    COMMAND_STEPS,
    MEMORY_BYTES,
    exhaust,
)
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import parse
from sregym_cluster_embedded.userland.shell.tail_follow import Following
from sregym_cluster_embedded.userland.shell.versions import version_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint

# What a command takes up to here is not seen on a clock.
_UNNOTICED_STEPS = 100_000
_FOR_EVER_S = 3600.0
# From so many processor seconds on what a command computes is felt.
_NOTICED_S = 1.0
_KILLED, _SEGMENTATION_FAULT = 137, 139
__all__ = ["Outcome", "Session", "run_command", "run_main_script", "run_script_file"]


@dataclass(frozen=True)
class Outcome:
    """How far a main process got.

    Attributes:
        journal: Results since its place, to be given back when it goes on.
        place: Where it goes on; None at its beginning.
        lines: What it wrote since the last time.
        exit_code: Set when it has ended.
        wait_s: Seconds until it goes on; None when it waits for ever.
        becomes: Path and command line of a program of the model that it runs.
        traps: Signals that it handles, and what it does then.
        threads: How many processors it keeps busy until it goes on.
    """

    journal: tuple[Any, ...]
    lines: tuple[LogLine, ...]
    exit_code: int | None = None
    wait_s: float | None = None
    becomes: tuple[str, tuple[str, ...]] | None = None
    traps: tuple[tuple[str, str], ...] = ()
    place: Checkpoint | None = None
    threads: float = 0.0


def run_command(session: Session, command: tuple[str, ...], stdin: str) -> ExecResult:
    """Run a command line as exec does: without a shell around it."""
    head = "OCI runtime exec failed: exec failed: unable to start container process: "
    try:
        path = find_executable(
            command[0], session.image, session.files, session.environment, session.working_dir
        )
    except NotExecutableError as error:
        # runc names the missing file without `stat` when it is asked to exec.
        return ExecResult(1, error=f"{head}{error}: unknown")
    interpreter = Interpreter(session)
    name = path.rpartition("/")[2]
    if path in session.image.binaries and name not in session.runtime.commands:
        known = session.runtime.known(session.process).programs.get(session.image.binaries[path])
        return ExecResult(0, version_text(session.runtime, known, list(command)) or "")
    session.line = command
    with under(Budget(COMMAND_STEPS, MEMORY_BYTES)) as budget:
        before = budget.spent
        output = _carried_out(interpreter, list(command), stdin)
        taken = min(budget.spent, budget.steps) - before
        if taken > _UNNOTICED_STEPS:
            session.slept_s += taken * SECONDS_PER_STEP
            session.computed_s += taken * SECONDS_PER_STEP
    # No wait is longer than that.
    seconds = min(max(session.slept_s, session.held_s), _FOR_EVER_S)
    if session.computed_s >= _NOTICED_S:
        _go_on_computing(session, seconds)
    grows = None
    if session.followed:
        places, ref = dict(session.followed), session.process.ref
        grows = Following(session.runtime, ref, command, stdin, places, not session.endless)
    return ExecResult(output.code, output.out, output.err, duration_s=seconds, grows=grows)


def _go_on_computing(session: Session, seconds: float) -> None:
    """Let a command line that has been carried out be seen and felt for as long as it takes."""
    world, ref = session.world, session.process.ref
    job = Job(
        session.pid, 0, session.line, parse(":"), started_at=world.now,
        wakes_at=world.now + seconds, threads=session.computed_s / seconds,
    )  # fmt: skip
    keep_job(world, ref, job)


def _carried_out(interpreter: Interpreter, command: list[str], stdin: str) -> Output:
    session = interpreter.session
    try:
        return interpreter.execute(command, stdin)
    except OutOfStepsError:
        session.endless, session.slept_s = True, session.slept_s + _FOR_EVER_S
        session.computed_s += _FOR_EVER_S
        return Output(_KILLED)
    except (OutOfMemoryError, MemoryError):
        with suppress(Exit):
            if session.process.config.memory_limit_bytes is not None:
                exhaust(session)
        return Output(_KILLED)
    except RecursionError:
        return Output(_SEGMENTATION_FAULT)


def run_script_file(session: Session, path: str, console: Sequence[str]) -> ExecResult:
    """Run an init script: `.sh` by the shell, anything else by the datastore's own console."""
    text = session.files.read(path) or ""
    with under(Budget(COMMAND_STEPS, MEMORY_BYTES)):
        try:
            output = _initialised(session, path, text, console)
        except (BudgetExceededError, RecursionError):
            output = Output(_KILLED)
    return ExecResult(output.code, output.out, output.err)


def _initialised(session: Session, path: str, text: str, console: Sequence[str]) -> Output:
    interpreter = Interpreter(session)
    if path.endswith(".sh"):
        # The entry point sources it with `set -e` in force.
        return interpreter.script(text, "", stop_on_error=True)
    return interpreter.execute([*console], text)


def run_main_script(session: Session) -> Outcome:
    """Run, or go on with, a main process that is a tool or a shell script.

    A script is run from its last place each time; commands that were run since then answer from the
    journal, so that it arrives where it stopped. That keeps its state a value.
    """
    process, world = session.process, session.world
    if waits_for_input(process, session.runtime.consoles):
        return Outcome(process.journal, ())
    throttled_s = wait_s(world, process)
    if throttled_s > 0:
        return Outcome(
            process.journal, (), None, throttled_s, traps=process.traps, place=process.place,
            threads=process.threads,
        )  # fmt: skip
    session.pid = main_pid(session.files.container)
    interpreter = Interpreter(session, journal=process.journal)
    outcome: dict[str, Any] = {}
    ended = False
    with under(Budget(steps_left(world, process), MEMORY_BYTES)) as budget:
        before = budget.spent
        try:
            if process.place is not None:
                output = interpreter.resumed(process.place)
            else:
                output = interpreter.main(list(process.argv))
            outcome = {"exit_code": output.code}
        except OutOfStepsError:
            ended = True
        except (OutOfMemoryError, MemoryError):
            outcome = {"exit_code": _KILLED}
        except RecursionError:
            outcome = {"exit_code": _SEGMENTATION_FAULT}
        except Suspended as stop:
            outcome = {"wait_s": stop.seconds, "threads": stop.threads}
        except BecomeProgram as other:
            outcome = {"becomes": (other.path, other.argv)}
        spent = budget.spent - before
    journal, place = interpreter.recorded(), interpreter.place
    further = place is not process.place or len(journal) > len(process.journal)
    take(world, process, spent, ended=ended, further=further)
    if ended:
        outcome = {"wait_s": wait_s(world, process), "threads": 1.0}
        change(world, process.ref, waits_for=())
    traps = tuple(interpreter.traps.items())
    return Outcome(journal, interpreter.written(), **outcome, traps=traps, place=place)


def run_trap(session: Session, script: str) -> tuple[Output, bool]:
    """Run a signal's handler; what it wrote, and whether it ended the shell."""
    interpreter = Interpreter(session)
    try:
        with under(Budget(MAIN_STEPS, MEMORY_BYTES)):
            return interpreter.run(interpreter.parsed(script), ""), False
    except (BudgetExceededError, RecursionError):
        return Output(_KILLED), True
    except Exit as stop:
        return Output(stop.code, stop.output.out, stop.output.err), True

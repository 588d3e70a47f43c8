"""Running commands in containers: for exec, for init scripts, and as main process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sregym_cluster_embedded.kubelet.runtime import ExecResult, LogLine
from sregym_cluster_embedded.userland.executables import NotExecutableError, find_executable
from sregym_cluster_embedded.userland.shell.commands import COMMANDS
from sregym_cluster_embedded.userland.shell.control import BecomeProgram, Exit, Suspended
from sregym_cluster_embedded.userland.shell.following import Following
from sregym_cluster_embedded.userland.shell.input import waits_for_input
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.versions import version_text

__all__ = ["Outcome", "Session", "run_command", "run_main_script", "run_script_file"]


@dataclass(frozen=True)
class Outcome:
    """How far a main process got.

    Attributes:
        journal: Results so far, to be given back when it goes on.
        lines: What it wrote since the last time.
        exit_code: Set when it has ended.
        wait_s: Seconds until it goes on; None when it waits for ever.
        becomes: Path and command line of a program of the model that it runs.
        traps: Signals that it handles, and what it does then.
    """

    journal: tuple[Any, ...]
    lines: tuple[LogLine, ...]
    exit_code: int | None = None
    wait_s: float | None = None
    becomes: tuple[str, tuple[str, ...]] | None = None
    traps: tuple[tuple[str, str], ...] = ()


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
    if path in session.image.binaries and name not in COMMANDS:
        known = session.runtime.known(session.process).programs.get(session.image.binaries[path])
        about = version_text(known, list(command))
        return ExecResult(0, about.out if about is not None else "")
    session.line = command
    output = interpreter.execute(list(command), stdin)
    seconds = max(session.slept_s, session.held_s)
    grows = None
    if session.followed:
        places, ref = dict(session.followed), session.process.ref
        grows = Following(session.runtime, ref, command, stdin, places, not session.endless)
    return ExecResult(output.code, output.out, output.err, duration_s=seconds, grows=grows)


def run_script_file(session: Session, path: str) -> ExecResult:
    """Run an init script: `.sh` by the shell, anything else by the datastore's own shell."""
    text = session.files.read(path) or ""
    interpreter = Interpreter(session)
    if path.endswith(".sh"):
        # The entry point sources it with `set -e` in force.
        output = interpreter.script(text, "", stop_on_error=True)
    else:
        words = ["mongo", "--quiet"]
        database = session.environment.get("MONGO_INITDB_DATABASE", "test")
        output = interpreter.execute([*words, database], text)
    return ExecResult(output.code, output.out, output.err)


def run_main_script(session: Session) -> Outcome:
    """Run, or go on with, a main process that is a tool or a shell script.

    A script is run from its beginning each time; commands that were run before answer from the
    journal, so that it arrives where it stopped. That keeps its state a plain tuple.
    """
    process = session.process
    if waits_for_input(process):
        return Outcome(process.journal, ())
    interpreter = Interpreter(session, journal=process.journal)
    argv = process.argv
    try:
        output = interpreter.main(list(argv))
    except Suspended as stop:
        seconds = stop.seconds
        traps = tuple(interpreter.traps.items())
        return Outcome(interpreter.recorded(), interpreter.written(), wait_s=seconds, traps=traps)
    except BecomeProgram as other:
        return Outcome(
            interpreter.recorded(), interpreter.written(), becomes=(other.path, other.argv)
        )
    return Outcome(interpreter.recorded(), interpreter.written(), exit_code=output.code)


def run_trap(session: Session, script: str) -> tuple[Output, bool]:
    """Run a signal's handler; what it wrote, and whether it ended the shell."""
    interpreter = Interpreter(session)
    try:
        return interpreter.run(interpreter.parsed(script), ""), False
    except Exit as stop:
        return Output(stop.code, stop.output.out, stop.output.err), True

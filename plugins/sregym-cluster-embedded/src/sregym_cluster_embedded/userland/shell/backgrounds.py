"""Commands with `&` behind them: processes that live on, on the virtual clock."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import (
    Budget,
    OutOfMemoryError,
    OutOfStepsError,
    portion,
    present,
    spend,
    under,
)

from sregym_cluster_embedded.userland.allowances import steps_left, take, wait_s
from sregym_cluster_embedded.userland.jobs import Job, end_job, jobs_of, keep_job
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.control import BecomeProgram, Exit, Leave, Suspended
from sregym_cluster_embedded.userland.shell.expansion import Expansion
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.memory import MEMORY_BYTES
from sregym_cluster_embedded.userland.shell.redirection import Redirector
from sregym_cluster_embedded.userland.shell.session import Output, Session
from sregym_cluster_embedded.userland.shell.syntax import parse
from sregym_cluster_embedded.userland.shell.tree import Group, Node, Simple

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_SHELLS = ("sh", "ash", "bash", "dash")
_WRAPPERS = ("nohup", "setsid", "nice", "exec")
# The threads of the container runtime take the numbers below.
_LOWEST_PID = 8
# What it takes to carry out one command of a job.
_STEPS, _STARTED_STEPS = 40, 500
# A wait for something that does not end takes so long.
_FOR_EVER_S = 3600.0


class JobShell(Interpreter):
    """Runs a job; what it writes is collected, what it waits for suspends it."""

    def __init__(self, session: Session, journal: tuple[Any, ...]) -> None:
        super().__init__(session, journal)
        self.said = Output()
        self.child: tuple[str, ...] = ()

    def emit(self, output: Output) -> None:
        """Collect what a command wrote in this run."""
        self.said = Output(0, self.said.out + output.out, self.said.err + output.err)

    def wait(
        self,
        seconds: float | None,
        doing: tuple[str, ...] = (),
        threads: float = 0.0,
        said: Output | None = None,
    ) -> None:
        """Let time pass before the next command; None is for ever."""
        assert self._journal is not None
        self._journal.append((0, "", ""))
        self.child = doing
        raise Suspended(seconds, threads, said)

    def spend(self) -> None:
        """Count a step; what spins goes on later."""
        spend(_STEPS)


class Backgrounds:
    """What shells do with commands that have `&` behind them; it has no state of its own."""

    def start(self, shell: Interpreter, body: Node) -> Output:
        """Start one; what it writes at once where it is not redirected.

        Raises:
            BecomeProgram: It is a program of the model.
        """
        return _start(shell, body)

    def wait(self, shell: Interpreter) -> Output:
        """`wait`: until the jobs of this shell have ended."""
        return _wait(shell)

    def listed(self, session: Session) -> Output:
        """`jobs`: those that this shell has started."""
        return _listed(session)


def _start(shell: Interpreter, body: Node) -> Output:
    session = shell.session
    world, ref = session.world, session.process.ref
    spend(_STARTED_STEPS)
    pid = max([session.pid, _LOWEST_PID, *(job.pid for job in jobs_of(world, ref))]) + 1
    redirections = body.redirections if isinstance(body, Simple | Group) else ()
    bare = replace(body, redirections=()) if isinstance(body, Simple | Group) else body
    argv, inner, arguments, immune = _command(shell, bare)
    error = _redirector(session).prepare(redirections)
    if error:
        return Output(0, "", error)
    job = Job(
        pid, session.pid, argv, inner, redirections, world.now, dict(session.environment),
        tuple(sorted(session.unexported)), dict(session.functions), session.working_dir, arguments,
        immune=immune, logged=shell.recording,
    )  # fmt: skip
    session.background = pid
    left, output = _run(session, job)
    if left is None:
        return output
    keep_job(world, ref, left)
    if not shell.recording and not _silent(redirections):
        # A client of exec is served until no process holds its streams any more.
        session.held_s = max(session.held_s, min(left.wakes_at - world.now, _FOR_EVER_S))
    return output


def go_on(world: World, runtime: Runtime, ref: ContainerRef, pid: int) -> None:
    """What a job waited for is over."""
    process = process_of(world, ref)
    job = next((job for job in jobs_of(world, ref) if job.pid == pid), None)
    if process is None or not process.running or job is None or job.wakes_at > world.now:
        return
    throttled_s = wait_s(world, process)
    if throttled_s > 0:
        keep_job(world, ref, replace(job, wakes_at=world.now + throttled_s))
        return
    left, _ = _run(runtime.session(world, process), job)
    if left is None:
        end_job(world, ref, pid)
    else:
        keep_job(world, ref, left)


def _wait(shell: Interpreter) -> Output:
    session = shell.session
    now = session.world.now
    mine = [
        job
        for job in jobs_of(session.world, session.process.ref)
        if shell.recording or job.parent == session.pid
    ]
    ends = [job.wakes_at for job in mine]
    if not ends:
        return Output()
    if shell.recording:
        # Nothing is noted: what is left of the jobs is looked at again.
        raise Suspended(None if min(ends) == math.inf else min(ends) - now)
    shell.wait(None if max(ends) == math.inf else max(ends) - now)
    return Output()


def _listed(session: Session) -> Output:
    found = jobs_of(session.world, session.process.ref)
    mine = [job for job in found if job.parent == session.pid]
    out = ""
    for number, job in enumerate(mine, start=1):
        mark = "+" if number == len(mine) else "-" if number == len(mine) - 1 else " "
        line = " ".join(job.argv)
        if session.busybox:
            out += f"[{number}]{mark}  Running                    {line}\n"
        elif session.arguments[0].endswith("bash"):
            out += f"[{number}]{mark}  {'Running':<24}{line} &\n"
        else:
            out += f"[{number}] {mark} {'Running':<27}{line}\n"
    return Output(0, out)


def _run(session: Session, job: Job) -> tuple[Job | None, Output]:
    """Let a job run until it waits or ends; what is left of it, and what was not read of its output."""
    own = replace(
        session, environment=dict(job.environment), working_dir=job.working_dir,
        arguments=job.arguments, unexported=set(job.unexported), functions=dict(job.functions),
        slept_s=0.0, computed_s=0.0, complaints="", background=0, pid=job.pid,
    )  # fmt: skip
    world, ref = session.world, session.process.ref
    before = _ports(world, ref)
    shell = JobShell(own, job.journal)
    rests, seconds, ended, threads = False, 0.0, False, 0.0
    budget = present() or Budget(steps_left(world, session.process), MEMORY_BYTES)
    spent = budget.spent
    try:
        with under(budget), portion():
            if job.place is None:
                shell.run(job.body, "")
            else:
                shell.resumed(job.place)
        if own.slept_s > 0:
            rests, seconds, threads = True, own.slept_s, own.computed_s / own.slept_s
    except Suspended as stop:
        rests, seconds = True, math.inf if stop.seconds is None else stop.seconds
        threads = stop.threads
    except BecomeProgram:
        if not job.journal and _is_script(session):
            raise
    except Exit as stop:
        shell.emit(stop.output)
    except OutOfStepsError:
        rests, ended, threads = True, True, 1.0
    except (OutOfMemoryError, RecursionError):
        shell.emit(Output(137))
    except (Leave, ShellSyntaxError):
        pass
    rest = _redirector(own).output(job.redirections, shell.said)
    if job.logged:
        session.say("stdout", rest.out)
        session.say("stderr", rest.err)
        rest = Output()
    journal = shell.recorded()
    further = shell.place is not job.place or len(journal) > len(job.journal)
    take(world, session.process, budget.spent - spent, ended=ended, further=further)
    if not rests:
        return None, rest
    finished = own.slept_s > 0
    if ended:
        seconds = wait_s(world, session.process)
    body = parse(":") if finished else job.body
    opened = tuple(port for port in _ports(world, ref) if port not in before)
    left = replace(
        job, journal=() if finished else journal, place=None if finished else shell.place, body=body, wakes_at=world.now + seconds,
        child=shell.child if shell.child != job.argv else (), ports=(*job.ports, *opened),
        threads=threads,
    )  # fmt: skip
    return left, rest


def _command(shell: Interpreter, body: Node) -> tuple[tuple[str, ...], Node, tuple[str, ...], bool]:
    """Command line, what it does, its arguments, and whether it ignores SIGHUP.

    A shell that is started to run a script runs it on the clock as well.
    """
    session = shell.session
    own = session.line or ("sh",)
    if not isinstance(body, Simple) or body.assignments:
        return own, body, session.arguments, False
    words = shell.words(body.words)
    if not words:
        return own, body, session.arguments, False
    bare = list(words)
    while bare and bare[0].rpartition("/")[2] in _WRAPPERS:
        bare = bare[1:]
    immune = len(bare) < len(words) and words[0] in ("nohup", "setsid")
    if not bare:
        return tuple(words), body, session.arguments, immune
    script, arguments = _script(session, bare)
    if script is None:
        if immune or len(bare) < len(words):
            count = len(words) - len(bare)
            body = replace(body, words=body.words[count:]) if len(body.words) > count else body
        return tuple(bare), body, session.arguments, immune
    try:
        return tuple(bare), shell.parsed(script), arguments, immune
    except ShellSyntaxError:
        return tuple(bare), body, session.arguments, immune


def _script(session: Session, words: list[str]) -> tuple[str | None, tuple[str, ...]]:
    """The script that a command line runs, and its arguments; None when it runs none."""
    name = words[0].rpartition("/")[2]
    if name not in _SHELLS:
        return None, ()
    at = next((i for i, word in enumerate(words) if i and re.fullmatch(r"-\w*c", word)), 0)
    if at and at + 1 < len(words):
        return words[at + 1], tuple(words[at + 2 :]) or (words[0],)
    files = [word for word in words[1:] if not word.startswith("-")]
    text = session.files.read(session.path(files[0])) if files else None
    return text, tuple(files)


def _silent(redirections: tuple[Any, ...]) -> bool:
    """Whether both output streams go elsewhere."""
    taken = set()
    for redirection in redirections:
        if redirection.operator in (">", ">>", ">|"):
            taken.add(redirection.descriptor)
        elif redirection.operator.startswith("&>"):
            taken |= {1, 2}
        elif redirection.operator == ">&":
            taken.add(redirection.descriptor)
    return {1, 2} <= taken


def _is_script(session: Session) -> bool:
    """Whether the main process is a shell, which a program may take the place of."""
    return session.process.behaviour is None


def _ports(world: World, ref: ContainerRef) -> tuple[int, ...]:
    process = process_of(world, ref)
    return () if process is None else tuple(port for port, _ in process.ports)


def _nothing(text: str, *, raw: bool = False) -> str:  # noqa: ARG001 - as its type has it
    return ""


def _redirector(session: Session) -> Redirector:
    return Redirector(session, Expansion(session, _nothing))

"""Processes beside a container's main process: what shells have left in the background.

A job is a value in the table `userland.jobs`. It runs on the virtual clock like a main process that
is a script: from its last place, with a journal of what has been done since (`shell.backgrounds`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.computing import keep_computing
from sregym_cluster_embedded.userland.process import change, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint
    from sregym_cluster_embedded.userland.shell.lexing import Redirection
    from sregym_cluster_embedded.userland.shell.tree import Node
    from sregym_cluster_embedded.world import World

JOBS: TableKey[ContainerRef, tuple[Job, ...]] = TableKey("userland.jobs")
EXECUTED: TableKey[ContainerRef, int] = TableKey("userland.executed")
# The threads of runc take process numbers too, before the main process and each command.
_FIRST_PID, _PIDS_OF_AN_EXEC = 8, 6


@dataclass(frozen=True)
class Job:
    """A process in the background.

    Attributes:
        pid: Its number.
        parent: Number of the shell that started it.
        argv: Its command line.
        body: What is left to do, from its beginning.
        redirections: Where its output goes.
        started_at: Virtual second.
        environment: Variables when it was started.
        unexported: Names of those that commands do not see.
        functions: Functions of the shell.
        working_dir: Where it was started.
        arguments: `$0`, `$1` ...
        journal: What has been done since its place.
        place: Where it goes on; None at its beginning.
        wakes_at: Virtual second at which it goes on; infinity when it never does.
        child: Command line of what it waits for, when that is a process of its own.
        ports: Ports that it listens on.
        immune: Whether it ignores SIGHUP.
        logged: Whether what it writes goes to the container's log: a main script has started it.
        threads: How many processors it keeps busy.
    """

    pid: int
    parent: int
    argv: tuple[str, ...]
    body: Node
    redirections: tuple[Redirection, ...] = ()
    started_at: float = 0.0
    environment: dict[str, str] = field(default_factory=dict)
    unexported: tuple[str, ...] = ()
    functions: dict[str, Any] = field(default_factory=dict)
    working_dir: str = "/"
    arguments: tuple[str, ...] = ("sh",)
    journal: tuple[Any, ...] = ()
    place: Checkpoint | None = None
    wakes_at: float = math.inf
    child: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    immune: bool = False
    logged: bool = False
    threads: float = 0.0


def next_pid(world: World, ref: ContainerRef) -> int:
    """The process number of the next command line that is run in a container."""
    executed = world.table(EXECUTED)
    number = executed.get(ref, 0)
    executed[ref] = number + 1
    pid: int = _FIRST_PID + _PIDS_OF_AN_EXEC * number
    return max([pid, *(job.pid + 1 for job in jobs_of(world, ref))])


def jobs_of(world: World, ref: ContainerRef) -> tuple[Job, ...]:
    """The jobs of a container, oldest first."""
    found: tuple[Job, ...] = world.table(JOBS).get(ref, ())
    return found


def keep_job(world: World, ref: ContainerRef, job: Job) -> None:
    """Remember a job, or its new state; it is woken when its time has come."""
    others = tuple(other for other in jobs_of(world, ref) if other.pid != job.pid)
    world.table(JOBS)[ref] = tuple(sorted((*others, job), key=lambda one: one.pid))
    if job.wakes_at < math.inf:
        world.after(job.wakes_at - world.now, "userland.job", ref, job.pid)
    count_computing(world, ref)


def end_job(world: World, ref: ContainerRef, pid: int) -> None:
    """A job has ended, or was killed: what it listened on is closed."""
    gone = [job for job in jobs_of(world, ref) if job.pid == pid]
    left = tuple(job for job in jobs_of(world, ref) if job.pid != pid)
    if left:
        world.table(JOBS)[ref] = left
    else:
        world.table(JOBS).pop(ref, None)
    closed = {port for job in gone for port in job.ports}
    process = process_of(world, ref)
    if closed and process is not None:
        change(world, ref, ports=tuple(pair for pair in process.ports if pair[0] not in closed))
    count_computing(world, ref)


def count_computing(world: World, ref: ContainerRef) -> None:
    """Add up how many threads of a container compute: of its main process and of those beside it."""
    process = process_of(world, ref)
    if process is None or not process.running:
        return
    keep_computing(world, ref, process.threads + sum(job.threads for job in jobs_of(world, ref)))

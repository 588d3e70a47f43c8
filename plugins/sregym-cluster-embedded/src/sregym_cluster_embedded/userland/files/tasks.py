"""The processes of a container, as `ps` and /proc show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import expand

from sregym_cluster_embedded.userland.jobs import jobs_of
from sregym_cluster_embedded.userland.process import Process, process_of, running_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.userland.files.container import Container


_ENTRY_POINT = "docker-entrypoint.sh"


class Task(NamedTuple):
    """One process.

    Attributes:
        pid: Number in the container.
        parent: Number of its parent; 0 for those that come from outside.
        name: Name of the executable, or of the script.
        argv: Command line.
        state: One letter, as /proc/PID/stat has it.
        memory_kib: Resident set.
        environment: Variables.
        started_at: Virtual second.
    """

    pid: int
    parent: int
    name: str
    argv: tuple[str, ...]
    state: str = "S"
    memory_kib: int = 960
    environment: tuple[tuple[str, str], ...] = ()
    started_at: float = 0.0


def tasks(container: Container) -> list[Task]:
    """The processes that run in the container; of all containers where the pod shares them."""
    world, ref = container.world, container.config.ref
    spec = container.pod["spec"]
    if not spec.get("shareProcessNamespace"):
        process = process_of(world, ref)
        return [] if process is None else _of(container, process, 1)
    pause = Task(1, 0, "pause", ("/pause",))
    found, pid = [pause], 7
    for process in running_in(world, ref.pod_uid):
        own = _of(container, process, pid)
        found.extend(own)
        pid = own[-1].pid + 6
    return found


def _of(container: Container, process: Process, pid: int) -> list[Task]:
    runtime = container.world.room("runtime")
    kib = runtime.memory_bytes(container.world, process.ref) // 1024
    environment = tuple(process.environment.items())
    name = process.argv[0].rpartition("/")[2]
    main = Task(pid, 0, name, process.argv, "S", kib, environment, process.started_at)
    waits_for = process.waits_for
    path = next(
        (
            p
            for p in container.known.interpreted
            if p == process.argv[0] or p.endswith(f"/{process.argv[0]}")
        ),
        "",
    )
    argv = entered(process, container.known.image.cmd)
    if argv != process.argv and not path:
        main = main._replace(name=argv[0].rpartition("/")[2], argv=argv)
    if path and process.program:
        main = main._replace(argv=("/bin/sh", path, *process.argv[1:]))
        facts = process.facts()
        waits_for = tuple(expand(word, facts) for word in container.known.interpreted[path])
    found = [main]
    if waits_for:
        name = waits_for[0].rpartition("/")[2]
        found.append(Task(pid + 6, pid, name, waits_for, "S", 960))
    return [*found, *_in_background(container, process, pid - 1)]


def entered(process: Process, cmd: Sequence[str]) -> tuple[str, ...]:
    """The command line of a main process.

    Entry points of official images end by becoming what their arguments say; options alone are
    those of the image's own program.
    """
    if process.argv[0].rpartition("/")[2] != _ENTRY_POINT or process.behaviour is None:
        return process.argv
    words = process.argv[1:]
    if (not words or words[0].startswith("-")) and cmd:
        words = (cmd[0], *words)
    if not words:
        return process.argv
    more = ("--bind_ip_all",) if process.behaviour.kind == "mongodb" else ()
    return (*words, *more)


def _in_background(container: Container, process: Process, offset: int) -> Iterator[Task]:
    """What shells have left there; what such a process waits for has the number after its own."""
    for job in jobs_of(container.world, process.ref):
        name = job.argv[0].rpartition("/")[2]
        environment = tuple(job.environment.items())
        pid = job.pid + offset
        yield Task(pid, 1 + offset, name, job.argv, "S", 960, environment, job.started_at)
        if job.child:
            child = job.child[0].rpartition("/")[2]
            yield Task(pid + 1, pid, child, job.child, "S", 960, environment, job.started_at)

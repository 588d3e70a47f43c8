"""The processes of a container, as `ps` and /proc show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import expand

from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.userland.computing import threads_of
from sregym_cluster_embedded.userland.jobs import jobs_of
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import Process, process_of, running_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_cluster_embedded.userland.files.container import Container
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


_ENTRY_POINT = "docker-entrypoint.sh"
# Numbers of main processes that share a namespace; those of commands that are executed lie between.
_FIRST_SHARED, _FIRST_LOOKING, _APART = 7, 17, 12


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
        uid: Number of its user; None for that of the container which is looked at.
        process: The container whose main process it is, where another one looks at it.
        unit: The service of the node that it belongs to.
        control_group: As /proc/PID/cgroup shows it.
        cores: How many processors it keeps busy beside the main process.
    """

    pid: int
    parent: int
    name: str
    argv: tuple[str, ...]
    state: str = "S"
    memory_kib: int = 960
    environment: tuple[tuple[str, str], ...] = ()
    started_at: float = 0.0
    uid: int | None = None
    process: Process | None = None
    unit: str = ""
    control_group: str = "/"
    cores: float = 0.0


def tasks(container: Container) -> list[Task]:
    """The processes that a process of the container sees.

    Those of the container, and of those that were started to look at it; of all containers where the
    pod shares them; of the node where the pod is in the node's own process namespace.
    """
    world = container.world
    spec = container.pod["spec"]
    if spec.get("hostPID"):
        # Many they are, and looked at for each file of each of them.
        if container.tasks is None:
            container.tasks = world.service(RUNTIME).tasks_of_node(world, container.config.node)
        return list(container.tasks)
    found = [Task(1, 0, "pause", ("/pause",))] if spec.get("shareProcessNamespace") else []
    for process, pid in _sharing(container):
        found.extend(_seen(container, process, pid))
    return found


def main_pid(container: Container) -> int:
    """The number of the container's main process, as it sees it itself."""
    ref = container.config.ref
    return next((pid for process, pid in _sharing(container) if process.ref == ref), 1)


def _sharing(container: Container) -> Iterator[tuple[Process, int]]:
    """The main processes in the process namespace of a container, with their numbers."""
    world, ref = container.world, container.config.ref
    if container.pod["spec"].get("shareProcessNamespace"):
        for order, process in enumerate(running_in(world, ref.pod_uid)):
            yield process, _FIRST_SHARED + _APART * order
        return
    others = running_in(world, ref.pod_uid)
    targets = {each.ref.name: each.config.spec.get("targetContainerName", "") for each in others}
    if not any(targets.values()):
        own = process_of(world, ref)
        if own is not None:
            yield own, 1
        return
    # Of one whose target has ended, the namespace has ended as well.
    owner = _owner(ref.name, targets)
    sharing = [each for each in others if _owner(each.ref.name, targets) == owner]
    for order, process in enumerate(sorted(sharing, key=lambda each: each.ref.name != owner)):
        yield process, 1 if order == 0 else _FIRST_LOOKING + _APART * order


def owner_of_processes(container: Container) -> str:
    """The container that made the process namespace of a container; empty for the pod itself."""
    if container.pod["spec"].get("shareProcessNamespace"):
        return ""
    others = running_in(container.world, container.config.ref.pod_uid)
    targets = {each.ref.name: each.config.spec.get("targetContainerName", "") for each in others}
    return _owner(container.config.ref.name, targets)


def _owner(name: str, targets: Mapping[str, str]) -> str:
    """The container in whose process namespace another one is."""
    seen = {name}
    while (target := targets.get(name, "")) and target not in seen:
        seen.add(target)
        name = target
    return name


def _seen(container: Container, process: Process, pid: int) -> list[Task]:
    """The tasks of a main process as a container sees them, which may be another one."""
    if process.ref == container.config.ref:
        return tasks_of_process(container, process, pid)
    other = container.beside(process)
    found = tasks_of_process(other, process, pid)
    return [task._replace(process=process, uid=other.credentials.uid) for task in found]


def tasks_of_process(container: Container, process: Process, pid: int) -> list[Task]:
    """A main process and what it and others have started beside it; `pid` is its number."""
    runtime: Runtime = container.world.service(RUNTIME)
    kib = runtime.memory_bytes(container.world, process.ref) // 1024
    environment = tuple(process.environment.items())
    name = process.argv[0].rpartition("/")[2]
    main = Task(pid, 0, name, process.argv, "S", kib, environment, process.started_at)
    if process.stopped:
        main = main._replace(state="T")
    waits_for = process.waits_for
    path = next(
        (
            p
            for p in container.known.interpreted
            if p == process.argv[0] or p.endswith(f"/{process.argv[0]}")
        ),
        "",
    )
    argv = entered(runtime, process, container.known.image.cmd)
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
    each = of_a_thread(container.world, process)
    if process.threads:
        found[-1] = found[-1]._replace(state="R", cores=process.threads * each)
    return [*found, *_in_background(container, process, pid - 1, each)]


def of_a_thread(world: World, process: Process) -> float:
    """How much of a processor each thread gets that wants one all the time."""
    wanted, service = threads_of(world, process.ref), world.service_or_none(USAGE)
    if not wanted or service is None:
        return 0.0
    used = service.containers(world, process.ref.pod_uid)
    cores = sum(one.cpu_nanocores for one in used if one.name == process.ref.name) / 1e9
    return min(1.0, cores / wanted)


def entered(runtime: Runtime, process: Process, cmd: Sequence[str]) -> tuple[str, ...]:
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
    return runtime.kind_of(process).command_line(words, process.behaviour)


def _in_background(
    container: Container, process: Process, offset: int, each: float
) -> Iterator[Task]:
    """What shells have left there; what such a process waits for has the number after its own."""
    for job in jobs_of(container.world, process.ref):
        name = job.argv[0].rpartition("/")[2]
        environment = tuple(job.environment.items())
        pid = job.pid + offset
        own = Task(pid, 1 + offset, name, job.argv, "S", 960, environment, job.started_at)
        state = "R" if job.threads else "S"
        if not job.child:
            yield own._replace(state=state, cores=job.threads * each)
            continue
        yield own
        child = job.child[0].rpartition("/")[2]
        other = Task(pid + 1, pid, child, job.child, "S", 960, environment, job.started_at)
        yield other._replace(state=state, cores=job.threads * each)

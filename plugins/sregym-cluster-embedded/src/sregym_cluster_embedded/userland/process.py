"""What runs in containers: immutable records in the table `userland.processes`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.etc import CLUSTER_DNS
from sregym_cluster_embedded.userland.keys import TELEMETRY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import AnyProgram, Client

    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef, LogLine
    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint
    from sregym_cluster_embedded.world import World


PODS: TableKey[str, tuple[ContainerRef, ...]] = TableKey("userland.pods")
UPDATED: TableKey[tuple[ContainerRef, str], float] = TableKey("userland.updated")
_PROCESSES: TableKey[ContainerRef, Process] = TableKey("userland.processes")


@dataclass(frozen=True)
class Process:
    """The main process of one life of a container.

    Attributes:
        config: What the kubelet started.
        argv: The command line, executable first.
        environment: Of the image and the pod together.
        working_dir: Where relative paths begin.
        program: Name of the program of the service model; empty for a tool.
        behaviour: The program of the service model, None for a tool.
        clients: Its clients, as the settings make them.
        settings: What the program read when it started: name -> value.
        started_at: Virtual second.
        step: Index of the start-up step that comes next.
        tries: Failed tries of that step.
        ports: (port, listener) that are open.
        dialled: Clients whose dial succeeded in this life.
        lines: What was written at start and end; lines of requests are computed when asked for.
        ended_at: Virtual second of the end, None while it runs.
        served_at: When start-up was finished, None before.
        requests_per_s: Load in effect, set by the traffic layer.
        held_bytes: Memory that requests in flight hold, set by the traffic layer.
        stored_bytes: Memory that what it keeps takes, set by servers that keep it there.
        wait_s: How long a request waits for its turn, set by the traffic layer.
        leaks: Bytes a second that requests take and never give back, set by the traffic layer.
        leaked: (virtual second, bytes): how much that was when it last changed.
        leaving: After SIGTERM: virtual second of the end, and exit code.
        journal: Results of what a script of the shell had to wait for, since its place.
        place: Where in it such a script goes on; None at its beginning.
        waits_for: Command line of the child that such a script waits for.
        traps: Signals that such a script handles, and what it does then.
        wakes_at: Virtual second at which what it waits for is over; handlers run then.
        threads: How many processors such a script keeps busy.
        stopped: Whether a signal has stopped it: it neither answers nor does anything else.
        open_files: How many descriptors it may have, as its node's runtime gave it when it started.
        emptied_at: Of a cache: virtual second at which all that it kept was last let go.
        out_of_memory: Whether the kernel ended it because it needed more than it may have.
    """

    config: ContainerConfig
    argv: tuple[str, ...]
    environment: dict[str, str]
    working_dir: str
    program: str
    settings: dict[str, str]
    started_at: float
    step: int = 0
    tries: int = 0
    ports: tuple[tuple[int, str], ...] = ()
    behaviour: AnyProgram | None = None
    clients: Mapping[str, Client] = field(default_factory=dict)
    dialled: tuple[str, ...] = ()
    lines: tuple[LogLine, ...] = ()
    ended_at: float | None = None
    served_at: float | None = None
    requests_per_s: float = 0.0
    held_bytes: float = 0.0
    stored_bytes: float = 0.0
    wait_s: float = 0.0
    leaks: float = 0.0
    leaked: tuple[float, float] = (0.0, 0.0)
    leaving: tuple[float, int] | None = None
    journal: tuple[Any, ...] = ()
    place: Checkpoint | None = None
    waits_for: tuple[str, ...] = ()
    traps: tuple[tuple[str, str], ...] = ()
    wakes_at: float = 0.0
    threads: float = 0.0
    stopped: bool = False
    emptied_at: float = 0.0
    out_of_memory: bool = False
    open_files: int = 1_048_576

    @cached_property
    def ref(self) -> ContainerRef:
        """Which container, which life."""
        return self.config.ref

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.ended_at is None

    def facts(self) -> dict[str, str]:
        """What `${name}` stands for: settings and facts of the pod."""
        config = self.config
        return {
            "pod": config.ref.pod,
            "namespace": config.ref.namespace,
            "hostname": config.hostname,
            "pod_ip": config.pod_ip,
            "node": config.node,
            "program": self.program,
            "image": config.image,
            "attempt": str(config.ref.attempt),
            "dns": CLUSTER_DNS,
            **self.settings,
        }


def processes(world: World) -> dict[ContainerRef, Process]:
    """All processes that are remembered, by container life."""
    return world.table(_PROCESSES)


def process_of(world: World, ref: ContainerRef) -> Process | None:
    """The process of a container life, running or ended."""
    found: Process | None = world.table(_PROCESSES).get(ref)
    return found


def save(world: World, process: Process) -> Process:
    """Keep a new state of a process."""
    processes(world)[process.ref] = process
    return process


def change(world: World, ref: ContainerRef, **fields: Any) -> Process:
    """Replace fields of a process that is remembered."""
    table = world.table(_PROCESSES)
    changed = table[ref] = altered(table[ref], **fields)
    return changed


def altered(process: Process, **fields: Any) -> Process:
    """A process with other values of some fields, not kept yet."""
    # What `dataclasses.replace` does, without checking each of twenty fields: the most frequent
    # write there is.
    changed = object.__new__(Process)
    changed.__dict__.update(process.__dict__, **fields)
    return changed


def replace_mount(world: World, ref: ContainerRef, path: str, files: dict[str, str]) -> bool:
    """Let a process see other files at a mount path; False when it has no such mount."""
    process = process_of(world, ref)
    if process is None or path not in process.config.mounts:
        return False
    mount = replace(process.config.mounts[path], files=files)
    mounts = {**process.config.mounts, path: mount}
    change(world, ref, config=replace(process.config, mounts=mounts))
    world.table(UPDATED)[(ref, path)] = world.epoch + world.now
    return True


def running_in(world: World, pod_uid: str) -> list[Process]:
    """The processes that run in a pod, in order of their start."""
    refs = world.table(PODS).get(pod_uid, ())
    found = (process_of(world, ref) for ref in refs)
    return [process for process in found if process is not None and process.running]


def all_running(world: World) -> list[Process]:
    """The processes that run, pod by pod, in order of their start; asked for with each change."""
    known, found = world.table(_PROCESSES), []
    for refs in world.table(PODS).values():
        for ref in refs:
            process = known.get(ref)
            if process is not None and process.ended_at is None:
                found.append(process)
    return found


def running_among(world: World, refs: Mapping[ContainerRef, None]) -> list[Process]:
    """Those of some lives that run, in the order of `all_running`."""
    known, found = world.table(_PROCESSES), []
    pods = {ref.pod_uid for ref in refs}
    for pod_uid, own in world.table(PODS).items() if refs else ():
        # Most pods have none of them, and a uid is found faster than a life.
        for ref in own if pod_uid in pods else ():
            if ref in refs and (process := known.get(ref)) is not None and process.ended_at is None:
                found.append(process)
    return found


def attach_to_pod(world: World, ref: ContainerRef) -> None:
    """Note that a process runs in its pod."""
    table = world.table(PODS)
    table[ref.pod_uid] = (*table.get(ref.pod_uid, ()), ref)


def detach_from_pod(world: World, ref: ContainerRef) -> None:
    """Note that a process runs no more."""
    table = world.table(PODS)
    left = tuple(other for other in table.get(ref.pod_uid, ()) if other != ref)
    if left:
        table[ref.pod_uid] = left
    else:
        table.pop(ref.pod_uid, None)


def listener_at(world: World, pod_uid: str, port: int) -> tuple[Process, str] | None:
    """The process of a pod that listens on a port and the name of its listener, or None."""
    known = world.table(_PROCESSES)
    for ref in world.table(PODS).get(pod_uid, ()):
        process = known.get(ref)
        if process is not None and process.ended_at is None:
            for number, name in process.ports:
                if number == port:
                    return process, name
    return None


def log_lines(
    world: World, ref: ContainerRef, tail_lines: int | None, since: float | None
) -> list[LogLine]:
    """The lines of a life up to now, oldest first: the last ones, from a virtual second on."""
    process = process_of(world, ref)
    if process is None:
        return []
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        lines = list(process.lines)
    else:
        lines = telemetry.lines(world, process, tail_lines, since)
    if since is not None:
        lines = [line for line in lines if line.at >= since]
    return lines if tail_lines is None else lines[max(0, len(lines) - tail_lines) :]

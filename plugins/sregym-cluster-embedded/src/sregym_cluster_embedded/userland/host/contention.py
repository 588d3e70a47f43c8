"""Processes of a node beside its pods: those that keep processors, disk or card busy, or hold memory.

Tracers are among them. They are seen like any process of the machine, and what they took is free again when they end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.userland.files.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.machines import Machine
    from sregym_cluster_embedded.world import World


class _Neighbour(NamedTuple):
    """What one of them is.

    Attributes:
        attribute: Of the machine, that it takes; or `queued` of its disk.
        pid: Its number.
        argv: Its command line.
        kib: Resident memory in KiB for each unit of the attribute.
        scans: Of one that asks the disk: whether it does so through the page cache.
        state: As `ps` prints it.
    """

    attribute: str
    pid: int
    argv: tuple[str, ...]
    kib: int
    scans: bool = False
    state: str = "S"


_QUEUED = "queued"
_KNOWN: Mapping[str, _Neighbour] = {
    "archive-rotate.service": _Neighbour(
        "other_cores", 41_207, ("xz", "-9", "-T0", "-k", "/var/backups/journal.tar"), 0, state="R"
    ),
    "search-index.service": _Neighbour(
        "other_memory_kib", 41_733, ("sort", "-S", "90%", "-u", "/var/backups/export.csv"), 1
    ),
    "bandwidth-check.service": _Neighbour(
        "other_mbit", 41_902, ("iperf3", "-u", "-b", "0", "-t", "0", "-c", "10.76.0.9"), 0
    ),
    "disk-check.service": _Neighbour(
        _QUEUED,
        42_011,
        (
            *("fio", "--name=check", "--ioengine=libaio", "--direct=1", "--rw=randwrite"),
            *("--bs=1M", "--size=8G", "--time_based", "--runtime=30d", "--directory=/var/tmp"),
        ),
        0,
        state="D",
    ),
    "malware-scan.service": _Neighbour(
        _QUEUED, 42_188, ("clamscan", "-r", "-i", "/"), 0, scans=True, state="D"
    ),
}
_BASE_KIB = 9_400
# What lets system calls of others fail is a program of its own.
_TRACER, _TRACER_PID, _TRACER_KIB = "syscall-trace.service", 42_390, 96_000
_TRACE = ("bpftrace", "--unsafe", "-q", "/usr/local/lib/trace/syscalls.bt")
_ENDING = (1, 2, 3, 6, 9, 11, 15)


def tasks(world: World, node: str) -> Iterator[Task]:
    """Those that run on a node, as processes."""
    machine, made = machines.machine(world, node), machines.initial_machine(world, node)
    if machine is None or made is None:
        return
    if _traced(world, node):
        group = f"/system.slice/{_TRACER}"
        yield Task(
            _TRACER_PID, 1, _TRACE[0], _TRACE, "S", _TRACER_KIB, (), 0.0, 0, None, _TRACER, group
        )
    for unit, known in _KNOWN.items():
        taken = _taken(machine, made, known)
        if taken <= 0:
            continue
        began = _since(world, machine, known)
        yield Task(
            known.pid, 1, known.argv[0], known.argv, known.state,
            _BASE_KIB + int(known.kib * taken), (), began, 0, None, unit, f"/system.slice/{unit}",
        )  # fmt: skip


def percent_of(world: World, node: str, unit: str) -> float:
    """How much of a processor such a process uses, in percent; 0 for any other."""
    known = _KNOWN.get(unit)
    machine, made = machines.machine(world, node), machines.initial_machine(world, node)
    if known is None or known.attribute != "other_cores" or machine is None or made is None:
        return 0.0
    return 100.0 * _taken(machine, made, known)


def signalled(world: World, node: str, unit: str, number: int) -> bool:
    """Let a signal reach one of them; whether the name is of one."""
    if unit == _TRACER:
        for name in _traced(world, node) if number in _ENDING else ():
            syscalls.heal(world, name)
        return True
    known = _KNOWN.get(unit)
    made = machines.initial_machine(world, node)
    if known is None or made is None:
        return False
    if number in _ENDING and known.attribute == _QUEUED:
        machines.change_root(world, node, queued=made.root.queued, displaced=made.root.displaced)
    elif number in _ENDING:
        machines.change(world, node, **{known.attribute: getattr(made, known.attribute)})
    return True


def _traced(world: World, node: str) -> list[str]:
    """Names of the rules by which system calls of the processes of a node fail or take longer."""
    return sorted(name for name, rule in syscalls.rules(world).items() if rule.node == node)


def _taken(machine: Machine, made: Machine, known: _Neighbour) -> float:
    return _of(machine, known) - _of(made, known)


def _of(machine: Machine, known: _Neighbour) -> float:
    """How much of it is taken on a machine."""
    if known.attribute == _QUEUED:
        return machine.root.queued if (machine.root.displaced > 0) == known.scans else 0
    return float(getattr(machine, known.attribute))


def _since(world: World, machine: Machine, known: _Neighbour) -> float:
    """The moment from which on it takes what it takes now."""
    since = world.now
    for at, was in reversed(machines.past(world, machine.name)):
        if _of(was, known) != _of(machine, known):
            break
        since = at
    return since

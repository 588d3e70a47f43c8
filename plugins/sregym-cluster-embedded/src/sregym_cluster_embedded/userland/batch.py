"""Work that programs do by themselves: an operation of their own, again and again, to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import RunStep, expand

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW
from sregym_cluster_embedded.userland.life import wake_traffic
from sregym_cluster_embedded.userland.process import Process, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

# How often a program looks whether what it does succeeds.
ROUND_S = 5.0


class Work(NamedTuple):
    """What a process does at the moment.

    Attributes:
        operation: Operation of its program.
        rate: How often a second.
    """

    operation: str
    rate: float


WORK: TableKey[ContainerRef, Work] = TableKey("userland.work")


def begin_work(world: World, process: Process, step: RunStep) -> float:
    """Begin the work of a step; how many seconds it lasts. Nothing is done of nothing."""
    rate, times = (_number(expand(text, process.facts())) for text in (step.rate, step.times))
    if rate <= 0 or times <= 0:
        return 0.0
    world.table(WORK)[process.ref] = Work(step.run, rate)
    wake_traffic(world)
    return times / rate


def end_work(world: World, ref: ContainerRef) -> None:
    """The work is done, or given up."""
    if world.table(WORK).pop(ref, None) is not None:
        wake_traffic(world)


def failed_work(world: World, ref: ContainerRef, step: RunStep, since: float) -> str:
    """The error of a step's work since it began; empty while it tolerates what fails."""
    traffic = world.room_or_none(REQUEST_FLOW)
    if traffic is None:
        return ""
    share, error = traffic.failed(world, ref, step.run, since)
    return error if share > step.tolerates else ""


def working(world: World) -> tuple[tuple[ContainerRef, Work], ...]:
    """What running processes do by themselves, in the order in which they began."""
    return tuple(
        (ref, work)
        for ref, work in world.table(WORK).items()
        if (process := process_of(world, ref)) is not None
        and process.running
        and not process.stopped
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

"""Work that programs do by themselves: an operation of their own, again and again, to an end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import RunStep, expand

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW
from sregym_cluster_embedded.userland.life import invalidate_traffic
from sregym_cluster_embedded.userland.process import Process, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

# How often a program looks whether what it does succeeds, at most.
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
    invalidate_traffic(world)
    return times / rate


def end_work(world: World, ref: ContainerRef) -> None:
    """The work is done, or given up."""
    if world.table(WORK).pop(ref, None) is not None:
        invalidate_traffic(world)


class Progress(NamedTuple):
    """How work has gone since it began.

    Attributes:
        error: The error of most that failed, once more has failed than is tolerated; else empty.
        look_s: Seconds in which no more than is tolerated can fail, even if all fails from now on.
    """

    error: str
    look_s: float


def progress(world: World, ref: ContainerRef, step: RunStep, since: float) -> Progress:
    """How a step's work has gone since it began."""
    traffic = world.service_or_none(REQUEST_FLOW)
    share, error = traffic.failed(world, ref, step.run, since) if traffic else (0.0, "")
    if share > step.tolerates:
        return Progress(error, 0.0)
    if step.tolerates == 1:
        return Progress("", math.inf)
    spare_s = (world.now - since) * (step.tolerates - share) / (1 - step.tolerates)
    return Progress("", max(ROUND_S, spare_s))


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

"""Lives of containers, those that the kubelet has forgotten among them.

For queries about the past: metrics, logs and traces of a pod outlive the pod.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.traffic.segments import SERVED, Segment, segments
from sregym_cluster_embedded.userland.process import Process, process_of, processes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

_FORMER: TableKey[ContainerRef, ContainerInstance] = TableKey("telemetry.former")


class ContainerInstance(NamedTuple):
    """One life of a container, from the start of its process to its end.

    Attributes:
        process: As it is, or as it was when it was last seen.
        served: What flowed through it, oldest first; the last segment ends with the process.
    """

    process: Process
    served: tuple[Segment, ...]

    @property
    def ref(self) -> ContainerRef:
        """Which container, which life."""
        return self.process.ref

    def ended(self, now: float) -> float:
        """Virtual second up to which it is known: its end, or now."""
        return now if self.process.ended_at is None else self.process.ended_at

    def spans(self, now: float, first: int = 0) -> Iterator[tuple[Segment, float]]:
        """What flowed through it, with the virtual second up to which it did.

        Args:
            now: The virtual second of the question.
            first: Number of the segment to begin with.
        """
        for number in range(first, len(self.served)):
            last = number + 1 == len(self.served)
            end = math.inf if last else self.served[number + 1].start
            yield self.served[number], min(end, self.ended(now))

    def flowing(self, at: float, now: float) -> Segment | None:
        """What flowed through it at a virtual second; None before its first segment and after its end."""
        number = bisect_right(self.served, at, key=lambda segment: segment.start) - 1
        return self.served[number] if number >= 0 and at < self.ended(now) else None


def keep(world: World, ref: ContainerRef) -> None:
    """Remember a life that is about to be forgotten, and take over what flowed through it."""
    process = process_of(world, ref)
    served = world.table(SERVED).pop(ref, ())
    if process is not None:
        world.table(_FORMER)[ref] = ContainerInstance(process, served)


def instances(world: World) -> Iterator[ContainerInstance]:
    """All lives: those that were forgotten in that order, then the others in order of start."""
    yield from world.table(_FORMER).values()
    for ref, process in processes(world).items():
        yield ContainerInstance(process, segments(world, SERVED, ref))

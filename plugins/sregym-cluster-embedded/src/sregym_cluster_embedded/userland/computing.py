"""Which containers keep processors busy beside what they do for requests, and with how many threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.life import invalidate_traffic

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

COMPUTING: TableKey[ContainerRef, float] = TableKey("userland.computing")


def computing(world: World) -> tuple[tuple[ContainerRef, float], ...]:
    """Lives of containers with processes that do not rest: how many threads want a processor."""
    return tuple(world.table(COMPUTING).items())


def threads_of(world: World, ref: ContainerRef) -> float:
    """How many threads of a container want a processor all the time."""
    return float(world.table(COMPUTING).get(ref, 0.0))


def keep_computing(world: World, ref: ContainerRef, threads: float) -> None:
    """Let so many threads of a container compute from now on."""
    table = world.table(COMPUTING)
    if threads_of(world, ref) == threads:
        return
    if threads:
        table[ref] = threads
    else:
        del table[ref]
    invalidate_traffic(world)

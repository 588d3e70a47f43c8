"""Members and copies for which nothing changes look no more, until something has changed.

A heartbeat every two seconds costs nothing in a cluster; in the weeks of one that is simulated it would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

# By process: the event with which it looks again, how often it would, and whether that is planned.
_SLEEPERS: TableKey[ContainerRef, tuple[str, float, bool]] = TableKey(
    "userland.replication-sleepers"
)


def sleep(world: World, ref: ContainerRef, event: str, period_s: float) -> None:
    """Let a process look no more until `wake`; `period_s` is how often it looks otherwise."""
    world.table(_SLEEPERS)[ref] = (event, period_s, False)


def asleep(world: World, ref: ContainerRef) -> bool:
    """Whether a process does not look because all is as it was."""
    return ref in world.table(_SLEEPERS)


def rouse(world: World, ref: ContainerRef) -> None:
    """A process looks already."""
    world.table(_SLEEPERS).pop(ref, None)


def schedule_checks(world: World) -> None:
    """Something has changed: let all look when their next turn would be."""
    for ref, (event, period_s, planned) in tuple(world.table(_SLEEPERS).items()):
        if not planned:
            delay_s = period_s * world.seed.fraction("turn", ref, world.now)
            world.after(delay_s, "userland.event", ref, event)
            world.table(_SLEEPERS)[ref] = (event, period_s, True)

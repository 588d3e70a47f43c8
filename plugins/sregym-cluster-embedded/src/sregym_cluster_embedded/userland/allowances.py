"""How much main processes and jobs may compute, by virtual time: a bucket for each container and node.

A bucket fills with virtual time and is emptied by steps. What runs for ever and never rests takes
what is in it and waits, as under a quota of the kernel's scheduler: what a cluster full of such
processes costs is bounded for each virtual second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

ALLOWANCES: TableKey[ContainerRef, Allowance] = TableKey("userland.allowances")
_OF_NODES: TableKey[str, Allowance] = TableKey("userland.allowances-of-nodes")
# What a bucket holds, and how much comes into it in a second: for a container, for a node.
MAIN_STEPS, _MAIN_STEPS_PER_S = 400_000, 2_000
_NODE_STEPS, _NODE_STEPS_PER_S = 2_000_000, 6_000
# What there has to be before a process goes on; all of a bucket for one that came no further with it.
_LEAST_STEPS = 40_000
# To let a process run at all.
_WAKE_STEPS = 150


@dataclass(frozen=True)
class Allowance:
    """A bucket.

    Attributes:
        at: Virtual second.
        steps: What was in it then.
        least: What there has to be before anything goes on.
    """

    at: float
    steps: float
    least: int = _WAKE_STEPS


def steps_left(world: World, process: Process) -> int:
    """How many steps a process may take now."""
    return int(min(one.steps for one in _buckets(world, process)))


def wait_s(world: World, process: Process) -> float:
    """How long until a process may go on; 0 when it may."""
    own, node = _buckets(world, process)
    lacking = own.least - own.steps
    lacking_of_node = min(own.least, _LEAST_STEPS) - node.steps
    if max(lacking, lacking_of_node) < 1:
        return 0.0
    return max(lacking / _MAIN_STEPS_PER_S, lacking_of_node / _NODE_STEPS_PER_S)


def take(
    world: World, process: Process, steps: int, *, ended: bool = False, further: bool = True
) -> None:
    """Take what a process has spent.

    Args:
        world: The cluster.
        process: Which one.
        steps: How many.
        ended: Whether it was ended since there were no more.
        further: Whether it came further than it was before.
    """
    own, node = _buckets(world, process)
    steps += _WAKE_STEPS
    least = _WAKE_STEPS if not ended else _LEAST_STEPS if further else MAIN_STEPS
    world.table(ALLOWANCES)[process.ref] = Allowance(world.now, max(own.steps - steps, 0), least)
    world.table(_OF_NODES)[process.config.node] = Allowance(world.now, max(node.steps - steps, 0))


def _buckets(world: World, process: Process) -> tuple[Allowance, Allowance]:
    known = world.table(ALLOWANCES).get(process.ref)
    own = Allowance(world.now, MAIN_STEPS)
    if known is not None:
        grown = known.steps + (world.now - known.at) * _MAIN_STEPS_PER_S
        own = Allowance(world.now, min(MAIN_STEPS, grown), known.least)
    of_node = world.table(_OF_NODES).get(process.config.node)
    node = Allowance(world.now, _NODE_STEPS)
    if of_node is not None:
        grown = of_node.steps + (world.now - of_node.at) * _NODE_STEPS_PER_S
        node = Allowance(world.now, min(_NODE_STEPS, grown))
    return own, node

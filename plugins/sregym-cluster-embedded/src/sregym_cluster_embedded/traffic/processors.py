"""How many processors of a node are left to the processes of its pods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# What the scheduler of a kernel leaves to each that wants to run.
_LEAST_CORES = 0.01


def left_on(world: World, node: str) -> float:
    """Processors beside those that are busy with what is not in pods; a process uses no more."""
    machine, obj = machines.machine(world, node), world.store.get(Key("nodes", "", node))
    if machine is None or obj is None or not machine.other_cores:
        return math.inf
    cores = float(parse(str(obj["status"]["capacity"]["cpu"])))
    return max(cores - machine.other_cores, _LEAST_CORES)

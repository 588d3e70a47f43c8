"""How the processors of a node are shared by the processes of its pods.

As the kernel does it: in proportion to weights, which are the CPU requests, up to limits, and what
one does not use goes to the others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic.structure import Processors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import Server, Structure
    from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker
    from sregym_cluster_embedded.world import World

# What the scheduler of a kernel leaves to each that wants to run.
_LEAST_CORES = 0.01

# How long a process runs before the scheduler looks whose turn it is.
_SLICE_MS = 3.0
# What rounding makes of cores is less.
_ROUNDING = 1e-9


def free_processors(world: World, node: str) -> float:
    """Processors beside those that are busy with what is not in pods."""
    machine, obj = machines.machine(world, node), world.store.get(Key("nodes", "", node))
    if machine is None or obj is None:
        return math.inf
    cores = float(parse(str(obj["status"]["capacity"]["cpu"])))
    return max(cores - machine.other_cores, _LEAST_CORES)


def nodes_of(
    world: World, servers: Sequence[Server], footing: DependencyTracker
) -> list[Processors]:
    """Who shares the processors of each node."""
    found = []
    for node in dict.fromkeys(server.node for server in servers):
        here = tuple(index for index, server in enumerate(servers) if server.node == node)
        weight = sum(servers[index].weight for index in here)
        computes = any(servers[index].threads for index in here)
        cores = footing.at(free_processors, world, node)
        found.append(Processors(cores, here, weight, computes))
    return found


class Sharing:
    """Gives each server of a structure its share; it changes the numbers in place.

    Args:
        structure: Who runs where.
        numbers: What comes.
    """

    def __init__(self, structure: Structure, numbers: FlowState) -> None:
        self._structure = structure
        self._numbers = numbers

    def share(self, works: list[float]) -> None:
        """Find what servers may use.

        Args:
            works: Of each server: CPU seconds a second that requests need.
        """
        n, servers = self._numbers, self._structure.servers
        for node in self._structure.nodes:
            wants, largest, whole = [], 0.0, 0.0
            for index in node.servers:
                server = servers[index]
                most = server.room
                want = works[index] + server.threads
                if want > most or n.waiting[index] > 0:
                    want = most
                wants.append(want)
                whole += want
                if most - want > largest:
                    largest = most - want
            if not node.computes and whole + largest <= node.cores:
                for index in node.servers:
                    n.share[index] = servers[index].cores
                    n.turn_around_ms[index] = n.computed[index] = 0.0
            else:
                self._divide(node, wants, works)

    def _divide(self, node: Processors, wants: list[float], works: list[float]) -> None:
        """Divide the processors of a node that not all can use as they may."""
        n, servers = self._numbers, self._structure.servers
        weights = [servers[index].weight for index in node.servers]
        given = filled(node.cores, weights, wants)
        hungry = [got < want - _ROUNDING for got, want in zip(given, wants, strict=True)]
        rest = node.cores - sum(got for got, still in zip(given, hungry, strict=True) if not still)
        wanting = sum(weight for weight, still in zip(weights, hungry, strict=True) if still)
        turning = sum(
            servers[index].weight
            for index, still in zip(node.servers, hungry, strict=True)
            if still and servers[index].threads
        )
        for place, index in enumerate(node.servers):
            server, weight, got = servers[index], weights[place], given[place]
            most = got
            if not hungry[place]:
                # What it would have if it wanted more: its part of what the hungry have now.
                most = max((rest + got) * weight / (wanting + weight), got)
            most = min(server.room, max(most, node.cores * weight / node.weight))
            threads = server.threads
            # Its own threads take their turns like the one that works on a request.
            n.share[index] = min(server.cores, max(most - threads, most / (1 + threads)))
            served = min(works[index], n.share[index])
            n.computed[index] = max(0.0, min(threads, got - served))
            others = turning - (weight if hungry[place] and threads else 0.0)
            n.turn_around_ms[index] = _SLICE_MS * others / (others + weight)


def filled(cores: float, weights: Sequence[float], wants: Sequence[float]) -> list[float]:
    """What each gets of so many processors: in proportion to its weight, and no more than it wants."""
    order = sorted(range(len(wants)), key=lambda place: wants[place] / weights[place])
    given, left, weight = [0.0] * len(wants), cores, sum(weights)
    for place in order:
        given[place] = min(wants[place], left * weights[place] / weight)
        left -= given[place]
        weight -= weights[place]
    return given

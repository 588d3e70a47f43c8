"""Processes of the host, or other tenants of the machine, that take what pods could use.

Never so much that pods get too little at levels 1 and 2: what is seen is a busy node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_injectors.noise import Schedule, SettingNoise
from sregym_injectors.noise.targets import allocatable
from sregym_injectors.quantities import memory_bytes
from sregym_kubernetes.node_settings import (
    CpuUse,
    DiskFill,
    DiskUse,
    MemoryUse,
    NetworkUse,
)

if TYPE_CHECKING:
    from sregym_core.model import NodeSetting
    from sregym_injectors.noise import Occurrence

# Processes get memory by pages.
PAGE = 4096


class Neighbour(SettingNoise):
    """What neighbours have in common."""

    family: ClassVar[str] = "node"
    schedule: ClassVar[Schedule] = Schedule(lasts_s=(90.0, 300.0))


class CpuNeighbour(Neighbour):
    """Keeps a part of a node's processors busy."""

    name: ClassVar[str] = "cpu-neighbour"
    title: ClassVar[str] = "a process of the host keeps a part of a node's processors busy"

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """30, 60 or 95 % of what the node has."""
        cores = memory_bytes(_thousandfold(allocatable(occurrence.context, node, "cpu"))) / 1000
        return [CpuUse(node=node, cores=round(cores * occurrence.by_level(0.3, 0.6, 0.95), 2))]


class MemoryNeighbour(Neighbour):
    """Holds a part of a node's memory."""

    name: ClassVar[str] = "memory-neighbour"
    title: ClassVar[str] = "a process of the host holds a part of a node's memory"

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """20, 40 or 60 %, from which no kubelet evicts."""
        memory = memory_bytes(allocatable(occurrence.context, node, "memory"))
        pages = int(memory * occurrence.by_level(0.2, 0.4, 0.6)) // PAGE
        return [MemoryUse(node=node, taken_bytes=pages * PAGE)]


class DiskNeighbour(Neighbour):
    """Writes to a node's disk: others wait behind it."""

    name: ClassVar[str] = "disk-neighbour"
    title: ClassVar[str] = "a process of the host writes to a node's disk, others wait behind it"

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """2, 6 or 32 requests wait all the time."""
        return [DiskUse(node=node, queued=occurrence.by_level(2, 6, 32))]


class DiskFilling(Neighbour):
    """Takes room on a node's disk, as dumps and archives do until they are deleted."""

    name: ClassVar[str] = "disk-filling"
    title: ClassVar[str] = "dumps and archives take room on a node's disk for a while"

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """20, 35 or 50 % of the disk: no kubelet collects garbage yet."""
        room = memory_bytes(allocatable(occurrence.context, node, "ephemeral-storage"))
        return [DiskFill(node=node, taken_bytes=int(room * occurrence.by_level(0.2, 0.35, 0.5)))]


class NetworkNeighbour(Neighbour):
    """Sends through a node's card."""

    name: ClassVar[str] = "network-neighbour"
    title: ClassVar[str] = "a process of the host sends through a node's network card"

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """A part of what the card carries, so that nothing of others is lost."""
        return [NetworkUse(node=node, mbit=occurrence.by_level(150.0, 400.0, 800.0))]


def _thousandfold(cores: str) -> str:
    """Cores as thousandths, for whole numbers: `8` and `7910m`."""
    return cores.removesuffix("m") if cores.endswith("m") else f"{cores}k"

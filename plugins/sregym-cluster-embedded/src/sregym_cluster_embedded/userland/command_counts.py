"""What a server has been asked for so far: datastores tell the figures that metrics tell too."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.keys import TELEMETRY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World

# What a request and its answer weigh in the counters of networks.
REQUEST_BYTES, ANSWER_BYTES = 180, 420


class Peer(NamedTuple):
    """A program whose commands a server carries out.

    Attributes:
        address: Of its pod.
        user: As whom it logs in; empty where there are no accounts.
        database: Where its commands go; empty for the default.
        held: Connections of its pool; 0 for a program that opens them as it needs them.
    """

    address: str
    user: str = ""
    database: str = ""
    held: int = 0


class Counted(NamedTuple):
    """What clients made of one life of a server.

    Attributes:
        commands: Command -> how many there were, over all clients.
        connections: Connections that its clients hold now.
        memory_bytes: Its working set.
        cpu_s: Processor seconds that it has used.
        misses: Looks into a cache that found nothing.
        received: Connections that there have been.
        per_s: Commands a second at this moment.
        peers: The programs whose commands it carries out now.
        refused: First word of what it refused commands with -> how many there were.
    """

    commands: Mapping[str, int]
    connections: int = 0
    memory_bytes: int = 0
    cpu_s: float = 0.0
    misses: int = 0
    received: int = 0
    per_s: int = 0
    peers: tuple[Peer, ...] = ()
    refused: Mapping[str, int] = MappingProxyType({})

    @property
    def total(self) -> int:
        """All commands."""
        return sum(self.commands.values())

    def held_by(self) -> tuple[Peer, ...]:
        """Who is at the other end of each connection that its clients hold."""
        pooled = [peer for peer in self.peers for _ in range(peer.held)]
        others = [peer for peer in self.peers if not peer.held]
        rest = self.connections - len(pooled) if others else 0
        return (*pooled, *(others[place % len(others)] for place in range(rest)))

    def of(self, *names: str) -> int:
        """How many of some commands there were."""
        return sum(self.commands.get(name, 0) for name in names)


def counted(world: World, ref: ContainerRef) -> Counted:
    """What a server has been asked for; nothing where it is not counted."""
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        return Counted({})
    found: Counted = telemetry.counted(world, ref)
    return found


def command_count(world: World, ref: ContainerRef, *commands: str) -> int:
    """How many of some commands a server has been asked for.

    The same as `counted(...).of(*commands)`, without working out the other figures.
    """
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        return 0
    found: Mapping[str, int] = telemetry.commands(world, ref)
    return sum(found.get(name, 0) for name in commands)


def connection_count(world: World, ref: ContainerRef) -> int:
    """How many connections a server's clients hold now.

    The same as `counted(...).connections`, without working out what has been asked since it started.
    """
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        return 0
    found: Counted = telemetry.held(world, ref, sys.maxsize)
    return found.connections


def connected(world: World, ref: ContainerRef, least: int = 0) -> tuple[Peer, ...]:
    """Who is at the other end of each connection that a server's clients hold now.

    The same as `counted(...).held_by()`, without working out what has been asked since it started.

    Args:
        world: The cluster.
        ref: The server.
        least: With fewer connections than this nobody asks whose they are: nothing is given.
    """
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        return ()
    found: Counted = telemetry.held(world, ref, least)
    return found.held_by()


class Scheduled(NamedTuple):
    """What the scheduler of the kernel has counted of one life of a container.

    Attributes:
        cpu_s: Processor seconds that it has used.
        periods: Periods in which it ran.
        throttled: Those in which its limit stopped it.
        throttled_s: For how long in all.
    """

    cpu_s: float = 0.0
    periods: int = 0
    throttled: int = 0
    throttled_s: float = 0.0


def scheduled(world: World, ref: ContainerRef) -> Scheduled:
    """How a container has been scheduled; nothing where it is not counted."""
    telemetry = world.service_or_none(TELEMETRY)
    if telemetry is None:
        return Scheduled()
    found: Scheduled = telemetry.scheduled(world, ref)
    return found

"""Consumer groups as their broker tells of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.traffic.segments import QUEUES, QueueSegment, queue_segments
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.live import Live
    from sregym_cluster_embedded.world import World


class GroupView(NamedTuple):
    """A topic as a group sees it.

    Attributes:
        group: The group.
        topic: The topic.
        ends: Offset at the end of each partition.
        lags: Records of each that the group has not taken yet.
        ahead: Records of each that come before the next one that the group cannot read; infinite
            without one.
        members: (id, host, client id) of the members, in the order in which partitions are given.
    """

    group: str
    topic: str
    ends: tuple[int, ...]
    lags: tuple[int, ...]
    ahead: tuple[float, ...]
    members: tuple[tuple[str, str, str], ...]


def views(world: World, storage: str, live: Live | None) -> list[GroupView]:
    """All groups that have ever taken from topics of one broker, by topic and group."""
    found = []
    for key in sorted(key for key in world.table(QUEUES) if key[0] == storage):
        known = queue_segments(world, key)
        count = len(known[-1].lag)
        ends = tuple(end_offset(known, number, world.now) for number in range(count))
        lags = tuple(math.floor(known[-1].lag_at(number, world.now)) for number in range(count))
        ahead = _ahead(key, live, count)
        found.append(GroupView(key[2], key[1], ends, lags, ahead, _members(world, key, live)))
    return found


def _ahead(key: tuple[str, str, str], live: Live | None, count: int) -> tuple[float, ...]:
    for queue in [] if live is None else live.structure.queues:
        if live is not None and queue.key == key:
            return tuple(live.numbers.ahead[queue.first : queue.first + queue.partitions])
    return (math.inf,) * count


def end_offset(known: tuple[QueueSegment, ...], partition: int, at: float) -> int:
    """Records that have arrived in a partition until a moment."""
    arrived = 1e-6
    for index, segment in enumerate(known):
        stop = min(at, known[index + 1].start) if index + 1 < len(known) else at
        if partition < len(segment.come) and stop > segment.start:
            arrived += segment.come[partition] * (stop - segment.start)
    return math.floor(arrived)


def _members(
    world: World, key: tuple[str, str, str], live: Live | None
) -> tuple[tuple[str, str, str], ...]:
    queues = [] if live is None else live.structure.queues
    for queue in queues:
        if live is not None and queue.key == key:
            refs = [
                live.structure.operations[consumer.operation].ref for consumer in queue.consumers
            ]
            processes = [process_of(world, ref) for ref in refs]
            return tuple(
                (
                    f"{process.program}-{process.ref.pod_uid}",
                    f"/{process.config.pod_ip}",
                    process.program,
                )
                for process in processes
                if process is not None
            )
    return ()

"""Records of the topics of a broker: they are computed, only the odd ones are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.servers import REQUEST_FLOW

from sregym_server_kafka.data import data_at
from sregym_server_kafka.offsets import Partition, partition_of
from sregym_server_kafka.program import KafkaProgram

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World


def records(
    world: World,
    server: Process,
    storage: str,
    topic: str,
    only: int | None,
    start: str,
    most: int,
) -> list[str]:
    """Records as a reader of a topic gets them: partition after partition, oldest first.

    Args:
        world: Where the broker runs.
        server: The broker.
        storage: Identity of what it keeps.
        topic: A topic that it has.
        only: The partition to read; all when None.
        start: Offset from which to read, or `earliest` or `latest`.
        most: How many at most.
    """
    traffic = world.service_or_none(REQUEST_FLOW)
    views = [] if traffic is None else traffic.groups(world, storage)
    ends = next((view.ends for view in views if view.topic == topic), ())
    data = data_at(world, storage)
    partitions = data.topics[topic]
    program = server.behaviour
    model = program.topics.get(topic) if isinstance(program, KafkaProgram) else None
    found: list[str] = []
    for partition in range(partitions) if only is None else (only,):
        log = partition_of(data, topic, partition, ends)
        for offset in range(_first(start, log), log.end):
            if len(found) >= most:
                return found
            odd = log.odd_at(offset)
            number = str(log.ordinary_before(offset) * partitions + partition)
            ordinary = "" if model is None else expand(model.record, {"n": number})
            found.append(ordinary if odd is None else odd.text)
    return found


def _first(start: str, log: Partition) -> int:
    if start == "latest":
        return log.end
    return max(log.first, int(start) if start.isdecimal() else 0)

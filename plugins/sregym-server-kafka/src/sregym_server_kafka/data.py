"""What a broker keeps besides the flow of records: topics, and records that consumers cannot read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import Broker, OddRecord, OffsetReset, TableKey, Topics

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import World

TABLE: TableKey[str, Topics] = TableKey("userland.kafka")


def data_at(world: World, storage: str) -> Topics:
    """What is kept under an identity of storage."""
    found: Topics | None = world.table(TABLE).get(storage)
    return found or Topics()


def save(world: World, storage: str, data: Topics) -> None:
    """Keep other data."""
    world.table(TABLE)[storage] = data


def add_odd(world: World, storage: str, topic: str, key: str, text: str) -> None:
    """Let a record that is no JSON arrive."""
    data = data_at(world, storage)
    partition = int(
        world.seed.fraction("partition", topic, key, len(data.odd)) * data.topics[topic]
    )
    odd = OddRecord(topic, partition, len(data.odd), world.now, text)
    save(world, storage, replace(data, odd=(*data.odd, odd)))


def reset(world: World, storage: str, group: str, topic: str) -> None:
    """Set a group to the end of a topic: it goes on with what arrives from now on."""
    data = data_at(world, storage)
    entry = OffsetReset(group, topic, len(data.odd))
    save(world, storage, replace(data, resets=(*data.resets, entry)))


def describe(data: Topics) -> str:
    """All of it as canonical text, without what only flows by."""
    rows = [f"topic {name}: {partitions}" for name, partitions in sorted(data.topics.items())]
    return "\n".join([*rows, *(f"odd record in {odd.topic}-{odd.partition}" for odd in data.odd)])


class KafkaBroker(Broker):
    """Topics and groups as they are; records that nobody takes stay for whoever comes."""

    def topics(self, world: World, storage: str) -> Topics | None:
        """What is kept under an identity; None where there is nothing."""
        found: Topics | None = world.table(TABLE).get(storage)
        return found


BROKER = KafkaBroker()

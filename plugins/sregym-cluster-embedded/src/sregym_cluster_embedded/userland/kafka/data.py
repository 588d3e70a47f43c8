"""What a broker keeps besides the flow of records: topics, and records that consumers cannot read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

TABLE = "userland.kafka"


class Odd(NamedTuple):
    """A record that is no JSON.

    Attributes:
        topic: Its topic.
        partition: Its partition.
        number: Which of the odd records of this broker.
        at: Virtual second of its arrival.
        text: The record.
    """

    topic: str
    partition: int
    number: int
    at: float
    text: str = ""


class Reset(NamedTuple):
    """That a group was set to the end of a topic."""

    group: str
    topic: str
    number: int


@dataclass(frozen=True)
class KafkaData:
    """All that one broker keeps.

    Attributes:
        topics: Name -> partitions.
        odd: Records that consumers of JSON cannot read, oldest first.
        resets: Offsets of groups that were set by hand.
    """

    topics: Mapping[str, int] = field(default_factory=dict)
    odd: tuple[Odd, ...] = ()
    resets: tuple[Reset, ...] = ()


def data_at(world: World, storage: str) -> KafkaData:
    """What is kept under an identity of storage."""
    found: KafkaData | None = world.table(TABLE).get(storage)
    return found or KafkaData()


def save(world: World, storage: str, data: KafkaData) -> None:
    """Keep other data."""
    world.table(TABLE)[storage] = data


def add_odd(world: World, storage: str, topic: str, key: str, text: str) -> None:
    """Let a record that is no JSON arrive."""
    data = data_at(world, storage)
    partition = int(
        world.seed.fraction("partition", topic, key, len(data.odd)) * data.topics[topic]
    )
    odd = Odd(topic, partition, len(data.odd), world.now, text)
    save(world, storage, replace(data, odd=(*data.odd, odd)))


def reset(world: World, storage: str, group: str, topic: str) -> None:
    """Set a group to the end of a topic: it goes on with what arrives from now on."""
    data = data_at(world, storage)
    entry = Reset(group, topic, len(data.odd))
    save(world, storage, replace(data, resets=(*data.resets, entry)))


def describe(data: KafkaData) -> str:
    """All of it as canonical text, without what only flows by."""
    rows = [f"topic {name}: {partitions}" for name, partitions in sorted(data.topics.items())]
    return "\n".join([*rows, *(f"odd record in {odd.topic}-{odd.partition}" for odd in data.odd)])

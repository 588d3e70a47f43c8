"""What a broker keeps besides the flow of records: topics, and records that consumers cannot read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import Broker, NonJsonRecord, OffsetReset, TableKey, Topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import World


# Stands for all brokers among the topics that have settings.
BROKERS = ""


@dataclass(frozen=True)
class Kept(Topics):
    """What a broker of Kafka keeps.

    Attributes:
        configs: Topic, or `BROKERS` -> setting -> value that was set while it ran.
    """

    configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


TABLE: TableKey[str, Kept] = TableKey("userland.kafka")


def data_at(world: World, storage: str) -> Kept:
    """What is kept under an identity of storage."""
    found: Kept | None = world.table(TABLE).get(storage)
    return found or Kept()


def save(world: World, storage: str, data: Kept) -> None:
    """Keep other data."""
    world.table(TABLE)[storage] = data


def add_odd(
    world: World, storage: str, topic: str, key: str, text: str, ends: tuple[int, ...]
) -> None:
    """Let a record that is no JSON arrive, after so many others in each partition."""
    data = data_at(world, storage)
    partition = int(
        world.seed.fraction("partition", topic, key, len(data.odd)) * data.topics[topic]
    )
    after = ends[partition] if partition < len(ends) else 0
    odd = NonJsonRecord(topic, partition, len(data.odd), world.now, text, after)
    save(world, storage, replace(data, odd=(*data.odd, odd)))


def reset(
    world: World,
    storage: str,
    group: str,
    topic: str,
    places: Sequence[tuple[int, int, float, float]],
) -> None:
    """Set a group to other places of a topic, as `OffsetReset` has them."""
    data = data_at(world, storage)
    entry = OffsetReset(group, topic, len(data.odd), tuple(places))
    save(world, storage, replace(data, resets=(*data.resets, entry)))


def last_set(data: Kept, group: str, topic: str, partition: int) -> int:
    """The offset to which a group was last set; 0 where it was not."""
    found = (
        offset
        for entry in reversed(data.resets)
        if entry[:2] == (group, topic)
        for number, offset, *_ in entry.places
        if number == partition
    )
    return next(found, 0)


def describe(data: Kept) -> str:
    """All of it as canonical text, without what only flows by."""
    rows = [f"topic {name}: {partitions}" for name, partitions in sorted(data.topics.items())]
    for name, configs in sorted(data.configs.items()):
        what = f"topic {name}" if name else "brokers"
        rows += [f"{what}: {key} = {value}" for key, value in sorted(configs.items())]
    return "\n".join(
        [*rows, *(f"odd record in {odd.topic}-{odd.partition}" for odd in _kept(data))]
    )


def _kept(data: Kept) -> Iterator[NonJsonRecord]:
    """Odd records that were not deleted."""
    before: dict[tuple[str, int], int] = {}
    for odd in data.odd:
        place = (odd.topic, odd.partition)
        number = before[place] = before.get(place, -1) + 1
        if odd.after + number >= data.first.get(place, 0):
            yield odd


class KafkaBroker(Broker):
    """Topics and groups as they are; records that no consumer takes stay for later ones."""

    def topics(self, world: World, storage: str) -> Topics | None:
        """What is kept under an identity; None where there is nothing."""
        found: Topics | None = world.table(TABLE).get(storage)
        return found


BROKER = KafkaBroker()

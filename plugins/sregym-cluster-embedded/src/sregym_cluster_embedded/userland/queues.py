"""What flows through brokers, whatever their kind: topics of partitions, taken by groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class NonJsonRecord(NamedTuple):
    """A record that is no JSON.

    Attributes:
        topic: Its topic.
        partition: Its partition.
        number: Which of the odd records of this broker.
        at: Virtual second of its arrival.
        text: The record.
        after: Records that had arrived in the partition before it, without those of this kind.
    """

    topic: str
    partition: int
    number: int
    at: float
    text: str = ""
    after: int = 0


class OffsetReset(NamedTuple):
    """That a group was set to another place in a topic.

    Attributes:
        group: The group.
        topic: The topic.
        number: Odd records that the broker had by then.
        places: (partition, offset, records left to take, how many of them come before the next odd one;
            infinite without one); empty: the end of all partitions.
    """

    group: str
    topic: str
    number: int
    places: tuple[tuple[int, int, float, float], ...] = ()


@dataclass(frozen=True)
class Topics:
    """All that one broker keeps, besides the flow of records.

    Attributes:
        topics: Name -> partitions.
        odd: Records that consumers of JSON cannot read, oldest first.
        resets: Offsets of groups that were set by hand.
        first: (topic, partition) -> offset of the oldest record, where older ones were deleted.
    """

    topics: Mapping[str, int] = field(default_factory=dict)
    odd: tuple[NonJsonRecord, ...] = ()
    resets: tuple[OffsetReset, ...] = ()
    first: Mapping[tuple[str, int], int] = field(default_factory=dict)


class Broker(ABC):
    """How traffic reads what brokers of one kind keep; instances keep nothing.

    The identity of what a process keeps stands in its settings as `KIND.storage`.

    Attributes:
        keeps_unread: Whether messages without a consumer accumulate; a log keeps them for any reader.
    """

    keeps_unread: bool = False

    @abstractmethod
    def topics(self, world: World, storage: str) -> Topics | None:
        """What is kept under an identity, queues as topics of one partition; None: no such."""

    def group(self, topic: str, group: str) -> str:
        """The group of a consumer."""
        return group


class Brokers:
    """The brokers of a world, of all kinds.

    Args:
        runtime: Knows the kinds.
    """

    def __init__(self, runtime: Runtime) -> None:
        kinds = runtime.kinds
        self._described = {kind.name: kind for kind in kinds.every() if kind.broker is not None}
        self._kinds = kinds
        self._loaded: dict[str, Broker] = {}

    def storage_of(self, process: Process) -> str:
        """The identity of what a broker keeps; empty for other programs."""
        program = process.behaviour
        if program is None or program.kind not in self._described:
            return ""
        return process.settings.get(f"{program.kind}.storage", "")

    def topics_at(self, world: World, storage: str) -> Topics:
        """What is kept under an identity of storage; nothing when there is none."""
        found = self._found(world, storage)
        return Topics() if found is None else found[1]

    def group_of(self, world: World, storage: str, topic: str, group: str) -> str:
        """The group of a consumer."""
        found = self._found(world, storage)
        return group if found is None else found[0].group(topic, group)

    def keeps_unread(self, world: World, storage: str) -> bool:
        """Whether messages without a consumer accumulate there."""
        found = self._found(world, storage)
        return found is not None and found[0].keeps_unread

    def _found(self, world: World, storage: str) -> tuple[Broker, Topics] | None:
        for kind in self._described.values():
            broker = self._loaded.get(kind.name)
            if broker is None:
                broker = self._loaded[kind.name] = self._kinds.load(kind, kind.broker)
            topics = broker.topics(world, storage)
            if topics is not None:
                return broker, topics
        return None

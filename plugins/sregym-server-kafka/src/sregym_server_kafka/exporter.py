"""The Kafka exporter: offsets of topics and groups, and how far behind these are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.exporters import (
    INSTANCES,
    MESSAGES,
    QUEUES,
    ConsumedRecords,
    Exporter,
    Family,
    Lag,
    Offset,
    QueueSegment,
    Row,
    Scraped,
    Steps,
    container_targets,
    end_of,
    queue_segments,
    starts,
)

from sregym_server_kafka.program import KafkaProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance, Floats, Target, Value, View

_BROKERS = Family("kafka_brokers", "gauge", "Number of Brokers in the Kafka Cluster.")
_PARTITIONS = Family("kafka_topic_partitions", "gauge", "Number of partitions for this Topic")
_NEWEST = Family(
    "kafka_topic_partition_current_offset", "gauge", "Current Offset of a Broker at Topic/Partition"
)
_OLDEST = Family(
    "kafka_topic_partition_oldest_offset", "gauge", "Oldest Offset of a Broker at Topic/Partition"
)
_MEMBERS = Family("kafka_consumergroup_members", "gauge", "Amount of members in a consumer group")
_OFFSET = Family(
    "kafka_consumergroup_current_offset",
    "gauge",
    "Current Offset of a ConsumerGroup at Topic/Partition",
)
_LAG = Family(
    "kafka_consumergroup_lag",
    "gauge",
    "Current Approximate Lag of a ConsumerGroup at Topic/Partition",
)
_LAG_SUM = Family(
    "kafka_consumergroup_lag_sum",
    "gauge",
    "Current Approximate Lag of a ConsumerGroup at Topic for all partitions",
)
# The setting under which a broker remembers what its data belong to.
_STORAGE = "kafka.storage"


class KafkaExporter(Exporter):
    """One target for each broker."""

    title = "Message queues: Kafka exporter"
    about = (
        "Job `kafka-exporter`, one target for each broker, with `namespace` and `pod`; `topic`, "
        "`partition` and `consumergroup`. Lag is the offset of the topic less that of the group."
    )
    families: Sequence[Family] = (
        _BROKERS, _PARTITIONS, _NEWEST, _OLDEST, _MEMBERS, _OFFSET, _LAG, _LAG_SUM,
    )  # fmt: skip
    reads = ("pods", INSTANCES, MESSAGES)
    found_by = ("pods", INSTANCES)

    def targets(self, view: View) -> Sequence[Target]:
        """The brokers."""
        return container_targets(view, self, _is_one, _port, "kafka-exporter", beside=True)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """What one broker tells, instance by instance; topics and offsets outlive it."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        for instance in scraped.instances:
            served, until = instance.process.served_at, end_of(instance)
            if served is None:
                continue
            if sample == _BROKERS.name:
                yield Row((), 1.0, served, until)
                continue
            storage = instance.process.settings.get(_STORAGE, "")
            for row in _topics(view, storage, sample):
                yield row._replace(since=max(row.since, served), until=until)


def _is_one(instance: ContainerInstance) -> bool:
    return isinstance(instance.process.behaviour, KafkaProgram)


def _port(instance: ContainerInstance) -> int:
    program = instance.process.behaviour
    text = (
        expand(program.port, instance.process.facts()) if isinstance(program, KafkaProgram) else ""
    )
    return int(text) if text.isdecimal() else 9092


def _topics(view: View, storage: str, sample: str) -> Iterator[Row]:
    told: set[str] = set()
    for key in sorted(view.world.table(QUEUES)):
        if key[0] != storage:
            continue
        _, topic, group = key
        known = queue_segments(view.world, key)
        partitions = max(len(segment.lag) for segment in known)
        if sample.startswith("kafka_topic"):
            # All groups see the same records arrive.
            if topic not in told:
                told.add(topic)
                yield from _of_topic(topic, known, partitions, sample)
        else:
            yield from _of_group(group, topic, known, partitions, sample)


def _of_topic(
    topic: str, known: Sequence[QueueSegment], partitions: int, sample: str
) -> Iterator[Row]:
    since = known[0].start
    if sample == _PARTITIONS.name:
        yield Row((("topic", topic),), float(partitions), since)
        return
    for number in range(partitions):
        value: Value = 0.0 if sample == _OLDEST.name else Offset(known, number)
        yield Row((("partition", str(number)), ("topic", topic)), value, since)


def _of_group(
    group: str, topic: str, known: Sequence[QueueSegment], partitions: int, sample: str
) -> Iterator[Row]:
    since = known[0].start
    if sample == _MEMBERS.name:
        members = [float(segment.members) for segment in known]
        yield Row((("consumergroup", group),), Steps(starts(known), members), since)
        return
    labels = (("consumergroup", group), ("topic", topic))
    if sample == _LAG_SUM.name:
        yield Row(labels, _LagSum(known, partitions), since)
        return
    for number in range(partitions):
        value = Lag(known, number) if sample == _LAG.name else ConsumedRecords(known, number)
        yield Row((*labels, ("partition", str(number))), value, since)


class _LagSum:
    def __init__(self, known: Sequence[QueueSegment], partitions: int) -> None:
        self._parts = [Lag(known, number) for number in range(partitions)]

    def __call__(self, seconds: Floats) -> Floats:
        total = np.zeros(len(seconds))
        for part in self._parts:
            total += part(seconds)
        return total


EXPORTER = KafkaExporter()

"""How a service model describes Kafka brokers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import BenignErrorSet, Entry, Memory, StoreProgram, Text


class Topic(Entry):
    """A topic that exists from the start.

    Attributes:
        partitions: Its partitions; records are spread over them evenly.
        record: What a record looks like to those who read the topic; `${n}` is its number.
        record_bytes: How large records of the application's own are.
    """

    partitions: int = Field(default=1, ge=1, le=1000)
    record: Text = '{"id": ${n}}'
    record_bytes: int = Field(default=512, ge=1)


class KafkaProgram(StoreProgram, Entry):
    """A Kafka broker of one node. Programs send it records with the call `client.produce`.

    What it keeps belongs to the volume mounted at the data directory.

    Attributes:
        kind: `kafka`.
        version: As it reports it.
        data_dir: The data directory.
        topics: Name -> topic.
        live_heap_mib: What of its heap (`KAFKA_HEAP_OPTS`) it always needs; requests in flight come on top.
    """

    kind: Literal["kafka"]
    port: Text = "9092"
    version: Text = "3.7.0"
    data_dir: str = "/var/lib/kafka/data"
    topics: dict[str, Topic] = Field(default_factory=dict)
    live_heap_mib: float = Field(default=160.0, gt=0)
    starts_in_s: float = Field(default=4.0, ge=0)
    cpu_ms: float = Field(default=0.05, gt=0)
    latency_ms: float = Field(default=1.5, ge=0)
    memory: Memory = Memory(base_mib="420", ramp_s=3.0)
    benign_errors: BenignErrorSet = "sregym_server_kafka:benign_errors.yaml#kafka"

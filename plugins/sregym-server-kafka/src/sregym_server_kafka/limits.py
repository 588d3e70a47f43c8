"""How large a record may be: by the broker's settings and by the topic's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_server_kafka.data import BROKERS

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process

    from sregym_server_kafka.data import Kept

# `message.max.bytes` of a broker, `max.request.size` of the Java client, as they are shipped.
_USUAL_BYTES = 1_048_588
CLIENT_BYTES = 1_048_576
# What a batch adds to its only record.
OVERHEAD_BYTES = 70
TOPIC_LIMIT, BROKER_LIMIT = "max.message.bytes", "message.max.bytes"


def most_bytes(process: Process, data: Kept, topic: str) -> int:
    """The largest batch that a broker takes for a topic."""
    told = data.configs.get(topic, {}).get(TOPIC_LIMIT, "")
    told = told or data.configs.get(BROKERS, {}).get(BROKER_LIMIT, "")
    if not told:
        told = process.environment.get("KAFKA_MESSAGE_MAX_BYTES", "")
    return int(told) if told.isdecimal() else _USUAL_BYTES

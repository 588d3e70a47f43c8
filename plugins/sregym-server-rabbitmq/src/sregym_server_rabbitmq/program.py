"""How a service model describes RabbitMQ brokers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Entry, Memory, StoreProgram, Text


class RabbitmqQueue(Entry):
    """A queue that exists from the start, in the virtual host of the broker.

    Attributes:
        durable: Whether it outlives the broker.
    """

    durable: bool = True


class RabbitmqProgram(StoreProgram, Entry):
    """A RabbitMQ broker of one node, behind the entry point of its official image.

    RABBITMQ_DEFAULT_USER, RABBITMQ_DEFAULT_PASS and RABBITMQ_DEFAULT_VHOST count when the data
    directory is empty. Programs send messages with the call `client.publish` and take them as
    consumers do whose topic is the queue. What it keeps belongs to the volume mounted at the data
    directory.

    Attributes:
        kind: `rabbitmq`.
        version: As it reports it.
        data_dir: The data directory.
        queues: Name -> queue.
        management: Whether the image has the management plugin, which listens on 15672.
    """

    kind: Literal["rabbitmq"]
    port: Text = "5672"
    version: Text = "3.13.7"
    data_dir: str = "/var/lib/rabbitmq"
    queues: dict[str, RabbitmqQueue] = Field(default_factory=dict)
    management: bool = True
    starts_in_s: float = Field(default=6.0, ge=0)
    cpu_ms: float = Field(default=0.05, gt=0)
    latency_ms: float = Field(default=0.8, ge=0)
    memory: Memory = Memory(base_mib="125", ramp_s=4.0)

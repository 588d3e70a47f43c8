"""What flows through brokers, whatever their kind: topics of partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import KafkaProgram, RabbitmqProgram

from sregym_cluster_embedded.userland.kafka import data as kafka
from sregym_cluster_embedded.userland.rabbitmq import data as rabbitmq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import AnyProgram

    from sregym_cluster_embedded.world import World

# Of brokers and their clients.
BROKERS = (KafkaProgram, RabbitmqProgram)
PROTOCOLS = ("kafka", "amqp")


def storage_of(program: AnyProgram | None, settings: Mapping[str, str]) -> str:
    """The identity of what a broker keeps; empty for other programs."""
    if not isinstance(program, BROKERS):
        return ""
    return settings.get(f"{program.kind}.storage", "")


def topics_at(world: World, storage: str) -> kafka.KafkaData:
    """What is kept under an identity of storage, queues as topics of one partition."""
    if storage in world.table(rabbitmq.TABLE):
        return rabbitmq.load(world, storage).as_topics()
    return kafka.data_at(world, storage)


def group_of(world: World, storage: str, topic: str, group: str) -> str:
    """The group of a consumer: all who take from one queue are one."""
    return topic if storage in world.table(rabbitmq.TABLE) else group


def keeps_unread(world: World, storage: str) -> bool:
    """Whether what nobody takes waits, rather than being there for whoever comes."""
    return storage in world.table(rabbitmq.TABLE)

"""What datastores keep beyond the life of their pods, as text that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.etcd.data import describe as describe_etcd
from sregym_cluster_embedded.userland.kafka.data import describe as describe_kafka
from sregym_cluster_embedded.userland.mongodb.data import describe as describe_mongodb
from sregym_cluster_embedded.userland.rabbitmq.data import describe as describe_rabbitmq
from sregym_cluster_embedded.userland.redis.data import describe as describe_redis
from sregym_cluster_embedded.userland.sql.describing import describe as describe_sql

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_KINDS = (
    ("etcd", describe_etcd),
    ("kafka", describe_kafka),
    ("mongodb", describe_mongodb),
    ("rabbitmq", describe_rabbitmq),
    ("redis", describe_redis),
    ("sql", describe_sql),
)


def durable_state(world: World) -> dict[str, str]:
    """Kind and identity of a storage -> canonical text of what is in it."""
    return {
        f"{kind} at {storage}": describe(data)
        for kind, describe in _KINDS
        for storage, data in sorted(world.table(f"userland.{kind}").items())
        if not storage.startswith(("layer of ", "pod/"))
    }

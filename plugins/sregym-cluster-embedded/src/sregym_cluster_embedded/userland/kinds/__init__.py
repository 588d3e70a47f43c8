"""The kinds of programs: one class each, found by the `kind` of the program."""

from __future__ import annotations

from sregym_cluster_embedded.userland.kinds.etcd import EtcdKind
from sregym_cluster_embedded.userland.kinds.hindrance import disks_changed, hindered, slowed_ms
from sregym_cluster_embedded.userland.kinds.ingress import IngressKind
from sregym_cluster_embedded.userland.kinds.kafka import KafkaKind
from sregym_cluster_embedded.userland.kinds.kind import Kind, Refusal, WebAnswer, WebRequest
from sregym_cluster_embedded.userland.kinds.load import LoadKind
from sregym_cluster_embedded.userland.kinds.memcached import MemcachedKind
from sregym_cluster_embedded.userland.kinds.mongod import MongodbKind
from sregym_cluster_embedded.userland.kinds.nameserver import NameServerKind
from sregym_cluster_embedded.userland.kinds.nginx import NginxKind
from sregym_cluster_embedded.userland.kinds.postgres import PostgresKind
from sregym_cluster_embedded.userland.kinds.proxy import ProxyKind
from sregym_cluster_embedded.userland.kinds.rabbitmq import RabbitmqKind
from sregym_cluster_embedded.userland.kinds.redis import RedisKind
from sregym_cluster_embedded.userland.kinds.registry import RegistryKind
from sregym_cluster_embedded.userland.kinds.service import ServiceKind
from sregym_cluster_embedded.userland.kinds.sql import MysqlKind
from sregym_cluster_embedded.userland.kinds.stores import KeyValueKind

KINDS: dict[str, Kind] = {
    "service": ServiceKind(),
    "mongodb": MongodbKind(),
    "memcached": MemcachedKind(),
    "keyvalue": KeyValueKind(),
    "registry": RegistryKind(),
    "redis": RedisKind(),
    "mysql": MysqlKind(),
    "postgres": PostgresKind(),
    "etcd": EtcdKind(),
    "kafka": KafkaKind(),
    "rabbitmq": RabbitmqKind(),
    "name-server": NameServerKind(),
    "ingress-controller": IngressKind(),
    "http-proxy": ProxyKind(),
    "nginx": NginxKind(),
    "load-generator": LoadKind(),
}

__all__ = [
    "KINDS",
    "Kind",
    "Refusal",
    "WebAnswer",
    "WebRequest",
    "disks_changed",
    "hindered",
    "slowed_ms",
]

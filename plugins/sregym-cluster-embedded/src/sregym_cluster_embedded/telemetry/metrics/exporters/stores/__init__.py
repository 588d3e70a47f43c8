"""Exporters of datastores: MongoDB, Redis, memcached, MySQL, PostgreSQL, Consul."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.lives import Life, lives
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.caches import MEMCACHED, REDIS
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.exporter import StoreExporter
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.measures import gauge, gauges
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.mongodb import MONGODB
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.sql import MYSQL, POSTGRES
from sregym_cluster_embedded.telemetry.metrics.exporters.stores.store import MISS, Store
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, cpu
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.counted import Counted
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.metrics.exporters.stores.measures import Said
    from sregym_cluster_embedded.world import World

__all__ = ["STORES", "Store", "counted_of"]


def _member(store: Store) -> Said:
    yield (("member", store.life.process.config.hostname),), 1.0


_CONSUL = (
    gauge("consul_raft_leader", "Does Raft cluster have a leader (according to this node).", 1.0),
    gauge("consul_raft_peers", "How many peers (servers) are in the Raft cluster.", 1.0),
    gauge("consul_serf_lan_members", "How many members are in the cluster.", 1.0),
    gauges("consul_serf_lan_member_status", "Status of member in the cluster. 1=Alive, 2=Leaving, 3=Left, 4=Failed.", _member),
)  # fmt: skip
STORES = (
    StoreExporter(("mongodb",), "mongodb-exporter", ("mongodb_up", "Whether MongoDB is up."), MONGODB),
    StoreExporter(("redis", "keyvalue"), "redis-exporter", ("redis_up", "Information about the Redis instance"), REDIS),
    StoreExporter(("memcached",), "memcached-exporter", ("memcached_up", "Could the memcached server be reached."), MEMCACHED),
    StoreExporter(("mysql",), "mysqld-exporter", ("mysql_up", "Whether the MySQL server is up."), MYSQL),
    StoreExporter(("postgres",), "postgres-exporter", ("pg_up", "Whether the last scrape of metrics from PostgreSQL was able to connect to the server (1 for yes, 0 for no)."), POSTGRES),
    StoreExporter(("registry",), "consul-exporter", ("consul_up", "Was the last query of Consul successful."), _CONSUL),
)  # fmt: skip


def counted_of(world: World, ref: ContainerRef) -> Counted:
    """What a server has been asked for by now, as its exporter counts it."""
    process = process_of(world, ref)
    if process is None:
        return Counted({})
    store = Store([*lives(world)], world.epoch, Life(process, segments(world, SERVED, ref)))
    now = np.array([world.now])
    missed, connected = store.total(MISS, ("get",)), store.connected()
    assert not isinstance(missed, float)
    assert not isinstance(connected, float)
    rate = store.load(lambda part: sum(flow.rate for flow in part.flows))
    commands = {name: int(one.total(now)[0]) for name, one in store.commands.items()}
    return Counted(
        commands,
        int(store.callers(now)[0]),
        int(WorkingSet(store.life)(now)[0]),
        float(cpu(store.life)(now)[0]),
        int(missed(now)[0]),
        int(connected(now)[0]),
        int(rate(now)[0]),
        store.peers(),
        store.refused(world.now),
    )

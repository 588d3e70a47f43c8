"""What exporters say of Redis and Valkey servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    DONE,
    FAILED,
    MISS,
    Measure,
    Row,
    Said,
    Store,
    StoreExporter,
    by_command,
    counter,
    counters,
    cpu,
    gauge,
    gauges,
    memory,
    received,
    sent,
    total,
)

from sregym_server_redis.data import memory_size
from sregym_server_redis.views import Followed, Following, Watching, remembered

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.exporters import Saying, Value

# What servers do with processors besides user code, of all that they use.
_IN_KERNEL = 0.45


def _durations(store: Store) -> Said:
    for name in store.commands:
        yield (("cmd", name),), store.spent(name=name)


def _failures(store: Store) -> Said:
    for name in store.commands:
        yield (("cmd", name),), store.total(FAILED, (name,))


def _instance(store: Store) -> Said:
    process = store.instance.process
    settings, watches = process.settings, "redis.sentinel" in process.settings
    for view, since, until in remembered(process, Following):
        labels = (
            ("maxmemory_policy", settings.get("redis.maxmemory-policy", "noeviction")),
            ("os", "Linux x86_64"),
            ("process_id", "1"),
            ("redis_mode", "sentinel" if watches else "standalone"),
            ("redis_version", settings.get("redis.version", store.version)),
            ("role", "sentinel" if watches else "slave" if view.master else "master"),
            ("tcp_port", settings.get("redis.port", "6379")),
        )
        yield Row(labels, 1.0, since, until)


def _followed(store: Store) -> Said:
    for view, since, until in remembered(store.instance.process, Followed):
        yield Row((), float(len(view.replicas)), since, until)


def _lags(store: Store) -> Said:
    for view, since, until in remembered(store.instance.process, Followed):
        for place in view.replicas:
            host, _, port = place.partition(" ")
            labels = ("slave_ip", host), ("slave_port", port), ("slave_state", "online")
            yield Row(labels, 0.0, since, until)


def _of_replica(figure: Callable[[Following, float], Value], *more: tuple[str, str]) -> Saying:
    """What a replica says of its link; nothing while it is a master."""

    def said(store: Store) -> Said:
        for view, since, until in remembered(store.instance.process, Following):
            if view.master:
                host, _, port = view.master.partition(" ")
                labels = ("master_host", host), ("master_port", port), *more
                yield Row(labels, figure(view, since), since, until)

    return said


def _heard(view: Following, _since: float) -> Value:
    return 0.0 if view.linked else -1.0


def _down_since(view: Following, since: float) -> Value:
    return 0.0 if view.linked else lambda seconds: seconds - since


def _watching(figure: Callable[[Watching], float], *names: str) -> Saying:
    """What a Sentinel says of its master."""

    def said(store: Store) -> Said:
        for view, since, until in remembered(store.instance.process, Watching):
            if view.name:
                labels = {
                    "master_name": view.name, "master_address": view.place, "master_status": view.status,
                }  # fmt: skip
                told = tuple(sorted((name, labels[name]) for name in names))
                yield Row(told, figure(view), since, until)

    return said


def _able(view: Watching) -> float:
    """Whether enough Sentinels answer for quorum and majority."""
    known, answering = view.sentinels
    return float(answering >= view.quorum and answering > known // 2)


def _masters(store: Store) -> Said:
    if "redis.sentinel" in store.instance.process.settings:
        yield (), 1.0


def _user(store: Store) -> Value:
    used = cpu(store.instance)
    return lambda seconds: used(seconds) * (1 - _IN_KERNEL)


def _system(store: Store) -> Value:
    used = cpu(store.instance)
    return lambda seconds: used(seconds) * _IN_KERNEL


def _limit(store: Store) -> float:
    """What it was told when it started; 0 where there is no limit."""
    return float(memory_size(store.instance.process.settings.get("redis.maxmemory", "0")) or 0)


def _rate(store: Store) -> Value:
    return store.load(lambda part: sum(flow.rate for flow in part.flows))


_MASTER = ("master_name", "master_address")
REDIS: tuple[Measure, ...] = (
    gauges("redis_instance_info", "Information about the Redis instance", _instance),
    counter("redis_commands_processed_total", "commands_processed_total metric", total()),
    counters("redis_commands_total", "Total number of calls per command", by_command("cmd", {})),
    counters("redis_commands_duration_seconds_total", "Total amount of time in seconds spent per command", _durations),
    counters("redis_commands_failed_calls_total", "Total number of errors within command execution per command", _failures),
    gauge("redis_instantaneous_ops_per_sec", "instantaneous_ops_per_sec metric", _rate),
    counter("redis_keyspace_hits_total", "keyspace_hits_total metric", total("get", outcome=DONE)),
    counter("redis_keyspace_misses_total", "keyspace_misses_total metric", total("get", outcome=MISS)),
    gauge("redis_connected_clients", "connected_clients metric", lambda store: store.callers),
    gauge("redis_blocked_clients", "blocked_clients metric", 0.0),
    gauge("redis_config_maxclients", "config_maxclients metric", lambda store: store.setting("redis.maxclients", 10_000.0)),
    counter("redis_connections_received_total", "connections_received_total metric", Store.connected),
    counter("redis_rejected_connections_total", "rejected_connections_total metric", 0.0),
    gauge("redis_memory_used_bytes", "memory_used_bytes metric", memory),
    gauge("redis_memory_used_rss_bytes", "memory_used_rss_bytes metric", memory),
    gauge("redis_memory_max_bytes", "memory_max_bytes metric", _limit),
    counter("redis_evicted_keys_total", "evicted_keys_total metric", 0.0),
    counter("redis_expired_keys_total", "expired_keys_total metric", 0.0),
    gauges("redis_connected_slaves", "connected_slaves metric", _followed),
    gauges("redis_connected_slave_lag_seconds", "Lag of connected slave", _lags),
    gauges("redis_master_link_up", "Master link status on Redis slave", _of_replica(lambda view, _: float(view.linked))),
    gauges("redis_master_last_io_seconds_ago", "Master last io seconds ago", _of_replica(_heard)),
    gauges("redis_master_link_down_since_seconds", "master_link_down_since_seconds metric", _of_replica(_down_since)),
    gauges("redis_slave_info", "Information about the Redis slave", _of_replica(lambda _view, _since: 1.0, ("read_only", "1"))),
    gauges("redis_sentinel_masters", "The number of masters this sentinel is watching", _masters),
    gauges("redis_sentinel_master_status", "Master status on Sentinel", _watching(lambda _: 1.0, "master_name", "master_address", "master_status")),
    gauges("redis_sentinel_master_slaves", "The number of slaves of the master", _watching(lambda view: float(view.replicas[0]), *_MASTER)),
    gauges("redis_sentinel_master_ok_slaves", "The number of okay slaves of the master", _watching(lambda view: float(view.replicas[1]), *_MASTER)),
    gauges("redis_sentinel_master_sentinels", "The number of sentinels monitoring this master", _watching(lambda view: float(view.sentinels[0]), *_MASTER)),
    gauges("redis_sentinel_master_ok_sentinels", "The number of okay sentinels monitoring this master", _watching(lambda view: float(view.sentinels[1]), *_MASTER)),
    gauges("redis_sentinel_master_ckquorum_status", "Master ckquorum status", _watching(_able, "master_name")),
    gauges("redis_sentinel_master_setting_ckquorum", "Quorum of the master", _watching(lambda view: float(view.quorum), *_MASTER)),
    gauge("redis_loading_dump_file", "loading_dump_file metric", 0.0),
    gauge("redis_rdb_last_bgsave_status", "rdb_last_bgsave_status metric", 1.0),
    gauge("redis_aof_enabled", "aof_enabled metric", lambda store: float(store.instance.process.settings.get("redis.appendonly") == "yes")),
    gauge("redis_exporter_last_scrape_error", "The last scrape error status.", 0.0),
    gauge("redis_uptime_in_seconds", "uptime_in_seconds metric", Store.uptime),
    gauge("redis_start_time_seconds", "Start time of the Redis instance since unix epoch in seconds.", Store.started),
    counter("redis_cpu_user_seconds_total", "cpu_user_seconds_total metric", _user),
    counter("redis_cpu_sys_seconds_total", "cpu_sys_seconds_total metric", _system),
    counter("redis_net_input_bytes_total", "net_input_bytes_total metric", received),
    counter("redis_net_output_bytes_total", "net_output_bytes_total metric", sent),
)  # fmt: skip
EXPORTER = StoreExporter(
    ("redis", "keyvalue", "redis-sentinel"),
    "redis-exporter",
    ("redis_up", "Information about the Redis instance"),
    REDIS,
)

"""What exporters say of Redis and Valkey servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    DONE,
    FAILED,
    MISS,
    Measure,
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

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.exporters import Value

# What servers do with processors besides user code, of all that they use.
_IN_KERNEL = 0.45


def _durations(store: Store) -> Said:
    for name in store.commands:
        yield (("cmd", name),), store.spent(name=name)


def _failures(store: Store) -> Said:
    for name in store.commands:
        yield (("cmd", name),), store.total(FAILED, (name,))


def _instance(store: Store) -> Said:
    settings = store.life.process.settings
    yield (
        (
            ("maxmemory_policy", settings.get("redis.maxmemory-policy", "noeviction")),
            ("os", "Linux x86_64"),
            ("process_id", "1"),
            ("redis_mode", "standalone"),
            ("redis_version", settings.get("redis.version", store.version)),
            ("role", "master"),
            ("tcp_port", settings.get("redis.port", "6379")),
        ),
        1.0,
    )


def _user(store: Store) -> Value:
    used = cpu(store.life)
    return lambda seconds: used(seconds) * (1 - _IN_KERNEL)


def _system(store: Store) -> Value:
    used = cpu(store.life)
    return lambda seconds: used(seconds) * _IN_KERNEL


def _limit(store: Store) -> float:
    """What it was told when it started; 0 where there is no limit."""
    return float(memory_size(store.life.process.settings.get("redis.maxmemory", "0")) or 0)


def _rate(store: Store) -> Value:
    return store.load(lambda part: sum(flow.rate for flow in part.flows))


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
    gauge("redis_connected_slaves", "connected_slaves metric", 0.0),
    gauge("redis_loading_dump_file", "loading_dump_file metric", 0.0),
    gauge("redis_rdb_last_bgsave_status", "rdb_last_bgsave_status metric", 1.0),
    gauge("redis_aof_enabled", "aof_enabled metric", lambda store: float(store.life.process.settings.get("redis.appendonly") == "yes")),
    gauge("redis_exporter_last_scrape_error", "The last scrape error status.", 0.0),
    gauge("redis_uptime_in_seconds", "uptime_in_seconds metric", Store.uptime),
    gauge("redis_start_time_seconds", "Start time of the Redis instance since unix epoch in seconds.", Store.started),
    counter("redis_cpu_user_seconds_total", "cpu_user_seconds_total metric", _user),
    counter("redis_cpu_sys_seconds_total", "cpu_sys_seconds_total metric", _system),
    counter("redis_net_input_bytes_total", "net_input_bytes_total metric", received),
    counter("redis_net_output_bytes_total", "net_output_bytes_total metric", sent),
)  # fmt: skip
EXPORTER = StoreExporter(
    ("redis", "keyvalue"),
    "redis-exporter",
    ("redis_up", "Information about the Redis instance"),
    REDIS,
)

"""INFO and MEMORY STATS: what a server says of itself, in the figures that its metrics have."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import parse
from sregym_cluster_embedded.sdk.servers import (
    ANSWER_BYTES,
    KERNEL,
    REQUEST_BYTES,
    RUNTIME,
    Counted,
    counted,
)

from sregym_server_redis.data import memory_size
from sregym_server_redis.links import (
    good_replicas,
    history_of,
    link_of,
    offset_of,
    replicas_of,
)
from sregym_server_redis.replication import announced
from sregym_server_redis.replies import Pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_redis.connection import Connection

# What it does in user code, of all processor time.
_USER = 0.55
# What a server holds before there is a key, and what the allocator and its code need besides.
_STARTUP = 865_280
_BESIDES = 7 << 20
_MOST = ("modules", "commandstats", "latencystats")
_ALLOCATOR = {"6": "jemalloc-5.1.0", "7": "jemalloc-5.2.1", "8": "jemalloc-5.3.0"}
_BACKLOG = 1 << 20


def human(size: int) -> str:
    """A size as it is shown to people."""
    if size < 1024:
        return f"{size}B"
    amount = float(size)
    for letter in "KMG":
        amount /= 1024
        if amount < 1024 or letter == "G":
            return f"{amount:.2f}{letter}"
    return ""


def _id(client: Connection, purpose: str) -> str:
    server = client.server
    text = f"{purpose} {server.ref} {server.started_at}"
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def _node_bytes(client: Connection) -> tuple[int, str]:
    """Memory and kernel of the node."""
    files = client.world.service(RUNTIME).files(client.world, client.server)
    status = files.container.node.get("status", {})
    memory = status.get("capacity", {}).get("memory")
    kernel = status.get("nodeInfo", {}).get("kernelVersion") or KERNEL
    return int(parse(memory)) if memory else 8 << 30, str(kernel)


def _server(client: Connection) -> dict[str, Any]:
    now, started = client.world.now, client.server.started_at
    name, uptime = client.flavour, int(now - started)
    unix_us = int((client.world.epoch + now) * 1e6)
    rows: dict[str, Any] = {"redis_version": client.version}
    if name == "valkey":
        rows = {"redis_version": "7.2.4", "server_name": "valkey", "valkey_version": client.version}
        rows |= {"valkey_release_stage": "ga"} if client.release >= (8,) else {}
    build = sha1(client.version.encode(), usedforsecurity=False).hexdigest()
    mode = "server_mode" if name == "valkey" else "redis_mode"
    return {
        **rows, "redis_git_sha1": "00000000", "redis_git_dirty": 0, "redis_build_id": build[:16],
        mode: "standalone", "os": f"Linux {_node_bytes(client)[1]} x86_64", "arch_bits": 64,
        "monotonic_clock": "POSIX clock_gettime", "multiplexing_api": "epoll",
        "atomicvar_api": "c11-builtin", "gcc_version": "12.2.0", "process_id": 1,
        "process_supervised": "no", "run_id": _id(client, "run"), "tcp_port": client.setting("port"),
        "server_time_usec": unix_us, "uptime_in_seconds": uptime, "uptime_in_days": uptime // 86_400,
        "hz": client.setting("hz"), "configured_hz": client.setting("hz"),
        "lru_clock": unix_us // 10**6 & 0xFFFFFF, "executable": f"/data/{name}-server",
        "config_file": client.server.settings.get("redis.config-file", ""), "io_threads_active": 0,
    }  # fmt: skip


def _clients(client: Connection, seen: Counted) -> dict[str, Any]:
    return {
        "connected_clients": seen.connections + 1, "cluster_connections": 0,
        "maxclients": client.setting("maxclients"), "client_recent_max_input_buffer": 20_480,
        "client_recent_max_output_buffer": 0, "blocked_clients": 0, "tracking_clients": 0,
        "clients_in_timeout_table": 0,
    }  # fmt: skip


def _sizes(client: Connection, seen: Counted) -> tuple[int, int, int]:
    """Bytes in use, bytes resident, and the limit."""
    used = client.data.used_bytes() + 1928 * seen.connections
    return (
        used,
        max(seen.memory_bytes, used + _BESIDES),
        memory_size(client.setting("maxmemory")) or 0,
    )


def _memory(client: Connection, seen: Counted) -> dict[str, Any]:
    used, resident, limit = _sizes(client, seen)
    total = _node_bytes(client)[0]
    overhead = _STARTUP + 608 + 1928 * seen.connections
    active, held = used + (used >> 3), used + (3 << 20)
    data = used - overhead
    share = 100 * data / max(1, used - _STARTUP)
    return {
        "used_memory": used, "used_memory_human": human(used), "used_memory_rss": resident,
        "used_memory_rss_human": human(resident), "used_memory_peak": used,
        "used_memory_peak_human": human(used), "used_memory_peak_perc": "100.00%",
        "used_memory_overhead": overhead, "used_memory_startup": _STARTUP,
        "used_memory_dataset": data, "used_memory_dataset_perc": f"{share:.2f}%",
        "allocator_allocated": used + 56_000, "allocator_active": active, "allocator_resident": held,
        "total_system_memory": total, "total_system_memory_human": human(total),
        "used_memory_lua": 31_744, "used_memory_vm_eval": 31_744, "used_memory_lua_human": "31.00K",
        "used_memory_scripts_eval": 0, "number_of_cached_scripts": 0, "number_of_functions": 0,
        "number_of_libraries": 0, "used_memory_vm_functions": 32_768,
        "used_memory_vm_total": 64_512, "used_memory_vm_total_human": "63.00K",
        "used_memory_functions": 184, "used_memory_scripts": 184,
        "used_memory_scripts_human": "184B", "maxmemory": limit, "maxmemory_human": human(limit),
        "maxmemory_policy": client.setting("maxmemory-policy"),
        "allocator_frag_ratio": f"{active / used:.2f}", "allocator_frag_bytes": active - used,
        "allocator_rss_ratio": f"{held / active:.2f}", "allocator_rss_bytes": held - active,
        "rss_overhead_ratio": f"{resident / held:.2f}", "rss_overhead_bytes": resident - held,
        "mem_fragmentation_ratio": f"{resident / used:.2f}",
        "mem_fragmentation_bytes": resident - used, "mem_not_counted_for_evict": 0,
        "mem_replication_backlog": 0, "mem_total_replication_buffers": 0, "mem_clients_slaves": 0,
        "mem_clients_normal": 1928 * seen.connections, "mem_cluster_links": 0, "mem_aof_buffer": 0,
        "mem_allocator": _ALLOCATOR.get(client.version[:1], "jemalloc-5.3.0"),
        "active_defrag_running": 0, "lazyfree_pending_objects": 0, "lazyfreed_objects": 0,
    }  # fmt: skip


def _persistence(client: Connection) -> dict[str, Any]:
    saved = int(client.world.epoch + client.server.started_at)
    appends = int(client.setting("appendonly") == "yes")
    return {
        "loading": 0, "async_loading": 0, "current_cow_peak": 0, "current_cow_size": 0,
        "current_cow_size_age": 0, "current_fork_perc": "0.00", "current_save_keys_processed": 0,
        "current_save_keys_total": 0, "rdb_changes_since_last_save": 0, "rdb_bgsave_in_progress": 0,
        "rdb_last_save_time": saved, "rdb_last_bgsave_status": "ok" if client.save_trouble() is None else "err",
        "rdb_last_bgsave_time_sec": -1, "rdb_current_bgsave_time_sec": -1, "rdb_saves": 0,
        "rdb_last_cow_size": 0, "rdb_last_load_keys_expired": 0, "rdb_last_load_keys_loaded": 0,
        "aof_enabled": appends, "aof_rewrite_in_progress": 0, "aof_rewrite_scheduled": 0,
        "aof_last_rewrite_time_sec": -1, "aof_current_rewrite_time_sec": -1,
        "aof_last_bgrewrite_status": "ok", "aof_rewrites": 0,
        "aof_rewrites_consecutive_failures": 0, "aof_last_write_status": "ok",
        "aof_last_cow_size": 0, "module_fork_in_progress": 0, "module_fork_last_cow_size": 0,
    }  # fmt: skip


def _stats(client: Connection, seen: Counted) -> dict[str, Any]:
    looks = seen.of("get")
    rate_in, rate_out = (seen.per_s * size / 1024 for size in (REQUEST_BYTES, ANSWER_BYTES))
    zeros = (
        "pubsub_channels", "pubsub_patterns", "pubsubshard_channels", "latest_fork_usec",
        "total_forks", "migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits",
        "active_defrag_misses", "active_defrag_key_hits", "active_defrag_key_misses",
        "total_active_defrag_time", "current_active_defrag_time", "tracking_total_keys",
        "tracking_total_items", "tracking_total_prefixes", "unexpected_error_replies",
    )  # fmt: skip
    return {
        "total_connections_received": seen.received + 1, "total_commands_processed": seen.total,
        "instantaneous_ops_per_sec": seen.per_s,
        "total_net_input_bytes": seen.total * REQUEST_BYTES,
        "total_net_output_bytes": seen.total * ANSWER_BYTES, "total_net_repl_input_bytes": 0,
        "total_net_repl_output_bytes": 0, "instantaneous_input_kbps": f"{rate_in:.2f}",
        "instantaneous_output_kbps": f"{rate_out:.2f}", "instantaneous_input_repl_kbps": "0.00",
        "instantaneous_output_repl_kbps": "0.00", "rejected_connections": 0, "sync_full": 0,
        "sync_partial_ok": 0, "sync_partial_err": 0, "expired_keys": 0,
        "expired_stale_perc": "0.00", "expired_time_cap_reached_count": 0,
        "expire_cycle_cpu_milliseconds": 0, "evicted_keys": client.data.evicted,
        "evicted_clients": 0, "total_eviction_exceeded_time": 0,
        "current_eviction_exceeded_time": 0, "keyspace_hits": looks - seen.misses,
        "keyspace_misses": seen.misses, **dict.fromkeys(zeros, 0),
        "total_error_replies": sum(seen.refused.values()), "dump_payload_sanitizations": 0,
        "total_reads_processed": seen.total + seen.received + 1,
        "total_writes_processed": seen.total, "io_threaded_reads_processed": 0,
        "io_threaded_writes_processed": 0, "reply_buffer_shrinks": 0, "reply_buffer_expands": 0,
    }  # fmt: skip


def _replication(client: Connection) -> dict[str, Any]:
    master, offset = client.setting("replicaof").split(), offset_of(client)
    rows: dict[str, Any] = {"role": "master"}
    if master:
        rows = _following(client, master)
    now = client.world.now
    replicas = list(replicas_of(client.world, client.server.ref))
    told = {}
    for number, (process, link) in enumerate(replicas):
        ip, port = announced(client.world, process).split()
        place, lag = f"ip={ip},port={port},state=online", int(now - link.heard)
        told[f"slave{number}"] = f"{place},offset={link.offset},lag={lag}"
    active = int(bool(replicas or master))
    good = {"min_slaves_good_slaves": good_replicas(client)}
    wanted = int(client.setting("min-replicas-to-write")) > 0
    return {
        **rows, "connected_slaves": len(replicas), **(good if wanted else {}), **told,
        "master_failover_state": "no-failover", "master_replid": history_of(client),
        "master_replid2": "0" * 40, "master_repl_offset": offset, "second_repl_offset": -1,
        "repl_backlog_active": active, "repl_backlog_size": _BACKLOG,
        "repl_backlog_first_byte_offset": active,
        "repl_backlog_histlen": min(offset, _BACKLOG) if active else 0,
    }  # fmt: skip


def _following(client: Connection, master: list[str]) -> dict[str, Any]:
    """What a replica says of its link."""
    link, now = link_of(client.world, client.server.ref), client.world.now
    up = link is not None and link.master is not None
    offset = 0 if link is None else link.offset
    heard = -1 if link is None or not up else int(now - link.heard)
    down = {} if up else {"master_link_down_since_seconds": int(now - link.since) if link else -1}
    return {
        "role": "slave", "master_host": master[0], "master_port": master[1],
        "master_link_status": "up" if up else "down", "master_last_io_seconds_ago": heard,
        "master_sync_in_progress": 0, "slave_read_repl_offset": offset,
        "slave_repl_offset": offset, **down, "slave_priority": client.setting("replica-priority"),
        "slave_read_only": int(client.setting("replica-read-only") == "yes"),
        "replica_announced": 1,
    }  # fmt: skip


def _cpu(seen: Counted) -> dict[str, Any]:
    kernel, user = f"{seen.cpu_s * (1 - _USER):.6f}", f"{seen.cpu_s * _USER:.6f}"
    return {
        "used_cpu_sys": kernel, "used_cpu_user": user, "used_cpu_sys_children": "0.000000",
        "used_cpu_user_children": "0.000000", "used_cpu_sys_main_thread": kernel,
        "used_cpu_user_main_thread": user,
    }  # fmt: skip


def _commandstats(seen: Counted) -> dict[str, Any]:
    each_us = 6.0
    return {
        f"cmdstat_{name.lower()}": f"calls={count},usec={int(count * each_us)},"
        f"usec_per_call={each_us:.2f},rejected_calls=0,failed_calls=0"
        for name, count in sorted(seen.commands.items())
    }


def _errors(seen: Counted) -> dict[str, Any]:
    return {
        f"errorstat_{word if word.isupper() else 'ERR'}": f"count={count}"
        for word, count in seen.refused.items()
    }


def _keyspace(client: Connection) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    now = client.world.now
    for number in sorted(client.data.databases):
        held = client.data.database(number, now)
        left = [one.expires_at - now for one in held.values() if one.expires_at is not None]
        mean = int(1000 * sum(left) / len(left)) if left else 0
        if held:
            rows[f"db{number}"] = f"keys={len(held)},expires={len(left)},avg_ttl={mean}"
    return rows


def sections(client: Connection) -> dict[str, tuple[str, dict[str, Any]]]:
    """All sections by the name by which they are asked for: title and rows."""
    seen = counted(client.world, client.server.ref)
    return {
        "server": ("Server", _server(client)), "clients": ("Clients", _clients(client, seen)),
        "memory": ("Memory", _memory(client, seen)),
        "persistence": ("Persistence", _persistence(client)),
        "stats": ("Stats", _stats(client, seen)),
        "replication": ("Replication", _replication(client)), "cpu": ("CPU", _cpu(seen)),
        "modules": ("Modules", {}), "commandstats": ("Commandstats", _commandstats(seen)),
        "errorstats": ("Errorstats", _errors(seen)), "latencystats": ("Latencystats", {}),
        "cluster": ("Cluster", {"cluster_enabled": 0}), "keyspace": ("Keyspace", _keyspace(client)),
    }  # fmt: skip


def _info(client: Connection, words: list[str]) -> str:
    known = sections(client)
    wanted = [word.lower() for word in words] or ["default"]
    names: list[str] = []
    for name in known:
        usual = name not in _MOST or name == "modules"
        asked = name in wanted or "all" in wanted or "everything" in wanted
        if asked or (usual and "default" in wanted):
            names.append(name)
    return "\r\n".join(
        f"# {title}\r\n" + "".join(f"{key}:{value}\r\n" for key, value in rows.items())
        for title, rows in (known[name] for name in names)
    )


def _memory_stats(client: Connection, _words: list[str]) -> Pairs:
    seen = counted(client.world, client.server.ref)
    rows, data = _memory(client, seen), client.data
    used, count = rows["used_memory"], sum(map(len, data.databases.values()))
    found: list[Any] = [
        *("peak.allocated", used, "total.allocated", used, "startup.allocated", _STARTUP),
        *("replication.backlog", 0, "clients.slaves", 0),
        *("clients.normal", rows["mem_clients_normal"], "cluster.links", 0, "aof.buffer", 0),
        *("lua.caches", 0, "functions.caches", 184),
    ]
    for number, held in sorted(data.databases.items()):
        table = Pairs(["overhead.hashtable.main", 72 * len(held), "overhead.hashtable.expires", 0])
        found += [f"db.{number}", table]
    overhead, dataset = rows["used_memory_overhead"], rows["used_memory_dataset"]
    found += [
        *("overhead.total", overhead, "keys.count", count),
        *("keys.bytes-per-key", (used - _STARTUP) // count if count else 0),
        *("dataset.bytes", dataset),
        *("dataset.percentage", rows["used_memory_dataset_perc"].rstrip("%")),
        *("peak.percentage", "100", "allocator.allocated", rows["allocator_allocated"]),
        *("allocator.active", rows["allocator_active"]),
        *("allocator.resident", rows["allocator_resident"]),
        *("allocator-fragmentation.ratio", rows["allocator_frag_ratio"]),
        *("allocator-fragmentation.bytes", rows["allocator_frag_bytes"]),
        *("allocator-rss.ratio", rows["allocator_rss_ratio"]),
        *("allocator-rss.bytes", rows["allocator_rss_bytes"]),
        *("rss-overhead.ratio", rows["rss_overhead_ratio"]),
        *("rss-overhead.bytes", rows["rss_overhead_bytes"]),
        *("fragmentation", rows["mem_fragmentation_ratio"]),
        *("fragmentation.bytes", rows["mem_fragmentation_bytes"]),
    ]
    return Pairs(found)


INFORMATION: dict[str, Callable[[Connection, list[str]], Any]] = {
    "info": _info,
    "memory|stats": _memory_stats,
}

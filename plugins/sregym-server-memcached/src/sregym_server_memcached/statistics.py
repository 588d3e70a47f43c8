"""`stats` of a memcached server: in the figures that its metrics have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    connection_sources,
    counted,
    parse_words,
)

from sregym_server_memcached.items import Cache, load, size, slab

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import Process, World

VERSION = "1.6.7"
_MIB = 1 << 20
# What it does in user code, of all processor time.
_USER = 0.55
_CAREFUL = (
    "slab_reassign_rescues", "slab_reassign_chunk_rescues", "slab_reassign_evictions_nomem",
    "slab_reassign_inline_reclaim", "slab_reassign_busy_items", "slab_reassign_busy_deletes",
    "slab_reassign_running", "slabs_moved", "lru_crawler_running",
)  # fmt: skip
_LAST = (
    "slab_global_page_pool", "expired_unfetched", "evicted_unfetched", "evicted_active",
    "evictions", "reclaimed", "crawler_reclaimed", "crawler_items_checked", "lrutail_reflocked",
    "moves_to_cold", "moves_to_warm", "moves_within_lru", "direct_reclaims", "lru_bumps_dropped",
)  # fmt: skip
_OF_ITEMS = (
    "evicted", "evicted_nonzero", "evicted_time", "outofmemory", "tailrepairs", "reclaimed",
    "expired_unfetched", "evicted_unfetched", "evicted_active", "crawler_reclaimed",
    "crawler_items_checked", "lrutail_reflocked", "moves_to_cold", "moves_to_warm",
    "moves_within_lru", "direct_reclaims", "hits_to_hot", "hits_to_warm", "hits_to_cold",
    "hits_to_temp",
)  # fmt: skip


def _flag(process: Process, name: str, otherwise: int) -> int:
    flags, _ = parse_words(process.argv[1:], {})
    return int(flags[name]) if flags.get(name, "").isdecimal() else otherwise


def most_connections(process: Process) -> int:
    """How many connections it takes."""
    return _flag(process, "c", 1024)


def limit_bytes(process: Process, cache: Cache) -> int:
    """How much it may hold."""
    return (cache.megabytes or _flag(process, "m", 64)) * _MIB


def general(world: World, process: Process) -> dict[str, object]:
    """`stats`."""
    cache, seen = load(world, process.ref), counted(world, process.ref)
    looks, sets = seen.of("get"), seen.of("set")
    held = seen.connections
    pairs = ("incr", "decr", "cas")
    return {
        "pid": 1, "uptime": int(world.now - process.started_at),
        "time": int(world.epoch + world.now), "version": VERSION, "libevent": "2.1.8-stable",
        "pointer_size": 64, "rusage_user": f"{seen.cpu_s * _USER:.6f}",
        "rusage_system": f"{seen.cpu_s * (1 - _USER):.6f}",
        "max_connections": most_connections(process), "curr_connections": held + 2,
        "total_connections": seen.received + 3, "rejected_connections": 0,
        "connection_structures": held + 3, "response_obj_bytes": 65_536 * (held + 1),
        "response_obj_total": 3, "response_obj_free": 2, "response_obj_oom": 0,
        "read_buf_bytes": 16_384 * (held + 1), "read_buf_bytes_free": 16_384, "read_buf_oom": 0,
        "reserved_fds": 20, "cmd_get": looks, "cmd_set": sets, "cmd_flush": 0, "cmd_touch": 0,
        "cmd_meta": 0, "get_hits": looks - seen.misses, "get_misses": seen.misses,
        "get_expired": 0, "get_flushed": 0, "delete_misses": 0, "delete_hits": seen.of("delete"),
        **{f"{name}_{what}": 0 for name in pairs for what in ("misses", "hits")}, "cas_badval": 0,
        "touch_hits": 0, "touch_misses": 0, "auth_cmds": 0, "auth_errors": 0,
        "bytes_read": seen.total * REQUEST_BYTES, "bytes_written": seen.total * ANSWER_BYTES,
        "limit_maxbytes": limit_bytes(process, cache), "accepting_conns": 1,
        "listen_disabled_num": 0, "time_in_listen_disabled_us": 0,
        "threads": _flag(process, "t", 4), "conn_yields": 0, "hash_power_level": 16,
        "hash_bytes": 524_288, "hash_is_expanding": 0, **dict.fromkeys(_CAREFUL, 0),
        "lru_crawler_starts": 255, "lru_maintainer_juggles": int(world.now - process.started_at),
        "malloc_fails": 0, "log_worker_dropped": 0, "log_worker_written": 0,
        "log_watcher_skipped": 0, "log_watcher_sent": 0,
        "bytes": sum(size(key, item) for key, item in cache.items.items()),
        "curr_items": len(cache.items), "total_items": sets + len(cache.items),
        **dict.fromkeys(_LAST, 0),
    }  # fmt: skip


def settings(process: Process, cache: Cache, port: int) -> dict[str, object]:
    """`stats settings`."""
    return {
        "maxbytes": limit_bytes(process, cache), "maxconns": most_connections(process),
        "tcpport": port, "udpport": 0, "inter": "NULL", "verbosity": 0, "oldest": 0,
        "evictions": "on", "domain_socket": "NULL", "umask": 700, "growth_factor": "1.25",
        "chunk_size": 48, "num_threads": _flag(process, "t", 4),
        "num_threads_per_udp": _flag(process, "t", 4), "stat_key_prefix": ":",
        "detail_enabled": "no", "reqs_per_event": 20, "cas_enabled": "yes", "tcp_backlog": 1024,
        "binding_protocol": "auto-negotiate", "auth_enabled_sasl": "no",
        "auth_enabled_ascii": "no", "item_size_max": _MIB, "maxconns_fast": "yes",
        "hashpower_init": 0, "slab_reassign": "yes", "slab_automove": 1,
        "slab_automove_ratio": "0.80", "slab_automove_window": 30, "slab_chunk_max": 524_288,
        "lru_crawler": "yes", "lru_crawler_sleep": 100, "lru_crawler_tocrawl": 0,
        "tail_repair_time": 0, "flush_enabled": "yes", "dump_enabled": "yes",
        "hash_algorithm": "murmur3", "lru_maintainer_thread": "yes", "lru_segmented": "yes",
        "hot_lru_pct": 20, "warm_lru_pct": 40, "hot_max_factor": "0.20", "warm_max_factor": "2.00",
        "temp_lru": "no", "temporary_ttl": 61, "idle_timeout": 0, "watcher_logbuf_size": 262_144,
        "worker_logbuf_size": 65_536, "resp_obj_mem_limit": 0, "read_buf_mem_limit": 0,
        "track_sizes": "no", "inline_ascii_response": "no", "ssl_enabled": "no",
    }  # fmt: skip


def _classes(cache: Cache) -> Mapping[int, list[str]]:
    found: dict[int, list[str]] = {}
    for key, item in cache.items.items():
        found.setdefault(slab(size(key, item))[0], []).append(key)
    return dict(sorted(found.items()))


def by_items(world: World, cache: Cache) -> dict[str, object]:
    """`stats items`."""
    rows: dict[str, object] = {}
    for number, keys in _classes(cache).items():
        ages = [int(world.now - cache.items[key].stored_at) for key in keys]
        head = f"items:{number}"
        rows |= {
            f"{head}:number": len(keys), f"{head}:number_hot": 0, f"{head}:number_warm": 0,
            f"{head}:number_cold": len(keys), f"{head}:age_hot": 0, f"{head}:age_warm": 0,
            f"{head}:age": max(ages),
            f"{head}:mem_requested": sum(size(key, cache.items[key]) for key in keys),
            **{f"{head}:{name}": 0 for name in _OF_ITEMS},
        }  # fmt: skip
    return rows


def by_slabs(cache: Cache) -> dict[str, object]:
    """`stats slabs`."""
    rows: dict[str, object] = {}
    for number, keys in _classes(cache).items():
        chunk = slab(size(keys[0], cache.items[keys[0]]))[1]
        fit = _MIB // chunk
        rows |= {
            f"{number}:chunk_size": chunk, f"{number}:chunks_per_page": fit,
            f"{number}:total_pages": 1, f"{number}:total_chunks": fit,
            f"{number}:used_chunks": len(keys), f"{number}:free_chunks": fit - len(keys),
            f"{number}:free_chunks_end": 0, f"{number}:get_hits": 0, f"{number}:cmd_set": len(keys),
            **{f"{number}:{name}": 0 for name in ("delete_hits", "incr_hits", "decr_hits", "cas_hits", "cas_badval", "touch_hits")},
        }  # fmt: skip
    active = len(_classes(cache))
    return {**rows, "active_slabs": active, "total_malloced": active * _MIB}


def by_connections(world: World, process: Process, port: int) -> dict[str, object]:
    """`stats conns`."""
    rows: dict[str, object] = {
        "26:addr": f"tcp:0.0.0.0:{port}", "26:state": "conn_listening",
        "26:secs_since_last_cmd": int(world.now - process.started_at),
    }  # fmt: skip
    own = process.config.pod_ip
    for place, end in enumerate(connection_sources(world, process)):
        number = 28 + place
        rows |= {
            f"{number}:addr": f"tcp:{end.ip}:{end.port}",
            f"{number}:listen_addr": f"tcp:{own}:{port}", f"{number}:state": "conn_read",
            f"{number}:secs_since_last_cmd": 0,
        }  # fmt: skip
    return rows


def dumped(world: World, cache: Cache, words: list[str]) -> str:
    """`stats cachedump CLASS NUMBER`: keys with their sizes."""
    number, most = int(words[2]), int(words[3])
    keys = _classes(cache).get(number, [])
    out = ""
    for key in keys[: most or None]:
        item = cache.items[key]
        until = 0 if item.expires_at is None else int(world.epoch + item.expires_at)
        out += f"ITEM {key} [{len(item.value.encode())} b; {until} s]\r\n"
    return f"{out}END\r\n"


def crawled(world: World, cache: Cache) -> str:
    """`lru_crawler metadump all`: all keys with what is known of them."""
    out = ""
    for key, item in cache.items.items():
        until = -1 if item.expires_at is None else int(world.epoch + item.expires_at)
        at = int(world.epoch + item.stored_at)
        number = slab(size(key, item))[0]
        message = f"exp={until} la={at} cas={item.cas} fetch=no cls={number} size={size(key, item)}"
        out += f"key={key} {message}\n"
    return f"{out}END\r\n"

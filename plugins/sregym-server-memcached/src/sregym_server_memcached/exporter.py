"""What the exporter says of memcached servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    DONE,
    MIB,
    MISS,
    Measure,
    Said,
    Store,
    StoreExporter,
    counter,
    counters,
    cpu,
    gauge,
    gauges,
    received,
    sent,
    total,
)
from sregym_cluster_embedded.sdk.servers import parse_words

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.exporters import Floats, Value

# What it does with processors besides user code, of all that it uses.
_IN_KERNEL = 0.45


def _user(store: Store) -> Value:
    used = cpu(store.instance)
    return lambda seconds: used(seconds) * (1 - _IN_KERNEL)


def _system(store: Store) -> Value:
    used = cpu(store.instance)
    return lambda seconds: used(seconds) * _IN_KERNEL


def _flag(store: Store, name: str, default: float) -> float:
    """A number on the command line of memcached."""
    flags, _ = parse_words(store.instance.process.argv[1:], {})
    text = flags.get(name, "")
    return float(text) if text.isdecimal() else default


def _commands(store: Store) -> Said:
    """Looks by what they found; what else there was, done or refused."""
    names = sorted({"get", "set", *store.commands})
    for name in names:
        if name == "get":
            for status, outcome in (("hit", DONE), ("miss", MISS)):
                yield (("command", name), ("status", status)), store.total(outcome, (name,))
        else:
            yield (("command", name), ("status", "hit")), store.total(DONE, (name,))


def _version(store: Store) -> Said:
    yield (("version", store.version or "1.6.7"),), 1.0


def _now(store: Store) -> Value:
    epoch = store.epoch

    def of(seconds: Floats) -> Floats:
        found: Floats = (seconds + epoch) // 1
        return found

    return of


MEMCACHED: tuple[Measure, ...] = (
    gauges("memcached_version", "The version of this memcached server.", _version),
    counter("memcached_uptime_seconds", "Number of seconds since the server started.", Store.uptime),
    gauge("memcached_time_seconds", "current UNIX time according to the server.", _now),
    counters("memcached_commands_total", "Total number of all requests broken down by command (get, set, etc.) and status.", _commands),
    counter("memcached_items_total", "Total number of items stored during the life of this instance.", total("set", outcome=DONE)),
    counter("memcached_items_evicted_total", "Total number of valid items removed from cache to free memory for new items.", 0.0),
    counter("memcached_items_reclaimed_total", "Total number of times an entry was stored using memory from an expired entry.", 0.0),
    gauge("memcached_current_connections", "Current number of open connections.", lambda store: store.callers),
    counter("memcached_connections_total", "Total number of connections opened since the server started running.", Store.connected),
    gauge("memcached_max_connections", "Maximum number of clients allowed.", lambda store: _flag(store, "c", 1024.0)),
    counter("memcached_connections_rejected_total", "Total number of connections rejected due to hitting the memcached's -c limit in maxconns_fast mode.", 0.0),
    counter("memcached_connections_yielded_total", "Total number of connections yielded running due to hitting the memcached's -R limit.", 0.0),
    counter("memcached_connections_listener_disabled_total", "Number of times that memcached has hit its connections limit and disabled its listener.", 0.0),
    gauge("memcached_limit_bytes", "Number of bytes this server is allowed to use for storage.", lambda store: _flag(store, "m", 64.0) * MIB),
    gauge("memcached_process_start_time_seconds", "Start time of the process in Unix seconds.", Store.started),
    counter("memcached_process_user_cpu_seconds_total", "Accumulated user time for this process.", _user),
    counter("memcached_process_system_cpu_seconds_total", "Accumulated system time for this process.", _system),
    counter("memcached_read_bytes_total", "Total number of bytes read by this server from network.", received),
    counter("memcached_written_bytes_total", "Total number of bytes sent by this server to network.", sent),
)  # fmt: skip

EXPORTER = StoreExporter(
    ("memcached",),
    "memcached-exporter",
    ("memcached_up", "Could the memcached server be reached."),
    MEMCACHED,
)

"""memcached: silent, forgetful, and easy to talk to over a bare connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.counted import ANSWER_BYTES, REQUEST_BYTES, counted
from sregym_cluster_embedded.userland.kinds.stores import StoreKind
from sregym_cluster_embedded.userland.settings import parse_words

if TYPE_CHECKING:
    from sregym_apps.model import MemcachedProgram

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_TABLE = "userland.memcached"
_VERSION = "1.6.7"
_MIB = 1 << 20
# What it does in user code, of all processor time.
_USER = 0.55


class MemcachedKind(StoreKind):
    """memcached; `-m` is megabytes, `-c` connections, `-p` the port. Items die with the process."""

    port_flags = ("p", "port")
    taken = ("failed to listen on TCP port {port}: Address already in use", 71)

    def protocol_of(self, program: MemcachedProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "memcached"

    def talk(self, world: World, process: Process, program: MemcachedProgram, text: str) -> str:
        """The answers to lines of the text protocol."""
        out, lines = "", [line.rstrip("\r") for line in text.split("\n")]
        while lines:
            words = lines.pop(0).split()
            if not words:
                continue
            name = words[0]
            if name == "quit":
                break
            if name in ("set", "add", "replace"):
                if len(words) < 5:
                    out += "ERROR\r\n"
                    continue
                out += self._store(world, process, words, lines.pop(0) if lines else "")
            else:
                out += self._answer(world, process, words)
        return out

    def _items(self, world: World, process: Process) -> dict[str, str]:
        return dict(world.table(_TABLE).get(process.ref, {}))

    def _store(self, world: World, process: Process, words: list[str], value: str) -> str:
        items, key = self._items(world, process), words[1]
        if len(value) != int(words[4] if words[4].isdecimal() else -1):
            return "CLIENT_ERROR bad data chunk\r\nERROR\r\n"
        if (words[0] == "add") == (key in items) and words[0] != "set":
            return "NOT_STORED\r\n"
        if len(value) > _MIB:
            return "SERVER_ERROR object too large for cache\r\n"
        world.table(_TABLE)[process.ref] = {**items, key: value}
        return "STORED\r\n"

    def _answer(self, world: World, process: Process, words: list[str]) -> str:
        items, name = self._items(world, process), words[0]
        if name in ("get", "gets") and len(words) > 1:
            found = (key for key in words[1:] if key in items)
            shown = (f"VALUE {key} 0 {len(items[key])}\r\n{items[key]}\r\n" for key in found)
            return "".join(shown) + "END\r\n"
        if name == "delete" and len(words) > 1:
            if words[1] not in items:
                return "NOT_FOUND\r\n"
            world.table(_TABLE)[process.ref] = {k: v for k, v in items.items() if k != words[1]}
            return "DELETED\r\n"
        if name == "flush_all":
            world.table(_TABLE)[process.ref] = {}
            return "OK\r\n"
        if name == "version":
            return f"VERSION {_VERSION}\r\n"
        if name == "stats":
            rows = self._stats(world, process, items)
            return "".join(f"STAT {key} {value}\r\n" for key, value in rows.items()) + "END\r\n"
        return "ERROR\r\n"

    def _stats(self, world: World, process: Process, items: dict[str, str]) -> dict[str, object]:
        flags, _ = parse_words(process.argv[1:], {})
        megabytes = int(flags["m"]) if flags.get("m", "").isdecimal() else 64
        connections = int(flags["c"]) if flags.get("c", "").isdecimal() else 1024
        seen = counted(world, process.ref)
        looks, sets = seen.of("get"), seen.of("set")
        return {
            "pid": 1,
            "uptime": int(world.now - process.started_at),
            "time": int(world.epoch + world.now),
            "version": _VERSION,
            "libevent": "2.1.8-stable",
            "pointer_size": 64,
            "rusage_user": f"{seen.cpu_s * _USER:.6f}",
            "rusage_system": f"{seen.cpu_s * (1 - _USER):.6f}",
            "max_connections": connections,
            "curr_connections": seen.connections + 2,
            "total_connections": seen.received + 3,
            "rejected_connections": 0,
            "connection_structures": seen.connections + 3,
            "cmd_get": looks,
            "cmd_set": sets,
            "cmd_flush": 0,
            "cmd_touch": 0,
            "get_hits": looks - seen.misses,
            "get_misses": seen.misses,
            "get_expired": 0,
            "delete_misses": 0,
            "delete_hits": seen.of("delete"),
            "bytes_read": seen.total * REQUEST_BYTES,
            "bytes_written": seen.total * ANSWER_BYTES,
            "limit_maxbytes": megabytes * _MIB,
            "accepting_conns": 1,
            "listen_disabled_num": 0,
            "threads": 4,
            "conn_yields": 0,
            "hash_power_level": 16,
            "hash_bytes": 524_288,
            "malloc_fails": 0,
            "bytes": sum(len(key) + len(value) + 57 for key, value in items.items()),
            "curr_items": len(items),
            "total_items": sets + len(items),
            "evictions": 0,
            "reclaimed": 0,
        }

"""memcached: silent, forgetful, and easy to talk to over a bare connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import ConnectionLimit, StoreKind

from sregym_server_memcached.items import (
    STORING,
    counted,
    deleted,
    flushed,
    got,
    keep,
    load,
    misread,
    stored,
    touched,
)
from sregym_server_memcached.statistics import (
    VERSION,
    by_connections,
    by_items,
    by_slabs,
    crawled,
    dumped,
    general,
    most_connections,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_apps.model import Client
    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

    from sregym_server_memcached.program import MemcachedProgram

_ON_ITEMS: Mapping[str, Callable[[World, ContainerRef, list[str]], str]] = {
    "get": got, "gets": got, "gat": got, "gats": got, "incr": counted, "decr": counted,
    "touch": touched, "delete": deleted, "flush_all": flushed,
}  # fmt: skip
_PLAIN = {
    "version": f"VERSION {VERSION}\r\n", "mn": "MN\r\n", "shutdown": "ERROR: shutdown not enabled\r\n",
    "watch": "OK\r\n",
}  # fmt: skip
_DUMP_WORDS = 4


class MemcachedKind(StoreKind):
    """memcached; `-m` is megabytes, `-c` connections, `-p` the port. Items die with the process."""

    port_flags = ("p", "port")
    taken = ("failed to listen on TCP port {port}: Address already in use", 71)

    def version(self, program: MemcachedProgram, words: list[str]) -> str:
        """One line."""
        return f"memcached {VERSION}\n"

    def protocol_of(self, program: MemcachedProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "memcached"

    def limits(
        self, world: World, process: Process, program: MemcachedProgram, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """All clients together."""
        return (ConnectionLimit(most_connections(process), "ERROR Too many open connections"),)

    def talk(self, world: World, process: Process, program: MemcachedProgram, text: str) -> str:
        """The answers to lines of the text protocol."""
        out, lines = "", [line.rstrip("\r") for line in text.split("\n")]
        if lines and not lines[-1]:
            lines.pop()
        while lines:
            line = lines.pop(0)
            words = line.split()
            if words and (words[0] == "quit" or line.startswith(("GET ", "POST "))):
                # Clients that speak HTTP are disconnected.
                break
            quiet = bool(words) and words[-1] == "noreply"
            answer = self._answer(world, process, program, words, lines)
            out += "" if quiet else answer
        return out

    def _answer(
        self,
        world: World,
        process: Process,
        program: MemcachedProgram,
        words: list[str],
        lines: list[str],
    ) -> str:
        name = words[0] if words else ""
        if name in STORING:
            wrong = misread(words)
            if wrong:
                return wrong
            return stored(world, process.ref, words, lines.pop(0) if lines else "")
        if name in _ON_ITEMS:
            return _ON_ITEMS[name](world, process.ref, words)
        if name in _PLAIN:
            return _PLAIN[name]
        if name == "verbosity":
            return "OK\r\n" if len(words) > 1 else "ERROR\r\n"
        if name == "stats":
            return self._stats(world, process, program, words)
        if name == "lru_crawler" and words[1:2] == ["metadump"]:
            return crawled(world, load(world, process.ref))
        if name == "cache_memlimit" and len(words) > 1 and words[1].isdecimal():
            cache = load(world, process.ref)
            keep(world, process.ref, cache._replace(megabytes=int(words[1])))
            return "OK\r\n"
        return "ERROR\r\n"

    def _stats(
        self, world: World, process: Process, program: MemcachedProgram, words: list[str]
    ) -> str:
        what = words[1] if len(words) > 1 else ""
        cache, port = load(world, process.ref), self.ports(process, program)[0]
        if what == "reset":
            return "RESET\r\n"
        if what == "cachedump":
            good = len(words) >= _DUMP_WORDS and all(word.isdecimal() for word in words[2:4])
            return dumped(world, cache, words) if good else "CLIENT_ERROR bad command line\r\n"
        if what == "detail":
            return "END\r\n" if words[2:3] == ["dump"] else "OK\r\n"
        rows: Mapping[str, object]
        if what == "":
            rows = general(world, process)
        elif what == "settings":
            rows = settings(process, cache, port)
        elif what == "items":
            rows = by_items(world, cache)
        elif what == "slabs":
            rows = by_slabs(cache)
        elif what == "sizes":
            rows = {"sizes_status": "disabled"}
        elif what == "conns":
            rows = by_connections(world, process, port)
        else:
            return "ERROR\r\n"
        return "".join(f"STAT {key} {value}\r\n" for key, value in rows.items()) + "END\r\n"

"""A connection to a server: who may, what is refused, settings, INFO."""

from __future__ import annotations

import fnmatch
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.counted import ANSWER_BYTES, REQUEST_BYTES, counted
from sregym_cluster_embedded.userland.redis.commands import WRITES, Keys, Refused, Status, grows
from sregym_cluster_embedded.userland.redis.data import RedisData, load, memory_size, store

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

DEFAULTS = {
    "maxmemory": "0", "maxmemory-policy": "noeviction", "maxclients": "10000", "requirepass": "",
    "timeout": "0", "databases": "16", "appendonly": "no", "save": "3600 1 300 100 60 10000",
    "replicaof": "", "protected-mode": "no", "bind": "* -::*", "port": "6379", "dir": "/data",
    "replica-read-only": "yes", "loglevel": "notice", "tcp-keepalive": "300", "hz": "10",
    "stop-writes-on-bgsave-error": "yes", "dbfilename": "dump.rdb", "masterauth": "",
    "slowlog-log-slower-than": "10000", "tcp-backlog": "511", "appendfsync": "everysec",
}  # fmt: skip
NO_AUTH = "NOAUTH Authentication required."
WRONG_PASS = "WRONGPASS invalid username-password pair or user is disabled."
# What it does in user code, of all processor time.
_USER = 0.55
_OPEN = ("auth", "hello", "quit", "reset")


class Connection:
    """One client at one server.

    Args:
        world: Where the data is.
        server: The server's process.
    """

    def __init__(self, world: World, server: Process) -> None:
        self.world = world
        self.server = server
        self.storage = server.settings["redis.storage"]
        self.known = not self.setting("requirepass")
        self.database = 0

    @property
    def data(self) -> RedisData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    def setting(self, name: str) -> str:
        """A setting in effect: by CONFIG SET, at the start, or the default."""
        given = self.data.settings.get(name)
        if given is not None:
            return given
        return self.server.settings.get(f"redis.{name}", DEFAULTS.get(name, ""))

    def log_in(self, password: str) -> bool:
        """Whether the password is right."""
        self.known = self.known or password == self.setting("requirepass")
        return self.known and password == self.setting("requirepass")

    def run(self, words: list[str]) -> Any:
        """The reply to a command.

        Raises:
            Refused: With the words of the server.
        """
        name, arguments = words[0].lower(), words[1:]
        if name == "auth":
            return self._auth(arguments)
        if not self.known and name not in _OPEN:
            raise Refused(NO_AUTH)
        own = getattr(self, f"_do_{name}", None)
        if own is not None:
            return own(arguments)
        if name in WRITES:
            self.demand_write(name)
        data, now = self.data, self.world.now
        keys = Keys(data.database(self.database, now), now)
        reply = keys.run(name, arguments)
        if name == "flushall":
            store(self.world, self.storage, replace(data, databases={}))
        elif name in WRITES:
            store(self.world, self.storage, data.with_database(self.database, keys.content))
        return reply

    def _auth(self, arguments: list[str]) -> Status:
        if not arguments:
            raise Refused("ERR wrong number of arguments for 'auth' command")
        if len(arguments) > 2:
            raise Refused("ERR syntax error")
        if not self.setting("requirepass"):
            raise Refused(
                "ERR AUTH <password> called without any password configured for the default user. "
                "Are you sure your configuration is correct?"
            )
        if not self.log_in(arguments[-1]):
            raise Refused(WRONG_PASS)
        return Status("OK")

    def demand_write(self, name: str) -> None:
        """Raise `Refused` unless a command may change data now."""
        if self.setting("replicaof") and self.setting("replica-read-only") == "yes":
            raise Refused("READONLY You can't write against a read only replica.")
        limit = memory_size(self.setting("maxmemory")) or 0
        full = limit and self.data.used_bytes() > limit
        if full and grows(name) and self.setting("maxmemory-policy") == "noeviction":
            raise Refused("OOM command not allowed when used memory > 'maxmemory'.")

    def _do_ping(self, arguments: list[str]) -> str:
        return arguments[0] if arguments else Status("PONG")

    def _do_echo(self, arguments: list[str]) -> str:
        return arguments[0] if arguments else ""

    def _do_quit(self, _arguments: list[str]) -> Status:
        return Status("OK")

    def _do_select(self, arguments: list[str]) -> Status:
        if len(arguments) != 1:
            raise Refused("ERR wrong number of arguments for 'select' command")
        try:
            number = int(arguments[0])
        except ValueError:
            raise Refused("ERR value is not an integer or out of range") from None
        if not 0 <= number < int(self.setting("databases")):
            raise Refused("ERR DB index is out of range")
        self.database = number
        return Status("OK")

    def _do_config(self, arguments: list[str]) -> Any:
        if not arguments:
            raise Refused("ERR wrong number of arguments for 'config' command")
        what = arguments[0].lower()
        if what == "get" and len(arguments) > 1:
            pairs = [
                (name, self.setting(name))
                for name in DEFAULTS
                if fnmatch.fnmatchcase(name, arguments[1])
            ]
            return [part for pair in pairs for part in pair]
        if what == "set" and len(arguments) > 2:
            name, value = arguments[1].lower(), arguments[2]
            if name not in DEFAULTS:
                raise Refused(
                    f"ERR Unknown option or number of arguments for CONFIG SET - '{name}'"
                )
            if name == "maxmemory":
                size = memory_size(value)
                if size is None:
                    raise Refused(
                        f"ERR CONFIG SET failed (possibly related to argument '{name}') - argument must be a memory value"
                    )
                value = str(size)
            data = self.data
            store(self.world, self.storage, replace(data, settings={**data.settings, name: value}))
            return Status("OK")
        if what == "rewrite":
            raise Refused("ERR The server is running without a config file")
        if what == "resetstat":
            return Status("OK")
        if what in ("get", "set"):
            raise Refused(f"ERR wrong number of arguments for 'config|{what}' command")
        raise Refused(f"ERR unknown subcommand '{arguments[0]}'. Try CONFIG HELP.")

    def _do_replicaof(self, arguments: list[str]) -> Status:
        value = "" if [word.lower() for word in arguments] == ["no", "one"] else " ".join(arguments)
        data = self.data
        store(
            self.world, self.storage, replace(data, settings={**data.settings, "replicaof": value})
        )
        return Status("OK")

    _do_slaveof = _do_replicaof

    def _do_role(self, _arguments: list[str]) -> list[Any]:
        master = self.setting("replicaof").split()
        if master:
            return ["slave", *master, "connected", 0]
        return ["master", 0, []]

    def _do_save(self, _arguments: list[str]) -> Status:
        return Status("OK")

    def _do_bgsave(self, _arguments: list[str]) -> Status:
        return Status("Background saving started")

    def _do_lastsave(self, _arguments: list[str]) -> int:
        return int(self.world.epoch + self.server.started_at)

    def _do_acl(self, arguments: list[str]) -> Any:
        if [word.lower() for word in arguments] == ["whoami"]:
            return "default"
        flag = "on nopass" if not self.setting("requirepass") else "on sanitize-payload #<hash>"
        return [f"user default {flag} ~* &* +@all"]

    def _do_slowlog(self, arguments: list[str]) -> Any:
        return 0 if arguments[:1] == ["len"] else []

    def _do_memory(self, arguments: list[str]) -> Any:
        if len(arguments) > 1 and arguments[0].lower() == "usage":
            value = self.data.database(self.database, self.world.now).get(arguments[1])
            return None if value is None else 56 + len(arguments[1]) + len(str(value.content))
        return "Hi Sam, this instance is empty or is using very little memory, my issue detector can't be used in these conditions. Please, leave for your mission on Earth and fill it with some data. The new Sam and I will be back to our programming as soon as I finished rebooting.\n"

    def _do_client(self, arguments: list[str]) -> Any:
        what = arguments[0].lower() if arguments else ""
        if what == "list":
            return "id=3 addr=127.0.0.1:43210 laddr=127.0.0.1:6379 fd=8 name= age=0 idle=0 flags=N db=0 sub=0 psub=0 cmd=client|list user=default\n"
        return 3 if what == "id" else Status("OK")

    def _do_info(self, arguments: list[str]) -> str:
        wanted = arguments[0].lower() if arguments else ""
        sections = self._sections()
        shown = {
            name: rows for name, rows in sections.items() if wanted in ("", "all", "default", name)
        }
        return "\r\n".join(
            f"# {name.capitalize()}\r\n"
            + "".join(f"{key}:{value}\r\n" for key, value in rows.items())
            for name, rows in shown.items()
        )

    def _sections(self) -> dict[str, dict[str, Any]]:
        data, now = self.data, self.world.now
        seen = counted(self.world, self.server.ref)
        looks = seen.of("get")
        used = data.used_bytes()
        limit = memory_size(self.setting("maxmemory")) or 0
        uptime = int(now - self.server.started_at)
        master = self.setting("replicaof").split()
        replication: dict[str, Any] = {"role": "slave" if master else "master"}
        if master:
            replication |= {
                "master_host": master[0],
                "master_port": master[-1],
                "master_link_status": "up",
            }
        replication["connected_slaves"] = 0
        keyspace = {
            f"db{number}": f"keys={len(held)},expires={sum(v.expires_at is not None for v in held.values())},avg_ttl=0"
            for number, held in sorted(data.databases.items())
        }
        name = self.server.settings.get("redis.name", "redis")
        return {
            "server": {
                f"{name}_version": self.server.settings.get("redis.version", ""),
                f"{name}_mode": "standalone", "os": "Linux x86_64", "process_id": 1,
                "tcp_port": self.setting("port"), "uptime_in_seconds": uptime,
                "uptime_in_days": uptime // 86_400,
            },
            "clients": {
                "connected_clients": seen.connections + 1, "cluster_connections": 0,
                "maxclients": self.setting("maxclients"), "blocked_clients": 0,
            },
            "memory": {
                "used_memory": used, "used_memory_human": _human(used), "used_memory_rss": used + (7 << 20),
                "used_memory_peak": used, "maxmemory": limit, "maxmemory_human": _human(limit),
                "maxmemory_policy": self.setting("maxmemory-policy"), "mem_fragmentation_ratio": "8.41",
            },
            "persistence": {
                "loading": 0, "rdb_changes_since_last_save": 0, "rdb_bgsave_in_progress": 0,
                "rdb_last_bgsave_status": "ok", "aof_enabled": int(self.setting("appendonly") == "yes"),
            },
            "stats": {
                "total_connections_received": seen.received + 1,
                "total_commands_processed": seen.total,
                "instantaneous_ops_per_sec": seen.per_s,
                "total_net_input_bytes": seen.total * REQUEST_BYTES,
                "total_net_output_bytes": seen.total * ANSWER_BYTES,
                "rejected_connections": 0, "expired_keys": 0, "evicted_keys": 0,
                "keyspace_hits": looks - seen.misses, "keyspace_misses": seen.misses,
            },
            "replication": replication,
            "cpu": {
                "used_cpu_sys": f"{seen.cpu_s * (1 - _USER):.6f}",
                "used_cpu_user": f"{seen.cpu_s * _USER:.6f}",
            },
            "keyspace": keyspace,
        }  # fmt: skip


def _human(size: int) -> str:
    if size < 1024:
        return f"{size}B"
    amount = float(size)
    for letter in "KMG":
        amount /= 1024
        if amount < 1024 or letter == "G":
            return f"{amount:.2f}{letter}"
    return ""

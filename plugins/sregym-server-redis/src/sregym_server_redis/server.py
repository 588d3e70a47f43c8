"""A connection to a server: who may, what is refused, transactions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.replication import wake
from sregym_cluster_embedded.sdk.servers import RUNTIME, emptied, store_bytes, wake_traffic

from sregym_server_redis.accounts import User, default_user
from sregym_server_redis.data import RedisData, load, memory_size, store
from sregym_server_redis.hashes import HASHES
from sregym_server_redis.keys import Keys
from sregym_server_redis.keyspace import KEYSPACE
from sregym_server_redis.lists import LISTS
from sregym_server_redis.program import RedisProgram
from sregym_server_redis.replication import good_replicas, link_of, replicas_of
from sregym_server_redis.replies import Held, Status
from sregym_server_redis.settings import default
from sregym_server_redis.snapshots import snapshots
from sregym_server_redis.strings import STRINGS
from sregym_server_redis.vocabulary import Refused, Spec, parts_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.sdk.servers import Process, Trouble, World

    from sregym_server_redis.keys import Handler

NO_AUTH = "NOAUTH Authentication required."
WRONG_PASS = "WRONGPASS invalid username-password pair or user is disabled."
FULL_OF_CLIENTS = "ERR max number of clients reached"
STALE = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
FULL = "OOM command not allowed when used memory > 'maxmemory'."
_AT_ONCE = ("auth", "exec", "discard", "multi", "watch", "quit", "reset")
# What does something with keys alone.
_ON_KEYS: Mapping[str, Handler] = {**STRINGS, **LISTS, **HASHES, **KEYSPACE}


def not_saved(flavour: str) -> str:
    """Why a server that cannot save its snapshot takes no changes."""
    name = flavour.capitalize()
    return (
        f"MISCONF {name} is configured to save RDB snapshots, but it's currently unable to persist "
        "to disk. Commands that may modify the data set are disabled, because this instance is "
        "configured to report errors during writes if RDB snapshotting fails "
        "(stop-writes-on-bgsave-error option). Please check the "
        f"{name} logs for details about the RDB error."
    )


class Connection:
    """One client at one server.

    Args:
        world: Where the data is.
        server: The server's process.
        peer: Where the client comes from.
    """

    def __init__(self, world: World, server: Process, peer: str = "127.0.0.1") -> None:
        self.world = world
        self.server = server
        self.peer = peer
        self.storage = server.settings["redis.storage"]
        self.version = server.settings.get("redis.version", "")
        self.user = "default"
        self.known = self.account("default").open
        self.name = ""
        self.database = 0
        self.protocol = 2
        self.queued: list[list[str]] | None = None
        self.broken = False

    @property
    def data(self) -> RedisData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers."""
        return tuple(int(part) for part in self.version.split(".") if part.isdecimal())

    @property
    def flavour(self) -> str:
        """`redis` or `valkey`."""
        return self.server.settings.get("redis.name", "redis")

    def keep(self, data: RedisData) -> None:
        """Replace what the server keeps; who is let in and what has room counts for programs."""
        before = self.data
        store(self.world, self.storage, data)
        store_bytes(self.world, self.server.ref, data.held_bytes())
        limits = before.settings, before.users, self._full(before)
        if data.databases is not before.databases and any(replicas_of(self.world, self.server.ref)):
            wake(self.world)
        if limits != (data.settings, data.users, self._full(data)):
            wake_traffic(self.world)

    def _full(self, data: RedisData) -> bool:
        """Whether more is kept than the server may."""
        limit = memory_size(self.setting("maxmemory")) or 0
        return bool(limit) and data.used_bytes() > limit

    def setting(self, name: str) -> str:
        """A setting in effect: by CONFIG SET, at the start, or the default."""
        given = self.data.settings.get(name)
        return self.started_with(name) if given is None else given

    def started_with(self, name: str) -> str:
        """A setting as the server was started with it."""
        given = self.server.settings.get(f"redis.{name}")
        return default(name) if given is None else given

    def account(self, name: str) -> User:
        """A user; one that cannot log in where there is none."""
        found = self.data.users.get(name)
        if found is None and name == "default":
            return default_user(self.setting("requirepass"))
        return found or User()

    def log_in(self, password: str, user: str = "default") -> bool:
        """Whether the password is right; from then on the client is that user."""
        if not self.account(user).knows(password):
            return False
        self.known, self.user = True, user
        return True

    def run(self, words: list[str]) -> Any:
        """The reply to a command.

        Raises:
            Refused: With the words of the server.
            Held: It is not answered at once.
        """
        name = words[0].lower()
        try:
            spec = spec_of(words, self.release < (7,))
            self._demand_rights(spec, words)
            if self.queued is not None and name not in _AT_ONCE:
                self.queued.append(words)
                return Status("QUEUED")
            return self._carried_out(spec, words)
        except Refused:
            self.broken = self.broken or (self.queued is not None and name not in _AT_ONCE)
            raise

    def _carried_out(self, spec: Spec, words: list[str]) -> Any:
        from sregym_server_redis.administration import OWN

        name, arguments = words[0].lower(), words[1:]
        if "w" in spec.flags:
            self.demand_write(spec)
        own: Callable[[Connection, list[str]], Any] | None = OWN.get(spec.name) or OWN.get(name)
        if own is not None:
            return own(self, arguments)
        if spec.name.endswith("|help"):
            return parts_of(name)
        handler = _ON_KEYS.get(name)
        if handler is None:
            shown = "".join(f"'{word}' " for word in arguments)
            raise Refused(f"ERR unknown command '{words[0]}', with args beginning with: {shown}")
        if not self._may_tell():
            raise Refused(STALE)
        data, now = self.data, self.world.now
        content = data.database(self.database, now)
        keys = Keys(content, now, int(self.world.epoch), self.version)
        reply = handler(keys, arguments)
        if name in ("flushall", "flushdb"):
            emptied(self.world, self.server.ref)
        if name == "flushall":
            self.keep(replace(data, databases={}))
        elif "w" in spec.flags:
            told = sum(len(word) + 15 for word in words)
            written = data.written + told
            self.keep(replace(data.with_database(self.database, keys.content), written=written))
        return reply

    def _demand_rights(self, spec: Spec, words: list[str]) -> None:
        if "n" in spec.flags:
            return
        if not self.known:
            raise Refused(NO_AUTH)
        user, new = self.account(self.user), self.release >= (7, 2)
        if not user.runs(spec):
            raise Refused(self.no_permission(self.user, spec))
        if not user.touches(spec.keys(words)):
            if new:
                raise Refused("NOPERM No permissions to access a key")
            text = "NOPERM this user has no permissions to access one of the keys used as arguments"
            raise Refused(text)

    def no_permission(self, user: str, spec: Spec) -> str:
        """What is said to a user who may not run a command."""
        who = f"User {user or 'default'} has" if self.release >= (7, 2) else "this user has"
        return f"NOPERM {who} no permissions to run the '{spec.name}' command"

    def _may_tell(self) -> bool:
        """Whether the data may be told: that of a replica without its master may be old."""
        link = link_of(self.world, self.server.ref)
        if link is None or link.master is not None:
            return True
        return self.setting("replica-serve-stale-data") == "yes"

    def demand_write(self, spec: Spec, *, disk: bool = True) -> None:
        """Raise `Refused` unless a command may change data now.

        Args:
            spec: The command.
            disk: Whether a disk that takes no snapshots counts.
        """
        if self.setting("replicaof") and self.setting("replica-read-only") == "yes":
            raise Refused("READONLY You can't write against a read only replica.")
        if good_replicas(self) < int(self.setting("min-replicas-to-write")):
            raise Refused("NOREPLICAS Not enough good replicas to write.")
        trouble = self.save_trouble() if disk else None
        if trouble is not None and self.setting("stop-writes-on-bgsave-error") == "yes":
            raise Refused(not_saved(self.flavour))
        if not self._fits() and "m" in spec.flags:
            raise Refused(FULL)

    def save_trouble(self) -> Trouble | None:
        """What snapshots of the server meet on the disk."""
        program = self.world.room(RUNTIME).program_as(self.server, RedisProgram)
        return snapshots(self.world, self.server).save_trouble(self.world, self.server, program)

    def _fits(self) -> bool:
        """Make room as the policy says; whether there is enough afterwards."""
        limit = memory_size(self.setting("maxmemory")) or 0
        data = self.data
        if not limit or data.used_bytes() <= limit:
            return True
        policy = self.setting("maxmemory-policy")
        if policy == "noeviction":
            return False
        whole = policy.startswith("allkeys")
        while data.used_bytes() > limit:
            victim = next(
                (
                    (number, key)
                    for number, content in sorted(data.databases.items())
                    for key, value in content.items()
                    if whole or value.expires_at is not None
                ),
                None,
            )
            if victim is None:
                break
            number, key = victim
            rest = {name: value for name, value in data.databases[number].items() if name != key}
            data = replace(data.with_database(number, rest), evicted=data.evicted + 1)
        self.keep(data)
        return data.used_bytes() <= limit

    def transaction(self) -> list[Any]:
        """Carry out what has been queued."""
        queued, self.queued = self.queued or [], None
        replies: list[Any] = []
        for words in queued:
            try:
                replies.append(self.run(words))
            except Refused as refusal:
                replies.append(refusal)
            except Held as held:
                replies.append(held.last)
        return replies

"""A connection to a server: its user, the settings and data it sees, and which writes are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.replication import schedule_checks
from sregym_cluster_embedded.sdk.servers import RUNTIME, invalidate_traffic, store_bytes

from sregym_server_redis.accounts import User, default_user
from sregym_server_redis.data import RedisData, load, memory_size, store
from sregym_server_redis.links import following, good_replicas
from sregym_server_redis.program import RedisProgram
from sregym_server_redis.settings import default
from sregym_server_redis.snapshots import snapshots
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import DiskProblem, Process, World

    from sregym_server_redis.vocabulary import Spec

NO_AUTH = "NOAUTH Authentication required."
WRONG_PASS = "WRONGPASS invalid username-password pair or user is disabled."
FULL_OF_CLIENTS = "ERR max number of clients reached"
FULL = "OOM command not allowed when used memory > 'maxmemory'."


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
        if data.databases is not before.databases and following(self.world, self.server.ref):
            schedule_checks(self.world)
        if limits != (data.settings, data.users, self._full(data)):
            invalidate_traffic(self.world)

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

    def no_permission(self, user: str, spec: Spec) -> str:
        """What is said to a user who may not run a command."""
        who = f"User {user or 'default'} has" if self.release >= (7, 2) else "this user has"
        return f"NOPERM {who} no permissions to run the '{spec.name}' command"

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

    def save_trouble(self) -> DiskProblem | None:
        """What snapshots of the server meet on the disk."""
        program = self.world.service(RUNTIME).program_as(self.server, RedisProgram)
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

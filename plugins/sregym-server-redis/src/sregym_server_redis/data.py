"""The data of one server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_redis.accounts import User

_TABLE: TableKey[str, RedisData] = TableKey("userland.redis")
_UNITS = {
    "": 1,
    "b": 1,
    "k": 1000,
    "kb": 1024,
    "m": 10**6,
    "mb": 1 << 20,
    "g": 10**9,
    "gb": 1 << 30,
}
# What an empty server holds by itself, and what one more entry costs besides its bytes.
_EMPTY_BYTES = 961_536
_ENTRY_BYTES = 88


class Value(NamedTuple):
    """What stands under a key.

    Attributes:
        kind: `string`, `list`, `hash`, `set` or `zset`.
        content: A text, a tuple, or an immutable mapping.
        expires_at: Virtual second, or None.
    """

    kind: str
    content: Any
    expires_at: float | None = None


@dataclass(frozen=True)
class RedisData:
    """All that one server keeps.

    Attributes:
        databases: Number -> key -> value.
        settings: What CONFIG SET changed.
        users: Whom ACL SETUSER made or changed, by name.
        evicted: How many keys had to go for want of memory.
        written: Bytes of the commands that changed it, as replicas are told them.
    """

    databases: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    users: Mapping[str, User] = field(default_factory=dict)
    evicted: int = 0
    written: int = 0

    def database(self, number: int, now: float) -> dict[str, Value]:
        """The keys of a database that have not expired."""
        return {
            key: value
            for key, value in self.databases.get(number, {}).items()
            if value.expires_at is None or value.expires_at > now
        }

    def with_database(self, number: int, content: Mapping[str, Value]) -> RedisData:
        """The data with one database replaced."""
        rest = {n: held for n, held in self.databases.items() if n != number}
        return replace(self, databases={**rest, number: content} if content else rest)

    def used_bytes(self) -> int:
        """`used_memory`."""
        return _EMPTY_BYTES + self.held_bytes()

    def held_bytes(self) -> int:
        """What its keys take of memory."""
        return sum(
            _ENTRY_BYTES + len(key) + _size_of(value.content)
            for content in self.databases.values()
            for key, value in content.items()
        )


def _size_of(content: Any) -> int:
    return len(content) + 2 if isinstance(content, str) else len(json.dumps(content, default=list))


def load(world: World, storage: str) -> RedisData:
    """The data kept under an identity; empty when there is none."""
    found: RedisData | None = world.table(_TABLE).get(storage)
    return found or RedisData()


def store(world: World, storage: str, data: RedisData) -> None:
    """Keep data under an identity."""
    world.table(_TABLE)[storage] = data


def forget(world: World, storage: str) -> None:
    """A server has started: what the one before was told while it ran is not in its snapshot."""
    kept = load(world, storage)
    if kept.settings or kept.users:
        store(world, storage, replace(kept, settings={}, users={}))


def describe(data: RedisData) -> str:
    """Canonical JSON of settings and keys, without what expires; empty where there is neither."""
    keys = {
        f"{number}/{key}": [value.kind, value.content]
        for number, content in data.databases.items()
        for key, value in content.items()
        if value.expires_at is None
    }
    # Whom it follows, servers are told by those that watch them; INFO tells it, not what is kept.
    settings = {name: value for name, value in data.settings.items() if name != "replicaof"}
    kept: dict[str, Any] = {"settings": settings, "keys": keys}
    if data.users:
        kept["users"] = {name: user.line(name) for name, user in data.users.items()}
    if not any(kept.values()):
        return ""
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), default=sorted)


def memory_size(text: str) -> int | None:
    """Bytes of `100mb`, `1gb`, `0`; None for nonsense."""
    found = re.fullmatch(r"(\d+)([a-z]*)", text.strip().lower())
    if found is None or found.group(2) not in _UNITS:
        return None
    return int(found.group(1)) * _UNITS[found.group(2)]

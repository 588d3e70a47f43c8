"""The data of one MongoDB server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.replication import record
from sregym_cluster_embedded.sdk.servers import TableKey

from sregym_server_mongodb.documents import digests

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.replication import MemberSet
    from sregym_cluster_embedded.sdk.servers import World

_DATA: TableKey[str, MongoData] = TableKey("userland.mongodb")
_READ_ANY = ("readAnyDatabase", "readWriteAnyDatabase", "root", "__system", "backup", "restore")
_WRITE_ANY = ("readWriteAnyDatabase", "root", "__system", "restore")
_USERS_ANY = ("userAdminAnyDatabase", "root", "__system")
_ADMIN_ANY = ("dbAdminAnyDatabase", "root", "__system")

# What a role grants on its own database.
_GRANTS = {
    "read": ("read",),
    "readWrite": ("read", "write"),
    "dbAdmin": ("admin",),
    "userAdmin": ("users",),
    "dbOwner": ("read", "write", "admin", "users"),
}
BUILT_IN_ROLES = (
    *_GRANTS,
    *dict.fromkeys((*_READ_ANY, *_WRITE_ANY, *_USERS_ANY, *_ADMIN_ANY)),
    *("clusterAdmin", "clusterManager", "clusterMonitor", "hostManager", "enableSharding"),
)


@dataclass(frozen=True)
class Account:
    """A user of one database, with (role, database) pairs."""

    name: str
    database: str
    password: str
    roles: tuple[tuple[str, str], ...] = ()
    uid: str = ""

    def may(self, action: str, database: str) -> bool:
        """Whether a role grants `read`, `write`, `users` or `admin` on a database."""
        anywhere = {
            "read": _READ_ANY,
            "write": _WRITE_ANY,
            "users": _USERS_ANY,
            "admin": _ADMIN_ANY,
            "cluster": ("clusterAdmin", "clusterMonitor", "clusterManager", "root", "__system"),
            "list": (*_READ_ANY, *_USERS_ANY, *_ADMIN_ANY, "clusterAdmin", "clusterMonitor"),
        }[action]
        return any(
            (place == "admin" and role in anywhere)
            or (place == database and action in _GRANTS.get(role, ()))
            for role, place in self.roles
        )


def login_error(account: Account | None, database: str, user: str, password: str) -> str:
    """Why a server does not let a user in, as its log says it; empty when it does."""
    if account is None:
        return f'UserNotFound: Could not find user "{user}" for db "{database}"'
    if account.password != password:
        return "AuthenticationFailed: SCRAM authentication failed, storedKey mismatch"
    return ""


@dataclass(frozen=True)
class Collection:
    """How many documents there are; those that the shell wrote are kept in full.

    Attributes:
        count: All of them.
        documents: What the shell wrote.
        record: What those look like that a program seeded: JSON with `${n}`; empty when unknown.
        seeded: How many of these there are.
        indexes: Fields of each index but that of the key, with the name of the index.
    """

    count: int = 0
    documents: tuple[Mapping[str, Any], ...] = ()
    record: str = ""
    seeded: int = 0
    indexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class MongoData:
    """All that stands in one data directory.

    Attributes:
        version: Major version that wrote the files; empty for an empty directory.
        databases: Database -> collection -> content.
        accounts: (database, name) -> account.
        member_set: The configuration of its replica set; None while there is none.
        write_concern: How many must have a write, and for how many ms that is waited for, where
            nothing else is set; empty: as the release has it.
    """

    version: str = ""
    databases: Mapping[str, Mapping[str, Collection]] = field(default_factory=dict)
    accounts: Mapping[tuple[str, str], Account] = field(default_factory=dict)
    member_set: MemberSet | None = None
    write_concern: tuple[str, int] = ("", 0)

    def collection(self, database: str, name: str) -> Collection:
        """A collection; an empty one when there is none."""
        return self.databases.get(database, {}).get(name, Collection())

    def with_collection(self, database: str, name: str, content: Collection | None) -> MongoData:
        """The data with one collection replaced, or dropped."""
        inside = {k: v for k, v in self.databases.get(database, {}).items() if k != name}
        if content is not None:
            inside[name] = content
        rest = {k: v for k, v in self.databases.items() if k != database}
        return replace(self, databases={**rest, database: inside} if inside else rest)

    def with_account(self, account: Account) -> MongoData:
        """The data with an account added or replaced."""
        key = (account.database, account.name)
        return replace(self, accounts={**self.accounts, key: account})

    def without_account(self, database: str, name: str) -> MongoData:
        """The data without an account."""
        left = {key: value for key, value in self.accounts.items() if key != (database, name)}
        return replace(self, accounts=left)


def index_name(field: str, direction: object = 1) -> str:
    """The name of the index of a field, as the server makes it."""
    return f"{field}_{direction}"


def load(world: World, storage: str) -> MongoData:
    """The data kept under an identity; empty when there is none."""
    found: MongoData | None = world.table(_DATA).get(storage)
    return found or MongoData()


def store(world: World, storage: str, data: MongoData, at: float | None = None) -> None:
    """Keep data under an identity; `at` is how far a copy is, for members of replica sets."""
    world.table(_DATA)[storage] = data
    if data.member_set is not None:
        record(world, storage, data, at)


def forget(world: World, storage: str) -> None:
    """An empty directory keeps nothing."""
    world.table(_DATA).pop(storage, None)


def describe(data: MongoData) -> str:
    """Canonical JSON of accounts with their roles, collections with counts and digests, and the replica set."""
    accounts = {
        f"{account.database}.{account.name}": {
            "password": account.password,
            "roles": sorted(f"{role}@{place}" for role, place in account.roles),
        }
        for account in data.accounts.values()
    }
    collections = {
        f"{database}.{name}": content.count
        for database, inside in data.databases.items()
        for name, content in inside.items()
    }
    contents = {
        f"{database}.{name}": digests(content)
        for database, inside in data.databases.items()
        for name, content in inside.items()
        if content.record or content.documents
    }
    indexed = {
        f"{database}.{name}": sorted(content.indexes)
        for database, inside in data.databases.items()
        for name, content in inside.items()
        if content.indexes
    }
    kept: dict[str, Any] = {
        "version": data.version,
        "accounts": accounts,
        "collections": collections,
        **({"contents": contents} if contents else {}),
        **({"indexes": indexed} if indexed else {}),
    }
    if data.member_set is not None:
        # But for its version, which grows when what was changed is taken back, too.
        members = [list(member) for member in data.member_set.members]
        kept["set"] = [data.member_set.name, members, *data.member_set[3:5]]
        kept["write concern"] = list(data.write_concern)
    return json.dumps(kept, sort_keys=True, separators=(",", ":"))

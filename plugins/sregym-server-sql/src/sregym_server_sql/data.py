"""The data of one relational server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.replication import record
from sregym_cluster_embedded.sdk.servers import REQUEST_FLOW, TableKey

from sregym_server_sql.engine import tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World

# Data directories whose changes others take.
FOLLOWED: TableKey[str, bool] = TableKey("userland.sql-followed")
_TABLE: TableKey[str, SqlData] = TableKey("userland.sql")
# What may be granted on a table.
RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
_RIGHT_FOR = {"insert": "INSERT", "update": "UPDATE", "set": "UPDATE", "delete": "DELETE"}


def right_for(command: str, *, write: bool) -> str:
    """The right that a command of a program needs on the table that it is about."""
    return _RIGHT_FOR.get(command, "INSERT") if write else "SELECT"


@dataclass(frozen=True)
class Account:
    """A user of the server.

    Attributes:
        password: What it must know.
        superuser: Whether it may do anything.
        databases: Databases in which it may do anything; `*` for all.
        reads: Databases that it may only read.
        tables: What it may do with single tables: `database/table` -> SELECT, INSERT ... In
            PostgreSQL that counts instead of what it may do in the database; in MySQL it comes on
            top of that, and `database/*` is what it may do with all tables of one.
        login: Whether it may connect at all.
        limit: How many connections it may have; -1 for any number.
        until: Until when its password is good, as it was given; empty for ever.
        attributes: In PostgreSQL, sorted: `bypassrls`, `createdb`, `createrole`, `replication`.
        roles: In PostgreSQL, the roles that it is a member of, sorted.
        settings: In PostgreSQL, what its sessions begin with.
    """

    password: str = ""
    superuser: bool = False
    databases: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    login: bool = True
    limit: int = -1
    until: str = ""
    attributes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    def may(self, database: str, *, write: bool) -> bool:
        """Whether it may read, or write, in a database."""
        whole = self.superuser or "*" in self.databases or database in self.databases
        return whole or (not write and (database in self.reads or "*" in self.reads))

    def rights(self, database: str, table: str) -> tuple[str, ...]:
        """What it may do with a table, as far as PostgreSQL is concerned."""
        own = None if self.superuser else self.tables.get(f"{database}/{table}")
        if own is not None:
            return own
        if self.may(database, write=True):
            return RIGHTS
        return ("SELECT",) if self.may(database, write=False) else ()

    def with_rights_of(self, role: Account) -> Account:
        """The account with what a role may do besides; being a superuser is not inherited."""
        keys = (entry.partition("/") for entry in sorted({*self.tables, *role.tables}))
        tables = {
            f"{base}/{table}": tuple(
                right
                for right in (*RIGHTS, "USAGE")
                if right in {*self.rights(base, table), *role.rights(base, table)}
            )
            for base, _, table in keys
        }
        return replace(
            self,
            databases=tuple(dict.fromkeys((*self.databases, *role.databases))),
            reads=tuple(dict.fromkeys((*self.reads, *role.reads))),
            tables=tables,
        )

    def enters(self, database: str) -> bool:
        """Whether there is anything in a database that it may use."""
        head = f"{database}/"
        own = any(rights and key.startswith(head) for key, rights in self.tables.items())
        return own or self.may(database, write=False)


# Roles that every PostgreSQL has, with what they may do here.
PREDEFINED_ROLES = {
    "pg_read_all_data": Account(reads=("*",), login=False),
    # Who may write everywhere can find out what is there, too.
    "pg_write_all_data": Account(databases=("*",), login=False),
    **dict.fromkeys(
        (
            "pg_checkpoint", "pg_database_owner", "pg_execute_server_program", "pg_monitor",
            "pg_read_all_settings", "pg_read_all_stats", "pg_read_server_files",
            "pg_signal_backend", "pg_stat_scan_tables", "pg_write_server_files",
        ),
        Account(login=False),
    ),
}  # fmt: skip


class Numbers(NamedTuple):
    """How far the numbers of a key are given out.

    Attributes:
        last: The last one.
        greatest: The greatest that the server gives out.
        column: The greatest that the column takes; 0 for the same.
    """

    last: int
    greatest: int
    column: int = 0

    @property
    def spent(self) -> bool:
        """Whether none is left to programs, which take the last one the moment it is the next."""
        return self.last >= min(self.greatest, self.column or self.greatest) - 1


@dataclass(frozen=True)
class SqlData:
    """All that one server keeps.

    Attributes:
        version: Major version that wrote the files; empty for an empty directory.
        databases: Name -> image of its tables.
        accounts: Name -> account.
        settings: What was set while it ran: `max_connections`, `read_only`.
        closed_at: Virtual second at which its last server ended in order; None after any other end.
        schemas: Schemas besides `public`, as `database/schema`.
        standby: Whether it belongs to a server that follows another, and takes no writes.
        timeline: Grows by one with each promotion.
        follows: Of a replica of MySQL, its source: `host`, `port`, `user`, `password`, `delay`,
            `connect_retry`, and whether its threads are to run: `io`, `sql`.
        missed: Tables that are gone, by any statement, as `database/table`: what programs ask of
            them fails. Of others it is not asked whether they are there: programs make them.
        uncounted: How many rows a table has besides those that can be looked at, as `database/table`.
        numbers: How far the numbers of keys are given out, where that was set, likewise.
    """

    version: str = ""
    databases: Mapping[str, bytes] = field(default_factory=dict)
    accounts: Mapping[str, Account] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    closed_at: float | None = None
    schemas: tuple[str, ...] = ()
    missed: frozenset[str] = frozenset()
    standby: bool = False
    timeline: int = 1
    follows: Mapping[str, str] = field(default_factory=dict)
    uncounted: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, Numbers] = field(default_factory=dict)

    def with_database(self, name: str, image: bytes | None) -> SqlData:
        """The data with a database replaced, or dropped."""
        rest = {key: held for key, held in self.databases.items() if key != name}
        before = _tables(name, self.databases.get(name, b""))
        after = _tables(name, image or b"")
        return replace(
            self,
            databases=rest if image is None else {**rest, name: image},
            missed=(self.missed | (before - after)) - after,
        )

    def misses(self, database: str, table: str) -> bool:
        """Whether there was a table that is gone."""
        return f"{database}/{table.removeprefix('public.')}" in self.missed

    def with_account(self, name: str, account: Account | None) -> SqlData:
        """The data with an account replaced, or dropped."""
        rest = {key: held for key, held in self.accounts.items() if key != name}
        return replace(self, accounts=rest if account is None else {**rest, name: account})

    def roles_of(self, name: str) -> tuple[str, ...]:
        """All roles that an account is a member of, by others, too; nearest first."""
        found: dict[str, None] = {}
        ahead = [name]
        while ahead:
            account = self.accounts.get(ahead.pop(0))
            fresh = [] if account is None else [role for role in account.roles if role not in found]
            found.update(dict.fromkeys(fresh))
            ahead += fresh
        return tuple(found)

    def acting(self, name: str) -> Account | None:
        """An account with what it may do by the roles that it is a member of; None for none."""
        account = self.accounts.get(name)
        if account is None or account.superuser:
            return account
        for role in self.roles_of(name):
            held = self.accounts.get(role) or PREDEFINED_ROLES.get(role)
            if held is not None:
                account = account.with_rights_of(replace(held, superuser=False))
        return account

    def with_setting(self, name: str, value: str) -> SqlData:
        """The data with a setting changed."""
        return replace(self, settings={**self.settings, name: value})


def _tables(database: str, image: bytes) -> frozenset[str]:
    return frozenset(f"{database}/{table}" for table in tables_of(image)) if image else frozenset()


def load(world: World, storage: str) -> SqlData:
    """The data kept under an identity; empty when there is none."""
    found: SqlData | None = world.table(_TABLE).get(storage)
    return found or SqlData()


def forget(world: World, storage: str) -> None:
    """An empty directory keeps nothing."""
    world.table(_TABLE).pop(storage, None)


def store(world: World, storage: str, data: SqlData, at: float | None = None) -> None:
    """Keep data under an identity; what depends on accounts is notified.

    `at` is how far a copy is, for servers that follow others.
    """
    world.table(_TABLE)[storage] = data
    if at is not None or world.table(FOLLOWED).get(storage):
        record(world, storage, data, at)
    traffic = world.service_or_none(REQUEST_FLOW)
    if traffic is not None:
        traffic.changed(world)

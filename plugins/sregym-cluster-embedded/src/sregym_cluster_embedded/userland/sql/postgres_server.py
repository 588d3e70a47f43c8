"""A connection to a PostgreSQL server: who may, and in which words it refuses."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.sql.data import Account, SqlData, load, store
from sregym_cluster_embedded.userland.sql.engine import Result, SqlError, over, run, verb_of, writes
from sregym_cluster_embedded.userland.sql.sessions import activity, enders, held

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

DEFAULTS = {
    "max_connections": "100", "default_transaction_read_only": "off", "shared_buffers": "128MB",
    "server_version": "", "data_directory": "/var/lib/postgresql/data", "work_mem": "4MB",
    "port": "5432", "superuser_reserved_connections": "3", "statement_timeout": "0",
}  # fmt: skip


class PostgresError(Exception):
    """What the server or the client says; the text is complete."""


class PostgresConnection:
    """A client at a server.

    Args:
        world: Where the data is.
        server: The server's process.
        user: Role.
        password: As the client gives it.
        database: Where to.
        peer: How the client calls the connection in front of errors; empty when the server trusts
            it because it comes from its own machine.

    Raises:
        PostgresError: It is refused.
    """

    def __init__(
        self, world: World, server: Process, user: str, password: str, database: str, peer: str
    ) -> None:
        self.world = world
        self.server = server
        self.storage = server.settings["sql.storage"]
        head = peer or 'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: '
        account = self.data.accounts.get(user)
        if peer and (account is None or account.password != password):
            if not password:
                raise PostgresError(f"{head}fe_sendauth: no password supplied")
            raise PostgresError(f'{head}FATAL:  password authentication failed for user "{user}"')
        if account is None:
            raise PostgresError(f'{head}FATAL:  role "{user}" does not exist')
        most = int(self.setting("max_connections"))
        if most <= int(self.setting("superuser_reserved_connections")) and not account.superuser:
            raise PostgresError(f"{head}FATAL:  sorry, too many clients already")
        self.account, self.user, self._head = account, user, head
        self.database = ""
        self.use(database)

    @property
    def data(self) -> SqlData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    def setting(self, name: str) -> str:
        """A setting in effect."""
        if name == "server_version":
            return self.server.settings.get("sql.version", "")
        given = self.data.settings.get(name) or self.server.settings.get(f"sql.{name}")
        return given or DEFAULTS.get(name, "")

    def use(self, name: str) -> None:
        """Connect to another database."""
        if name not in self.data.databases:
            raise PostgresError(f'{self._head}FATAL:  database "{name}" does not exist')
        self.database = name

    def execute(self, statement: str) -> Result:
        """Carry out a statement.

        Raises:
            PostgresError: With the words of the server.
        """
        verb, words = verb_of(statement), statement.split()
        own = getattr(self, f"_do_{verb}", None)
        found: Result | None = own(statement, words) if own is not None else None
        if found is not None:
            return found
        if verb in ("begin", "commit", "rollback", "vacuum", "analyze"):
            return Result((), (), 0, verb)
        change = writes(statement)
        if change and self.setting("default_transaction_read_only") == "on":
            shown = (
                verb.upper() if verb not in ("create", "drop", "alter") else f"{verb.upper()} TABLE"
            )
            raise PostgresError(f"ERROR:  cannot execute {shown} in a read-only transaction")
        table = re.search(
            r"\b(?:from|into|update|table)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:public\.)?\"?(\w+)",
            statement,
            re.I,
        )
        if table and table.group(1).startswith("pg_"):
            return self._over(table.group(1), statement)
        data = self.data
        if table and not self.account.may(self.database, write=change):
            raise PostgresError(f"ERROR:  permission denied for table {table.group(1)}")
        now = self.world.timestamp().replace("T", " ").rstrip("Z") + "+00"
        text = re.sub(r"\bpublic\.", "", self._constants(statement))
        try:
            result, image = run(data.databases.get(self.database, b""), text, now)
        except SqlError as error:
            raise PostgresError(_words(error, statement)) from None
        if change:
            store(self.world, self.storage, data.with_database(self.database, image))
        if result.columns and " as " not in text.lower() and not table:
            result = replace(
                result,
                columns=tuple("?column?" if not c.isidentifier() else c for c in result.columns),
            )
        return result

    def _constants(self, statement: str) -> str:
        version = self.setting("server_version")
        full = f"PostgreSQL {version} on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit"
        known = {
            r"version\(\)": (full, "version"),
            r"current_database\(\)": (self.database, "current_database"),
            r"current_user\b": (self.user, "current_user"),
            r"pg_is_in_recovery\(\)": ("f", "pg_is_in_recovery"),
        }
        for pattern, (value, name) in known.items():
            statement = re.sub(
                rf"\b{pattern}(?!\s+as\b)", f"'{value}' AS {name}", statement, flags=re.I
            )
        return statement

    def _over(self, name: str, statement: str) -> Result:
        """A query over a view of the server's own."""
        now = self.world.timestamp()
        functions = enders(self.world, self.server)
        found = self._catalogue(name, statement)
        try:
            return over(name, found, self._constants(statement), now, functions)
        except SqlError as error:
            raise PostgresError(_words(error, statement)) from None

    def _catalogue(self, name: str, statement: str) -> Result:
        if name == "pg_stat_activity":
            own = (self.database, 61, self.user, statement)
            return activity(self.world, self.server, own)
        if name == "pg_locks":
            return held(self.world, self.server)
        if name in ("pg_database", "pg_stat_database"):
            return Result(
                ("datname",), tuple((d,) for d in sorted(self.data.databases)), 0, "select"
            )
        if name in ("pg_user", "pg_roles"):
            column = "usename" if name == "pg_user" else "rolname"
            return Result((column,), tuple((n,) for n in sorted(self.data.accounts)), 0, "select")
        return Result(("oid",), (), 0, "select")

    def _do_show(self, _statement: str, words: list[str]) -> Result:
        name = words[1].lower()
        if name not in DEFAULTS:
            raise PostgresError(f'ERROR:  unrecognized configuration parameter "{name}"')
        return Result((name,), ((self.setting(name),),), 0, "show")

    def _do_create(self, statement: str, words: list[str]) -> Result | None:
        what, data = words[1].lower(), self.data
        name = words[2].strip('";') if len(words) > 2 else ""
        if what == "database":
            self._demand_super("permission denied to create database")
            if name in data.databases:
                raise PostgresError(f'ERROR:  database "{name}" already exists')
            store(self.world, self.storage, data.with_database(name, b""))
            return Result((), (), 0, "CREATE DATABASE")
        if what in ("user", "role"):
            self._demand_super("permission denied to create role")
            if name in data.accounts:
                raise PostgresError(f'ERROR:  role "{name}" already exists')
            found = re.search(r"password\s+'([^']*)'", statement, re.I)
            power = bool(re.search(r"\bsuperuser\b", statement, re.I))
            account = Account(found.group(1) if found else "", superuser=power)
            store(self.world, self.storage, data.with_account(name, account))
            return Result((), (), 0, "CREATE ROLE")
        return None

    def _do_drop(self, _statement: str, words: list[str]) -> Result | None:
        what, name, data = words[1].lower(), words[-1].strip('";'), self.data
        if what == "database":
            self._demand_super(f"must be owner of database {name}")
            if name not in data.databases:
                raise PostgresError(f'ERROR:  database "{name}" does not exist')
            store(self.world, self.storage, data.with_database(name, None))
            return Result((), (), 0, "DROP DATABASE")
        if what in ("user", "role"):
            self._demand_super("permission denied to drop role")
            if name not in data.accounts:
                raise PostgresError(f'ERROR:  role "{name}" does not exist')
            store(self.world, self.storage, data.with_account(name, None))
            return Result((), (), 0, "DROP ROLE")
        return None

    def _do_alter(self, statement: str, words: list[str]) -> Result | None:
        what, data = words[1].lower(), self.data
        if what in ("user", "role"):
            name = words[2].strip('"')
            if name != self.user:
                self._demand_super("permission denied to alter role")
            if name not in data.accounts:
                raise PostgresError(f'ERROR:  role "{name}" does not exist')
            found = re.search(r"password\s+'([^']*)'", statement, re.I)
            if found is not None:
                account = replace(data.accounts[name], password=found.group(1))
                store(self.world, self.storage, data.with_account(name, account))
            return Result((), (), 0, "ALTER ROLE")
        found = re.search(r"set\s+(\w+)\s*(?:=|to)\s*'?([\w.]+)'?", statement, re.I)
        if what in ("system", "database") and found is not None:
            self._demand_super("must be superuser to execute ALTER SYSTEM command")
            store(
                self.world, self.storage, data.with_setting(found.group(1).lower(), found.group(2))
            )
            return Result((), (), 0, f"ALTER {what.upper()}")
        return None

    def _do_grant(self, statement: str, _words: list[str]) -> Result:
        return self._granted(statement, give=True)

    def _do_revoke(self, statement: str, _words: list[str]) -> Result:
        return self._granted(statement, give=False)

    def _granted(self, statement: str, *, give: bool) -> Result:
        self._demand_super("permission denied")
        found = re.search(
            r"^\w+\s+(.*?)\s+on\s+(.*?)\s+(?:to|from)\s+\"?(\w+)", statement, re.I | re.S
        )
        data = self.data
        if found is None or found.group(3) not in data.accounts:
            name = found.group(3) if found else ""
            raise PostgresError(f'ERROR:  role "{name}" does not exist')
        rights, target, name = found.groups()
        database = target.split()[-1] if target.lower().startswith("database") else self.database
        account = data.accounts[name]
        reads = rights.strip().lower() in ("select", "usage", "connect")
        held = account.reads if reads else account.databases
        fresh = (
            tuple(dict.fromkeys((*held, database)))
            if give
            else tuple(d for d in held if d != database)
        )
        account = replace(account, reads=fresh) if reads else replace(account, databases=fresh)
        store(self.world, self.storage, data.with_account(name, account))
        return Result((), (), 0, "grant" if give else "revoke")

    def _do_set(self, _statement: str, _words: list[str]) -> Result:
        return Result((), (), 0, "set")

    def _demand_super(self, message: str) -> None:
        if not self.account.superuser:
            raise PostgresError(f"ERROR:  {message}")


def _words(error: SqlError, statement: str) -> str:
    at = statement.find(error.name) if error.name else -1
    place = f"\nLINE 1: {statement.splitlines()[0]}\n{' ' * (8 + at)}^" if at >= 0 else ""
    if error.kind == "table":
        return f'ERROR:  relation "{error.name}" does not exist{place}'
    if error.kind == "column":
        return f'ERROR:  column "{error.name}" does not exist{place}'
    if error.kind == "exists":
        return f'ERROR:  relation "{error.name}" already exists'
    if error.kind == "unique":
        table = error.name.partition(".")[0]
        return f'ERROR:  duplicate key value violates unique constraint "{table}_pkey"'
    if error.kind == "null":
        table, _, column = error.name.partition(".")
        return f'ERROR:  null value in column "{column}" of relation "{table}" violates not-null constraint'
    if error.kind == "syntax" and error.name:
        return f'ERROR:  syntax error at or near "{error.name}"{place}'
    return "ERROR:  syntax error at end of input"

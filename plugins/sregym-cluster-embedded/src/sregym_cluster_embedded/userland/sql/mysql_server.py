"""A connection to a MySQL server: who may, statements about the server itself, and its errors."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.sql.data import Account, SqlData, load, store
from sregym_cluster_embedded.userland.sql.engine import (
    Result,
    SqlError,
    Surroundings,
    columns_of,
    run,
    tables_of,
    verb_of,
    writes,
)
from sregym_cluster_embedded.userland.sql.sessions import (
    kill,
    process_list,
    server_status,
    waited_for,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
_WAITED = "Lock wait timeout exceeded; try restarting transaction"
DEFAULTS = {
    "max_connections": "151",
    "read_only": "OFF",
    "super_read_only": "OFF",
    "wait_timeout": "28800",
}


class MysqlError(Exception):
    """What the server answers: number, state and message."""

    def __init__(self, number: int, state: str, message: str) -> None:
        super().__init__(message)
        self.number = number
        self.state = state


class MysqlConnection:
    """A client at a server.

    Args:
        world: Where the data is.
        server: The server's process.
        user: Account.
        password: As the client gives it.
        host: Where the client comes from, as the server names it.
    """

    def __init__(self, world: World, server: Process, user: str, password: str, host: str) -> None:
        self.world = world
        self.server = server
        self.storage = server.settings["sql.storage"]
        self.who = f"'{user}'@'{host}'"
        account = self.data.accounts.get(user)
        if account is None or account.password != password:
            used = "YES" if password else "NO"
            message = f"Access denied for user {self.who} (using password: {used})"
            raise MysqlError(1045, "28000", message)
        if int(self.setting("max_connections")) <= 1:
            raise MysqlError(1040, "HY000", "Too many connections")
        self.account = account
        self.user = user
        self.database = ""

    @property
    def data(self) -> SqlData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    def setting(self, name: str) -> str:
        """A variable of the server."""
        given = self.server.settings.get(f"sql.{name}")
        return self.data.settings.get(name) or given or DEFAULTS.get(name, "")

    def use(self, name: str) -> None:
        """Choose a database."""
        if name not in self.data.databases and name not in _SYSTEM:
            raise MysqlError(1049, "42000", f"Unknown database '{name}'")
        if name not in _SYSTEM and not self.account.may(name, write=False):
            message = f"Access denied for user {self.who} to database '{name}'"
            raise MysqlError(1044, "42000", message)
        self.database = name

    def execute(self, statement: str) -> Result:
        """Carry out a statement."""
        verb = verb_of(statement)
        words = statement.replace("`", "").split()
        own = getattr(self, f"_do_{verb}", None)
        if own is not None:
            found: Result | None = own(statement, words)
            if found is not None:
                return found
        if re.search(r"@@|\bversion\(\)|\bdatabase\(\)|\buser\(\)", statement, re.I):
            statement = self._constants(statement)
        return self._on_tables(statement)

    def _on_tables(self, statement: str) -> Result:
        change = writes(statement)
        named = re.search(r"\b(?:from|into|update|table)\s+`?(\w+)`?\.`?(\w+)`?", statement, re.I)
        database = named.group(1) if named else self.database
        if named:
            statement = re.sub(rf"`?\b{database}\b`?\.", "", statement)
        tables = bool(re.search(r"\b(from|into|update|table)\b", statement, re.I))
        if tables and not database:
            raise MysqlError(1046, "3D000", "No database selected")
        if change and self._read_only():
            option = (
                "--super-read-only" if self.setting("super_read_only") == "ON" else "--read-only"
            )
            message = f"The MySQL server is running with the {option} option so it cannot execute this statement"
            raise MysqlError(1290, "HY000", message)
        table = re.search(
            r"\b(?:from|into|update|table)\s+(?:if\s+(?:not\s+)?exists\s+)?`?(\w+)", statement, re.I
        )
        if database and not self.account.may(database, write=change):
            name = table.group(1) if table else ""
            message = (
                f"{verb_of(statement).upper()} command denied to user {self.who} for table '{name}'"
            )
            raise MysqlError(1142, "42000", message)
        if waited_for(self.world, self.server, database, statement, write=change):
            raise MysqlError(1205, "HY000", _WAITED)
        data = self.data
        now = self.world.timestamp().replace("T", " ").rstrip("Z")
        try:
            image = data.databases.get(database, b"")
            result, image = run(image, statement, Surroundings(now))
        except SqlError as error:
            raise _mysql_error(error, database, statement) from None
        if change and database:
            store(self.world, self.storage, data.with_database(database, image))
        return result

    def _read_only(self) -> bool:
        if self.setting("super_read_only") == "ON":
            return True
        return self.setting("read_only") == "ON" and not self.account.superuser

    def _constants(self, statement: str) -> str:
        def variable(match: re.Match[str]) -> str:
            value = self.setting(match.group(1).lower())
            shown = {"ON": "1", "OFF": "0"}.get(
                value, f"'{value}'" if not value.isdecimal() else value
            )
            return f'{shown} AS "{match.group()}"'

        version = self.server.settings.get("sql.version", "")
        text = re.sub(r"@@(?:global\.|session\.)?(\w+)", variable, statement, flags=re.I)
        text = re.sub(r"\bversion\(\)", f"'{version}' AS \"version()\"", text, flags=re.I)
        text = re.sub(r"\bdatabase\(\)", f"'{self.database}' AS \"database()\"", text, flags=re.I)
        return re.sub(
            r"\b(current_)?user\(\)",
            f"'{self.who.replace(chr(39), '')}' AS \"user()\"",
            text,
            flags=re.I,
        )

    def _do_use(self, _statement: str, words: list[str]) -> Result:
        self.use(words[1].strip(";"))
        return Result((), (), 0, "use")

    def _do_show(self, statement: str, words: list[str]) -> Result | None:
        what = " ".join(words[1:3]).lower()
        data = self.data
        if what.startswith(("databases", "schemas")):
            seen = [name for name in data.databases if self.account.may(name, write=False)]
            system = (
                _SYSTEM if self.account.superuser else ("information_schema", "performance_schema")
            )
            return _rows(("Database",), [(name,) for name in sorted([*seen, *system])])
        if what.startswith(("tables", "full tables")):
            if not self.database:
                raise MysqlError(1046, "3D000", "No database selected")
            names = tables_of(data.databases.get(self.database, b""))
            return _rows((f"Tables_in_{self.database}",), [(name,) for name in names])
        if what.startswith(("variables", "global variables", "session variables")):
            form = _like(statement)
            known = sorted(
                {**DEFAULTS, **data.settings, "version": self.server.settings["sql.version"]}
            )
            found = [
                (n, self.setting(n) or self.server.settings.get(f"sql.{n}", ""))
                for n in known
                if re.fullmatch(form, n, re.IGNORECASE)
            ]
            return _rows(("Variable_name", "Value"), found)
        if what.startswith(("processlist", "full processlist")):
            host = self.who.rpartition("@")[2].strip("'")
            row = (8, self.user, host, self.database or None, "Query", 0, "init", statement)
            return _rows(*process_list(self.world, self.server, row))
        if what.startswith(("status", "global status")):
            rows = server_status(self.world, self.server)
            form = _like(statement)
            counted = [row for row in rows if re.fullmatch(form, row[0], re.IGNORECASE)]
            return _rows(("Variable_name", "Value"), counted)
        if what.startswith("grants"):
            scope = (
                "*.*" if self.account.superuser else f"`{(self.account.databases or ('',))[0]}`.*"
            )
            return _rows(
                (f"Grants for {self.who.replace(chr(39), '')}",),
                [(f"GRANT ALL PRIVILEGES ON {scope} TO `{self.user}`@`%`",)],
            )
        return None

    def _do_kill(self, _statement: str, words: list[str]) -> Result:
        session = words[-1].strip(";")
        if not session.isdecimal() or not kill(self.world, self.server, int(session)):
            raise MysqlError(1094, "HY000", f"Unknown thread id: {session}")
        return Result((), (), 0, "kill")

    def _do_describe(self, _statement: str, words: list[str]) -> Result:
        table = words[1].strip(";")
        if table not in tables_of(self.data.databases.get(self.database, b"")):
            raise MysqlError(1146, "42S02", f"Table '{self.database}.{table}' doesn't exist")
        rows = [
            (
                name,
                kind.lower(),
                "NO" if needed or key else "YES",
                "PRI" if key else "",
                default,
                "",
            )
            for name, kind, needed, default, key in columns_of(
                self.data.databases[self.database], table
            )
        ]
        return _rows(("Field", "Type", "Null", "Key", "Default", "Extra"), rows)

    _do_desc = _do_describe

    def _do_create(self, statement: str, words: list[str]) -> Result | None:
        what, data = words[1].lower(), self.data
        if what in ("database", "schema"):
            name = words[-1]
            self._demand_all(name)
            if name in data.databases and "exists" not in statement.lower():
                raise MysqlError(1007, "HY000", f"Can't create database '{name}'; database exists")
            if name not in data.databases:
                store(self.world, self.storage, data.with_database(name, b""))
            return Result((), (), 1, "create")
        if what == "user":
            self._demand("CREATE USER")
            found = re.search(
                r"'?([\w.-]+)'?(?:@'?[^'\s]+'?)?(?:\s+identified\s+(?:with\s+\w+\s+)?by\s+'([^']*)')?",
                " ".join(words[2:]),
                re.I,
            )
            if found is not None:
                store(
                    self.world,
                    self.storage,
                    data.with_account(found.group(1), Account(found.group(2) or "")),
                )
            return Result((), (), 0, "create")
        return None

    def _do_drop(self, _statement: str, words: list[str]) -> Result | None:
        what, data = words[1].lower(), self.data
        name = words[-1].strip("';").partition("'")[0].partition("@")[0].strip("'")
        if what in ("database", "schema"):
            self._demand_all(name)
            if name not in data.databases and "exists" not in [word.lower() for word in words]:
                raise MysqlError(
                    1008, "HY000", f"Can't drop database '{name}'; database doesn't exist"
                )
            store(self.world, self.storage, data.with_database(name, None))
            return Result((), (), 0, "drop")
        if what == "user":
            self._demand("CREATE USER")
            if name not in data.accounts:
                raise MysqlError(1396, "HY000", f"Operation DROP USER failed for '{name}'@'%'")
            store(self.world, self.storage, data.with_account(name, None))
            return Result((), (), 0, "drop")
        return None

    def _do_grant(self, statement: str, _words: list[str]) -> Result:
        return self._granted(statement, give=True)

    def _do_revoke(self, statement: str, _words: list[str]) -> Result:
        return self._granted(statement, give=False)

    def _granted(self, statement: str, *, give: bool) -> Result:
        found = re.search(
            r"^\w+\s+(.*?)\s+on\s+`?([\w*]+)`?\.\S+\s+(?:to|from)\s+'?([\w.-]+)",
            statement,
            re.I | re.S,
        )
        data = self.data
        if found is not None:
            self._demand_all(found.group(2))
        if found is None or found.group(3) not in data.accounts:
            raise MysqlError(1410, "42000", "You are not allowed to create a user with GRANT")
        rights, database, name = found.groups()
        account = data.accounts[name]
        only_reads = rights.strip().lower() == "select"
        held = account.reads if only_reads else account.databases
        changed = (
            tuple(dict.fromkeys((*held, database)))
            if give
            else tuple(d for d in held if d != database)
        )
        account = (
            replace(account, reads=changed) if only_reads else replace(account, databases=changed)
        )
        store(self.world, self.storage, data.with_account(name, account))
        return Result((), (), 0, "grant")

    def _do_alter(self, statement: str, words: list[str]) -> Result | None:
        found = re.search(
            r"alter\s+user\s+'?([\w.-]+)'?(?:@\S+)?\s+identified\s+(?:with\s+\w+\s+)?by\s+'([^']*)'",
            statement,
            re.I,
        )
        if words[1].lower() != "user" or found is None:
            return None
        self._demand("CREATE USER")
        data = self.data
        if found.group(1) not in data.accounts:
            raise MysqlError(
                1396, "HY000", f"Operation ALTER USER failed for '{found.group(1)}'@'%'"
            )
        account = replace(data.accounts[found.group(1)], password=found.group(2))
        store(self.world, self.storage, data.with_account(found.group(1), account))
        return Result((), (), 0, "alter")

    def _do_set(self, statement: str, _words: list[str]) -> Result:
        found = re.search(
            r"set\s+(?:(global|persist|session)\s+|@@(?:global\.)?)?(\w+)\s*=\s*'?([\w.]+)'?",
            statement,
            re.I,
        )
        if found is not None and (found.group(1) or "").lower() in ("global", "persist"):
            self._demand("SUPER or SYSTEM_VARIABLES_ADMIN")
            value = {"1": "ON", "0": "OFF"}.get(found.group(3), found.group(3).upper())
            name = found.group(2).lower()
            if name == "max_connections":
                value = found.group(3)
            store(self.world, self.storage, self.data.with_setting(name, value))
        return Result((), (), 0, "set")

    def _do_flush(self, _statement: str, _words: list[str]) -> Result:
        return Result((), (), 0, "flush")

    def _demand_all(self, database: str) -> None:
        """Refuse who may not create, drop and grant a database."""
        if not self.account.superuser:
            message = f"Access denied for user {self.who} to database '{database}'"
            raise MysqlError(1044, "42000", message)

    def _demand(self, privilege: str) -> None:
        if not self.account.superuser:
            need = f"you need (at least one of) the {privilege} privilege(s) for this operation"
            raise MysqlError(1227, "42000", f"Access denied; {need}")


def _rows(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Result:
    return Result(columns, tuple(rows), 0, "show")


def _mysql_error(error: SqlError, database: str, statement: str) -> MysqlError:
    if error.kind == "table":
        return MysqlError(1146, "42S02", f"Table '{database}.{error.name}' doesn't exist")
    if error.kind == "column":
        return MysqlError(1054, "42S22", f"Unknown column '{error.name}' in 'field list'")
    if error.kind == "exists":
        return MysqlError(1050, "42S01", f"Table '{error.name}' already exists")
    if error.kind == "unique":
        table = error.name.partition(".")[0]
        return MysqlError(1062, "23000", f"Duplicate entry for key '{table}.PRIMARY'")
    if error.kind == "null":
        column = error.name.rpartition(".")[2]
        return MysqlError(1364, "HY000", f"Field '{column}' doesn't have a default value")
    at = statement.find(error.name) if error.name else len(statement)
    near = statement[at:][:80]
    return MysqlError(
        1064,
        "42000",
        "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "
        f"version for the right syntax to use near '{near}' at line 1",
    )


def _like(statement: str) -> str:
    """The pattern of a LIKE, or one for everything, as a regular expression."""
    found = re.search(r"like\s+'([^']*)'", statement, re.I)
    return ".*" if found is None else re.escape(found.group(1)).replace("%", ".*").replace("_", ".")

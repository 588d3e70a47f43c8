"""A connection to a MySQL server: who may, statements about the server itself, transactions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_server_sql.data import SqlData, load, store
from sregym_server_sql.engine import (
    Result,
    SqlError,
    StatementContext,
    columns_of,
    first_of,
    indexes_of,
    is_cut_short,
    last_of,
    outside,
    run,
    tables_of,
    verb_of,
    writes,
)
from sregym_server_sql.mysql_accounts import rights_on
from sregym_server_sql.mysql_errors import MysqlError, error_of, unparsed
from sregym_server_sql.mysql_statements import STATEMENTS, TARGET, dialect
from sregym_server_sql.mysql_tables import demand_number, named_in_quotes
from sregym_server_sql.mysql_variables import VARIABLES, in_effect, numeric, switch
from sregym_server_sql.mysql_views import SYSTEM, described, views_in
from sregym_server_sql.select_columns import items_of, type_of
from sregym_server_sql.server_kind import demand_tables
from sregym_server_sql.sessions import waited_for
from sregym_server_sql.sleeping import sleep_with
from sregym_server_sql.tables import all_counted, empties, uncounted, without_uncounted

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.servers import Process, World

__all__ = ["MysqlConnection", "MysqlError"]
_WAITED = "Lock wait timeout exceeded; try restarting transaction"
_OWN_ID = 8


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
        self.world: World = world
        self.server: Process = server
        self.storage: str = server.settings["sql.storage"]
        self.host, self.who = host, f"'{user}'@'{host}'"
        account = self.data.accounts.get(user)
        if account is None or account.password != password:
            used = "YES" if password else "NO"
            message = f"Access denied for user {self.who} (using password: {used})"
            raise MysqlError(1045, "28000", message)
        if not account.login:
            raise MysqlError(
                3118, "HY000", f"Access denied for user {self.who}. Account is locked."
            )
        # Superusers have an account of their own for the machine itself.
        self.account_host = "localhost" if account.superuser and host == "localhost" else "%"
        self.account, self.user = account, user
        self.database = ""
        self.changed, self.slept_s = -1, 0.0
        self.before: SqlData | None = None
        # Tables that the session has locked, and whether readers wait.
        self.locked: dict[str, bool] = {}
        self.statement = ""

    @property
    def data(self) -> SqlData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    def keep(self, data: SqlData) -> None:
        """Replace what the server keeps."""
        store(self.world, self.storage, data)

    def setting(self, name: str) -> str:
        """A variable of the server."""
        if name == "version":
            return self.server.settings.get("sql.version", "")
        if name == "hostname":
            return str(self.server.config.hostname)
        return in_effect(self.server.settings, self.data.settings, name)

    def databases(self) -> list[str]:
        """Names of those that the user may see."""
        seen = [name for name in self.data.databases if self.account.enters(name)]
        system = SYSTEM if self.account.superuser else ("information_schema", "performance_schema")
        return sorted([*seen, *system])

    def now(self) -> str:
        """The present moment."""
        return self.world.timestamp().replace("T", " ").rstrip("Z")

    def own(self, state: str, query: str = "") -> tuple[object, ...]:
        """This session as the list of processes shows it."""
        host = self.host if self.host == "localhost" else f"{self.host}:{32_768 + _OWN_ID}"
        return (_OWN_ID, self.user, host, self.database or None, "Query", 0, state, query)

    def use(self, name: str) -> None:
        """Choose a database."""
        if name not in self.data.databases and name not in SYSTEM:
            raise MysqlError(1049, "42000", f"Unknown database '{name}'")
        if name == "mysql" and not self.account.superuser:
            raise self._denied(name)
        if name not in SYSTEM and not self.account.enters(name):
            raise self._denied(name)
        self.database = name

    def _denied(self, database: str) -> MysqlError:
        message = (
            f"Access denied for user '{self.user}'@'{self.account_host}' to database '{database}'"
        )
        return MysqlError(1044, "42000", message)

    def execute(self, statement: str) -> Result:
        """Carry out a statement.

        Raises:
            MysqlError: With the server's error text.
        """
        words = statement.replace("`", "").split()
        verb, self.statement = verb_of(statement), statement
        own = STATEMENTS.get(verb)
        if own is not None and is_cut_short(statement):
            raise unparsed(statement, -1)
        found = own(self, statement, words) if own is not None else None
        if found is None:
            found = self._on_tables(statement)
        self.changed = (
            found.changed if found.verb in ("insert", "update", "delete", "replace") else -1
        )
        return found

    def _on_tables(self, statement: str) -> Result:
        change = writes(statement)
        if change or TARGET.search(statement) is not None:
            demand_tables(self.world, self.server)
        text, views = views_in(self, named_in_quotes(self._variables(statement)))
        target = TARGET.search(text)
        database = target.group(1) if target is not None and target.group(2) else self.database
        if target is not None and target.group(2):
            text = re.sub(rf"`?\b{re.escape(database)}\b`?\s*\.\s*(?=`?\w)", "", text)
            target = TARGET.search(text)
        table = target.group(1) if target is not None else ""
        if target is not None and not database and table not in views:
            raise MysqlError(1046, "3D000", "No database selected")
        if change and self._read_only():
            strict = self.setting("super_read_only") == "ON"
            option = "--super-read-only" if strict else "--read-only"
            message = f"The MySQL server is running with the {option} option so it cannot execute this statement"
            raise MysqlError(1290, "HY000", message)
        if target is not None:
            self._demand_rights(statement, database, table, own=table in views)
        if waited_for(self.world, self.server, database, text, write=change):
            self.slept_s += float(self.setting("innodb_lock_wait_timeout"))
            raise MysqlError(1205, "HY000", _WAITED)
        if verb_of(statement) == "insert":
            demand_number(self, database, statement, table)
        context = StatementContext(self.now(), views, self._functions())
        try:
            result, image = run(self._image(database), outside(text, dialect), context)
        except SqlError as error:
            raise error_of(error, database, statement, self._values(statement, database)) from None
        if change and database:
            self.keep(self.data.with_database(database, image))
        more = uncounted(self.data, database, table) if table else 0
        if change and more and empties(statement):
            self.keep(without_uncounted(self.data, database, table))
        result = all_counted(result, statement, more)
        return self._typed(result, statement, database)

    def _demand_rights(self, statement: str, database: str, table: str, *, own: bool) -> None:
        """Refuse who may not use a table; `own` for views of the server's own."""
        named = TARGET.search(statement)
        where = named.group(1).lower() if named is not None and named.group(2) else database
        open_to_all = own and where in ("information_schema", "performance_schema")
        if open_to_all or self.account.superuser:
            return
        change, word = writes(statement), verb_of(statement).upper()
        whole = where not in SYSTEM and self.account.may(where, write=change)
        for place, found in enumerate(() if whole else TARGET.finditer(statement)):
            base, bare = (
                (found.group(1), found.group(2)) if found.group(2) else ("", found.group(1))
            )
            need = (
                {"REPLACE": "INSERT", "TRUNCATE": "DROP"}.get(word, word) if not place else "SELECT"
            )
            if base in SYSTEM or need not in rights_on(self.account, base or database, bare):
                message = f"{need} command denied to user {self.who} for table '{bare}'"
                raise MysqlError(1142, "42000", message)

    def _image(self, database: str) -> bytes:
        return self.data.databases.get(database, b"")

    def _typed(self, result: Result, statement: str, database: str) -> Result:
        """A result with the names and types that MySQL gives its columns."""
        if not result.columns:
            return result
        known: dict[str, str] = {}
        for schema, name in TARGET.findall(statement):
            table = name or schema
            if table in tables_of(self._image(database)):
                known |= {
                    row[0].lower(): str(row[1]) for row in described(self._image(database), table)
                }
        names, kinds = list(result.columns), [known.get(n.lower(), "") for n in result.columns]
        items = items_of(statement)
        if len(items) == len(names) and not any(item.text.endswith("*") for item in items[:1]):
            for place, item in enumerate(items):
                kinds[place] = type_of(item, known)
                literal = re.fullmatch(r"'([^']*)'|\"([^\"]*)\"", item.text)
                text = item.text if literal is None else literal.group(1) or literal.group(2) or ""
                names[place] = item.alias or item.column or text
        # Truths are numbers here.
        shown = tuple("" if kind == "boolean" else kind for kind in kinds)
        return replace(result, columns=tuple(names), types=shown)

    def _values(self, statement: str, database: str) -> dict[str, str]:
        """What an INSERT sets in its first row, by column; under `` the index that is unique."""
        found = re.search(r"\binto\s+(?:`?\w+`?\.)?`?(\w+)`?\s*(?:\(([^)]*)\))?\s*values\s*\((.*?)\)", statement, re.I | re.S)  # fmt: skip
        if found is None or found.group(1) not in tables_of(self._image(database)):
            return {}
        table = found.group(1)
        columns = [row[0] for row in columns_of(self._image(database), table)]
        names = (
            [name.strip(" `") for name in found.group(2).split(",")] if found.group(2) else columns
        )
        values = [
            part.strip().strip("'") for part in re.findall(r"'(?:[^']|'')*'|[^,]+", found.group(3))
        ]
        given = dict(zip(names, values, strict=False))
        for index, parts, unique in indexes_of(self._image(database), table):
            taken = self._taken(database, table, parts, given) if unique else False
            if taken:
                given[""] = (
                    "PRIMARY"
                    if index.endswith("_pkey")
                    else index.removeprefix(f"{table}_").removesuffix("_key")
                )
                break
        return given

    def _taken(
        self, database: str, table: str, parts: tuple[str, ...], given: dict[str, str]
    ) -> bool:
        if not all(part in given for part in parts):
            return False
        where = " AND ".join(f"\"{part}\" = '{given[part]}'" for part in parts)
        query = f'SELECT count(*) FROM "{table}" WHERE {where}'  # noqa: S608 - of the simulated world
        return bool(run(self._image(database), query, StatementContext())[0].rows[0][0])

    def _read_only(self) -> bool:
        if self.setting("super_read_only") == "ON":
            return True
        return self.setting("read_only") == "ON" and not self.account.superuser

    def _variables(self, statement: str) -> str:
        def variable(match: re.Match[str]) -> str:
            name = match.group(1).lower()
            if name not in VARIABLES:
                raise MysqlError(1193, "HY000", f"Unknown system variable '{name}'")
            value = self.setting(name)
            if switch(name):
                return "1" if value == "ON" else "0"
            return value if numeric(name) else f"'{value}'"

        return re.sub(r"@@(?:global\.|session\.)?(\w+)", variable, statement, flags=re.I)

    def _functions(self) -> dict[str, tuple[int, Callable[..., Any]]]:
        def sleep(seconds: float) -> int:
            self.slept_s += float(seconds)
            session = (self.database, self.user, self.host, self.statement)
            sleep_with(self.world, self.server, self.locked, float(seconds), session)
            return 0

        who = f"{self.user}@{self.account_host}"
        return {
            "version": (0, lambda: self.setting("version")), "database": (0, lambda: self.database or None),
            "schema": (0, lambda: self.database or None), "user": (0, lambda: f"{self.user}@{self.host}"),
            "current_user": (0, lambda: who), "session_user": (0, lambda: f"{self.user}@{self.host}"),
            "connection_id": (0, lambda: _OWN_ID), "row_count": (0, lambda: self.changed),
            "sleep": (1, sleep), "concat": (-1, lambda *p: None if None in p else "".join(map(str, p))),
            "if": (3, lambda test, yes, no: yes if test else no), "found_rows": (0, lambda: 1),
            "unix_timestamp": (0, lambda: int(self.world.epoch + self.world.now)),
            "left": (2, lambda text, count: first_of(text, max(0, int(count)))),
            "right": (2, lambda text, count: last_of(text, max(0, int(count)))),
            "last_insert_id": (0, lambda: 0), "char_length": (1, lambda text: len(str(text))),
        }  # fmt: skip

    def demand_all(self, database: str) -> None:
        """Refuse who may not create, drop and grant a database."""
        if not self.account.superuser:
            raise self._denied(database)

    def demand(self, privilege: str) -> None:
        """Refuse who has not a right over the whole server."""
        if not self.account.superuser:
            need = f"you need (at least one of) the {privilege} privilege(s) for this operation"
            raise MysqlError(1227, "42000", f"Access denied; {need}")

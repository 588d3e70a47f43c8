"""A connection to a PostgreSQL server: who may, transactions, and what happens to statements."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.data import SqlData, load, store
from sregym_server_sql.engine import (
    Result,
    SqlError,
    StatementContext,
    columns_of,
    is_cut_short,
    run,
    tables_of,
    verb_of,
    writes,
)
from sregym_server_sql.postgres_errors import (
    PostgresError,
    demand_numbers,
    ended,
    explained,
    place_of,
    pointed,
)
from sregym_server_sql.postgres_functions import (
    AGGREGATES,
    functions,
    rewritten,
)
from sregym_server_sql.postgres_notation import notated
from sregym_server_sql.postgres_reading import demand_reading
from sregym_server_sql.postgres_sequences import demand_number, plain_index
from sregym_server_sql.postgres_settings import canonical, format_setting, in_effect, raw
from sregym_server_sql.postgres_statements import STATEMENTS
from sregym_server_sql.postgres_views import VIEWS, views_in
from sregym_server_sql.select_columns import items_of, name_of, type_of
from sregym_server_sql.server_kind import session_log
from sregym_server_sql.sessions import waited_for
from sregym_server_sql.sleeping import rows_locked, sleep_with, without_row_locks
from sregym_server_sql.tables import all_counted, empties, rows_in, uncounted, without_uncounted

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

__all__ = ["PostgresConnection", "PostgresError", "Waits"]
_ABORTED = "ERROR:  current transaction is aborted, commands ignored until end of transaction block"
_TARGET = re.compile(
    r"\b(?:from|into|update|table|join|truncate)\s+(?:only\s+)?(?:if\s+(?:not\s+)?exists\s+)?"
    r"(?:public\.)?\"?([a-z_][\w.]*)",
    re.I,
)


class Waits(Exception):
    """A statement that waits for a lock for which nothing sets a limit."""


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
        self.world: World = world
        self.server: Process = server
        self.storage: str = server.settings["sql.storage"]
        head = peer or 'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: '
        self._head = head
        self.own_settings: dict[str, str] = {}
        account = self.data.accounts.get(user)
        if peer and not password:
            raise PostgresError(f"{head}fe_sendauth: no password supplied")
        late = account is not None and self._late(account.until)
        if peer and (account is None or account.password != password or late):
            why = f'Role "{user}" does not exist.' if account is None else ""
            why = f'User "{user}" has an expired password.' if late else why
            raise self.turned_away(
                f'password authentication failed for user "{user}"', why, by_rule=True
            )
        if account is None:
            raise self.turned_away(f'role "{user}" does not exist')
        if not account.login:
            raise self.turned_away(f'role "{user}" is not permitted to log in')
        self.account, self.user = self.data.acting(user) or account, user
        self.own_settings.update(account.settings)
        self.pid = 61
        self.address: str | None = None
        self.notices: list[str] = []
        self.said: str = ""
        self.slept_s = 0.0
        self.failure: SqlError | None = None
        self.before: SqlData | None = None
        # Tables that the transaction has locked, and whether readers wait.
        self.locked: dict[str, bool] = {}
        self.aborted = False
        self.database = ""
        self.use(database)

    def turned_away(self, text: str, why: str = "", *, by_rule: bool = False) -> PostgresError:
        """Let the server say that it does not let a client in; the client's error."""
        log = session_log(self.world, self.server)
        log.turned_away(self.world, self.server, text, why, by_rule)
        return PostgresError(f"{self._head}FATAL:  {text}")

    def _late(self, until: str) -> bool:
        return bool(until) and until.replace("T", " ") < self.world.timestamp().replace("T", " ")

    @property
    def data(self) -> SqlData:
        """What the server keeps now."""
        return load(self.world, self.storage)

    @property
    def owner(self) -> str:
        """The first superuser, who owns everything."""
        return next((n for n, held in self.data.accounts.items() if held.superuser), "postgres")

    def keep(self, data: SqlData) -> None:
        """Replace what the server keeps."""
        store(self.world, self.storage, data)

    def raw_setting(self, name: str) -> str:
        """A setting in effect, in its unit."""
        if name == "server_version_num":
            major, _, minor = self.server.settings.get("sql.version", "").partition(".")
            return f"{major}{int(minor or 0):04}"
        if name == "server_version":
            version = self.server.settings.get("sql.version", "")
            return f"{version} (Debian {version}-1.pgdg120+1)"
        own = self.own_settings.get(name)
        if own:
            return raw(name, own)
        return in_effect(self.server.settings, self.data.settings, name)

    def shown(self, name: str) -> str | None:
        """A setting as SHOW writes it; None where there is none."""
        known = canonical(name)
        if known == "transaction_read_only":
            if self.data.standby:
                return "on"
            known = "default_transaction_read_only"
        return None if known is None else format_setting(known, self.raw_setting(known))

    def setting(self, name: str) -> str:
        """A setting in effect, as SHOW writes it."""
        return self.shown(name) or ""

    def use(self, name: str) -> None:
        """Connect to another database."""
        if name not in self.data.databases:
            raise self.turned_away(f'database "{name}" does not exist')
        self.database = name

    def build(self) -> str:
        """What version() gives."""
        version = self.setting("server_version")
        return f"PostgreSQL {version} on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit"

    def now(self) -> str:
        """The present moment as a timestamp."""
        return self.instant(self.world.now)

    def instant(self, at: float) -> str:
        """A virtual second as a timestamp."""
        return f"{self.world.timestamp(at).replace('T', ' ').rstrip('Z')}+00"

    def own(self, query: str) -> tuple[object, ...]:
        """This session as `pg_stat_activity` shows it."""
        return (self.database, self.pid, self.user, query)

    def image(self) -> bytes:
        """The present database."""
        return self.data.databases.get(self.database, b"")

    def tables(self) -> list[str]:
        """Names of its tables, those of other schemas than `public` with theirs."""
        return tables_of(self.image())

    def schemas(self) -> list[str]:
        """Schemas besides `public`."""
        head = f"{self.database}/"
        made = [name.removeprefix(head) for name in self.data.schemas if name.startswith(head)]
        return sorted({*made, *(name.partition(".")[0] for name in self.tables() if "." in name)})

    def rows_of(self, table: str) -> int:
        """How many rows a table has."""
        return rows_in(self.data, self.database, table)

    def change_image(self, statement: str) -> None:
        """Carry out a statement on the tables of the database that checks no rights."""
        _, image = run(self.image(), statement, StatementContext())
        self.keep(self.data.with_database(self.database, image))

    def size_of(self, table: str) -> int:
        """Bytes of a table."""
        if table not in self.tables():
            self.failure = SqlError("own", "", f'relation "{table}" does not exist')
            raise self.failure
        return 8192 * (1 + self.rows_of(table) // 120)

    def sleep(self, seconds: float) -> None:
        """Let time pass, unless a limit ends the statement before."""
        limit_ms = float(self.raw_setting("statement_timeout"))
        if limit_ms and seconds * 1000 > limit_ms:
            self.slept_s += limit_ms / 1000
            self.failure = SqlError("own", "", "canceling statement due to statement timeout")
            raise self.failure
        self.slept_s += seconds
        session = (self.database, self.user, self.address or "", self.said)
        sleep_with(self.world, self.server, self.locked, seconds, session)

    def execute(self, statement: str, asked: str = "") -> Result:
        """Carry out a statement.

        Args:
            statement: One statement.
            asked: All that the client sent with it; places of errors are told in that.

        Raises:
            PostgresError: With the server's error text.
            Waits: It waits for a lock, without a limit.
        """
        verb = verb_of(statement)
        if self.aborted and verb not in ("commit", "rollback", "end", "abort"):
            raise PostgresError(_ABORTED)
        self.said, self.failure = asked or statement, None
        try:
            return self._executed(statement, verb)
        except PostgresError as error:
            self.aborted = self.before is not None
            self._log(str(error), statement)
            raise

    def _log(self, text: str, statement: str) -> None:
        log = session_log(self.world, self.server)
        log.failed(self.world, self.server, text, statement)

    def _executed(self, statement: str, verb: str) -> Result:
        if self.data.standby:
            demand_reading(statement, verb)
        own = STATEMENTS.get(verb)
        if own is not None and is_cut_short(statement):
            raise PostgresError(ended(self.said))
        found = own(self, statement, statement.split()) if own is not None else None
        if found is not None:
            return found
        change = writes(statement)
        if change and self.setting("default_transaction_read_only") == "on":
            words = statement.split()
            label = " ".join(words[:2]) if verb in ("create", "drop", "alter") else verb
            text = f"cannot execute {label.upper()} in a read-only transaction"
            raise PostgresError(f"ERROR:  {text}")
        self._demand_rights(statement, change=change)
        limit_ms = float(self.raw_setting("lock_timeout")) or float(self.raw_setting("statement_timeout"))  # fmt: skip
        if waited_for(self.world, self.server, self.database, statement, write=change):
            if not limit_ms:
                raise Waits(statement)
            self.slept_s += limit_ms / 1000
            kind = "lock" if float(self.raw_setting("lock_timeout")) else "statement"
            raise PostgresError(f"ERROR:  canceling statement due to {kind} timeout")
        return self._on_tables(statement, change=change)

    def _on_tables(self, statement: str, *, change: bool) -> Result:
        if not change or verb_of(statement) in ("insert", "update", "delete"):
            columns = self._columns(statement).items()
            times = {
                name for name, kind in columns if kind.startswith(("date", "time", "interval"))
            }
            noted = notated(statement, times)
        else:
            noted = statement
        text = re.sub(r"\bpublic\.", "", rewritten(without_row_locks(noted)))
        for schema in self.schemas():
            text = re.sub(rf'(?<![\w"\'.]){re.escape(schema)}\."?(\w+)"?', rf'"{schema}.\1"', text)
        demand_number(self, statement)
        text = plain_index(text)
        views = views_in(self, text)
        context = StatementContext(self.now(), views, functions(self), AGGREGATES)
        demand_numbers(statement, self.said)
        try:
            result, image = self._run(text, context)
        except SqlError as error:
            told = explained(self.image(), self.failure or error, statement, self.said)
            raise PostgresError(told) from None
        if change:
            self.keep(self.data.with_database(self.database, image))
        elif self.before is not None and rows_locked(statement) in self.tables():
            self.locked.setdefault(rows_locked(statement), False)
        verb, *rest = statement.split()
        if verb.lower() in ("create", "drop", "alter") and rest:
            kind = rest[1] if rest[0].lower() in ("unique", "or", "temp", "temporary") else rest[0]
            return replace(result, tag=f"{verb} {kind}".upper())
        return self._typed(self._with_uncounted(result, statement, change=change), statement)

    def _with_uncounted(self, result: Result, statement: str, *, change: bool) -> Result:
        """A result with the rows that cannot be looked at; a statement may take these away."""
        table = next((str(name) for name in _TARGET.findall(statement)), "")
        more = uncounted(self.data, self.database, table) if table else 0
        if change and more and empties(statement):
            self.keep(without_uncounted(self.data, self.database, table))
        return all_counted(result, statement, more)

    def _run(self, text: str, context: StatementContext) -> tuple[Result, bytes]:
        """Carry it out; fewer values than a table has columns are those of the first ones."""
        try:
            return run(self.image(), text, context)
        except SqlError as error:
            if error.kind != "values":
                raise
            count = len(re.findall(r"'(?:[^']|'')*'|[^,]+", text.rpartition("(")[2]))
            first = [column[0] for column in columns_of(self.image(), error.name)][:count]
            named = re.sub(r"\bvalues\b", f"({', '.join(first)}) VALUES", text, count=1, flags=re.I)
            return run(self.image(), named, context)

    def _typed(self, result: Result, statement: str) -> Result:
        """A result with the names and types that PostgreSQL gives its columns."""
        if not result.columns:
            return result
        columns = self._columns(statement)
        items = items_of(statement)
        names, kinds = (
            list(result.columns),
            [columns.get(name.lower(), "") for name in result.columns],
        )
        stars = sum(item.text.endswith("*") and not item.function for item in items)
        spare = len(names) - len(items) + stars
        place = 0
        for item in items if stars <= 1 else []:
            if item.text.endswith("*") and not item.function:
                place += spare
                continue
            if place < len(names):
                names[place], kinds[place] = name_of(item), type_of(item, columns)
            place += 1
        return replace(result, columns=tuple(names), types=tuple(kinds))

    def _columns(self, statement: str) -> dict[str, str]:
        """Types of the columns of all tables that a statement names."""
        found: dict[str, str] = {}
        known = self.tables()
        for name in _TARGET.findall(statement):
            bare = str(name).removeprefix("public.")
            if bare in known:
                for column, kind, *_ in columns_of(self.image(), bare):
                    found[column.lower()] = kind.lower()
            view = VIEWS.get(bare.lower().removeprefix("pg_catalog.").replace("information_schema.", "information_schema_"))  # fmt: skip
            if view is not None:
                table = view(self)
                for place, column in enumerate(table.columns):
                    values = [row[place] for row in table.rows if row[place] is not None]
                    kind = "boolean" if values and isinstance(values[0], bool) else ""
                    found[column] = "integer" if values and isinstance(values[0], int) and not kind else kind  # fmt: skip
        return found

    def _demand_rights(self, statement: str, *, change: bool) -> None:
        if self.account.superuser:
            return
        verb, whole = verb_of(statement), self.account.may(self.database, write=change)
        if verb in ("create", "drop", "alter") and whole:
            return
        if verb == "create":
            name = next((t for t in _TARGET.findall(statement)), "")
            text = "ERROR:  permission denied for schema public"
            raise PostgresError(text + pointed(self.said, place_of(name, self.said)))
        for name in _TARGET.findall(statement):
            bare = str(name).removeprefix("public.")
            if bare not in self.tables():
                continue
            schema = bare.partition(".")[0] if "." in bare else ""
            if schema and not whole and f"{self.database}/{schema}." not in self.account.tables:
                text = f"ERROR:  permission denied for schema {schema}"
                raise PostgresError(text + pointed(self.said, place_of(bare, self.said)))
            if verb in ("drop", "alter"):
                raise PostgresError(f"ERROR:  must be owner of table {bare.rpartition('.')[2]}")
            need = verb.upper() if change else "SELECT"
            if need not in self.account.rights(self.database, bare):
                table = bare.rpartition(".")[2]
                raise PostgresError(f"ERROR:  permission denied for table {table}")

    def demand_super(self, message: str) -> None:
        """Refuse who is no superuser."""
        if not self.account.superuser:
            raise PostgresError(f"ERROR:  {message}")

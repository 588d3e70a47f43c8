"""Commands of psql itself, those with a backslash, and COPY."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.psql_describing import DESCRIBING
from sregym_server_sql.psql_options import shaped
from sregym_server_sql.psql_tables import table, text_of

if TYPE_CHECKING:
    from sregym_server_sql.postgres_server import PostgresConnection
    from sregym_server_sql.psql_options import Options
    from sregym_server_sql.psql_tables import TableStyle

_COPY = re.compile(
    r"^copy\s+(\([^)]*\)|[\w.\"]+)\s*(\([^)]*\))?\s*(to|from)\s+(\S+)\s*(.*)$", re.I | re.S
)


@dataclass
class Client:
    """A psql that is connected.

    Attributes:
        connection: To the server.
        given: What it was told.
        look: How it writes rows now.
        name: By which it was called.
        timing: Whether it says how long statements took.
    """

    connection: PostgresConnection
    given: Options
    look: TableStyle
    name: str = "psql"
    timing: bool = False

    def copied(self, statement: str, rest: str) -> str | None:
        """What COPY to or from the client gives; None for other statements."""
        found = _COPY.match(statement.strip())
        if found is None:
            return None
        what, columns, way, where, how = found.groups()
        comma = "csv" in how.lower()
        if where.lower() not in ("stdout", "stdin"):
            verb = "to" if way.lower() == "to" else "from"
            path = where.strip("'")
            act = "writing" if verb == "to" else "reading"
            text = f'could not open file "{path}" for {act}: No such file or directory'
            raise PostgresError(f"ERROR:  {text}")
        if way.lower() == "to":
            return self._out(what, columns, header=comma and "header" in how.lower(), comma=comma)
        return self._in(what, columns, rest, comma=comma)

    def _out(self, what: str, columns: str | None, *, header: bool, comma: bool) -> str:
        chosen = (columns or "(*)").strip("()")
        query = what.strip("()") if what.startswith("(") else f"SELECT {chosen} FROM {what}"  # noqa: S608 - of the simulated world
        result = self.connection.execute(query)
        if comma:
            return table(result, replace(self.look, form="csv", bare=not header, expanded=False))
        lines = (
            "\t".join(text_of(value, kind, "\\N") for value, kind in zip(row, result.types, strict=True))
            for row in result.rows
        )  # fmt: skip
        return "".join(f"{line}\n" for line in lines)

    def _in(self, what: str, columns: str | None, rest: str, *, comma: bool) -> str:
        count = 0
        for line in rest.splitlines():
            if line == "\\.":
                break
            values = line.split("," if comma else "\t")
            shown = ", ".join(
                "NULL" if v == "\\N" else "'" + v.replace("'", "''") + "'" for v in values
            )
            self.connection.execute(f"INSERT INTO {what} {columns or ''} VALUES ({shown})")  # noqa: S608 - of the simulated world
            count += 1
        return "" if self.given.quiet else f"COPY {count}\n"


def command(client: Client, text: str) -> str:
    """What a command of psql writes.

    Raises:
        PostgresError: There is no such command, or it fails.
    """
    words = text.split()
    name = words[0]
    argument = words[1].strip('"') if len(words) > 1 else ""
    plain = name if name in DESCRIBING else name.rstrip("+S")
    if plain in DESCRIBING:
        return DESCRIBING[plain](client.connection, argument, client.look)
    if name == "\\conninfo":
        return _told(client)
    if name in ("\\c", "\\connect"):
        return _moved(client, argument)
    if name == "\\copy":
        return client.copied(text[1:], "") or ""
    if name in ("\\x", "\\t", "\\a", "\\timing", "\\pset"):
        return _changed(client, name, words[1:])
    if name in ("\\echo", "\\qecho"):
        return f"{' '.join(words[1:])}\n"
    if name == "\\!":
        return f"{' '.join(words[2:])}\n" if argument == "echo" else ""
    if name in ("\\q", "\\set", "\\unset", "\\encoding", "\\o", "\\r"):
        return ""
    hint = "" if client.given.actions else "\nTry \\? for help."
    raise PostgresError(f"invalid command {name}{hint}")


def _told(client: Client) -> str:
    given, connection = client.given, client.connection
    who = f'You are connected to database "{connection.database}" as user "{connection.user}"'
    if not given.host:
        return f'{who} via socket in "/var/run/postgresql" at port "{given.port}".\n'
    return f'{who} on host "{given.host}" at port "{given.port}".\n'


def _moved(client: Client, database: str) -> str:
    connection = client.connection
    try:
        connection.use(database or connection.database)
    except PostgresError as error:
        raise PostgresError(f"\\connect: {error}") from None
    name, user = connection.database, connection.user
    return f'You are now connected to database "{name}" as user "{user}".\n'


def _changed(client: Client, name: str, words: list[str]) -> str:
    quiet = client.given.quiet
    state = {"\\x": client.look.expanded, "\\t": client.look.bare, "\\timing": client.timing}
    if name == "\\pset":
        client.look = shaped(client.look, words[0] if words else "", " ".join(words[1:]))
        return ""
    if name == "\\a":
        form = "aligned" if client.look.form == "unaligned" else "unaligned"
        client.look = replace(client.look, form=form)
        return "" if quiet else f"Output format is {form}.\n"
    on = not state[name] if not words else words[0].lower() in ("on", "1", "true", "auto")
    labels = {"\\x": "Expanded display", "\\t": "Tuples only", "\\timing": "Timing"}
    if name == "\\timing":
        client.timing = on
    else:
        client.look = shaped(client.look, name[1:], "on" if on else "off")
    return "" if quiet else f"{labels[name]} is {'on' if on else 'off'}.\n"

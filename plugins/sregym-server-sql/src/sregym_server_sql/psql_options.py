"""What psql is told on its command line and by its environment."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sregym_cluster_embedded.sdk.commands import Output

from sregym_server_sql.psql_tables import TableStyle

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session

_VALUED = "UhpdcfvPFRoLT"
_PLAIN = "tAxlqX1wWHabenEsSzV0?"
_LONG = {
    "username": "U", "host": "h", "port": "p", "dbname": "d", "command": "c", "file": "f",
    "set": "v", "variable": "v", "pset": "P", "field-separator": "F", "record-separator": "R",
    "output": "o", "tuples-only": "t", "no-align": "A", "expanded": "x", "list": "l", "quiet": "q",
    "no-psqlrc": "X", "single-transaction": "1", "no-password": "w", "password": "W", "html": "H",
    "csv": "C", "echo-all": "a", "version": "V", "timeout": "T", "echo-errors": "b",
    "echo-queries": "e", "no-readline": "n", "help": "?",
}  # fmt: skip


@dataclass
class Options:
    """What psql is told.

    Attributes:
        host: Where the server is; empty for its socket.
        port: Its port.
        user: Role.
        password: As given; empty without one.
        database: Which one; empty for that of the role's name.
        actions: (`command` or `file`, text) in their order.
        look: How rows are written.
        quiet: Whether nothing is said of statements without rows.
        stops: Whether the first error ends a script.
        listing: Whether only the databases are listed.
    """

    host: str = ""
    port: int = 5432
    user: str = ""
    password: str = ""
    database: str = ""
    actions: list[tuple[str, str]] = field(default_factory=list)
    look: TableStyle = field(default_factory=TableStyle)
    quiet: bool = False
    stops: bool = False
    listing: bool = False


def options(session: Session, words: list[str]) -> Options | Output:
    """What the words say, and the environment where they are silent."""
    found, operands = Options(), []
    name = words[0].rpartition("/")[2]
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if word.startswith("--") and len(word) > 2:
            long, equals, value = word[2:].partition("=")
            letters = _LONG.get(long, "")
            if not letters:
                hint = f'{name}: hint: Try "{name} --help" for more information.'
                return Output(1, "", f"{name}: unrecognized option '{word}'\n{hint}\n")
            if letters in _VALUED and not equals and index < len(words):
                value, index = words[index], index + 1
        elif word.startswith("-") and len(word) > 1:
            letters, value = word[1:], ""
            at = next((n for n, letter in enumerate(letters) if letter in _VALUED), -1)
            if at >= 0:
                value, letters = letters[at + 1 :], letters[: at + 1]
                if not value and index < len(words):
                    value, index = words[index], index + 1
            bad = next((letter for letter in letters if letter not in _VALUED + _PLAIN), "")
            if bad:
                hint = f'{name}: hint: Try "{name} --help" for more information.'
                return Output(1, "", f"{name}: invalid option -- '{bad}'\n{hint}\n")
        else:
            operands.append(word)
            continue
        if "V" in letters:
            version = session.process.settings.get("sql.version", "16.6")
            return Output(0, f"{name} (PostgreSQL) {version}\n")
        for letter in letters:
            _apply(found, letter, value)
    _places(found, operands)
    _surroundings(found, session)
    return found


def _apply(found: Options, letter: str, value: str) -> None:
    plain = {"U": "user", "h": "host", "d": "database"}
    if letter in plain:
        setattr(found, plain[letter], value)
    elif letter == "p":
        found.port = int(value) if value.isdecimal() else 0
    elif letter in "cf":
        found.actions.append(("command" if letter == "c" else "file", value))
    elif letter == "v":
        name, _, to = value.partition("=")
        found.stops = found.stops or (name == "ON_ERROR_STOP" and to.lower() not in ("0", "off"))
    elif letter == "q":
        found.quiet = True
    elif letter == "l":
        found.listing = True
    else:
        found.look = _look(found.look, letter, value)


def _look(look: TableStyle, letter: str, value: str) -> TableStyle:
    if letter == "P":
        name, _, to = value.partition("=")
        return shaped(look, name, to)
    changed = {
        "t": {"bare": True}, "A": {"form": "unaligned"}, "x": {"expanded": True},
        "C": {"form": "csv"}, "F": {"separator": value},
    }  # fmt: skip
    return replace(look, **changed.get(letter, {}))  # type: ignore[arg-type]  # names of its own fields


def shaped(look: TableStyle, name: str, to: str) -> TableStyle:
    """A look after one setting of the command `pset`."""
    on = to.lower() not in ("off", "0", "false")
    if name in ("x", "expanded"):
        return replace(look, expanded=on)
    if name in ("t", "tuples_only"):
        return replace(look, bare=on)
    if name == "format" and to in ("aligned", "unaligned", "csv"):
        return replace(look, form=to)
    if name == "null":
        return replace(look, null=to)
    if name == "fieldsep":
        return replace(look, separator=to)
    return look


def _places(found: Options, operands: list[str]) -> None:
    """Database and role behind the options, or a description of the whole connection."""
    if operands and not found.database:
        found.database = operands.pop(0)
    if operands and not found.user:
        found.user = operands[0]
    text = found.database
    if "://" in text:
        found.database = ""
        _from_url(found, text)
    elif "=" in text:
        found.database = ""
        names = {"host": "host", "user": "user", "password": "password", "dbname": "database"}
        for name, quoted, plain in re.findall(r"(\w+)\s*=\s*(?:'([^']*)'|(\S+))", text):
            value = quoted or plain
            if name == "port":
                found.port = int(value) if value.isdecimal() else 0
            elif name in names:
                setattr(found, names[name], value)


def _from_url(found: Options, url: str) -> None:
    login, at, place = url.partition("://")[2].rpartition("@")
    user, _, password = login.partition(":")
    where, _, rest = place.partition("/")
    host, _, port = where.partition(":")
    if at:
        found.user, found.password = unquote(user) or found.user, unquote(password)
    found.host = host or found.host
    found.port = int(port) if port.isdecimal() else found.port
    found.database = unquote(rest.partition("?")[0])


def _surroundings(found: Options, session: Session) -> None:
    environment = session.environment
    found.host = found.host or environment.get("PGHOST", "")
    port = environment.get("PGPORT", "")
    if found.port == 5432 and port.isdecimal():
        found.port = int(port)
    found.password = found.password or environment.get("PGPASSWORD", "")
    own = "root" if session.rights.uid == 0 else "postgres"
    found.user = found.user or environment.get("PGUSER", "") or own
    found.database = found.database or environment.get("PGDATABASE", "")
    if found.listing and not found.database:
        found.database = "postgres"

"""What MySQL does with a table besides its rows: indexes, and the numbers of its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_server_sql.data import Numbers
from sregym_server_sql.engine import (
    Result,
    StatementContext,
    columns_of,
    indexes_of,
    run,
    tables_of,
)
from sregym_server_sql.mysql_errors import MysqlError, no_table
from sregym_server_sql.tables import (
    BIGINT,
    INT,
    highest_number,
    key_of,
    numbers_of,
    with_numbers,
)

if TYPE_CHECKING:
    from sregym_server_sql.mysql_server import MysqlConnection

_NAME = r"`?(\w+)`?"
_ALTER = re.compile(rf"\s*alter\s+table\s+(?:{_NAME}\s*\.\s*)?{_NAME}\s+(.*?);?\s*$", re.I | re.S)
_DROP = re.compile(rf"\s*drop\s+index\s+{_NAME}\s+on\s+(?:{_NAME}\s*\.\s*)?{_NAME}\s*;?\s*$", re.I)
_CREATE = re.compile(
    rf"\s*create\s+(unique\s+)?index\s+{_NAME}\s+(?:using\s+btree\s+)?on\s+"
    rf"(?:{_NAME}\s*\.\s*)?{_NAME}\s*\(([^)]*)\).*$",
    re.I | re.S,
)
_ADDS = re.compile(rf"add\s+(unique\s+)?(?:index|key)\s+{_NAME}\s*\(([^)]*)\)$", re.I)
_LOSES = re.compile(rf"drop\s+(?:index|key)\s+{_NAME}$", re.I)
_COUNTS = re.compile(r"auto_increment\s*=?\s*(\d+)$", re.I)
_WIDENS = re.compile(
    rf"(?:modify|change)\s+(?:column\s+)?{_NAME}\s+(?:{_NAME}\s+)?((?:big)?int(?:eger)?)\b(.*)$",
    re.I | re.S,
)
_UNSIGNED_INT, _UNSIGNED_BIGINT = 2**32 - 1, 2**64 - 1
_GREATEST = {
    ("int", False): INT, ("int", True): _UNSIGNED_INT,
    ("bigint", False): BIGINT, ("bigint", True): _UNSIGNED_BIGINT,
}  # fmt: skip
_KINDS = {
    INT: "int", _UNSIGNED_INT: "int unsigned",
    BIGINT: "bigint", _UNSIGNED_BIGINT: "bigint unsigned",
}  # fmt: skip


def auto_increment_exhausted(spent: Numbers) -> str:
    """What an insert is answered for whose key no number is left."""
    return f"Duplicate entry '{spent.greatest}' for key 'PRIMARY'"


def kind_of_key(numbers: Numbers | None) -> str:
    """The type of the column whose numbers these are."""
    return "int" if numbers is None else _KINDS.get(numbers.greatest, "int")


def next_number(client: MysqlConnection, database: str, table: str) -> int | None:
    """The number that the next row gets; None where the server gives none out."""
    found = numbers_of(client.data, database, table)
    return None if found is None else min(found.last + 1, found.greatest)


def create_index(client: MysqlConnection, statement: str) -> Result | None:
    """CREATE INDEX; None for anything else."""
    found = _CREATE.match(statement)
    if found is None:
        return None
    unique, name, schema, table, columns = found.groups()
    _add(client, schema, table, name, columns, unique=bool(unique))
    return Result((), (), 0, "create")


def drop_index(client: MysqlConnection, statement: str) -> Result | None:
    """DROP INDEX; None for anything else."""
    found = _DROP.match(statement)
    if found is None:
        return None
    name, schema, table = found.groups()
    _lose(client, schema, table, name)
    return Result((), (), 0, "drop")


def alter_table(client: MysqlConnection, statement: str) -> Result | None:
    """ALTER TABLE about indexes, the next number or the type of the key; None for anything else."""
    found = _ALTER.match(statement)
    if found is None:
        return None
    schema, table, what = found.groups()
    what = what.strip()
    if (added := _ADDS.match(what)) is not None:
        unique, name, columns = added.groups()
        _add(client, schema, table, name, columns, unique=bool(unique))
    elif (lost := _LOSES.match(what)) is not None:
        _lose(client, schema, table, lost.group(1))
    elif (counts := _COUNTS.match(what)) is not None:
        database, _ = _image(client, schema, table)
        numbers = numbers_of(client.data, database, table)
        if numbers is not None:
            highest = highest_number(client.data, database, table)
            last = min(max(int(counts.group(1)) - 1, highest), numbers.greatest)
            kept = numbers._replace(last=last)
            client.keep(with_numbers(client.data, database, table, kept))
    elif (wider := _WIDENS.match(what)) is not None:
        return _retyped(client, schema, table, wider)
    else:
        return None
    return Result((), (), 0, "alter")


def _retyped(
    client: MysqlConnection, schema: str | None, table: str, found: re.Match[str]
) -> Result | None:
    """The column of the key with another type of numbers; None for other columns."""
    database, image = _image(client, schema, table)
    column, _, kind, rest = found.groups()
    numbers = numbers_of(client.data, database, table)
    if numbers is None or column != key_of(image, table):
        return None
    wide = "bigint" if kind.lower().startswith("big") else "int"
    greatest = _GREATEST[wide, re.search(r"\bunsigned\b", rest, re.I) is not None]
    if numbers.last > greatest:
        text = f"Out of range value for column '{column}' at row 1"
        raise MysqlError(1264, "22003", text)
    kept = Numbers(numbers.last, greatest)
    client.keep(with_numbers(client.data, database, table, kept))
    return Result((), (), 0, "alter")


def named_in_quotes(statement: str) -> str:
    """A query with the one column in quotes that is called as a word of a table's definition."""
    if not re.match(r"\s*(select|with)\b", statement, re.I):
        return statement
    return re.sub(r"`?\bauto_increment\b`?", '"AUTO_INCREMENT"', statement, flags=re.I)


def demand_number(client: MysqlConnection, database: str, statement: str, table: str) -> None:
    """Refuse a row whose key the server has no number for.

    Raises:
        MysqlError: None is left, and the statement brings none.
    """
    image = client.data.databases.get(database, b"")
    if not client.data.numbers or table not in tables_of(image):
        return
    key, numbers = key_of(image, table), numbers_of(client.data, database, table)
    named = re.search(r"\binto\s+[`\w.]+\s*\(([^)]*)\)", statement, re.I)
    brings = named is None or key in [part.strip(" `") for part in named.group(1).split(",")]
    if numbers is not None and numbers.spent and not brings:
        raise MysqlError(1062, "23000", auto_increment_exhausted(numbers))


def _image(client: MysqlConnection, schema: str | None, table: str) -> tuple[str, bytes]:
    """The database of a table and its image.

    Raises:
        MysqlError: There is no such table, or no database is chosen.
    """
    database = schema or client.database
    if not database:
        raise MysqlError(1046, "3D000", "No database selected")
    client.demand_all(database)
    image = client.data.databases.get(database, b"")
    if table not in tables_of(image):
        raise no_table(database, table)
    return database, image


def _add(
    client: MysqlConnection,
    schema: str | None,
    table: str,
    name: str,
    columns: str,
    *,
    unique: bool,
) -> None:
    database, image = _image(client, schema, table)
    if name in {index for index, *_ in indexes_of(image, table)}:
        raise MysqlError(1061, "42000", f"Duplicate key name '{name}'")
    names = [re.split(r"[ (]", part.strip(" `\n"))[0].strip("`") for part in columns.split(",")]
    known = {column for column, *_ in columns_of(image, table)}
    unknown = next((column for column in names if column not in known), None)
    if unknown is not None:
        raise MysqlError(1072, "42000", f"Key column '{unknown}' doesn't exist in table")
    word, listed = "UNIQUE INDEX" if unique else "INDEX", ", ".join(f'"{n}"' for n in names)
    _change(client, database, image, f'CREATE {word} "{name}" ON "{table}" ({listed})')


def _lose(client: MysqlConnection, schema: str | None, table: str, name: str) -> None:
    database, image = _image(client, schema, table)
    if name not in {index for index, *_ in indexes_of(image, table)}:
        text = f"Can't DROP '{name}'; check that column/key exists"
        raise MysqlError(1091, "42000", text)
    _change(client, database, image, f'DROP INDEX "{name}"')


def _change(client: MysqlConnection, database: str, image: bytes, statement: str) -> None:
    _, after = run(image, statement, StatementContext())
    client.keep(client.data.with_database(database, after))

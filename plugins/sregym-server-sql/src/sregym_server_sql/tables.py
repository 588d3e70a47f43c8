"""What is known of tables besides the rows that can be looked at: how many there are, indexes, keys."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_server_sql.data import Numbers
from sregym_server_sql.engine import (
    Result,
    StatementContext,
    columns_of,
    indexes_of,
    run,
    tables_of,
)

if TYPE_CHECKING:
    from sregym_server_sql.data import SqlData

INT, BIGINT = 2**31 - 1, 2**63 - 1
_COUNT = re.compile(
    r"\s*select\s+count\(\s*(?:\*|1)\s*\)(?:\s+(?:as\s+)?\w+)?\s+from\s+[`\"\w.]+\s*;?\s*", re.I
)
_COMPARED = re.compile(r"[`\"]?(\w+)[`\"]?\s*(?:=|\bin\b)", re.I)


def place_of(database: str, table: str) -> str:
    """Under which name a table stands in the tables of the data."""
    return f"{database}/{table.removeprefix('public.')}"


def uncounted(data: SqlData, database: str, table: str) -> int:
    """How many rows of a table cannot be looked at one by one."""
    return data.uncounted.get(place_of(database, table), 0)


def rows_in(data: SqlData, database: str, table: str) -> int:
    """How many rows a table has."""
    image = data.databases.get(database, b"")
    counted, _ = run(image, f'SELECT count(*) FROM "{table}"', StatementContext())  # noqa: S608 - names of its own
    return int(counted.rows[0][0]) + uncounted(data, database, table)


def all_counted(result: Result, statement: str, more: int) -> Result:
    """What counts all rows of a table, with those that cannot be looked at."""
    if not more or _COUNT.fullmatch(statement) is None:
        return result
    return replace(result, rows=((int(result.rows[0][0]) + more,),))


def empties(statement: str) -> bool:
    """Whether a statement takes all rows of a table away."""
    text = statement.strip().lower()
    return text.startswith("truncate") or (text.startswith("delete") and " where " not in text)


def without_uncounted(data: SqlData, database: str, table: str) -> SqlData:
    """The data whose table has no rows but those that can be looked at."""
    return replace(data, uncounted={**data.uncounted, place_of(database, table): 0})


def enlarged(
    data: SqlData, database: str, table: str, total: int, fields: tuple[str, ...]
) -> SqlData:
    """The data with a table as it was just filled, made larger and indexed; the same otherwise."""
    image, place = data.databases.get(database, b""), place_of(database, table)
    if place in data.uncounted or not image or table not in tables_of(image):
        return data
    columns = {name for name, *_ in columns_of(image, table)}
    more = max(0, total - rows_in(data, database, table))
    image = _indexed(image, table, tuple(name for name in fields if name in columns))
    return replace(data.with_database(database, image), uncounted={**data.uncounted, place: more})


@lru_cache(maxsize=64)
def _indexed(image: bytes, table: str, fields: tuple[str, ...]) -> bytes:
    """The image of a database with an index of each field; that of many instances is the same."""
    for name in fields:
        made = f'CREATE INDEX "{index_name(table, name)}" ON "{table}" ("{name}")'
        _, image = run(image, made, StatementContext())
    return image


def index_name(table: str, field: str) -> str:
    """How the index of a field is called."""
    return f"idx_{table.rpartition('.')[2]}_{field}"


@lru_cache(maxsize=256)
def leading(image: bytes, table: str) -> dict[str, str]:
    """The first column of each index of a table, with the name of the index; the key comes first."""
    found: dict[str, str] = {}
    for name, columns, _ in indexes_of(image, table):
        found.setdefault(columns[0], name)
    return found


def examined(data: SqlData, database: str, table: str, by: tuple[str, ...]) -> int:
    """How many rows are read to find those with these columns; 0 where an index serves."""
    image = data.databases.get(database, b"")
    if not image or table not in tables_of(image):
        return 0
    if set(by) & set(leading(image, table)):
        return 0
    return rows_in(data, database, table)


def serving(image: bytes, table: str, condition: str) -> tuple[str, str] | None:
    """The index by which a condition is met, and its first column; None where all rows are read."""
    known = leading(image, table)
    for name in _COMPARED.findall(condition):
        if name in known:
            return known[name], str(name)
    return None


def key_of(image: bytes, table: str) -> str:
    """The column of a table whose numbers the server gives out; empty for none."""
    keys = [row for row in columns_of(image, table) if row[4]]
    return str(keys[0][0]) if len(keys) == 1 and str(keys[0][1]).upper() == "INTEGER" else ""


def numbers_of(data: SqlData, database: str, table: str) -> Numbers | None:
    """How far the numbers of a table's key are given out; None where it has no such key."""
    usual = _usual_numbers(data, database, table)
    return None if usual is None else data.numbers.get(place_of(database, table), usual)


def with_numbers(data: SqlData, database: str, table: str, numbers: Numbers) -> SqlData:
    """The data with the numbers of a table's key changed; nothing is kept of what is usual."""
    place = place_of(database, table)
    rest = {name: held for name, held in data.numbers.items() if name != place}
    if numbers == _usual_numbers(data, database, table):
        return replace(data, numbers=rest)
    return replace(data, numbers={**rest, place: numbers})


def _usual_numbers(data: SqlData, database: str, table: str) -> Numbers | None:
    """How far the numbers are given out as the rows have it; None where a table has no such key."""
    image = data.databases.get(database, b"")
    key = key_of(image, table) if image and table in tables_of(image) else ""
    if not key:
        return None
    highest, _ = run(image, f'SELECT max("{key}") FROM "{table}"', StatementContext())  # noqa: S608 - names of its own
    row = int(highest.rows[0][0] or 0)
    return Numbers(row + uncounted(data, database, table), INT)


def highest_number(data: SqlData, database: str, table: str) -> int:
    """The greatest number that a row has."""
    usual = _usual_numbers(data, database, table)
    return 0 if usual is None else usual.last


def exhausted(data: SqlData, database: str, table: str) -> Numbers | None:
    """The numbers of a table's key when none is left; None while there are some."""
    found = numbers_of(data, database, table) if data.numbers else None
    return found if found is not None and found.spent else None


def column_literal(image: bytes, table: str, column: str) -> Any:
    """A value of a column, as a statement of a program would name one."""
    if table not in tables_of(image) or column not in {n for n, *_ in columns_of(image, table)}:
        return None
    found, _ = run(image, f'SELECT "{column}" FROM "{table}" LIMIT 1', StatementContext())  # noqa: S608 - names of its own
    return found.rows[0][0] if found.rows else None

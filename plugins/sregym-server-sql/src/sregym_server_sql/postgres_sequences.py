"""Sequences of PostgreSQL that give numbers to keys, and the indexes of its tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_server_sql.engine import Result, SqlError, tables_of
from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.postgres_members import done
from sregym_server_sql.tables import (
    BIGINT,
    INT,
    highest_number,
    key_of,
    numbers_of,
    serving,
    with_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_server_sql.data import Numbers, SqlData
    from sregym_server_sql.postgres_server import PostgresConnection

_SMALLINT = 2**15 - 1
_RANGES = {"smallint": _SMALLINT, "integer": INT, "int": INT, "bigint": BIGINT}
_SEQUENCE = re.compile(
    r"\s*alter\s+sequence\s+(?:if\s+exists\s+)?([\w.\"]+)\s+(.*?);?\s*$", re.I | re.S
)
_WIDER = re.compile(
    r"\s*alter\s+table\s+(?:only\s+)?([\w.\"]+)\s+alter\s+(?:column\s+)?\"?(\w+)\"?\s+"
    r"(?:set\s+data\s+)?type\s+(\w+)",
    re.I,
)
_SPEED = re.compile(r"\b(concurrently)\b|\busing\s+btree\b", re.I)
_WITHOUT = re.compile(
    r"\s*drop\s+index\s+(?:concurrently\s+)?(if\s+exists\s+)?([\w.\"]+?)(?:\s+(?:cascade|restrict))?\s*;?\s*$",
    re.I,
)


def sequence_of(table: str, key: str) -> str:
    """The name of the sequence of a key, with its schema where the table has one."""
    return f"{table}_{key}_seq"


def sequence_exhausted(data: SqlData, database: str, table: str, spent: Numbers) -> str:
    """What an insert is answered for whose key no number is left."""
    if spent.column and spent.column < spent.greatest:
        return "ERROR: integer out of range"
    key = key_of(data.databases.get(database, b""), table)
    name = sequence_of(table, key).rpartition(".")[2]
    return f'ERROR: nextval: reached maximum value of sequence "{name}" ({spent.greatest})'


def sequences(client: PostgresConnection) -> Iterator[tuple[str, str, Numbers]]:
    """Table, sequence and numbers of each key that the server gives numbers to."""
    for table in client.tables():
        numbers = numbers_of(client.data, client.database, table)
        if numbers is not None:
            yield table, sequence_of(table, key_of(client.image(), table)), numbers


def _found(client: PostgresConnection, name: str) -> tuple[str, str, Numbers] | None:
    wanted = name.replace('"', "").removeprefix("public.")
    return next((one for one in sequences(client) if one[1] == wanted), None)


def sequence_functions(
    client: PostgresConnection,
) -> dict[str, tuple[int, Callable[..., Any]]]:
    """nextval, setval, currval and pg_get_serial_sequence."""

    def failed(text: str) -> SqlError:
        client.failure = SqlError("own", "", text)
        return client.failure

    def known(name: object) -> tuple[str, str, Numbers]:
        found = _found(client, str(name))
        if found is None:
            raise failed(f'relation "{name}" does not exist')
        return found

    def keep(table: str, numbers: Numbers) -> None:
        client.keep(with_numbers(client.data, client.database, table, numbers))

    def set_value(name: object, value: object, called: object = True) -> int:
        table, sequence, numbers = known(name)
        number = int(str(value))
        if not 1 <= number <= numbers.greatest:
            bounds = f"(1..{numbers.greatest})"
            text = f'setval: value {number} is out of bounds for sequence "{sequence}" {bounds}'
            raise failed(text)
        keep(table, numbers._replace(last=number if called else number - 1))
        return number

    def next_value(name: object) -> int:
        table, sequence, numbers = known(name)
        if numbers.last >= numbers.greatest:
            bare = sequence.rpartition(".")[2]
            text = f'nextval: reached maximum value of sequence "{bare}" ({numbers.greatest})'
            raise failed(text)
        keep(table, numbers._replace(last=numbers.last + 1))
        return numbers.last + 1

    def serial(table: object, column: object) -> str | None:
        bare = str(table).replace('"', "").removeprefix("public.")
        if bare not in client.tables():
            raise failed(f'relation "{table}" does not exist')
        if key_of(client.image(), bare) != str(column):
            return None
        name = sequence_of(bare, str(column))
        return name if "." in name else f"public.{name}"

    return {
        "nextval": (1, next_value), "setval": (-1, set_value),
        "currval": (1, lambda name: known(name)[2].last), "pg_get_serial_sequence": (2, serial),
    }  # fmt: skip


def sequence_view(client: PostgresConnection) -> Result:
    """`pg_sequences`."""
    rows = []
    for table, name, numbers in sequences(client):
        schema, _, bare = name.rpartition(".")
        kind = next((word for word, most in _RANGES.items() if most == numbers.greatest), "bigint")
        last = numbers.last or None
        del table
        rows.append(
            (
                schema or "public",
                bare,
                client.owner,
                kind,
                1,
                1,
                numbers.greatest,
                1,
                False,
                1,
                last,
            )
        )
    columns = (
        "schemaname", "sequencename", "sequenceowner", "data_type", "start_value", "min_value",
        "max_value", "increment_by", "cycle", "cache_size", "last_value",
    )  # fmt: skip
    return Result(columns, tuple(rows), 0, "select")


def alter_sequence(client: PostgresConnection, statement: str) -> Result | None:
    """ALTER SEQUENCE about its type, its end or its next number; None for anything else."""
    read = _SEQUENCE.match(statement)
    if read is None:
        return None
    name, what = read.groups()
    found = _found(client, name)
    if found is None:
        raise PostgresError(f'ERROR:  relation "{name}" does not exist')
    table, _, numbers = found
    kind = re.search(r"\bas\s+(\w+)", what, re.I)
    most = re.search(r"\bmaxvalue\s+(\d+)", what, re.I)
    again = re.search(r"\brestart(?:\s+(?:with\s+)?(\d+))?", what, re.I)
    if kind is not None and kind.group(1).lower() in _RANGES:
        numbers = numbers._replace(
            greatest=_RANGES[kind.group(1).lower()], column=numbers.column or INT
        )
    if most is not None:
        numbers = numbers._replace(greatest=int(most.group(1)), column=numbers.column or INT)
    if again is not None:
        numbers = numbers._replace(last=int(again.group(1) or 1) - 1)
    _keep(client, table, numbers)
    return done("ALTER SEQUENCE")


def alter_type(client: PostgresConnection, statement: str) -> Result | None:
    """ALTER TABLE that gives a key another type of numbers; None for anything else."""
    read = _WIDER.match(statement)
    if read is None:
        return None
    name, column, kind = read.groups()
    table = name.replace('"', "").removeprefix("public.")
    numbers = numbers_of(client.data, client.database, table) if table in client.tables() else None
    if numbers is None or key_of(client.image(), table) != column or kind.lower() not in _RANGES:
        return None
    most = _RANGES[kind.lower()]
    if highest_number(client.data, client.database, table) > most:
        raise PostgresError("ERROR:  integer out of range")
    _keep(client, table, numbers._replace(column=most))
    return done("ALTER TABLE")


def _keep(client: PostgresConnection, table: str, numbers: Numbers) -> None:
    if numbers.column == numbers.greatest:
        numbers = numbers._replace(column=0)
    client.keep(with_numbers(client.data, client.database, table, numbers))


def demand_number(client: PostgresConnection, statement: str) -> None:
    """Refuse a row whose key its sequence has no number for.

    Raises:
        PostgresError: None is left, and the statement brings none.
    """
    read = re.match(r"\s*insert\s+into\s+([\w.\"]+)\s*(?:\(([^)]*)\))?", statement, re.I)
    if read is None or not client.data.numbers:
        return
    table = read.group(1).replace('"', "").removeprefix("public.")
    if table not in tables_of(client.image()):
        return
    numbers = numbers_of(client.data, client.database, table)
    key = key_of(client.image(), table)
    brings = read.group(2) is None or key in [n.strip(' "') for n in read.group(2).split(",")]
    if numbers is not None and numbers.spent and not brings:
        text = sequence_exhausted(client.data, client.database, table, numbers)
        raise PostgresError(text.replace("ERROR: ", "ERROR:  "))


def plain_index(statement: str) -> str:
    """CREATE INDEX without the words for how it is made."""
    return _SPEED.sub("", statement)


def drop_index(client: PostgresConnection, statement: str) -> Result | None:
    """DROP INDEX of what is not there, or with words that say how; None for anything else."""
    read = _WITHOUT.match(statement)
    if read is None:
        return None
    name = read.group(2).replace('"', "").rpartition(".")[2]
    try:
        client.change_image(f'DROP INDEX "{name}"')
    except SqlError:
        if read.group(1) is None:
            raise PostgresError(f'ERROR:  index "{name}" does not exist') from None
        client.notices.append(f'NOTICE:  index "{name}" does not exist, skipping')
    return done("DROP INDEX")


def index_plan(client: PostgresConnection, table: str, condition: str, rows: int) -> list[str]:
    """The plan of a query that an index serves; empty where all rows are read."""
    found = serving(client.image(), table, condition)
    if found is None:
        return []
    name, _ = found
    bare = table.rpartition(".")[2]
    return [
        f"Index Scan using {name} on {bare}  (cost=0.43..8.45 rows={max(1, rows)} width=36)",
        f"  Index Cond: ({condition.strip()})",
    ]

"""Statements carried out on the image of a database, by SQLite in memory."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.commands import (
    BudgetExceededError,
    OutOfMemoryError,
    allocate,
    spend,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# Types and clauses that SQLite does not know by name, in its own words.
_DIALECT = (
    (r"(?<!\")\bAUTO_INCREMENT\b", ""),
    (r"\bENGINE\s*=\s*\w+", ""),
    (r"\b(DEFAULT\s+)?(CHARSET|CHARACTER\s+SET)\s*=?\s*\w+", ""),
    (r"\bCOLLATE\s*=?\s*utf8\w*", ""),
    (r"\b(BIG)?SERIAL\b", "INTEGER"),
    (r"\b(INT|BIGINT|SMALLINT)(\(\d+\))?\s+(UNSIGNED\s+)?(NOT\s+NULL\s+)?(?=PRIMARY\s+KEY)", "INTEGER "),
    (r"\bON\s+UPDATE\s+CURRENT_TIMESTAMP\b(\(\d*\))?", ""),
    (r"\b(NOW\(\)|CURRENT_TIMESTAMP\b(\(\d*\))?|(LOCAL|TRANSACTION_|CLOCK_)TIMESTAMP\b(\(\))?)", "(virtual_now())"),
    (r"::\s*(timestamp\s+with(out)?\s+time\s+zone|double\s+precision|\w+)(\(\d+(,\s*\d+)?\))?(\[\])?", ""),
    (r"\bTRUNCATE\s+(TABLE\s+)?", "DELETE FROM "),
    (r"\bILIKE\b", "LIKE"),
)  # fmt: skip
_WRITES = ("insert", "update", "delete", "create", "drop", "alter", "truncate", "replace", "grant")


class SqlError(Exception):
    """A statement that fails.

    Attributes:
        kind: `table`, `column`, `syntax`, `exists`, `unique`, `null`, `function`, `quote`, `raised`
            or `other`.
        name: The table, column or word that it is about.
    """

    def __init__(self, kind: str, name: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.name = name


@dataclass(frozen=True)
class Result:
    """What a statement gives.

    Attributes:
        columns: Names; empty for statements without rows.
        rows: Values.
        changed: Rows inserted, updated or deleted.
        verb: First word of the statement, lower case.
        types: Type of each column, lower case; empty where nothing tells it.
        tag: What is said of a statement without rows, where its first word does not tell it.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    changed: int
    verb: str
    types: tuple[str, ...] = ()
    tag: str = ""


def statements_of(script: str) -> list[str]:
    """A script taken apart at the semicolons that stand outside of quotes."""
    found, present, quote = [], "", ""
    for char in script:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif char == ";":
            found.append(present.strip())
            present = ""
            continue
        present += char
    found.append(present.strip())
    bare = [re.sub(r"(?m)^\s*--.*$", "", part).strip() for part in found]
    return [part for part in bare if part]


def verb_of(statement: str) -> str:
    """The first word, lower case."""
    return statement.split(None, 1)[0].lower() if statement.split() else ""


# Statements that say what they are about, and what has to be named in its turn.
_NAMING = frozenset(
    {"alter", "create", "desc", "describe", "drop", "explain"}
    | {"grant", "kill", "revoke", "set", "show", "use"}
)
_NAMED = frozenset(("database", "extension", "role", "schema", "table", "user"))


def is_cut_short(statement: str) -> bool:
    """Whether a statement ends before it says what it is about."""
    words = statement.lower().rstrip("; \t\n").split()
    if len(words) == 1:
        return words[0] in _NAMING
    made = len(words) == 2 and words[0] in ("alter", "create", "drop")
    return made and words[1] in _NAMED


def writes(statement: str) -> bool:
    """Whether a statement changes data."""
    return verb_of(statement) in _WRITES


def first_of(text: object, count: int) -> str | None:
    """LEFT: the first characters of a text; without as many of the last where it is negative."""
    return None if text is None else str(text)[: int(count)]


def last_of(text: object, count: int) -> str | None:
    """RIGHT: the last characters of a text; without as many of the first where it is negative."""
    return None if text is None else str(text)[-int(count) :] if int(count) else ""


# What a statement costs at least, and its instructions between two looks at the budget.
_STATEMENT_STEPS, _INSTRUCTIONS = 300, 4000
_LONGEST_VALUE, _DEEPEST = 16 << 20, 500


_RUNS = re.compile(r"\w+|\s+")


class StatementContext(NamedTuple):
    """What a statement finds besides the tables of its database.

    Attributes:
        now: What CURRENT_TIMESTAMP stands for.
        views: Views of the server's own, by name.
        functions: Functions by name: how many arguments they take (-1 for any), and what they do.
        aggregates: Classes of aggregates by name.
    """

    now: str = ""
    views: Mapping[str, Result] = MappingProxyType({})
    functions: Mapping[str, tuple[int, Callable[..., Any]]] = MappingProxyType({})
    aggregates: Mapping[str, type] = MappingProxyType({})


def read_for(statement: str) -> None:
    """Pay for reading a statement: what looks for clauses goes over long words again and again.

    Raises:
        OutOfStepsError: It takes too long.
    """
    longest = max(map(len, _RUNS.findall(statement)), default=0)
    spend(len(statement) + (longest * longest >> 9))


def run(image: bytes, statement: str, context: StatementContext) -> tuple[Result, bytes]:
    """Carry out one statement; the result, and the image of the database afterwards.

    Args:
        image: The database; empty bytes for a new one.
        statement: As MySQL or PostgreSQL words it.
        context: What it finds besides.

    Raises:
        SqlError: It cannot be carried out; the image stays as it was.
    """
    spend(_STATEMENT_STEPS)
    read_for(statement)
    connection = _opened(image)
    try:
        for name, (count, called) in context.functions.items():
            connection.create_function(name, count, called)
        for name, kind in context.aggregates.items():
            connection.create_aggregate(name, -1, kind)
        for name, table in context.views.items():
            columns = ", ".join(f'"{column}"' for column in table.columns)
            connection.execute(f'CREATE TEMP TABLE "{name}" ({columns})')
            places = ", ".join("?" * len(table.columns))
            connection.executemany(f'INSERT INTO temp."{name}" VALUES ({places})', table.rows)  # noqa: S608 - names of our own
        connection.commit()
        result = _executed(connection, statement, context.now)
        connection.commit()
        return result, connection.serialize() if writes(statement) else image
    except sqlite3.Error as error:
        # What has interrupted the statement is passed on to the sender.
        spend(0)
        raise _failure(str(error)) from None
    except MemoryError:
        raise OutOfMemoryError from None
    finally:
        connection.close()


def _executed(connection: sqlite3.Connection, statement: str, now: str) -> Result:
    # Never the clock of the machine below.
    connection.create_function("virtual_now", 0, lambda: now)
    text = outside(statement, _translated)
    cursor = connection.execute(text)
    columns = tuple(part[0] for part in cursor.description or ())
    rows = tuple(_paid(cursor)) if columns else ()
    return Result(columns, rows, max(0, cursor.rowcount), verb_of(statement))


def _paid(cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    for row in cursor:
        allocate(120 + sum(len(value) for value in row if isinstance(value, str | bytes)))
        yield tuple(row)


_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"


def tables_of(image: bytes) -> list[str]:
    """Names of the tables."""
    return [row[0] for row in _looked_up(image, _TABLES)]


def columns_of(image: bytes, table: str) -> list[tuple[str, str, bool, Any, bool]]:
    """(name, type, whether it must be set, default, whether it is the key) of each column."""
    rows = _looked_up(image, f'PRAGMA table_info("{table}")')
    return [(row[1], row[2], bool(row[3]), row[4], bool(row[5])) for row in rows]


def _looked_up(image: bytes, query: str) -> tuple[tuple[Any, ...], ...]:
    """What the catalogue of a database says, which is asked for with every call of its clients."""
    spend(_STATEMENT_STEPS)
    read_for(query)
    return _catalogue(image, query)


@lru_cache(maxsize=512)
def _catalogue(image: bytes, query: str) -> tuple[tuple[Any, ...], ...]:
    connection = _opened(image)
    try:
        return tuple(map(tuple, connection.execute(query)))
    except sqlite3.Error as error:
        raise _failure(str(error)) from None
    finally:
        connection.close()


def filled(
    image: bytes, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> bytes:
    """The image of a database after rows have been inserted into a table.

    Raises:
        SqlError: They cannot be; the image stays as it was.
    """
    spend(_STATEMENT_STEPS * len(rows))
    named = ", ".join(f'"{name}"' for name in columns)
    places = ", ".join("?" * len(columns))
    connection = _opened(image)
    try:
        connection.executemany(f'INSERT INTO "{table}" ({named}) VALUES ({places})', rows)  # noqa: S608 - of the model
        connection.commit()
        return connection.serialize()
    except sqlite3.Error as error:
        spend(0)
        raise _failure(str(error)) from None
    finally:
        connection.close()


def dump(image: bytes) -> str:
    """A script that would make the database anew."""
    connection = _opened(image)
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()


def _opened(image: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    if image:
        connection.deserialize(image)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, _DEEPEST)
    connection.set_progress_handler(_step, _INSTRUCTIONS)
    return connection


def _step() -> int:
    """Instructions of a statement; anything but 0 interrupts it."""
    try:
        spend(_INSTRUCTIONS // 8)
    except BudgetExceededError:
        return 1
    return 0


def outside(statement: str, change: Callable[[str], str]) -> str:
    """A statement with what stands outside of quotes changed."""
    parts = re.split(r"('(?:[^']|'')*')", statement)
    return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))


_LETTER = re.compile("[A-Za-z]")


def _translated(statement: str) -> str:
    # Between the texts of a thousand rows stand commas and numbers alone.
    if not _LETTER.search(statement):
        return statement
    for pattern, new in _DIALECT:
        statement = re.sub(pattern, new, statement, flags=re.IGNORECASE)
    return statement


_FAILURES = (
    (r"no such table: (?:main\.)?(\S+)", "table"),
    (r"no such column: (\S+)", "column"),
    (r"has no column named (\S+)", "column"),
    (r'near "(.*)": syntax error', "syntax"),
    (r"incomplete input()", "syntax"),
    (r"table \"?([\w.]+)\"? already exists", "exists"),
    (r"index (\S+) already exists", "exists"),
    (r"no such function: (\S+)", "function"),
    (r"unrecognized token: \"(.*)\"", "quote"),
    (r"user-defined function raised exception()", "raised"),
    (r"table (\S+) has \d+ columns but \d+ values were supplied", "values"),
    (r"UNIQUE constraint failed: (\S+)", "unique"),
    (r"NOT NULL constraint failed: (\S+)", "null"),
)


def _failure(message: str) -> SqlError:
    for pattern, kind in _FAILURES:
        found = re.search(pattern, message)
        if found is not None:
            return SqlError(kind, found.group(1), message)
    return SqlError("other", "", message)


def indexes_of(image: bytes, table: str) -> list[tuple[str, tuple[str, ...], bool]]:
    """(name, columns, whether it is unique) of each index, that of the key first."""
    bare = table.rpartition(".")[2]
    keys = [row[0] for row in columns_of(image, table) if row[4]]
    query = f"SELECT sql FROM sqlite_master WHERE name = '{table}'"  # noqa: S608 - names of its own
    made = str(run(image, query, StatementContext())[0].rows[0][0])
    named = {
        tuple(re.findall(r"\w+", listed)): name
        for name, listed in re.findall(r"CONSTRAINT\s+(\w+)\s+UNIQUE\s*\(([^)]*)\)", made, re.I)
    }
    found = [(f"{bare}_pkey", tuple(keys), True)] if keys else []
    listed = run(image, f'PRAGMA index_list("{table}")', StatementContext())[0].rows
    for _, name, unique, origin, _ in sorted(listed, key=lambda row: str(row[1])):
        if origin == "pk":
            continue
        rows = run(image, f'PRAGMA index_info("{name}")', StatementContext())[0].rows
        columns = tuple(row[2] for row in rows)
        shown = f"{bare}_{'_'.join(columns)}_key" if origin == "u" else name
        shown = named.get(columns, shown)
        found.append((shown, columns, bool(unique)))
    return found

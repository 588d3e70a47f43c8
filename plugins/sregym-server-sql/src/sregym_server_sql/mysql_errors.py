"""What MySQL says when a statement fails: number, state and words."""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import ALTERED

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import DiskProblem

    from sregym_server_sql.engine import SqlError


class MysqlError(Exception):
    """What the server answers: number, state and message."""

    def __init__(self, number: int, state: str, message: str) -> None:
        super().__init__(message)
        self.number = number
        self.state = state


def unparsed(statement: str, at: int) -> MysqlError:
    """A statement that cannot be read from a place on."""
    near = statement[at:][:80] if at >= 0 else ""
    line = statement.count("\n", 0, max(0, at)) + 1
    return MysqlError(
        1064,
        "42000",
        "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "
        f"version for the right syntax to use near '{near}' at line {line}",
    )


def withstood(trouble: DiskProblem, table: str, *, write: bool) -> str:
    """What a program is told whose statement meets trouble with the disk, as its driver writes it."""
    if trouble.error == "ENOSPC":
        return f"Error 1114 (HY000): The table '{table}' is full"
    if trouble.error == ALTERED:
        return f"Error 1712 (HY000): Index {table} is corrupted"
    number = getattr(errno, trouble.error)
    verb = "writing" if write else "reading"
    code = 1026 if write else 1024
    return f"Error {code} (HY000): Error {verb} file './{table}.ibd' (OS errno {number} - {trouble.words})"


def no_table(database: str, table: str) -> MysqlError:
    """A table that is not there."""
    return MysqlError(1146, "42S02", f"Table '{database}.{table}' doesn't exist")


def _clause(statement: str, column: str) -> str:
    """In which part of a statement a column stands, as MySQL calls it."""
    at = re.search(rf"\b{re.escape(column)}\b", statement)
    before = statement[: at.start()].lower() if at is not None else ""
    for word, name in (("order by", "order clause"), ("group by", "group statement"), (" where ", "where clause"), (" on ", "on clause")):  # fmt: skip
        if word in before:
            return name
    return "field list"


def error_of(error: SqlError, database: str, statement: str, values: dict[str, str]) -> MysqlError:
    """The error of a statement.

    Args:
        error: What went wrong.
        database: Where.
        statement: Which one.
        values: What an INSERT would have set, by column.
    """
    name = error.name.strip("`\"'")
    if error.kind == "table":
        if re.match(r"\s*drop\s+table\b", statement, re.I):
            return MysqlError(1051, "42S02", f"Unknown table '{database}.{name}'")
        return no_table(database, name)
    if error.kind == "column":
        return MysqlError(1054, "42S22", f"Unknown column '{name}' in '{_clause(statement, name)}'")
    if error.kind == "exists":
        return MysqlError(1050, "42S01", f"Table '{name}' already exists")
    table, _, column = name.partition(".")
    if error.kind == "unique":
        value = values.get(column, "")
        return MysqlError(
            1062, "23000", f"Duplicate entry '{value}' for key '{table}.{values.get('', column)}'"
        )
    if error.kind == "null":
        if values.get(column, "").upper() == "NULL":
            return MysqlError(1048, "23000", f"Column '{column}' cannot be null")
        return MysqlError(1364, "HY000", f"Field '{column}' doesn't have a default value")
    if error.kind == "function":
        return MysqlError(1305, "42000", f"FUNCTION {database}.{name} does not exist")
    if error.kind == "values" or "values for" in str(error):
        return MysqlError(1136, "21S01", "Column count doesn't match value count at row 1")
    at = statement.find(error.name) if error.name else -1
    return unparsed(statement, at)

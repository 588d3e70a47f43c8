"""What PostgreSQL says when a statement fails, and where in the statement it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_server_sql.engine import columns_of

if TYPE_CHECKING:
    from sregym_server_sql.engine import SqlError

# A text that is to be a number.
_TYPED = r"'([^']*)'::(int4|int8|integer|int|bigint|numeric)\b"


class PostgresError(Exception):
    """What the server or the client says; the text is complete."""


def pointed(statement: str, at: int) -> str:
    """The line of a statement with a mark below a place in it; nothing without a place."""
    if at < 0:
        return ""
    start = statement.rfind("\n", 0, at) + 1
    number = statement.count("\n", 0, at) + 1
    line = statement[start:].partition("\n")[0]
    head = f"LINE {number}: "
    return f"\n{head}{line}\n{' ' * (len(head) + at - start)}^"


def place_of(word: str, statement: str) -> int:
    """Where a word stands by itself in a statement; -1 when it does not."""
    found = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", statement)
    if found is None:
        return statement.find(word) if word else -1
    return found.start()


def words_of(error: SqlError, statement: str, asked: str) -> str:
    """The error of a statement.

    Args:
        error: What went wrong.
        statement: The one that failed.
        asked: All that the client sent with it, in which places are told.
    """
    name = error.name.strip('"')
    at = place_of(name, asked)
    if error.kind == "own":
        at = asked.find(f"'{name}'") if name else -1
        return f"ERROR:  {error}{pointed(asked, at)}"
    if error.kind == "table":
        if re.match(r"\s*drop\s+table\b", statement, re.I):
            return f'ERROR:  table "{name}" does not exist'
        if re.match(r"\s*(truncate|alter|lock)\b", statement, re.I):
            at = -1
        return f'ERROR:  relation "{name}" does not exist{pointed(asked, at)}'
    if error.kind == "column":
        bare = name.rpartition(".")[2]
        target = re.match(r"\s*(?:insert\s+into|update)\s+([\w.\"]+)", statement, re.I)
        if target is not None:
            table = target.group(1).strip('"').rpartition(".")[2]
            text = f'column "{bare}" of relation "{table}" does not exist'
            return f"ERROR:  {text}{pointed(asked, place_of(bare, asked))}"
        shown = name if "." in name else f'"{name}"'
        return f"ERROR:  column {shown} does not exist{pointed(asked, at)}"
    if error.kind == "function":
        return _function(name, statement, asked)
    if error.kind == "exists":
        return f'ERROR:  relation "{name.rpartition(".")[2]}" already exists'
    if error.kind == "quote":
        text = f'unterminated quoted string at or near "{error.name}"'
        return f"ERROR:  {text}{pointed(asked, asked.find(error.name))}"
    if error.kind == "syntax" and name:
        return f'ERROR:  syntax error at or near "{error.name}"{pointed(asked, at)}'
    return ended(asked)


def ended(asked: str) -> str:
    """What is said of a statement that ends too early, at its semicolon where it has one."""
    text = asked.rstrip()
    if text.endswith(";"):
        at = len(text.rstrip("; \t\n"))
        return f'ERROR:  syntax error at or near ";"{pointed(asked, asked.index(";", at))}'
    return f"ERROR:  syntax error at end of input{pointed(asked, len(asked))}"


def _function(name: str, statement: str, asked: str) -> str:
    found = re.search(rf"\b{re.escape(name)}\s*\(([^()]*)\)", statement, re.I)
    given = [part.strip() for part in found.group(1).split(",")] if found is not None else []
    kinds = ", ".join(
        "integer" if part.lstrip("-").isdecimal() else "unknown" for part in given if part
    )
    hint = "No function matches the given name and argument types. You might need to add explicit type casts."
    at = place_of(name, asked)
    return f"ERROR:  function {name}({kinds}) does not exist{pointed(asked, at)}\nHINT:  {hint}"


def inserted(statement: str, column: str, columns: list[str]) -> str:
    """The value that the first row of an INSERT has for a column, as far as it is written down."""
    found = re.search(
        r"\binto\s+[\w.\"]+\s*(?:\(([^)]*)\))?\s*values\s*\((.*?)\)", statement, re.I | re.S
    )
    if found is None:
        return ""
    names = [name.strip() for name in found.group(1).split(",")] if found.group(1) else columns
    values = re.findall(r"'(?:[^']|'')*'|[^,]+", found.group(2))
    if column not in names or names.index(column) >= len(values):
        return ""
    return str(values[names.index(column)]).strip().strip("'")


def demand_numbers(statement: str, said: str) -> None:
    """Refuse what no number can be, before anything is carried out.

    Raises:
        PostgresError: With the server's error text.
    """
    if re.search(r"/\s*0(?![\d.])", re.sub(r"'[^']*'", "''", statement)):
        raise PostgresError("ERROR:  division by zero")
    for found in re.finditer(_TYPED, statement, re.I):
        if re.fullmatch(r"\s*[-+]?\d+(\.\d+)?\s*", found.group(1)) is None:
            asked = found.group(2).lower()
            kind = {"int": "integer", "int4": "integer", "int8": "bigint"}.get(asked, asked)
            text = f'invalid input syntax for type {kind}: "{found.group(1)}"'
            raise PostgresError(f"ERROR:  {text}{pointed(said, said.find(found.group()))}")


def explained(image: bytes, error: SqlError, statement: str, said: str) -> str:
    """What is said of a statement that failed.

    Args:
        image: The database.
        error: Why it failed.
        statement: Which one.
        said: All that the client sent with it.
    """
    table, _, column = error.name.rpartition(".")
    bare = table.rpartition(".")[2]
    if error.kind == "unique":
        key = next((c[0] for c in columns_of(image, table) if c[0] == column and c[4]), "")
        index = f"{bare}_pkey" if key else f"{bare}_{column}_key"
        text = f'ERROR:  duplicate key value violates unique constraint "{index}"'
        value = inserted(statement, column, [c[0] for c in columns_of(image, table)])
        return f"{text}\nDETAIL:  Key ({column})=({value}) already exists." if value else text
    if error.kind == "null":
        text = f'null value in column "{column}" of relation "{bare}" violates not-null constraint'
        return f"ERROR:  {text}"
    return words_of(error, statement, said)
